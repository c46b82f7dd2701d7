/**
 * Calls that the model made in loops that are not ours, and at which of them a human ended the turn. Later steps hold those calls
 * in their messages. That is how it is known which turn a step is of.
 */
import type { CallAsker } from '../../gate/asker.js';
import { digestOf } from '../../gate/edits.js';
import type { LocalGate } from '../../gate/gate.js';
import { once } from '../../values/lazily.js';
import { snapshot } from '../../values/snapshot.js';
import { messagesIn, partsOf, type MessagePart } from '../messages/messages.js';
import { isRecord, type ExecuteOptions } from '../tools/tools.js';
import { endToLookUp, mayBeEnd, saysTurnEnded, valueIn } from './denied.js';

/** What is known of a call when it is made. */
export interface NewCall {
  /** Of the set of tools that it is a call of. */
  asker: CallAsker;
  toolName: string;
  input: unknown;
}

/** A call that the model made. */
interface MadeCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Of its input; `undefined`: it has none, or the input is gone. */
  readonly digest: () => string | undefined;
  readonly asker: WeakRef<CallAsker>;
  /** Of what the user had written last; `undefined`: no text is there. */
  readonly user: string | undefined;
  readonly step: MadeStep;
  /** Whether its turn is over. */
  isEnd: boolean;
}

/** The calls that the model made at once. */
interface MadeStep {
  /** The last of the messages that it began with. */
  readonly after: unknown;
  /** Whether its turn may be one that a human ended. That does not go away: later steps hold its calls. */
  isInDoubt: boolean;
}

/** A turn that a human ended. */
interface EndedTurn {
  /** Of what the user had written last. */
  readonly user: string | undefined;
  /** How many messages of the user there were. A conversation has more of them in each turn. */
  readonly userMessages: number;
}

/** What is known of the turn of a call. `unclear`: a turn of the same gate may be meant that a human ended. */
export type TurnStanding = 'goes-on' | 'unclear' | 'ended';

/** Calls by their ids: some models count those from the start again, so that several calls have the same. */
class CallList {
  readonly #calls = new Map<string, MadeCall[]>();

  get isEmpty(): boolean {
    return this.#calls.size === 0;
  }

  of(toolCallId: string): readonly MadeCall[] {
    return this.#calls.get(toolCallId) ?? [];
  }

  add(call: MadeCall): void {
    const { toolCallId } = call;
    const others = this.of(toolCallId).slice(1 - REMEMBERED_CALLS);
    this.#calls.delete(toolCallId);
    this.#calls.set(toolCallId, [...others, call]);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > REMEMBERED_IDS && oldest !== undefined) this.#calls.delete(oldest);
  }
}

/** How many ids of calls are remembered: a loop that goes on after so many others is not expected. */
const REMEMBERED_IDS = 10_000;

/** How many calls of each id are. */
const REMEMBERED_CALLS = 100;

/** Calls whose turn went on, and those at which it ended. The first are many, and take no place of the others. */
const GOING = new CallList();
const ENDING = new CallList();

/** The turns that ended, by gate and run. */
const ENDED_TURNS = new WeakMap<LocalGate, Map<string, EndedTurn[]>>();

/** How many of them are remembered for each run, and how many runs for each gate. */
const REMEMBERED_TURNS = 100;
const REMEMBERED_RUNS = 1_000;

/** Steps by the list of messages that they began with. */
const STEPS = new WeakMap<readonly unknown[], MadeStep>();

/** Calls by the options of their `execute`. */
const MADE = new WeakMap<object, MadeCall>();

/** Calls by their inputs: the AI SDK writes the very object into its messages. `undefined`: several calls have it. */
const INPUTS = new WeakMap<object, MadeCall | undefined>();

/** Digests of inputs that messages hold. */
const DIGESTS = new WeakMap<object, string | undefined>();

/** What the user wrote, by the message: it is the same in each step of most loops. */
const WRITTEN = new WeakMap<object, string | undefined>();

