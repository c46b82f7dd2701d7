/**
 * Answers to approval requests that come back from a client. The client holds the whole conversation, so nothing in it is
 * believed but what the gate knows: that it asked about this very call, and has no answer yet.
 */
import type { ApprovalRecord, Gate, VerifyApprovalsOptions } from '../../../index.js';
import { InvalidConfigError, InvalidDecisionError } from '../../errors/index.js';
import { toldValue } from '../../errors/told-value.js';
import { reasonOfError } from '../../errors/reason-of.js';
import { localGate, type LocalGate } from '../../gate/gate.js';
import { readable, takeOptions } from '../../options/check.js';
import { checkList, kindOf } from '../../options/names.js';
import { quietly } from '../../values/quiet-logger.js';
import { checkBy } from '../../gate/requester.js';
import { requireSdk } from '../sdk/installed.js';
import { checkUnanswered, closeLeft } from '../messages/left-calls.js';
import { answerIn, type MessageAnswer, type MessagePart } from '../messages/messages.js';
import { hasNamed, isAbout, isSameJson, namedBefore } from '../messages/named-requests.js';
import { DUPLICATE_ID, REJECTED_IN_CHAT } from '../messages/reasons.js';
import { isOpen } from '../messages/request-acts.js';
import { loadSdk } from '../sdk/sdk.js';
import { warnFailedAnswer, warnMadeValues, warnOtherRun } from './failed-calls.js';
import { CallSettler, OF_EARLIER, type FoundRequest, type SettledCall } from '../messages/settled-calls.js';
import { signApproval } from '../sdk/signature.js';
import {
  callOf,
  LISTS,
  partsIn,
  readConversation,
  uiAnswer,
  type AnyMessage,
  type Conversation,
  type SpokenCall,
} from '../messages/spoken-calls.js';

type SignedApproval = Parameters<typeof signApproval>[2];

const PLACE = 'verifyApprovals';

/** @see types/ */
export async function verifyApprovals<MESSAGE extends AnyMessage>(
  messages: readonly MESSAGE[],
  gate: Gate,
  given: VerifyApprovalsOptions = {},
): Promise<MESSAGE[]> {
  requireSdk(PLACE, verifyApprovals);
  const local = localGate(gate, PLACE);
  local.checkOpen(PLACE);
  const options = takeOptions(PLACE, given);
  const { runId, onRefused: told } = options;
  const onRefused: typeof told = told && ((refused) => quietly('onRefused', () => told(refused)));
  checkSecret(options.toolApprovalSecret);
  const by = checkBy(PLACE, options.by) ?? null;
  const keeps = checkUnanswered(options.unanswered, PLACE) === 'keep';
  checkList(messages ?? null, PLACE, 'messages');
  const conversation = readable(`${PLACE}: messages`, () => readConversation(messages));
  refuseHalf([...conversation.calls.values()]);
  const requests = new KnownRequests(local, runId);
  const settler = new CallSettler({
    gate: local,
    find: (call) => requests.find(call),
    isAsked: (call, record) => {
      const isSame = isAsked(local, call, record);
      if (!isSame && call.runsHere && call.calls.some(({ input }) => isSameJson(record.args, input)))
        warnMadeValues(PLACE, record.toolName);
      return isSame;
    },
    isOther: ({ calls }, record) =>
      record.contents === 'kept' &&
      !calls.some(({ toolName, input }) => toolName === record.toolName && isSameJson(record.args, input)),
    // A run that waits for it, here or elsewhere, would carry out an approval: its id is that of the gate.
    keepsWaiting: ({ approvalIds }, { approvalId }) =>
      keeps && !approvalIds.has(approvalId) && !local.isWaitedFor(approvalId),
    by,
    onRefused,
    onFailed,
  });
  await requests.look();
  for (const record of requests.open)
    if (!conversation.calls.has(record.toolCallId) && !local.isWaitedFor(record.approvalId)) await settler.drop(record);
  const settled = await settler.settle([...conversation.calls.values()].filter((call) => requests.mayMatter(call)));
  for (const record of requests.open)
    if (requests.isLeftOver(record, conversation) && !local.isWaitedFor(record.approvalId)) await settler.drop(record);
  const asked = new Set(
    [...conversation.calls.values()].flatMap(({ word, toolCallId }) => (word === 'asked' ? [toolCallId] : [])),
  );
  const verified = new AnsweredMessages(conversation, settled, onRefused).of(closeLeft(messages, settled, asked));
  return withEdits(verified, conversation, settled, options);
}

