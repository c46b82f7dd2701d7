/** What a conversation says of each of its tool calls: one walk over its messages, UI messages and model messages alike. */
import type { ModelMessage, UIMessage } from 'ai';
import { answerIn, UNCLEAR, type MessageAnswer, type MessagePart } from './messages.js';

export type AnyMessage = UIMessage | ModelMessage;

/** A tool call as a message has it. */
export interface ToldCall {
  toolCallId: string;
  toolName: string;
  input: unknown;
}

/**
 * What a conversation says of a call, all its parts taken together. A no counts before all else, then a result.
 *
 * - `open`: it has no result, and no request in the messages: nothing is known of it.
 * - `asked`: its request has no answer.
 * - `yes`, `no`: it is answered. A yes and a no are a no.
 * - `left`, `left-yes`, `left-no`: more stands behind it, before it had a result; with what was answered.
 * - `closed`: it has a result, or is in a state in which nothing is known to wait.
 * - `gone`: no message has it.
 */
export type CallWord = 'open' | 'asked' | 'yes' | 'no' | 'left' | 'left-yes' | 'left-no' | 'closed' | 'gone';

export interface SpokenAnswer {
  /** Of the request in the messages. */
  approvalId: string;
  reason: string | undefined;
  /** It says neither yes nor no, which counts as a no. */
  isUnclear: boolean;
}

export interface SpokenCall {
  readonly toolCallId: string;
  /** The messages that have it. */
  readonly places: ReadonlySet<number>;
  /** More than one: an answer cannot be told apart. */
  readonly calls: readonly ToldCall[];
  /** Of the requests in the messages. */
  readonly approvalIds: ReadonlySet<string>;
  /** The answers that say yes, and that nothing has carried out yet. */
  readonly yes: readonly SpokenAnswer[];
  /** Those that say no, likewise. */
  readonly no: readonly SpokenAnswer[];
  readonly word: CallWord;
  /** Whether the AI SDK goes on only once it has a result, as long as it is not `closed`. */
  readonly needsResult: boolean;
  /** Whether the AI SDK runs it here once it is approved: not what the provider runs, nor a part of a message of the user. */
  readonly runsHere: boolean;
  /** What was said with the no, or with the result that closes it. */
  readonly reason: string | undefined;
  /** An earlier call with the same id, about which nothing is said here; `undefined`: no such call is told apart. */
  readonly earlier: EarlierCall | undefined;
}

/** A call with the id of a later one. */
export interface EarlierCall {
  /** Of its requests in the messages. */
  approvalIds: ReadonlySet<string>;
  /** Answers to it that say yes, and that nothing has carried out. */
  yes: readonly SpokenAnswer[];
  /** Where the later one stands: what is before it is about the earlier one. */
  until: ConversationPlace;
}

export interface Conversation {
  readonly calls: ReadonlyMap<string, SpokenCall>;
  /** The call of each request that model messages have. */
  readonly requests: ReadonlyMap<string, string>;
  /** Whether the answer of a model message at this place is history: its call has a result there or behind it. */
  isPast(toolCallId: string, index: number): boolean;
}

/** A place in a conversation: a message, and a step within it. */
export interface ConversationPlace {
  index: number;
  step: number;
}