/** Says what call of the model these are the options of. To be called first. Without messages there is no turn to know it by. */
export function noteCall(options: ExecuteOptions, { asker, toolName, input }: NewCall): void {
  const messages = messagesIn(options) ?? [];
  if (messages.length === 0) return;
  const { toolCallId } = options;
  const [digest, user] = [lateDigest(input), userIn(messages)];
  const made: MadeCall = {
    toolCallId,
    toolName,
    digest,
    asker: new WeakRef(asker),
    user,
    step: stepOf(messages),
    isEnd: false,
  };
  MADE.set(options, made);
  if (isRecord(input)) INPUTS.set(input, INPUTS.has(input) ? undefined : made);
  GOING.add(made);
  const standing = standingOfTurn(options);
  if (standing === 'ended') noteEnd(options);
  else if (standing === 'unclear') made.step.isInDoubt = true;
}

function stepOf(messages: readonly unknown[]): MadeStep {
  const [known, after] = [STEPS.get(messages), messages.at(-1)];
  // A loop may add to one list.
  if (known !== undefined && known.after === after) return known;
  const step = { after, isInDoubt: false };
  STEPS.set(messages, step);
  return step;
}

/** The turn of this call is over. */
export function noteEnd(options: object): void {
  const made = MADE.get(options);
  if (made === undefined || made.isEnd) return;
  made.isEnd = true;
  made.step.isInDoubt = true;
  // It is asked for from now on, also once the input is gone.
  made.digest();
  ENDING.add(made);
  const messages = messagesIn(options) ?? [];
  for (const part of callsOfTurn(messages)) for (const call of meantBy(part, made).likely) call.step.isInDoubt = true;
  const asker = made.asker.deref();
  if (asker !== undefined) noteTurn(asker, { user: made.user, userMessages: usersIn(messages) });
}

function noteTurn({ gate, runId }: CallAsker, turn: EndedTurn): void {
  const runs = ENDED_TURNS.get(gate) ?? new Map<string, EndedTurn[]>();
  ENDED_TURNS.set(gate, runs);
  const turns = runs.get(runId) ?? [];
  runs.delete(runId);
  runs.set(runId, [...turns.slice(1 - REMEMBERED_TURNS), turn]);
  const [oldest] = runs.keys();
  if (runs.size > REMEMBERED_RUNS && oldest !== undefined) runs.delete(oldest);
}

/**
 * What the messages of this call say of its turn, behind the last one of the user. A result says that a human ended the turn; the
 * calls themselves do where the loop has changed the results.
 */
export function standingOfTurn(options: ExecuteOptions): TurnStanding {
  const messages = messagesIn(options) ?? [];
  const own = MADE.get(options);
  if (own === undefined) return 'goes-on';
  const parts = partsOfTurn(messages);
  const outputs = parts.filter(({ type }) => type === 'tool-result').map((part) => part['output']);
  if (outputs.some(saysTurnEnded)) return 'ended';
  if (outputs.some((output) => mayBeEnd(valueIn(output)))) return 'unclear';
  // Asked of each call, and nearly always no turn was ended at all.
  if (ENDING.isEmpty) return 'goes-on';
  const calls = callsOfTurn(messages);
  const standings = new Set(calls.map((part) => standingOf(part, own, parts)));
  if (standings.has('ended')) return 'ended';
  if (standings.has('unclear')) return 'unclear';
  const mayBe = endedTurnsLike(own, usersIn(messages));
  // The loop may have taken out the calls that would say it, or all of them.
  const isLike = standings.has('unknown') ? mayBe.length > 0 : mayBe.some(({ user }) => user === own.user);
  return isLike ? 'unclear' : 'goes-on';
}

/** The requests of denials in the messages of this call that may say that its turn is over, and that are not known here. */
export function endsToLookUp(options: ExecuteOptions): readonly string[] {
  const results = partsOfTurn(messagesIn(options) ?? []).filter(({ type }) => type === 'tool-result');
  const ends = results.map((part) => endToLookUp(valueIn(part['output'])));
  return [...new Set(ends.filter((approvalId) => approvalId !== undefined))];
}

/** The turns of the same run at the same gate that ended, in a conversation that was no shorter. */
function endedTurnsLike({ asker }: MadeCall, userMessages: number): readonly EndedTurn[] {
  const set = asker.deref();
  const turns = set === undefined ? [] : (ENDED_TURNS.get(set.gate)?.get(set.runId) ?? []);
  return turns.filter((turn) => turn.userMessages >= userMessages);
}

