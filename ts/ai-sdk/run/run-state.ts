/**
 * Where a run is, and what is to be done about what happens: a pure function, held by a table in `run-state.test.ts`. `Run` does
 * what it says, and tells what comes of it as the next event.
 */

export interface RunState {
  readonly phase: 'starting' | 'reading' | 'waiting' | 'over';
  /** Why it must not go on here, though it is not over. */
  readonly suspended: DOMException | undefined;
  /** It was let go of, and so was the run that it is a part of: nothing more is told of it here. */
  readonly isLeft: boolean;
  /** A human ended the turn in a run that is a part of this one. */
  readonly isTurnEnded: boolean;
}

export const RUN_START: RunState = { phase: 'starting', suspended: undefined, isLeft: false, isTurnEnded: false };

/** Something that went wrong, or why something was aborted: any value, `undefined` as well. */
interface RunReason {
  readonly reason: unknown;
}

export type RunEvent =
  /** The reader waits for more. */
  | {
      type: 'wanted';
      /** The signal of the run is aborted. */
      aborted?: RunReason | undefined;
      /** What the round waits for cannot be waited for any more. */
      lost?: RunReason | undefined;
      /** Nothing is left that must come to its end before the run is let go of. Counts where it is suspended. */
      canBeLetGo: boolean;
      /** Requests of the round that are not decided, all of them, and whether it goes on though it has none. */
      waiting: number;
      requests: number;
      goesOn: boolean;
    }
  /** A round was opened, and is read from here on. */
  | { type: 'opened' }
  /** The run was continued at its requests. */
  | { type: 'resumed' }
  /** The stream of the round has ended. */
  | { type: 'round-read'; isAborted: boolean; roundAborted?: RunReason | undefined }
  /** The round is a part of the conversation, and kept. `unasked`: requests not yet put to a human. */
  | { type: 'round-kept'; unasked: number }
  /** What did not hold was asked about once more. `waits`: somebody is to answer. `endsTurn`: a human has ended the turn. */
  | { type: 'asked-again'; waits: boolean; endsTurn: boolean }
  /** The answers of the round are there. `isSilent`: the model is not called; `needsRound`: something is to run. */
  | { type: 'answered'; isSilent: boolean; needsRound: boolean }
  /** It is to end here, and another process may continue it. */
  | { type: 'suspended'; reason: DOMException }
  /** A run that is a part of it was let go of. */
  | { type: 'part-left'; error: unknown }
  /** A human has ended the turn in a run that is a part of it. */
  | { type: 'turn-ended' }
  /** Something went wrong. */
  | {
      type: 'thrown';
      error: unknown;
      /** The signal of the run is aborted. */
      aborted?: RunReason | undefined;
      /** The time of what was being opened is up. */
      openingAborted?: RunReason | undefined;
      /** The gate was closed, so that another process may have the run. */
      isGateClosed: boolean;
      /** Nothing more is heard of any request. */
      endsAll: boolean;
      /** It only ever continues what a ledger has. */
      onlyResumes: boolean;
      hasParent: boolean;
    }
  /** It is let go of. */
  | { type: 'let-go'; hasParent: boolean }
  /** It is over, however it ended. */
  | { type: 'ended' };

/** What is to be done. */
export type RunEffect =
  | { do: 'start' }
  | { do: 'read' }
  | { do: 'wait' }
  | { do: 'close-round' }
  | { do: 'ask' }
  | { do: 'ask-again' }
  | { do: 'answer' }
  | { do: 'open-round' }
  | { do: 'stop-turn' }
  | { do: 'end' }
  | { do: 'let-go'; reason: DOMException }
  | { do: 'abort'; reason: unknown }
  | { do: 'raise'; error: unknown }
  /** `isElsewhere`: it is not over, another process may go on with it. `leavesParent`: the run above cannot go on either. */
  | { do: 'fail'; error: unknown; isElsewhere: boolean; leavesParent: boolean }
  /** The events are at their end. */
  | { do: 'finish' }
  /** Nothing more comes, not even an end: that belongs to the process that continues the run. */
  | { do: 'hang' }
  | { do: 'suspend-parts' }
  | { do: 'lose'; error: unknown }
  | { do: 'cancel-requests' }
  | { do: 'wake' };