/**
 * The AI SDK runs what was approved, and throws then, since another call of the step has no result: what came of the first is lost.
 *
 * @throws {InvalidDecisionError} before anything is decided
 */
function refuseHalf(calls: readonly SpokenCall[]): void {
  const answered = calls.find(({ word }) => word === 'yes');
  const open = calls.find(({ word, needsResult }) => word === 'asked' || (word === 'open' && needsResult));
  if (answered === undefined || open === undefined) return;
  const nameOf = (call: SpokenCall) => toldValue(call.calls.at(-1)?.toolName);
  throw new InvalidDecisionError({
    message: `${PLACE}: there is a yes to ${nameOf(answered)}, and no ${open.word === 'asked' ? 'answer to' : 'result of'} ${nameOf(open)} of the same turn, so that the AI SDK would lose the result of the first. Nothing was decided. Send the messages once all are answered and have run in the browser: useChat({ sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses }).`,
  });
}

const onFailed = ({ calls }: SpokenCall, error: unknown): void =>
  warnFailedAnswer(PLACE, calls.at(-1)?.toolName ?? 'unknown', error);

/** With another one the AI SDK would find no answer signed, and nothing would say why. @throws {InvalidConfigError} */
function checkSecret(secret: unknown): void {
  if (secret === undefined || secret instanceof Uint8Array || (typeof secret === 'string' && secret !== '')) return;
  throw new InvalidConfigError({
    message: `${PLACE}: toolApprovalSecret must be the text or the bytes that the AI SDK is given, not ${kindOf(secret)}.`,
  });
}

/** The requests that the gate has of the calls of a conversation. */
class KnownRequests {
  /** Those of the run on which a call may still run. Without a run it cannot be said which are of the conversation. */
  open: readonly ApprovalRecord[] = [];
  readonly #gate: LocalGate;
  readonly #runId: string | undefined;
  /** What each call was found to mean. */
  readonly #found = new Map<SpokenCall, FoundRequest>();
  /** The calls that those are of; `undefined`: it is not known. */
  #asked: ReadonlySet<string> | undefined;

  constructor(gate: LocalGate, runId: string | undefined) {
    this.#gate = gate;
    this.#runId = runId;
  }