/** @returns `unknown`: no call that was made here is meant */
function standingOf(part: CallPart, own: MadeCall, parts: readonly MessagePart[]): TurnStanding | 'unknown' {
  const { likely, others } = meantBy(part, own);
  const { toolCallId } = part;
  const runsOnlyNow = toolCallId === own.toolCallId && isSameCall(part, own);
  // One that was approved in an earlier request runs only now, and has no result.
  if (runsOnlyNow && !parts.some((each) => isResultOf(each, toolCallId))) return 'goes-on';
  if (likely.length > 0 && likely.every(({ isEnd }) => isEnd)) return 'ended';
  if ([...likely, ...others].some(({ isEnd, step }) => isEnd || step.isInDoubt)) return 'unclear';
  return likely.length === 0 ? 'unknown' : 'goes-on';
}

/**
 * The calls that a part of the messages may be. Likely is the one with its very input, or those with its id, name and input which
 * the same set of tools got behind the same text of the user. `others`: of the same gate, or changed since.
 */
function meantBy(part: CallPart, own: MadeCall): { likely: readonly MadeCall[]; others: readonly MadeCall[] } {
  const { toolCallId, toolName, input } = part;
  const known = isRecord(input) ? INPUTS.get(input) : undefined;
  if (known?.toolCallId === toolCallId && known.toolName === toolName) return { likely: [known], others: [] };
  const isOfSet = ({ asker }: MadeCall): boolean => asker.deref() === own.asker.deref();
  const isOfGate = ({ asker }: MadeCall): boolean => asker.deref()?.gate === own.asker.deref()?.gate;
  const named = [...ENDING.of(toolCallId), ...GOING.of(toolCallId)].filter((call) => call !== own);
  const same = named.filter((call) => isSameCall(part, call));
  const likely = same.filter((call) => isOfSet(call) && call.user === own.user);
  if (likely.length > 0) return { likely, others: [] };
  return { likely, others: [...same.filter(isOfGate), ...named.filter(isOfSet)] };
}

const isSameCall = ({ toolName, input }: CallPart, call: MadeCall): boolean =>
  call.toolName === toolName && call.digest() === digestIn(input);

/** It is compared with each call of its id that is remembered, in each look at its turn. */
function digestIn(input: unknown): string | undefined {
  if (!isRecord(input)) return digestOrNone(input);
  if (!DIGESTS.has(input)) DIGESTS.set(input, digestOrNone(input));
  return DIGESTS.get(input);
}

type CallPart = MessagePart & { toolCallId: string; toolName: string; input: unknown };

const partsOfTurn = (messages: readonly unknown[]): MessagePart[] =>
  messages.slice(lastUser(messages) + 1).flatMap((message) => partsOf(message).filter((part) => isRecord(part)));

const callsOfTurn = (messages: readonly unknown[]): CallPart[] =>
  partsOfTurn(messages).filter((part): part is CallPart => part.type === 'tool-call');

const usersIn = (messages: readonly unknown[]): number =>
  messages.filter((message) => isRecord(message) && message['role'] === 'user').length;

const isResultOf = (part: MessagePart, toolCallId: string): boolean =>
  isRecord(part) && part.type === 'tool-result' && part['toolCallId'] === toolCallId;

/** Nearly no turn is ended, and a long input takes long: it is made when it is asked for. The messages of a loop keep the input. */
function lateDigest(input: unknown): () => string | undefined {
  if (typeof input !== 'object' || input === null) return once(() => digestOrNone(input));
  const held = new WeakRef(input);
  return once(() => digestOrNone(held.deref()));
}

/** `undefined`: it has none. */
export function digestOrNone(value: unknown): string | undefined {
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
  if (message === undefined) return undefined;
  if (!WRITTEN.has(message)) WRITTEN.set(message, writtenIn(message));
  return WRITTEN.get(message);
}

function writtenIn(message: { content?: unknown }): string | undefined {
  const parts =
    typeof message.content === 'string'
      ? [message.content]
      : partsOf(message).map((part) => isRecord(part) && part['text']);
  const texts = parts.filter((text) => typeof text === 'string');
  return texts.length === 0 ? undefined : digestOrNone(texts.join('\n'));
}
