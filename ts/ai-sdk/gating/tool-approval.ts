import type { ModelMessage, ToolSet } from 'ai';
import type { DecisionType, InterruptOn, ToolApprovalOptions, ToolApprovalStatus } from '../../../index.js';
import { CallAsker, type CallQuestion } from '../../gate/asker.js';
import { reasonOfError } from '../../errors/reason-of.js';
import { warnOnce } from '../../errors/warn-once.js';
import { existingRecord, isApproval, isTurnEnd } from '../../gate/records.js';
import { asksByNow, isByMode, unanswered, type CallVerdict } from '../../gate/judge.js';
import { decideByItself, isByItself } from '../../gate/reviewer/by-itself.js';
import type { ApprovedTool } from '../../gate/tool-identity.js';
import { interruptPlan, type Gating } from '../../native.js';
import { takeNeeded } from '../../options/check.js';
import { hold } from '../../values/hold.js';
import { snapshot, trySnapshot, type ValueSnapshot } from '../../values/snapshot.js';
import { approvedTool } from '../tools/approved-tool.js';
import { askCall } from '../../gate/ask-call.js';
import { redeemOrRefuse } from '../../gate/redeem.js';
import { unnamedRun } from '../../gate/run-ids.js';
import { requireSdk } from '../sdk/installed.js';
import { isResume } from '../messages/messages.js';
import { isCaller } from '../tools/callers.js';
import { taking } from '../tools/limits.js';
import { planFor, warnAtStart } from '../tools/plan.js';
import { HeldSteps, HeldTool } from './held-tool.js';
import { openAnew } from './open-anew.js';
import { isQuestionTool } from '../tools/questions.js';
import { DUPLICATE_ID, reasonOf, TURN_ENDED } from '../messages/reasons.js';
import { warnFailedCall } from './failed-calls.js';
import { takeTools } from '../tools/tool-set.js';
import { entryOf, isRecord, ownTool } from '../tools/tools.js';

const PLACE = 'toolApproval';

interface ApprovalCall {
  toolCall: { toolCallId: string; toolName: string; input: unknown; providerExecuted?: boolean };
  tools: unknown;
  messages: ModelMessage[];
}

/** @see types/ */
export function toolApproval<TOOLS extends ToolSet>(
  given: ToolApprovalOptions<TOOLS>,
): (call: ApprovalCall) => Promise<ToolApprovalStatus> {
  requireSdk(PLACE, toolApproval, 7);
  const options = takeNeeded(PLACE, given);
  const asker = new CallAsker(options.runId ?? unnamedRun(), options as never, PLACE);
  // Tools come with the calls, and what they are told of then is a denial: a mistake is told now.
  interruptPlan({}, options.interruptOn, 'ignore');
  interruptPlan({}, undefined, options.unknownTools);
  const approval = new ApprovalFunction(asker, options.interruptOn as InterruptOn | undefined, options);
  const decide = async (call: ApprovalCall): Promise<ToolApprovalStatus> => {
    // One function serves any number of loops: a human ends the one that the call is of.
    const loop = new AbortController();
    try {
      const { providerExecuted, toolCallId } = call.toolCall;
      if (providerExecuted === true) return { type: 'not-applicable' };
      if (typeof toolCallId !== 'string') return { type: 'denied', reason: NO_ID };
      return await approval.status(call, loop);
    } catch (error) {
      loop.signal.throwIfAborted();
      warnFailedCall(PLACE, nameOf(call), error);
      if (existingRecord(error) !== undefined) return { type: 'denied', reason: DUPLICATE_ID };
      // The SDK runs the tool on an unknown status and ends the stream on a throw: neither may come of this.
      return { type: 'denied', reason: `It could not be decided: ${reasonOfError(error)}` };
    }
  };
  return async (call) => {
    const status = await decide(call);
    // Here the stream is to end: another tool would run on what was said of a call before.
    approval.checkStep(call);
    return status;
  };
}

