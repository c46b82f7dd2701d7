/** What a run does about what happens to it, as a table: each state with each event. */
import { describe, expect, test } from 'vitest';
import { RUN_START, runStep, type RunEffect, type RunEvent, type RunState } from '../../ts/ai-sdk/run/run-state.js';

const SUSPENDED = new DOMException('The run was suspended.', 'AbortError');
const FAILURE = new Error('failed');

const starting = RUN_START;
const reading: RunState = { ...RUN_START, phase: 'reading' };
const waiting: RunState = { ...RUN_START, phase: 'waiting' };
const over: RunState = { ...RUN_START, phase: 'over' };
const suspended = (state: RunState): RunState => ({ ...state, suspended: SUSPENDED });

const wanted = (more: Partial<RunEvent & { type: 'wanted' }> = {}): RunEvent => ({
  type: 'wanted',
  canBeLetGo: false,
  waiting: 0,
  requests: 0,
  goesOn: false,
  ...more,
});
const thrown = (more: Partial<RunEvent & { type: 'thrown' }> = {}): RunEvent => ({
  type: 'thrown',
  error: FAILURE,
  isGateClosed: false,
  endsAll: false,
  onlyResumes: false,
  hasParent: false,
  ...more,
});
const fail = (more: Partial<RunEffect & { do: 'fail' }> = {}): RunEffect => ({
  do: 'fail',
  error: FAILURE,
  isElsewhere: false,
  leavesParent: false,
  ...more,
});
const aborted = { reason: 'stop' };
const lost = { reason: FAILURE };
const abort: RunEffect = { do: 'abort', reason: 'stop' };

type Row = [said: string, state: RunState, event: RunEvent, effects: RunEffect[], becomes?: Partial<RunState>];