export function readConversation(messages: readonly AnyMessage[]): Conversation {
  const end = endOf(messages);
  const calls = new Map<string, RepeatedNotes>();
  const requests = new Map<string, string>();
  const asked = new Map<string, number>();
  const results = new Map<string, number>();
  const responses: { part: MessagePart; index: number }[] = [];
  const notesOf = (toolCallId: string): RepeatedNotes => {
    const known = calls.get(toolCallId) ?? new RepeatedNotes(toolCallId);
    calls.set(toolCallId, known);
    return known;
  };
  for (const [index, message] of messages.entries())
    for (const [part, step] of LISTS.flatMap((list) => withSteps(partsIn(message, list)))) {
      const call = callOf(part);
      const isLeft = message.role === 'assistant' && isBehind({ index, step }, end);
      if (call !== undefined) notesOf(call.toolCallId).take(call, part, { index, step }, isLeft, message.role);
      const { toolCallId, approvalId } = part;
      if (part.type === 'tool-approval-response') responses.push({ part, index });
      if (typeof toolCallId !== 'string') continue;
      if (part.type === 'tool-approval-request' && typeof approvalId === 'string') {
        requests.set(approvalId, toolCallId);
        asked.set(approvalId, index);
      }
      if (part.type === 'tool-result') {
        results.set(toolCallId, index);
        calls.get(toolCallId)?.close(reasonIn(part['output']));
      }
    }
  const isPast = (toolCallId: string, index: number) => (results.get(toolCallId) ?? -1) >= index;
  for (const [approvalId, toolCallId] of requests) calls.get(toolCallId)?.ask(approvalId, asked.get(approvalId) ?? 0);
  for (const { part, index } of responses) {
    const approvalId = String(part['approvalId']);
    const toolCallId = requests.get(approvalId);
    const notes = toolCallId === undefined ? undefined : calls.get(toolCallId);
    const answer = answerIn(part) ?? UNCLEAR;
    if (toolCallId !== undefined && isPast(toolCallId, index)) {
      if (!answer.approved) notes?.closeRequest(approvalId, answer.reason);
    } else notes?.answer(approvalId, answer);
  }
  return { calls: new Map([...calls].map(([id, notes]) => [id, notes.spoken()])), requests, isPast };
}

/**
 * Where the conversation ends: with what stands there the model goes on. The SDK carries out the answers of this step alone, and takes no
 * earlier call without a result.
 */
export function endOf(messages: readonly AnyMessage[]): ConversationPlace {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index] as AnyMessage;
    const step = message.role === 'tool' ? undefined : lastStepOf(message);
    if (step !== undefined) return { index, step };
  }
  return { index: -1, step: 0 };
}

/** The last step of a message that says something; `undefined`: no step does. */
function lastStepOf(message: AnyMessage): number | undefined {
  if (message.role !== 'assistant') return 0;
  const { content } = message as { content?: unknown };
  if (typeof content === 'string' ? content !== '' : partsIn(message, 'content').length > 0) return 0;
  return withSteps(partsIn(message, 'parts')).findLast(([part]) => isSaid(part))?.[1];
}

/** Parts with the number of their step in the message. */
export function withSteps(parts: readonly MessagePart[]): (readonly [part: MessagePart, step: number])[] {
  let step = 0;
  return parts.map((part) => [part, STEP_STARTS.has(part.type) ? ++step : step] as const);
}

/** What the user adds while a run goes on stands between two of its steps. */
const STEP_STARTS: ReadonlySet<string> = new Set(['step-start', 'steering-message']);

/** Whether more stands behind this place. */
export const isBehind = ({ index, step }: ConversationPlace, end: ConversationPlace): boolean =>
  index < end.index || (index === end.index && step < end.step);

/** Whether a part of a UI message becomes one of the model's message. */
const isSaid = (part: MessagePart): boolean =>
  SAID.has(part.type) || (isUiTool(part) && part['state'] !== 'input-streaming');

const SAID: ReadonlySet<string> = new Set([
  'text',
  'reasoning',
  'reasoning-file',
  'file',
  'custom',
  'steering-message',
]);

/** Where a message has its parts, a UI message's and a model message's. A forged one may have both. */
export const LISTS = ['parts', 'content'] as const;

export function partsIn(message: AnyMessage, list: (typeof LISTS)[number]): MessagePart[] {
  const parts: unknown = (message as { parts?: unknown; content?: unknown })[list];
  return Array.isArray(parts) ? (parts as MessagePart[]) : [];
}