/** Anything may be passed. */
function nameOf(call: ApprovalCall): string {
  try {
    return String(call.toolCall.toolName);
  } catch {
    return 'unknown';
  }
}

class ApprovalFunction {
  readonly #asker: CallAsker;
  readonly #interruptOn: InterruptOn | undefined;
  readonly #options: ToolApprovalOptions;
  /** One plan per toolset, which the SDK passes with each call, and for the tools that are in it then. */
  readonly #plans = new WeakMap<object, ToolSetPlan>();
  readonly #steps = new HeldSteps();
  readonly #ids = new StepIds();

  constructor(asker: CallAsker, interruptOn: InterruptOn | undefined, options: object) {
    this.#asker = asker;
    this.#interruptOn = interruptOn;
    this.#options = options;
  }

  /** @param loop is aborted when the human ends the loop that the call is of */
  async status(call: ApprovalCall, loop: AbortController): Promise<ToolApprovalStatus> {
    const held = new HeldTool(call.tools as ToolSet | undefined, call.toolCall.toolName);
    const status = await this.#statusOf(call, held, loop);
    if (status.type === 'denied' || status.type === 'user-approval') return status;
    const why = held.objection;
    if (why !== undefined) return staleStatus(why);
    if (isRecord(call.messages)) this.#steps.add(call.messages, held);
    return status;
  }

