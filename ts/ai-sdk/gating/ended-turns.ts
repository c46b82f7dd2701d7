/**
 * Turns that a human ended in loops that are not ours. The loop does not know of it and goes on: what waits in the step is
 * cancelled, and each call that comes later is denied.
 */
import type { ApprovalRecord, ExecutionDenied } from '../../../index.js';
import { InvalidConfigError } from '../../errors/index.js';
import { warnOnce } from '../../errors/warn-once.js';
import type { OpenedRequest } from '../../gate/asker.js';
import { digestOf } from '../../gate/edits.js';
import type { LocalGate } from '../../gate/gate.js';
import { isTurnEnd, type DecidedRecord } from '../../gate/records.js';
import { readable } from '../../options/check.js';
import { snapshot } from '../../values/snapshot.js';
import { messagesIn, partsOf, type MessagePart } from '../messages/messages.js';
import { REJECTED, reasonOf, TURN_ENDED } from '../messages/reasons.js';
import { isRecord, type ExecuteOptions } from '../tools/tools.js';
import { denied, isExecutionDenied } from './denied.js';

/** A call that the model made, as it stands in the messages of later steps. */
interface MadeCall {
  toolName: string;
  input: unknown;
}

/** A call at which a turn ended, or which came to nothing since it was over. */
interface EndingCall {
  toolName: string;
  digest: string | undefined;
  /** What the model was told; `undefined`: the turn ended inside of the tool, which says what it likes. */
  reason: string | undefined;
  /** Of what the user had written last; `undefined`: it is not known. */
  user: string | undefined;
  /** Whether another turn has made the same call under the same id: some models count their ids anew. */
  isMadeAgain: boolean;
}

/** Calls by the options of their `execute`. */
const MADE = new WeakMap<object, MadeCall>();

/** Those by their ids. A loop may hand on copies of its messages, or a part of them: they are known by what is in them. */
const ENDING = new Map<string, EndingCall[]>();

/** How many ids of calls are remembered: a loop that goes on after so many others have ended is not expected. */
const REMEMBERED = 10_000;

/** How many turns with the same call are. */
const REMEMBERED_TURNS = 100;

/** Lists of messages that a step began with in which a human ended the turn, and the last of the messages then. */
const ENDED_STEPS = new WeakMap<readonly unknown[], unknown>();

/** What ends the wait of the calls of a step, by the list of messages that it began with. */
const WAITING = new WeakMap<object, Set<() => void>>();

/** Says what call of the model these are the options of. To be called first. */
export const noteCall = (options: ExecuteOptions, made: MadeCall): void => void MADE.set(options, made);

/**
 * Has no call of this turn run any more.
 *
 * @param options of a call of it. The AI SDK hands the same list of messages to each call of a step, and those of later steps hold
 * the call. Without them it is not known which calls those are
 * @param reason what the model is told of the call; absent: the turn ended inside of its tool
 */
export function endTurn(options: object | undefined, reason?: string): void {
  const messages = messagesIn(options) ?? [];
  if (messages.length === 0) return;
  remember(options as ExecuteOptions, reason);
  ENDED_STEPS.set(messages, messages.at(-1));
  for (const cancel of WAITING.get(messages) ?? []) cancel();
}

function remember(options: ExecuteOptions, reason: string | undefined): void {
  const made = MADE.get(options);
  if (made === undefined) return;
  const { toolCallId } = options;
  const user = userIn(messagesIn(options) ?? []);
  const others = (ENDING.get(toolCallId) ?? []).filter((ending) => !isOf(ending, made) || ending.user !== user);
  const { toolName } = made;
  const ending = { toolName, digest: digestOrNone(made.input), reason, user, isMadeAgain: false };
  ENDING.delete(toolCallId);
  ENDING.set(toolCallId, [...others.slice(1 - REMEMBERED_TURNS), ending]);
  const [oldest] = ENDING.keys();
  if (ENDING.size > REMEMBERED && oldest !== undefined) ENDING.delete(oldest);
}

const endingsOf = (toolCallId: string, made: MadeCall | undefined): EndingCall[] =>
  made === undefined ? [] : (ENDING.get(toolCallId) ?? []).filter((ending) => isOf(ending, made));

const isOf = ({ toolName, digest }: EndingCall, made: MadeCall): boolean =>
  toolName === made.toolName && digest === digestOrNone(made.input);

