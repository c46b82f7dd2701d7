/**
 * Calls that the model made in loops that are not ours, and at which of them a human ended the turn. Later steps hold those calls
 * in their messages. That is how it is known which turn a step is of.
 */
import type { CallAsker } from '../../gate/asker.js';
import { digestOf } from '../../gate/edits.js';
import { once } from '../../values/lazily.js';
import { snapshot } from '../../values/snapshot.js';
import { messagesIn, partsOf, type MessagePart } from '../messages/messages.js';
import { isRecord, type ExecuteOptions } from '../tools/tools.js';

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
  /** Whether its turn is over. */
  isEnd: boolean;
}

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

/** Calls by the options of their `execute`. */
const MADE = new WeakMap<object, MadeCall>();

/** Calls by their inputs: the AI SDK writes the very object into its messages. `undefined`: several calls have it. */
const INPUTS = new WeakMap<object, MadeCall | undefined>();

/** What the user wrote, by the message: it is the same in each step of most loops. */
const WRITTEN = new WeakMap<object, string | undefined>();

/** Says what call of the model these are the options of. To be called first. Without messages there is no turn to know it by. */
export function noteCall(options: ExecuteOptions, { asker, toolName, input }: NewCall): void {
  const messages = messagesIn(options) ?? [];
  if (messages.length === 0) return;
  const { toolCallId } = options;
  const [digest, user] = [lateDigest(input), userIn(messages)];
  const made: MadeCall = { toolCallId, toolName, digest, asker: new WeakRef(asker), user, isEnd: false };
  MADE.set(options, made);
  if (isRecord(input)) INPUTS.set(input, INPUTS.has(input) ? undefined : made);
  GOING.add(made);
}

/** The turn of this call is over. */
export function noteEnd(options: object): void {
  const made = MADE.get(options);
  if (made === undefined || made.isEnd) return;
  made.isEnd = true;
  // It is asked for from now on, also once the input is gone.
  made.digest();
  ENDING.add(made);
}

/** Whether a call at which the turn ended is in the messages of this call, behind the last one of the user. */
export function holdsEnd(options: ExecuteOptions): boolean {
  // Asked of each call, and nearly always no turn was ended at all.
  const own = ENDING.isEmpty ? undefined : MADE.get(options);
  if (own === undefined) return false;
  const messages = messagesIn(options) ?? [];
  const parts = messages.slice(lastUser(messages) + 1).flatMap((message) => partsOf(message));
  return parts.some((part) => isRecord(part) && part.type === 'tool-call' && isEnd(part, own, parts));
}

function isEnd(part: MessagePart, own: MadeCall, parts: readonly MessagePart[]): boolean {
  const { toolCallId, toolName, input } = part as MessagePart & { toolCallId: string } & NewCall;
  const known = isRecord(input) ? INPUTS.get(input) : undefined;
  if (known !== undefined) return known.isEnd;
  const digest = digestOrNone(input);
  const isSame = (call: MadeCall): boolean => call.toolName === toolName && call.digest() === digest;
  // One that was approved in an earlier request runs only now, and has no result.
  if (toolCallId === own.toolCallId && isSame(own) && !parts.some((each) => isResultOf(each, toolCallId))) return false;
  return isCopyOfEnd({ toolCallId, toolName }, isSame, own);
}

/**
 * Whether a call that the loop has copied is one at which the turn ended. If several may be meant, it is one of the same set of
 * tools and behind the same text of the user, as far as there are such. In doubt the turn is over.
 */
function isCopyOfEnd(
  { toolCallId, toolName }: Pick<MadeCall, 'toolCallId' | 'toolName'>,
  isSame: (call: MadeCall) => boolean,
  own: MadeCall,
): boolean {
  const isOfSet = ({ asker }: MadeCall): boolean => asker.deref() === own.asker.deref();
  const isOfText = ({ user }: MadeCall): boolean => user === own.user;
  const named = [...ENDING.of(toolCallId), ...GOING.of(toolCallId)].filter((call) => call !== own);
  // The loop may have changed the input, too.
  const isChanged = (call: MadeCall): boolean => call.toolName === toolName && isOfSet(call) && isOfText(call);
  const meant = named.some(isSame) ? named.filter(isSame) : named.filter(isChanged);
  return likeliest(likeliest(meant, isOfSet), isOfText).some((call) => call.isEnd);
}

/** Those that fit; all of them, if none does. */
function likeliest(calls: readonly MadeCall[], fits: (call: MadeCall) => boolean): readonly MadeCall[] {
  const fitting = calls.filter(fits);
  return fitting.length === 0 ? calls : fitting;
}

const isResultOf = (part: MessagePart, toolCallId: string): boolean =>
  isRecord(part) && part.type === 'tool-result' && part['toolCallId'] === toolCallId;

/** Nearly no turn is ended, and a long input takes long: it is made when it is asked for. The messages of a loop keep the input. */
function lateDigest(input: unknown): () => string | undefined {
  if (typeof input !== 'object' || input === null) return once(() => digestOrNone(input));
  const held = new WeakRef(input);
  return once(() => digestOrNone(held.deref()));
}

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