  /** @throws {InvalidConfigError} when another tool would run on what was said of a call of this step before */
  checkStep(call: ApprovalCall): void {
    if (!isRecord(call) || !isRecord(call.messages)) return;
    this.#steps.check(call.messages, ({ toolName, wasJudged, now }) => {
      if (wasJudged || this.#asker.judgesAll) return true;
      const gating = this.#gatings(call.tools as ToolSet).get(toolName);
      return gating === undefined || gating.action !== 'allow' || asksByNow(gating, now);
    });
  }

  async #statusOf(
    { toolCall, tools, messages }: ApprovalCall,
    held: HeldTool,
    loop: AbortController,
  ): Promise<ToolApprovalStatus> {
    const { toolCallId, toolName } = toolCall;
    const args = snapshot(toolCall.input);
    const objection = () => held.objection ?? (holds(toolCall, args) ? undefined : NOT_HELD);
    const { tool } = held;
    const approved = approvedTool(toolName, tool);
    if (isResume(messages, toolCallId)) return this.#resumed(toolCallId, approved, args, objection);
    const isTaken = this.#ids.isTaken(messages, toolCallId);
    const gating = this.#gatings((tools ?? {}) as ToolSet).get(toolName);
    if (gating === undefined) return { type: 'denied', reason: `There is no tool "${toolName}".` };
    const entry = entryOf(this.#interruptOn, gating.entry);
    if (isQuestionTool(tool)) return { type: 'denied', reason: NO_QUESTIONS };
    const verdict = await this.#asker.judge(
      { toolCallId, toolName, args, context: { messages } },
      { gating, entry, tool, hostJudges: [], signal: undefined },
    );
    if (verdict.effect === 'allow' && !isByMode(verdict)) {
      held.wasJudged = this.#asker.judgesAll || gating.action !== 'allow';
      const why = held.wasJudged ? objection() : undefined;
      return why === undefined ? { type: 'not-applicable' } : staleStatus(why);
    }
    if (verdict.effect === 'deny') return { type: 'denied', reason: verdict.reason };
    if (isTaken) {
      warnSameId(toolName);
      return { type: 'denied', reason: DUPLICATE_ID };
    }
    return this.#ask({ toolCallId, ...approved, args, gating, entry, verdict, messages }, objection, loop);
  }

  async #ask(
    question: CallQuestion & { verdict: Exclude<CallVerdict, { effect: 'deny' }> },
    objection: Objection,
    loop: AbortController,
  ): Promise<ToolApprovalStatus> {
    const { gate } = this.#asker;
    const { toolCallId, args, verdict } = question;
    // Without a run of the user's, call ids of different runs must not meet.
    const runId = this.#options.runId ?? unnamedRun();
    if (this.#options.onApprovalRequest === undefined && !this.#asker.human.isAutomatic) {
      const record = await openAnew(question, (asking) => this.#asker.open(asking, runId));
      const isSettled = isByItself(verdict, record) && (await decideByItself(gate, record));
      if (isSettled && record.review?.answer === 'reject') return { type: 'denied', reason: record.review.reason };
      if (isSettled) return this.#handOver(runId, toolCallId, question, args, objection);
      const { reason } = unanswered(verdict) as { reason?: string };
      return { type: 'user-approval', reason: reason ?? record.description };
    }
    const asked = await askCall(question, {
      asker: this.#asker,
      runId,
      signal: loop.signal,
      stop: (reason) => loop.abort(reason),
      open: (question) => openAnew(question, (asking) => this.#asker.openAndWait(asking, runId)),
      opened: async ({ record }) => ({
        isAnswered: isByItself(verdict, record) && (await decideByItself(gate, record)),
      }),
      objection: async ({ staleness }, { decision }) =>
        decision.type === 'approve' ? (objection() ?? staleness()) : undefined,
    });
    if (asked.kind !== 'decided') return staleStatus(asked.reason);
    const { decision, approvalId } = asked.decided;
    if (isTurnEnd(decision)) loop.abort(turnEnd(reasonOf(decision)));
    loop.signal.throwIfAborted();
    if (decision.type === 'approve')
      return this.#handOver(runId, toolCallId, question, args, objection, decision.reason);
    if (isApproval(decision)) await gate.revoke(approvalId, NO_EDIT);
    const reasonGiven =
      isApproval(decision) || decision.type === 'respond'
        ? `"${decision.type}" cannot be carried out here`
        : reasonOf(decision);
    return reasonGiven === undefined ? { type: 'denied' } : { type: 'denied', reason: reasonGiven };
  }

  /** The answer is in the messages: the SDK is about to run it, if the gate holds a decision that says so. */
  async #resumed(
    toolCallId: string,
    approved: ApprovedTool,
    args: ValueSnapshot,
    objection: Objection,
  ): Promise<ToolApprovalStatus> {
    const runId = this.#options.runId ?? null;
    const known = await this.#asker.gate.find(runId, toolCallId);
    const [edited] = known.filter(({ status }) => status === 'edited');
    if (edited !== undefined) {
      // Nothing here has seen whether other arguments fit the tool, or judged them.
      await this.#asker.gate.revoke(edited.approvalId, NO_EDIT);
      return { type: 'denied', reason: NO_EDIT };
    }
    const stale = await this.#asker.takeBackStale(known.filter(({ status }) => status === 'approved'));
    if (stale !== undefined) return staleStatus(stale);
    const said = known.findLast(({ status }) => status === 'approved')?.decision?.reason;
    return this.#handOver(runId, toolCallId, approved, args, objection, said);
  }

  /** Uses the approval up, also where it is not followed. How the execution ends cannot be seen from here. */
  async #handOver(
    runId: string | null,
    toolCallId: string,
    approved: ApprovedTool,
    args: ValueSnapshot,
    objection: Objection,
    reason?: string,
  ): Promise<ToolApprovalStatus> {
    const { approvalId } = await redeemOrRefuse(this.#asker, runId, { ...approved, toolCallId, args });
    // The SDK runs it with its own object: from here on it is what was approved.
    const why = objection();
    await this.#asker.gate.settle(approvalId, why === undefined);
    if (why !== undefined) return staleStatus(why);
    return reason === undefined ? { type: 'approved' } : { type: 'approved', reason };
  }

  #gatings(tools: ToolSet): ReadonlyMap<string, Gating> {
    const taken = takeTools(tools, PLACE);
    const known = this.#plans.get(tools);
    if (known !== undefined && isSameSet(known.tools, taken)) return known.gatings;
    const { judgesAll, mayJudgeAll } = this.#asker;
    const { unknownTools } = this.#options;
    const planned = {
      tools: taken,
      interruptOn: this.#interruptOn,
      unknownTools,
      unknownInPolicies: unknownTools,
      isPartial: true,
      place: PLACE,
      judgesAll,
      mayJudgeAll,
    };
    const plan = planFor(planned);
    warnAtStart(plan, planned, this.#asker);
    warnCallers(taken);
    const gatings = new Map(plan.tools.map(([name, gating]) => [name, taking(gating, TAKES)]));
    this.#plans.set(tools, { tools: taken, gatings });
    return gatings;
  }
}