/** `undefined`: it has none. */
function digestOrNone(value: unknown): string | undefined {
  try {
    return digestOf(snapshot(value));
  } catch {
    return undefined;
  }
}

const lastUser = (messages: readonly unknown[]): number =>
  messages.findLastIndex((message) => isRecord(message) && message['role'] === 'user');

/** Of the text that the user wrote last; `undefined`: no text is there. */
function userIn(messages: readonly unknown[]): string | undefined {
  const message = messages[lastUser(messages)] as { content?: unknown } | undefined;
  const parts = typeof message?.content === 'string' ? [message.content] : partsOf(message).map(({ text }) => text);
  const texts = parts.filter((text) => typeof text === 'string');
  return texts.length === 0 ? undefined : digestOrNone(texts.join('\n'));
}

/** Whether a human ended the turn of a call, in its own step or `before`. What the user wrote behind it begins another turn. */
export function turnOf(options: ExecuteOptions): 'goes-on' | 'ended' | 'ended-before' {
  const messages = messagesIn(options) ?? [];
  // Asked of each call, and nearly always no turn was ended at all.
  if (ENDING.size > 0 && holdsEnding(messages, options)) return 'ended-before';
  // Another step may begin with the same messages: the user asked for another answer.
  return messages.length > 0 && ENDED_STEPS.get(messages) === messages.at(-1) ? 'ended' : 'goes-on';
}

/**
 * Whether a call at which the turn ended is among the messages behind the last one of the user. The call itself is none: one that was
 * approved in an earlier request stands there, too, and what was decided of it is known by its request.
 */
function holdsEnding(messages: readonly unknown[], options: ExecuteOptions): boolean {
  const own = MADE.get(options);
  const parts = messages.slice(lastUser(messages) + 1).flatMap((message) => partsOf(message));
  return parts.some((part) => !isCall(part, options.toolCallId, own) && isEnding(part, parts, () => userIn(messages)));
}

/** Whether this part of a message is that call. */
function isCall(part: MessagePart, id: string, made: MadeCall | undefined): boolean {
  if (!isRecord(part) || made === undefined || part.type !== 'tool-call') return false;
  const { toolCallId, toolName, input } = part as MessagePart & MadeCall & { toolCallId: string };
  return toolCallId === id && toolName === made.toolName && digestOrNone(input) === digestOrNone(made.input);
}

/** Whether this is a call at which the turn ended that these parts of messages are of. */
function isEnding(part: MessagePart, parts: readonly MessagePart[], user: () => string | undefined): boolean {
  if (!isRecord(part) || part.type !== 'tool-call') return false;
  const { toolCallId, toolName, input } = part as MessagePart & MadeCall & { toolCallId: string };
  return endingsOf(toolCallId, { toolName, input }).some((ending) => {
    const { reason, isMadeAgain } = ending;
    // The loop may have changed the results, and what the user wrote. They only tell turns with the same call apart.
    if (!isMadeAgain) return true;
    const said = user();
    const isOther = said !== undefined && ending.user !== undefined && said !== ending.user;
    return !isOther && (reason === undefined || parts.some((each) => tells(each, toolCallId, reason)));
  });
}

/** Whether the model is told this there of a call that did not run. */
function tells(part: MessagePart, toolCallId: string, reason: string): boolean {
  if (!isRecord(part) || part.type !== 'tool-result' || part['toolCallId'] !== toolCallId) return false;
  const output = isRecord(part['output']) ? part['output'] : {};
  return [output, output['value']].some(
    (said) => isRecord(said) && said['type'] === 'execution-denied' && said['reason'] === reason,
  );
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
    endTurn(options, reasonOf(decision) ?? REJECTED);
    ended();
  };
  decided.then(follow, () => void waiting.delete(cancel));
  // It may have ended while the request was made.
  if (turnOf(options) !== 'goes-on') cancel();
}

/** What a call gets of a turn that is over; `undefined`: it goes on. */
export function ofEndedTurn(
  options: ExecuteOptions,
  approvalId: ApprovalRecord['approvalId'] | null = null,
): ExecutionDenied | undefined {
  const turn = turnOf(options);
  if (turn === 'goes-on') {
    for (const ending of endingsOf(options.toolCallId, MADE.get(options))) ending.isMadeAgain = true;
    return undefined;
  }
  // The loop may leave out the call at which the turn ended, and keep this one.
  remember(options, TURN_ENDED);
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
  return results.some(({ output }) => isExecutionDenied(output) && output.stop === true);
}