/** The tool call that a part is: a model message's, or a tool part of a UI message, in any state. */
export function callOf(part: MessagePart): ToldCall | undefined {
  const { toolCallId, toolName, input } = part;
  if (typeof toolCallId !== 'string') return undefined;
  if (part.type === 'tool-call' || part.type === 'dynamic-tool')
    return { toolCallId, toolName: String(toolName), input };
  return isUiTool(part) ? { toolCallId, toolName: part.type.slice('tool-'.length), input } : undefined;
}

/** Whether the AI SDK takes it for a tool part of a UI message. */
const isUiTool = ({ type }: MessagePart): boolean =>
  type === 'dynamic-tool' || (type.startsWith('tool-') && !MODEL_PARTS.has(type));

const MODEL_PARTS: ReadonlySet<string> = new Set([
  'tool-call',
  'tool-result',
  'tool-error',
  'tool-approval-request',
  'tool-approval-response',
]);

/** The answer that a UI message's part carries and that was not carried out yet. */
export function uiAnswer(part: MessagePart): (MessageAnswer & { approvalId: string }) | undefined {
  const { state } = part;
  if (!isUiTool(part) || hasResult(part)) return undefined;
  const approval = part['approval'] as Record<string, unknown> | null | undefined;
  const answer = answerIn(approval);
  if (state !== 'approval-responded' && answer === undefined) return undefined;
  return { approvalId: String(approval?.['id']), ...(answer ?? UNCLEAR) };
}

/** Whether a UI message's part is in a state in which the SDK has a result for the model. */
export const hasResult = (part: MessagePart): boolean => OVER.has(part['state']);

/** Whether the model message of this UI part would hold a call without a result. */
export const needsResult = (part: MessagePart): boolean =>
  isUiTool(part) && part['providerExecuted'] !== true && !hasResult(part) && part['state'] !== 'input-streaming';

const OVER: ReadonlySet<unknown> = new Set(['output-available', 'output-error', 'output-denied']);

/** States of a UI part in which a call is known to go on: with each other one nothing waits. */
const GOES_ON: ReadonlySet<unknown> = new Set([
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
]);

/**
 * What one walk finds out about the calls of an id. The last of them is told apart from those before it if it stands in a later
 * step and has a request of its own: some models count the ids of their calls again from the start.
 */
class RepeatedNotes {
  readonly #toolCallId: string;
  readonly #all: CallNotes;
  #last: CallNotes;
  #place: ConversationPlace | undefined;
  /** Of the requests before the last call. */
  readonly #earlier = new Set<string>();
  #isRepeated = false;

  constructor(toolCallId: string) {
    this.#toolCallId = toolCallId;
    this.#all = new CallNotes(toolCallId);
    this.#last = new CallNotes(toolCallId);
  }