const ROWS: Row[] = [
  // The reader wants more.
  ['starts', starting, wanted(), [{ do: 'start' }]],
  ['reads', reading, wanted(), [{ do: 'read' }]],
  ['reads though requests wait', reading, wanted({ waiting: 1, requests: 1 }), [{ do: 'read' }]],
  ['waits for answers', waiting, wanted({ waiting: 1, requests: 2 }), [{ do: 'wait' }]],
  ['looks at answers', waiting, wanted({ requests: 2 }), [{ do: 'ask-again' }]],
  ['ends where nothing was asked', waiting, wanted(), [{ do: 'end' }]],
  ['goes on where results are there', waiting, wanted({ goesOn: true }), [{ do: 'ask-again' }]],
  ['ends its events', over, wanted(), [{ do: 'finish' }]],
  ['ends its events though it is aborted', over, wanted({ aborted, lost }), [{ do: 'finish' }]],
  ['tells no end where another process goes on', { ...over, isLeft: true }, wanted(), [{ do: 'hang' }]],
  // An abort comes first, then what is lost, then that it is let go of.
  ['aborts at the start', starting, wanted({ aborted, lost }), [abort]],
  ['aborts while it reads', suspended(reading), wanted({ aborted, canBeLetGo: true }), [abort]],
  ['aborts while it waits', waiting, wanted({ aborted, waiting: 1, requests: 1 }), [abort]],
  ['fails at what is lost', waiting, wanted({ lost, waiting: 1 }), [{ do: 'raise', error: FAILURE }]],
  [
    'fails before it is let go of',
    suspended(reading),
    wanted({ lost, canBeLetGo: true }),
    [{ do: 'raise', error: FAILURE }],
  ],
  ['is let go of', suspended(waiting), wanted({ canBeLetGo: true, waiting: 1 }), [{ do: 'let-go', reason: SUSPENDED }]],
  ['reads on until it can be let go of', suspended(reading), wanted(), [{ do: 'read' }]],
  ['is not let go of unasked', reading, wanted({ canBeLetGo: true }), [{ do: 'read' }]],
  // Rounds.
  ['is read once a round is open', starting, { type: 'opened' }, [], { phase: 'reading' }],
  ['is read again in the next round', waiting, { type: 'opened' }, [], { phase: 'reading' }],
  ['waits once it is continued', starting, { type: 'resumed' }, [], { phase: 'waiting' }],
  ['closes a round', reading, { type: 'round-read', isAborted: false }, [{ do: 'close-round' }], { phase: 'waiting' }],
  [
    'closes no round that the SDK aborted',
    reading,
    { type: 'round-read', isAborted: false, roundAborted: aborted },
    [abort],
  ],
  ['closes no round when it is aborted', reading, { type: 'round-read', isAborted: true, roundAborted: aborted }, []],
  ['asks what is left', waiting, { type: 'round-kept', unasked: 1 }, [{ do: 'ask' }]],
  ['asks nothing twice', waiting, { type: 'round-kept', unasked: 0 }, []],
  ['asks nobody when it is suspended', suspended(waiting), { type: 'round-kept', unasked: 1 }, []],
  ['waits for who is asked again', waiting, { type: 'asked-again', waits: true, endsTurn: true }, []],
  ['answers', waiting, { type: 'asked-again', waits: false, endsTurn: false }, [{ do: 'answer' }]],
  [
    'stops where a human ends the turn',
    waiting,
    { type: 'asked-again', waits: false, endsTurn: true },
    [{ do: 'stop-turn' }],
  ],
  [
    'stops where a human ended the turn in a part of it',
    { ...waiting, isTurnEnded: true },
    { type: 'asked-again', waits: false, endsTurn: false },
    [{ do: 'stop-turn' }],
  ],
  ['calls the model', waiting, { type: 'answered', isSilent: false, needsRound: false }, [{ do: 'open-round' }]],
  ['runs what is approved', waiting, { type: 'answered', isSilent: true, needsRound: true }, [{ do: 'open-round' }]],
  ['ends with nothing to run', waiting, { type: 'answered', isSilent: true, needsRound: false }, [{ do: 'end' }]],
  // From outside, at any time.
  [
    'is suspended',
    reading,
    { type: 'suspended', reason: SUSPENDED },
    [{ do: 'suspend-parts' }, { do: 'wake' }],
    { suspended: SUSPENDED },
  ],
  [
    'is suspended once',
    suspended(reading),
    { type: 'suspended', reason: new DOMException('again', 'AbortError') },
    [{ do: 'suspend-parts' }, { do: 'wake' }],
  ],
  [
    'is suspended with a part',
    waiting,
    { type: 'part-left', error: SUSPENDED },
    [{ do: 'wake' }],
    { suspended: SUSPENDED },
  ],
  [
    'is lost with a part',
    waiting,
    { type: 'part-left', error: FAILURE },
    [{ do: 'lose', error: FAILURE }, { do: 'wake' }],
  ],
  ['is over before its part', over, { type: 'part-left', error: FAILURE }, []],
  ['hears of the end of the turn', reading, { type: 'turn-ended' }, [{ do: 'cancel-requests' }], { isTurnEnded: true }],
  // Failures.
  ['fails', reading, thrown(), [fail()]],
  ['fails with its parent', reading, thrown({ hasParent: true }), [fail()]],
  ['is aborted, not failed', reading, thrown({ aborted }), [abort]],
  ['is aborted while it opens', starting, thrown({ openingAborted: aborted }), [abort]],
  ['fails after it was opened', reading, thrown({ openingAborted: aborted }), [fail()]],
  ['is elsewhere when the gate closes', waiting, thrown({ isGateClosed: true }), [fail({ isElsewhere: true })]],
  ['is elsewhere when it cannot be continued', starting, thrown({ onlyResumes: true }), [fail({ isElsewhere: true })]],
  ['is not elsewhere once it was continued', reading, thrown({ onlyResumes: true }), [fail()]],
  [
    'leaves its parent when nothing more is heard',
    waiting,
    thrown({ endsAll: true, hasParent: true }),
    [fail({ leavesParent: true })],
    { isLeft: true },
  ],
  [
    'leaves its parent when the gate closes',
    waiting,
    thrown({ isGateClosed: true, hasParent: true }),
    [fail({ isElsewhere: true, leavesParent: true })],
    { isLeft: true },
  ],
  ['has no parent to leave', waiting, thrown({ endsAll: true }), [fail()]],
  // Ends.
  ['is let go of alone', suspended(waiting), { type: 'let-go', hasParent: false }, [], { phase: 'over' }],
  [
    'is let go of as a part',
    suspended(waiting),
    { type: 'let-go', hasParent: true },
    [],
    { phase: 'over', isLeft: true },
  ],
  ['ends', waiting, { type: 'ended' }, [], { phase: 'over' }],
  ['stays left', { ...over, isLeft: true }, { type: 'ended' }, []],
];

describe('a run', () => {
  test.each(ROWS)('%s', (_said, state, event, effects, becomes = {}) => {
    const before = structuredClone({ ...state, suspended: undefined });
    expect(runStep(state, event)).toEqual({ state: { ...state, ...becomes }, effects });
    expect({ ...state, suspended: undefined }, 'the state that was is as it was').toEqual(before);
  });

  test('that is over never starts, reads or asks again', () => {
    for (const event of [wanted(), wanted({ aborted }), wanted({ lost }), wanted({ requests: 1 })])
      for (const { do: what } of runStep(over, event).effects) expect(what).toBe('finish');
  });
});
