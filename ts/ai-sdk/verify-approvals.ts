/**
 * Answers to approval requests that come back from a client. The client holds the whole conversation, so nothing in it is
 * believed but what the gate knows: that it asked about this very call, and that nobody has answered before.
 */
import type { ModelMessage, UIMessage } from 'ai';
import type { ApprovalRecord, Gate, RefusedApproval, VerifyApprovalsOptions } from '../../index.js';
import { AlreadyDecidedError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { localGate, type LocalGate } from '../gate/gate.js';
import { isApproval } from '../gate/records.js';
import { checkOptions } from '../options/check.js';
import { Breaks } from '../values/breaks.js';
import { snapshot } from '../values/snapshot.js';
import { digestOf } from './edits.js';
import { requireSdk } from './installed.js';
import { checkUnanswered, closeLeft, leave, type LeftCall } from './left-calls.js';
import { answerIn, type MessageAnswer, type MessagePart } from './messages.js';
import { DUPLICATE_ID, reasonOf, REJECTED_IN_CHAT } from './reasons.js';
import { loadSdk } from './sdk.js';
import { signApproval } from './signature.js';

type SignedApproval = Parameters<typeof signApproval>[2];
type Message = UIMessage | ModelMessage;

interface Call {
  toolCallId: string;
  toolName: string;
  input: unknown;
}

/** Calls of the conversation by id; more than one of an id makes all of them ambiguous. */
type Calls = ReadonlyMap<string, readonly Call[]>;

const PLACE = 'verifyApprovals';

/** An answer, wherever it stands in the messages. */
interface ClientAnswer extends MessageAnswer {
  approvalId: string;
  call: Call | undefined;
}

/** @see index.d.ts */
export async function verifyApprovals<MESSAGE extends Message>(
  messages: readonly MESSAGE[],
  gate: Gate,
  options: VerifyApprovalsOptions = {},
): Promise<MESSAGE[]> {
  requireSdk(PLACE);
  const local = localGate(gate, PLACE);
  checkOptions(PLACE, options);
  const unanswered = checkUnanswered(options.unanswered, PLACE);
  const calls = callsIn(messages);
  const left = async (call: LeftCall) =>
    leave(local, await recordOfLeft(local, call, calls, options), call, unanswered, options.by ?? null);
  const closed = await closeLeft(messages, left);
  if (unanswered === 'cancel') await dropGone(local, options.runId, calls);
  const verifier = new ApprovalVerifier(local, { ...options, unanswered }, calls, closed);
  const verified: MESSAGE[] = [];
  for (const [index, message] of closed.entries()) verified.push((await verifier.message(message, index)) as MESSAGE);
  return verifier.edited(verified);
}

/**
 * Cancels what was asked about calls that the conversation has no more: the user had the answer made anew, or edited an earlier
 * message. Nobody can answer them in it, and nothing would run them. Never rejects.
 */
async function dropGone(gate: LocalGate, runId: string | undefined, calls: Calls): Promise<void> {
  if (runId === undefined) return;
  const asked = await gate.unwaited(runId).catch(() => []);
  for (const { approvalId, toolCallId } of asked)
    if (!calls.has(toolCallId)) await gate.withdraw(approvalId, GONE, 'messages');
}

const GONE =
  'The conversation went on without this call: the user had the answer made anew, or changed an earlier message.';

/** What the gate has of a call that was left behind; `undefined`: nothing, or it cannot be told which request is meant. */
async function recordOfLeft(
  gate: LocalGate,
  { toolCallId, toolName, input, approvalId }: LeftCall,
  calls: Calls,
  { runId }: VerifyApprovalsOptions,
): Promise<ApprovalRecord | undefined> {
  try {
    const ofId = approvalId === undefined ? undefined : await gate.get(approvalId);
    if (ofId !== undefined) {
      // Whoever posts messages may write the ids of another conversation into them.
      const isOfRun = runId === undefined || ofId.runId === runId;
      return isOfRun && ofId.toolCallId === toolCallId ? ofId : undefined;
    }
    // Some models count their ids anew in each turn: then the last request may be that of a call that still waits.
    if ((calls.get(toolCallId)?.length ?? 0) > 1) return undefined;
    const same = (await gate.find(runId ?? null, toolCallId)).filter(
      (record) => record.toolName === toolName && isSameCall(gate, record, input),
    );
    const open = same.filter(({ status }) => OPEN.has(status));
    return open.length > 1 ? undefined : same.at(-1);
  } catch {
    return undefined;
  }
}

const isSameCall = (gate: LocalGate, { approvalId, contents, args }: ApprovalRecord, input: unknown): boolean =>
  contents === 'redacted' ? gate.isOriginal(approvalId, input) : sameArguments(args, input);

class ApprovalVerifier {
  readonly #gate: LocalGate;
  readonly #options: VerifyApprovalsOptions;
  readonly #calls: Calls;
  readonly #requests = new Map<string, string>();
  /** Where the last result of a call stands. */
  readonly #results = new Map<string, number>();
  readonly #answers = new Map<string, number>();
  /** What calls run with that were approved with other arguments, by their ids, and the requests of those. */
  readonly #edits = new Map<string, { approvalId: string; args: unknown }>();

  readonly #breaks = new Breaks();

  constructor(gate: LocalGate, options: VerifyApprovalsOptions, calls: Calls, messages: readonly Message[]) {
    this.#gate = gate;
    this.#options = options;
    this.#calls = calls;
    for (const [index, message] of messages.entries())
      for (const part of LISTS.flatMap((list) => partsIn(message, list))) this.#note(part, index);
  }

  #note(part: MessagePart, index: number): void {
    const { toolCallId, approvalId } = part as { toolCallId?: string; approvalId?: string };
    if (part.type === 'tool-approval-request' && approvalId !== undefined && toolCallId !== undefined)
      this.#requests.set(approvalId, toolCallId);
    if (part.type === 'tool-result' && toolCallId !== undefined) this.#results.set(toolCallId, index);
    const answered = part.type === 'tool-approval-response' ? approvalId : uiAnswer(part)?.approvalId;
    if (answered !== undefined) this.#answers.set(answered, (this.#answers.get(answered) ?? 0) + 1);
  }

  async message(message: Message, index: number): Promise<Message> {
    let verified = message;
    for (const list of LISTS) {
      const parts = partsIn(message, list);
      if (!parts.some((part) => part.type === 'tool-approval-response' || uiAnswer(part) !== undefined)) continue;
      const checked: MessagePart[] = [];
      for (const part of parts) {
        await this.#breaks.take();
        checked.push(...(await this.#part(part, index)));
      }
      verified = { ...verified, [list]: checked } as unknown as Message;
    }
    return verified;
  }

  /** With the arguments that calls run with which a human changed: the client has those of the model. */
  async edited<MESSAGE extends Message>(messages: MESSAGE[]): Promise<MESSAGE[]> {
    if (this.#edits.size === 0) return messages;
    const { toolApprovalSecret } = this.#options;
    const version = toolApprovalSecret === undefined ? undefined : (await loadSdk()).version;
    const signatureOf = (approval: SignedApproval) =>
      version && toolApprovalSecret && signApproval(version, toolApprovalSecret, approval);
    return messages.map((message) => {
      let changed = message;
      for (const list of LISTS) {
        const parts = partsIn(message, list);
        if (!parts.some((part) => this.#edits.has(String(part['toolCallId'])))) continue;
        changed = { ...changed, [list]: parts.map((part) => this.#editedPart(part, signatureOf)) };
      }
      return changed;
    });
  }

  #editedPart(part: MessagePart, signatureOf: (approval: SignedApproval) => string | undefined): MessagePart {
    const toolCallId = String(part['toolCallId']);
    const edit = this.#edits.get(toolCallId);
    const call = this.#calls.get(toolCallId)?.at(-1);
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
  }

  /** The part as it may stand; nothing when it must go. */
  async #part(part: MessagePart, index: number): Promise<MessagePart[]> {
    const inUi = uiAnswer(part);
    if (inUi !== undefined) {
      const refusal = await this.#refusal(inUi);
      const { approved } = inUi;
      const approval = {
        ...(part['approval'] as object),
        ...(refusal === undefined ? { approved } : { approved: false, reason: refusal }),
      };
      // The SDK carries out an answer in any state: in this one it also tells the model of a denial.
      return [{ ...part, state: 'approval-responded', approval }];
    }
    if (part.type !== 'tool-approval-response') return [part];
    const approvalId = part['approvalId'] as string;
    const toolCallId = this.#requests.get(approvalId);
    // It ran: what stands here is history. With its result before the answer, the SDK would run it once more.
    if (toolCallId !== undefined && (this.#results.get(toolCallId) ?? -1) >= index) return [part];
    const call = toolCallId === undefined ? undefined : this.#calls.get(toolCallId)?.at(-1);
    const answer = answerIn(part) ?? NO;
    const refusal = await this.#refusal({ approvalId, ...answer, call });
    if (refusal === undefined) return [{ ...part, approved: answer.approved }];
    // The SDK throws on an answer to a request that is not there, whatever it says.
    return toolCallId === undefined ? [] : [{ ...part, approved: false, reason: refusal }];
  }

  /** Takes the answer to the gate; says why it was not taken. */
  async #refusal(answer: ClientAnswer): Promise<string | undefined> {
    const reason = await this.#why(answer);
    if (reason !== undefined) this.#tellRefused(answer, reason);
    return reason;
  }

  #tellRefused({ approvalId, call }: ClientAnswer, reason: string): void {
    const refused: RefusedApproval = { approvalId, toolCallId: call?.toolCallId ?? null, reason };
    this.#options.onRefused?.(refused);
  }

  async #why(answer: ClientAnswer): Promise<string | undefined> {
    const { approvalId, approved, reason, call } = answer;
    if (call === undefined) return 'This answer belongs to no call in the conversation.';
    if ((this.#calls.get(call.toolCallId)?.length ?? 0) > 1) return DUPLICATE_ID;
    if ((this.#answers.get(approvalId) ?? 0) > 1) return 'This request was answered more than once.';
    let records: ApprovalRecord[];
    try {
      records = await this.#gate.find(this.#options.runId ?? null, call.toolCallId);
    } catch (error) {
      return `It could not be looked up: ${messageOf(error)}`;
    }
    const open = records.filter(({ status }) => OPEN.has(status));
    // Where another run asked about a call of this id since, it may be that one that is answered.
    const record = open.length === 1 && open[0] === records.at(-1) ? open[0] : undefined;
    if (record === undefined) return whyNot(records, open);
    if (!approved) {
      await this.#reject(record, answer);
      return undefined;
    }
    if (record.toolName !== call.toolName || !isSameCall(this.#gate, record, call.input)) {
      return 'The call in the conversation is not the one that was asked about.';
    }
    const refusal = await this.#approve(record, reason);
    if (refusal === undefined && record.decision?.type === 'edit')
      this.#edits.set(call.toolCallId, { approvalId, args: record.decision.args });
    return refusal;
  }

  async #approve({ approvalId, status }: ApprovalRecord, reason: string | undefined): Promise<string | undefined> {
    // Approved already, e.g. through an inbox, and not run yet: the two answers agree. So they do on what somebody has changed.
    if (status === 'approved' || status === 'edited') return undefined;
    try {
      const decided = await this.#gate.decideByMessage(approvalId, true, reason, this.#options.by ?? null);
      return decided.status === 'pending' ? COUNTED : undefined;
    } catch (error) {
      return AlreadyDecidedError.isInstance(error) ? 'This request was decided before.' : messageOf(error);
    }
  }

  /**
   * A no that cannot be the decision, of somebody who may not decide or after somebody else's yes, ends the call all the same: the
   * conversation goes on without it, and a later yes must not run it. With `unanswered: 'keep'` a request that still waits stays
   * for those who may. What is not taken is told. Never rejects.
   */
  async #reject({ approvalId, status }: ApprovalRecord, answer: ClientAnswer): Promise<void> {
    const { reason = REJECTED_IN_CHAT } = answer;
    if (status === 'pending') {
      try {
        await this.#gate.decideByMessage(approvalId, false, answer.reason, this.#options.by ?? null);
        return;
      } catch (error) {
        if (!AlreadyDecidedError.isInstance(error)) {
          this.#tellRefused(answer, messageOf(error));
          if (this.#options.unanswered === 'keep') return;
        }
      }
    }
    await this.#gate.withdraw(approvalId, reason, 'messages');
    const after = await this.#gate.get(approvalId).catch(() => undefined);
    if (after === undefined || !NEVER_RUNS.has(after.status)) this.#tellRefused(answer, NOT_ENDED);
  }
}

/** What a call may still run on. */
const OPEN: ReadonlySet<string> = new Set(['pending', 'approved', 'edited'] satisfies ApprovalRecord['status'][]);

/** What no call runs on any more, whoever answers. */
const NEVER_RUNS: ReadonlySet<string> = new Set([
  'rejected',
  'responded',
  'skipped',
  'expired',
  'cancelled',
] satisfies ApprovalRecord['status'][]);

const NOT_ENDED =
  'This no came too late, or could not be kept: the call may have begun to run, or may run on a later yes.';

/** It may not run on this answer alone. */
const COUNTED = 'This approval was counted, and more are needed: ask again when all have approved.';

function whyNot(records: ApprovalRecord[], open: ApprovalRecord[]): string {
  if (open.length > 0) return 'Several requests have this tool call id: pass the runId that they belong to.';
  const last = records.at(-1);
  if (last === undefined) return 'Nobody was asked about this call here.';
  if (last.status === 'expired') return 'The request has expired.';
  // What a human said with a no is for the model, wherever it was said.
  const { decision } = last;
  const said = decision === null || isApproval(decision) ? undefined : reasonOf(decision);
  return `This request is over (${last.status}): ${said ?? 'an answer counts once.'}`;
}

function sameArguments(asked: unknown, sent: unknown): boolean {
  try {
    return digestOf(snapshot(asked)) === digestOf(snapshot(sent));
  } catch {
    return false;
  }
}

/** Where a message has its parts, a UI message's and a model message's. A forged one may have both. */
const LISTS = ['parts', 'content'] as const;

function partsIn(message: Message, list: (typeof LISTS)[number]): MessagePart[] {
  const parts: unknown = (message as { parts?: unknown; content?: unknown })[list];
  return Array.isArray(parts) ? (parts as MessagePart[]) : [];
}

function callsIn(messages: readonly Message[]): Calls {
  const calls = new Map<string, Call[]>();
  for (const part of messages.flatMap((message) => LISTS.flatMap((list) => partsIn(message, list)))) {
    const call = callOf(part);
    if (call === undefined) continue;
    const others = calls.get(call.toolCallId);
    if (others === undefined) calls.set(call.toolCallId, [call]);
    else others.push(call);
  }
  return calls;
}

/** The tool call that a part is: a model message's, or a tool part of a UI message. */
function callOf(part: MessagePart): Call | undefined {
  const { toolCallId, toolName, input } = part as { toolCallId?: unknown; toolName?: unknown; input?: unknown };
  if (typeof toolCallId !== 'string') return undefined;
  if (part.type === 'tool-call' || part.type === 'dynamic-tool')
    return { toolCallId, toolName: String(toolName), input };
  const isUiTool = part.type.startsWith('tool-') && typeof part['state'] === 'string';
  return isUiTool ? { toolCallId, toolName: part.type.slice('tool-'.length), input } : undefined;
}

/** The answer that a UI message's part carries and that was not carried out yet. */
function uiAnswer(part: MessagePart): ClientAnswer | undefined {
  const approval = part['approval'] as Record<string, unknown> | null | undefined;
  const { state } = part;
  if (typeof state !== 'string' || OVER.has(state)) return undefined;
  const answer = answerIn(approval);
  if (state !== 'approval-responded' && answer === undefined) return undefined;
  return { approvalId: String(approval?.['id']), ...(answer ?? NO), call: callOf(part) };
}

/** Of an answer that says neither yes nor no. */
const NO: MessageAnswer = { approved: false, reason: undefined };

/** States in which a call has its result: the SDK does not run it any more. */
const OVER = new Set(['output-available', 'output-error', 'output-denied']);