/** The ids of the calls of each step. */
class StepIds {
  /** By the messages that the step began with, which the AI SDK passes with each of its calls. */
  readonly #steps = new WeakMap<object, Set<string>>();

  /** Whether another call of the step has this id. It is taken then. */
  isTaken(messages: unknown, toolCallId: string): boolean {
    if (!isRecord(messages)) return false;
    const ids = this.#steps.get(messages) ?? new Set();
    this.#steps.set(messages, ids);
    const isTaken = ids.has(toolCallId);
    ids.add(toolCallId);
    return isTaken;
  }
}

const warnSameId = (toolName: string): void =>
  warnOnce(
    `same-id:${PLACE}`,
    `${PLACE}: the model gave a call of ${JSON.stringify(toolName)} the id of another call of the same step. The AI SDK keeps one answer for both: this one is denied, the other may not run either, and the loop may end there. Use a model that gives each call an id of its own, or gateTools.`,
  );

/** What is thrown into the loop when a human ends the turn: no status of a call ends it. */
const turnEnd = (reason: string | undefined): DOMException =>
  new DOMException(reason === undefined ? TURN_ENDED : `${TURN_ENDED} They said: ${reason}`, 'AbortError');

/** The AI SDK runs the call of the model, or does not. */
const TAKES: DecisionType[] = ['approve', 'reject', 'skip'];

/** Why what was said of a call does not hold for what the SDK would run now; `undefined`: it does. */
type Objection = () => string | undefined;

const staleStatus = (why: string): ToolApprovalStatus => ({
  type: 'denied',
  reason: `${why} Call it again to be asked again.`,
});

interface ToolSetPlan {
  /** As they were. */
  tools: ToolSet;
  gatings: ReadonlyMap<string, Gating>;
}

/** Whether two sets have the same tools under the same names. */
function isSameSet(one: ToolSet, other: ToolSet): boolean {
  const names = Reflect.ownKeys(one) as string[];
  return Reflect.ownKeys(other).length === names.length && names.every((name) => other[name] === one[name]);
}

/** Whether the arguments that the SDK holds are still these, and stay so. */
function holds({ input }: ApprovalCall['toolCall'], args: ValueSnapshot): boolean {
  const isData = hold(input);
  return isData && JSON.stringify(trySnapshot(input)?.json) === JSON.stringify(args.json);
}

const NOT_HELD =
  'Its arguments are not those that were shown any more, or are not plain data, so that they could change until it runs.';
const NO_ID = 'The call has no id, so that an answer cannot be told apart. Call the tool again with an id.';
const NO_EDIT = 'An edit cannot be carried out here.';
const NO_QUESTIONS = 'Questions cannot be asked here: an approval carries no answer. Ask in a text instead.';

/** The AI SDK asks `toolApproval` about the calls of the model, and not about those that a tool makes. */
function warnCallers(tools: ToolSet): void {
  const caller = Object.getOwnPropertyNames(tools).find((name) => isCaller(ownTool(tools, name)));
  if (caller === undefined) return;
  warnOnce(
    `callers:${PLACE}:${caller}`,
    `${PLACE} does not hear of the calls that the tool ${JSON.stringify(caller)} makes of other tools, so that nobody is asked about them. Give those tools to gateTools.`,
  );
}