export interface RunStep {
  readonly state: RunState;
  /** In their order. */
  readonly effects: readonly RunEffect[];
}

const NOTHING: readonly RunEffect[] = [];
/** Made once: each part of a stream passes here. */
const READ: readonly RunEffect[] = [{ do: 'read' }];

/** What follows when this happens to a run that is there. */
export function runStep(state: RunState, event: RunEvent): RunStep {
  const stay = (...effects: RunEffect[]): RunStep => ({ state, effects });
  switch (event.type) {
    case 'wanted':
      return { state, effects: wanted(state, event) };
    case 'opened':
      return { state: { ...state, phase: 'reading' }, effects: NOTHING };
    case 'resumed':
      return { state: { ...state, phase: 'waiting' }, effects: NOTHING };
    case 'round-read':
      // The next look at the run sees that it is aborted.
      if (event.isAborted) return stay();
      if (event.roundAborted !== undefined) return stay({ do: 'abort', reason: event.roundAborted.reason });
      return { state: { ...state, phase: 'waiting' }, effects: [{ do: 'close-round' }] };
    case 'round-kept':
      // What a run that is let go of would ask, the process asks that continues it.
      return event.unasked > 0 && state.suspended === undefined ? stay({ do: 'ask' }) : stay();
    case 'asked-again':
      if (event.waits) return stay();
      return stay({ do: event.endsTurn || state.isTurnEnded ? 'stop-turn' : 'answer' });
    case 'answered':
      return stay({ do: event.isSilent && !event.needsRound ? 'end' : 'open-round' });
    case 'suspended':
      return {
        state: { ...state, suspended: state.suspended ?? event.reason },
        effects: [{ do: 'suspend-parts' }, { do: 'wake' }],
      };
    case 'part-left':
      if (state.phase === 'over') return stay();
      if (!(event.error instanceof DOMException)) return stay({ do: 'lose', error: event.error }, { do: 'wake' });
      return { state: { ...state, suspended: state.suspended ?? event.error }, effects: [{ do: 'wake' }] };
    case 'turn-ended':
      return { state: { ...state, isTurnEnded: true }, effects: [{ do: 'cancel-requests' }] };
    case 'thrown':
      return thrown(state, event);
    case 'let-go':
      return { state: { ...state, phase: 'over', isLeft: event.hasParent }, effects: NOTHING };
    case 'ended':
      return { state: { ...state, phase: 'over' }, effects: NOTHING };
  }
}

function wanted(state: RunState, event: RunEvent & { type: 'wanted' }): readonly RunEffect[] {
  const { phase, suspended, isLeft } = state;
  if (phase === 'over') return [{ do: isLeft ? 'hang' : 'finish' }];
  if (event.aborted !== undefined) return [{ do: 'abort', reason: event.aborted.reason }];
  if (event.lost !== undefined) return [{ do: 'raise', error: event.lost.reason }];
  if (suspended !== undefined && event.canBeLetGo) return [{ do: 'let-go', reason: suspended }];
  if (phase === 'reading') return READ;
  if (phase === 'starting') return [{ do: 'start' }];
  if (event.waiting > 0) return [{ do: 'wait' }];
  return [{ do: event.requests === 0 && !event.goesOn ? 'end' : 'ask-again' }];
}

function thrown(state: RunState, event: RunEvent & { type: 'thrown' }): RunStep {
  const isStarting = state.phase === 'starting';
  // What is opened may be aborted before the SDK has begun, which tells it otherwise.
  const aborted = event.aborted ?? (isStarting ? event.openingAborted : undefined);
  if (aborted !== undefined) return { state, effects: [{ do: 'abort', reason: aborted.reason }] };
  const isElsewhere = event.isGateClosed || (event.onlyResumes && isStarting);
  const leavesParent = event.hasParent && (isElsewhere || event.endsAll);
  return {
    state: { ...state, isLeft: leavesParent },
    effects: [{ do: 'fail', error: event.error, isElsewhere, leavesParent }],
  };
}
