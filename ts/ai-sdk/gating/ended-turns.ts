/**
 * Turns that a human ended in loops that are not ours. The loop does not know of it and goes on: what waits in the step is
 * cancelled, and each call that comes later is denied.
 */
import type { ApprovalRecord, ExecutionDenied } from '../../../index.js';
import { InvalidConfigError } from '../../errors/index.js';
import { warnOnce } from '../../errors/warn-once.js';
import type { OpenedRequest } from '../../gate/asker.js';
import type { LocalGate } from '../../gate/gate.js';
import { isTurnEnd, type DecidedRecord } from '../../gate/records.js';
import { readable } from '../../options/check.js';
import { messagesIn } from '../messages/messages.js';
import { TURN_ENDED } from '../messages/reasons.js';
import { isRecord, type ExecuteOptions } from '../tools/tools.js';
import { denied, isKnownEnd, lookUpEnd } from './denied.js';
import { endsToLookUp, noteEnd, standingOfTurn } from './made-calls.js';

/** Lists of messages that a step began with in which a human ended the turn, and the last of the messages then. */
const ENDED_STEPS = new WeakMap<readonly unknown[], unknown>();

/** What ends the wait of the calls of a step, by the list of messages that it began with. */
const WAITING = new WeakMap<object, Set<() => void>>();

/**
 * Has no call of this turn run any more.
 *
 * @param options of a call of it. The AI SDK hands the same list of messages to each call of a step, and those of later steps hold
 * the call. Without them it is not known which calls those are
 */
export function endTurn(options: object | undefined): void {
  const messages = messagesIn(options) ?? [];
  if (options === undefined || messages.length === 0) return;
  noteEnd(options);
  ENDED_STEPS.set(messages, messages.at(-1));
  for (const cancel of WAITING.get(messages) ?? []) cancel();
}

/**
 * Whether a human ended the turn of a call, in its own step or `before`. What the user wrote behind it begins another turn. `unclear`:
 * it may be the call of a turn that ended.
 */
export function turnOf(options: ExecuteOptions): 'goes-on' | 'unclear' | 'ended' | 'ended-before' {
  const standing = standingOfTurn(options);
  if (standing === 'ended') return 'ended-before';
  // Another step may begin with the same messages: the user asked for another answer.
  const messages = messagesIn(options) ?? [];
  return messages.length > 0 && ENDED_STEPS.get(messages) === messages.at(-1) ? 'ended' : standing;
}

/** Whether it is known that a human ended the turn of a call. */
export const isEnded = (options: ExecuteOptions): boolean => turnOf(options).startsWith('ended');

/** Looks for the end of the turn of a call in denials that another process has made; `undefined`: it has no such denial. */
export function lookForEnd(gate: LocalGate, options: ExecuteOptions): Promise<void> | undefined {
  const ends = endsToLookUp(options);
  if (ends.length === 0) return undefined;
  return Promise.all(ends.map((approvalId) => lookUpEnd(gate, approvalId))).then(() => undefined);
}

/** Has the request of a call end its turn, or end with it. */
export function withinTurn(
  gate: LocalGate,
  { record, decided }: Pick<OpenedRequest, 'record' | 'decided'>,
  options: ExecuteOptions,
  ended: () => void,
): void {
  const cancel = (): void => void gate.cancel(record.approvalId, TURN_ENDED, 'system');
  const messages = messagesIn(options);
  const waiting = (messages && WAITING.get(messages)) ?? new Set();
  if (messages !== undefined) WAITING.set(messages, waiting.add(cancel));
  const follow = ({ decision }: DecidedRecord): void => {
    waiting.delete(cancel);
    if (!isTurnEnd(decision)) return;
    endTurn(options);
    ended();
  };
  decided.then(follow, () => void waiting.delete(cancel));
  // It may have ended while the request was made.
  if (isEnded(options)) cancel();
}

/** What a call gets of a turn that is over; `undefined`: it goes on. */
export function ofEndedTurn(
  options: ExecuteOptions,
  approvalId: ApprovalRecord['approvalId'] | null = null,
): ExecutionDenied | undefined {
  const turn = turnOf(options);
  if (turn === 'goes-on' || turn === 'unclear') return undefined;
  // The loop may leave out the call at which the turn ended, and keep this one.
  noteEnd(options);
  if (turn === 'ended-before')
    warnOnce(
      'turn-goes-on',
      'gateTools: a human ended the turn, and the loop called the model again. No gated call of that turn runs any more, but ' +
        'only the loop can end itself: pass stopWhen: [stepCountIs(20), turnEnded], or use streamWithEvents.',
    );
  return denied(TURN_ENDED, 'cancelled', approvalId, true);
}

const listIn = (of: unknown, name: string): unknown[] | undefined => {
  const list = isRecord(of) ? of[name] : undefined;
  return Array.isArray(list) ? (list as unknown[]) : undefined;
};

/** @see types/ */
export function turnEnded(options: { steps: readonly { toolResults: readonly { output?: unknown }[] }[] }): boolean {
  const steps = readable('turnEnded: steps', () => listIn(options, 'steps'));
  if (steps === undefined)
    throw new InvalidConfigError({
      message: 'turnEnded: pass the function itself, and do not call it: stopWhen: [stepCountIs(20), turnEnded].',
    });
  const results = (listIn(steps.at(-1), 'toolResults') ?? []) as { output?: unknown }[];
  return results.some(({ output }) => isKnownEnd(output));
}