  /** To be called first. Never rejects. */
  async look(): Promise<void> {
    if (this.#runId === undefined) return;
    try {
      this.open = await this.#gate.openOf(this.#runId);
      this.#asked = new Set(this.open.map(({ toolCallId }) => toolCallId));
    } catch {
      // Then each call is looked up.
    }
  }

  /** Whether anything is to be done about a call: most of a long conversation have run, and are over. */
  mayMatter({ toolCallId, word, yes, earlier }: SpokenCall): boolean {
    return (
      word !== 'closed' || yes.length > 0 || (earlier?.yes.length ?? 0) > 0 || this.#asked?.has(toolCallId) !== false
    );
  }

  /** Tells the developer of a request that waits for this answer under another run. */
  #warnOfRun(call: SpokenCall): Promise<void> {
    const isNamed = ({ approvalId }: ApprovalRecord) => this.#runId === undefined && call.approvalIds.has(approvalId);
    return warnOtherRun(
      PLACE,
      this.#gate,
      call.toolCallId,
      (each) => !isNamed(each) && isAsked(this.#gate, call, each),
    );
  }

  /**
   * Whether the call of an open request is no longer in the conversation: the one with its id there is another one. An answer may be
   * that of a tab that shows an older conversation.
   */
  isLeftOver({ approvalId, toolCallId }: ApprovalRecord, { calls }: Conversation): boolean {
    const call = calls.get(toolCallId);
    const found = call && this.#found.get(call);
    if (found === undefined || call?.word === 'yes' || call?.word === 'no') return false;
    return found.record?.approvalId !== approvalId;
  }

  /** Never rejects. */
  async find(call: SpokenCall): Promise<FoundRequest> {
    const found = await this.#look(call);
    this.#found.set(call, found);
    return found;
  }

  async #look(call: SpokenCall): Promise<FoundRequest> {
    const isAnswered = call.word === 'yes' || call.word === 'no';
    try {
      const records = await this.#gate.find(this.#runId ?? null, call.toolCallId);
      if (isAnswered && (this.#runId === undefined || records.length === 0)) await this.#warnOfRun(call);
      if (this.#runId === undefined) return namedBy(call, isAnswered, records);
      if (call.word === 'yes' && hasNamed(this.#gate, call.earlier?.approvalIds ?? [], records.at(-1)))
        return { record: undefined, why: DUPLICATE_ID };
      const named = namedBefore(this.#gate, call.approvalIds, records);
      if (named !== records.at(-1)) return { record: named };
      return isAnswered ? answeredOf(records) : meantOf(call, records);
    } catch (error) {
      onFailed(call, error);
      return { record: undefined, why: `It could not be looked up: ${reasonOfError(error)}` };
    }
  }
}

/**
 * Anyone who posts messages may write anything into them, and the ids of tool calls are no secret. Without a run the only thing
 * that
 * shows whose request is meant is the id which the gate gave it.
 */
function namedBy(call: SpokenCall, isAnswered: boolean, records: readonly ApprovalRecord[]): FoundRequest {
  const ids = isAnswered ? new Set([...call.yes, ...call.no].map(({ approvalId }) => approvalId)) : call.approvalIds;
  const named = records.filter(({ approvalId }) => ids.has(approvalId));
  if (named.length === 1) return { record: named[0] };
  return named.length === 0 && records.length === 0 ? { record: undefined } : { record: undefined, why: WITHOUT_RUN };
}

/** The request of an unanswered call. */
function meantOf(call: SpokenCall, records: readonly ApprovalRecord[]): FoundRequest {
  const named = records.filter(({ approvalId }) => call.approvalIds.has(approvalId));
  const meant = named.length > 0 ? named : records;
  const open = meant.filter(({ status }) => isOpen(status));
  return open.length > 1 ? { record: undefined, why: SEVERAL } : { record: open[0] ?? meant.at(-1) };
}

/** If another run has since asked about a call with this id, the answer may be meant for that one. */
function answeredOf(records: readonly ApprovalRecord[]): FoundRequest {
  const open = records.filter(({ status }) => isOpen(status));
  const last = records.at(-1);
  const isClear = open.length === 0 || (open.length === 1 && open[0] === last);
  return isClear ? { record: last } : { record: undefined, why: SEVERAL };
}

const SEVERAL = 'Several requests have this tool call id: the answer does not say which of them is meant.';
const WITHOUT_RUN =
  'The messages do not have the id of the request at the gate: pass the runId that it belongs to, to gateTools or toolApproval and to verifyApprovals.';

/** Whether the call stands in the conversation as it was asked about. */
function isAsked(gate: LocalGate, { calls, runsHere }: SpokenCall, record: ApprovalRecord): boolean {
  // A run asks about what the provider runs as well. What a loop that is not ours asks about runs here, or the yes has no effect.
  if (!runsHere && record.step === null) return false;
  return calls.some((call) => isAbout(gate, record, call));
}

// --- messages -------------------------------------------------------------------------------------------------------

/** Has each answer in the messages say what became of it. */
class AnsweredMessages {
  readonly #conversation: Conversation;
  readonly #settled: ReadonlyMap<string, SettledCall>;
  readonly #onRefused: VerifyApprovalsOptions['onRefused'];

  constructor(
    conversation: Conversation,
    settled: ReadonlyMap<string, SettledCall>,
    onRefused: VerifyApprovalsOptions['onRefused'],
  ) {
    this.#conversation = conversation;
    this.#settled = settled;
    this.#onRefused = onRefused;
  }

  of<MESSAGE extends AnyMessage>(messages: readonly MESSAGE[]): MESSAGE[] {
    return messages.map((message, index) => withParts(message, isAnswer, (part) => this.#part(part, index)));
  }

  /** The part as it may stand; nothing when it must go. */
  #part(part: MessagePart, index: number): MessagePart[] {
    const inUi = uiAnswer(part);
    if (inUi !== undefined) {
      const given = part['approval'] as { id?: unknown };
      const toolCallId = callOf(part)?.toolCallId;
      // The SDK takes no message in which the id of an answer is not a text, and nothing else here goes by it.
      const id = typeof given.id === 'string' ? given.id : `answer-to-${toolCallId}`;
      const approval = { ...withoutOdd(given), id, ...this.#said(toolCallId, inUi.approvalId, inUi) };
      // The SDK carries out an answer in any state: in this one it also tells the model of a denial.
      return [{ ...part, state: 'approval-responded', approval }];
    }
    if (part.type !== 'tool-approval-response') return [part];
    const approvalId = String(part['approvalId']);
    const toolCallId = this.#conversation.requests.get(approvalId);
    // It ran: what stands here is history. With its result before the answer, the SDK would run it once more.
    if (toolCallId !== undefined && this.#conversation.isPast(toolCallId, index)) return [part];
    const said = this.#said(toolCallId, approvalId, answerIn(part));
    // The SDK throws on any answer, a yes or a no, to a request that is not there.
    return toolCallId === undefined ? [] : [{ ...withoutOdd(part), ...said }];
  }

  /** @param given the answer in the messages */
  #said(
    toolCallId: string | undefined,
    approvalId: string,
    given: MessageAnswer | undefined,
  ): { approved: boolean; reason?: string } {
    const settled = toolCallId === undefined ? undefined : this.#settled.get(toolCallId);
    if (settled?.earlier?.approvalIds.has(approvalId) === true)
      return { approved: false, reason: (given?.approved === false ? given.reason : undefined) ?? OF_EARLIER };
    if (settled?.approved === true) return { approved: true };
    if (settled !== undefined) return { approved: false, reason: settled.reason ?? REJECTED_IN_CHAT };
    this.#onRefused?.({ approvalId, toolCallId: null, reason: OF_NO_CALL });
    return { approved: false, reason: OF_NO_CALL };
  }
}

/** An answer without a reason that is no text: the SDK takes no message with it, and nothing would run on the yes. */
function withoutOdd<ANSWER extends object>(answer: ANSWER): ANSWER {
  const { reason, ...rest } = answer as ANSWER & { reason?: unknown };
  return reason === undefined || typeof reason === 'string' ? answer : (rest as ANSWER);
}

const OF_NO_CALL = 'This answer belongs to no call in the conversation.';

const isAnswer = (part: MessagePart): boolean => part.type === 'tool-approval-response' || uiAnswer(part) !== undefined;

/** Changes the matching parts of the message; returns the very same message if no part matches. */
function withParts<MESSAGE extends AnyMessage>(
  message: MESSAGE,
  isMeant: (part: MessagePart) => boolean,
  change: (part: MessagePart) => MessagePart[],
): MESSAGE {
  let changed = message;
  for (const list of LISTS) {
    const parts = partsIn(message, list);
    if (!parts.some(isMeant)) continue;
    changed = { ...changed, [list]: parts.flatMap((part) => (isMeant(part) ? change(part) : [part])) };
  }
  return changed;
}

/** With the arguments that calls run with which a human changed: the client has those of the model. */
async function withEdits<MESSAGE extends AnyMessage>(
  messages: MESSAGE[],
  { calls }: Conversation,
  settled: ReadonlyMap<string, SettledCall>,
  { toolApprovalSecret }: VerifyApprovalsOptions,
): Promise<MESSAGE[]> {
  const edits = new Map([...settled].flatMap(([id, { edit }]) => (edit === undefined ? [] : [[id, edit] as const])));
  if (edits.size === 0) return messages;
  const version = toolApprovalSecret === undefined ? undefined : (await loadSdk()).version;
  const signatureOf = (approval: SignedApproval) =>
    version && toolApprovalSecret && signApproval(version, toolApprovalSecret, approval);
  const edited = (part: MessagePart): MessagePart => {
    const toolCallId = String(part['toolCallId']);
    const edit = edits.get(toolCallId);
    const call = calls.get(toolCallId)?.calls.at(-1);
    if (edit === undefined || call === undefined) return part;
    const { approvalId, args: input } = edit;
    // What was signed, and what the schema was given, are of the call as the model made it.
    const renewed = (request: MessagePart): MessagePart => {
      const { signature: old, inputSchemaInput: _input, ...rest } = request;
      const signature = signatureOf({ approvalId, toolCallId, toolName: call.toolName, input }) ?? old;
      return { ...rest, ...(signature === undefined ? {} : { signature }) } as MessagePart;
    };
    if (part.type === 'tool-approval-request') return renewed(part);
    if (callOf(part) === undefined) return part;
    const approval = part['approval'] as MessagePart | undefined;
    return { ...part, input, ...(approval === undefined ? {} : { approval: renewed(approval) }) };
  };
  return messages.map((message) =>
    withParts(
      message,
      (part) => edits.has(String(part['toolCallId'])),
      (part) => [edited(part)],
    ),
  );
}