  take(call: ToldCall, part: MessagePart, place: ConversationPlace, isLeft: boolean, role: string): void {
    if (this.#place !== undefined && isBehind(this.#place, place)) {
      for (const id of this.#last.approvalIds) this.#earlier.add(id);
      this.#last = new CallNotes(this.#toolCallId);
      this.#isRepeated = true;
    }
    this.#place = place;
    for (const notes of [this.#all, this.#last]) notes.take(call, part, place.index, isLeft, role);
  }

  /** @param index of the model message that has the request */
  ask(approvalId: string, index: number): void {
    this.#all.approvalIds.add(approvalId);
    if (index >= (this.#place?.index ?? 0)) this.#last.approvalIds.add(approvalId);
    else this.#earlier.add(approvalId);
  }

  answer(approvalId: string, answer: MessageAnswer): void {
    this.#all.answer(approvalId, answer);
    if (this.#last.approvalIds.has(approvalId)) this.#last.answer(approvalId, answer);
  }

  /** With a result, which is one of the last call by now. */
  close(reason: string | undefined): void {
    this.#all.close(reason);
    this.#last.close(reason);
  }

  closeRequest(approvalId: string, reason: string | undefined): void {
    this.#all.close(reason);
    if (this.#last.approvalIds.has(approvalId)) this.#last.close(reason);
  }

  spoken(): SpokenCall {
    const [approvalIds, until, own] = [this.#earlier, this.#place, [...this.#last.approvalIds]];
    if (!this.#isRepeated || until === undefined) return this.#all.spoken();
    const isApart = own.length > 0 && own.every((id) => !approvalIds.has(id));
    if (!isApart) return this.#all.spoken();
    const yes = this.#all.spoken().yes.filter(({ approvalId }) => approvalIds.has(approvalId));
    return this.#last.spoken({ approvalIds, yes, until });
  }
}

/** What one walk finds out about a call. */
class CallNotes {
  readonly approvalIds = new Set<string>();
  readonly #places = new Set<number>();
  readonly #toolCallId: string;
  readonly #calls: ToldCall[] = [];
  readonly #yes: SpokenAnswer[] = [];
  readonly #no: SpokenAnswer[] = [];
  #isClosed = false;
  #closedReason: string | undefined;
  /** Whether any of its parts was not left behind. */
  #isThere = false;
  #needsResult = false;
  #runsHere = true;

  constructor(toolCallId: string) {
    this.#toolCallId = toolCallId;
  }

  take(call: ToldCall, part: MessagePart, place: number, isBehind: boolean, role: string): void {
    // The SDK takes anything that is true for it.
    if (Boolean(part['providerExecuted']) || role !== 'assistant') this.#runsHere = false;
    this.#places.add(place);
    this.#calls.push(call);
    if (!isBehind) this.#isThere = true;
    if (needsResult(part) || (part.type === 'tool-call' && part['providerExecuted'] !== true)) this.#needsResult = true;
    if (!isUiTool(part)) return;
    const approval = part['approval'] as Record<string, unknown> | null | undefined;
    if (typeof approval?.['id'] === 'string') this.approvalIds.add(approval['id']);
    const answer = uiAnswer(part);
    if (answer !== undefined) this.answer(answer.approvalId, answer);
    if (!GOES_ON.has(part['state'])) this.close(closingReason(part));
  }

  answer(approvalId: string, { approved, reason, isUnclear = false }: MessageAnswer): void {
    (approved ? this.#yes : this.#no).push({ approvalId, reason: textOf(reason), isUnclear });
  }

  close(reason: string | undefined): void {
    this.#isClosed = true;
    this.#closedReason ??= textOf(reason);
  }

  spoken(earlier?: EarlierCall): SpokenCall {
    return {
      toolCallId: this.#toolCallId,
      earlier,
      places: this.#places,
      calls: this.#calls,
      approvalIds: this.approvalIds,
      yes: this.#yes,
      no: this.#no,
      word: this.#word,
      needsResult: this.#needsResult,
      runsHere: this.#runsHere,
      reason: this.#no.find(({ reason }) => reason !== undefined)?.reason ?? this.#closedReason,
    };
  }

  get #word(): CallWord {
    const isLeft = !this.#isThere;
    if (this.#no.length > 0) return isLeft ? 'left-no' : 'no';
    if (this.#isClosed) return 'closed';
    if (this.#yes.length > 0) return isLeft ? 'left-yes' : 'yes';
    if (isLeft) return 'left';
    return this.approvalIds.size > 0 ? 'asked' : 'open';
  }
}

/** What somebody said who closed the call in a UI message. */
function closingReason({ state, errorText, approval }: MessagePart): string | undefined {
  if (state === 'output-error') return textOf(errorText);
  return answerIn(approval as Record<string, unknown>)?.approved === false
    ? textOf((approval as Record<string, unknown>)['reason'])
    : undefined;
}

/** The same of a result in a model message. */
function reasonIn(output: unknown): string | undefined {
  const { type, reason, value } = (output ?? {}) as Record<string, unknown>;
  if (type === 'execution-denied') return textOf(reason);
  return type === 'error-text' ? textOf(value) : undefined;
}

/** What a client wrote, as it can be kept. */
const textOf = (text: unknown): string | undefined =>
  typeof text === 'string' && text.trim() !== '' ? text.toWellFormed() : undefined;
