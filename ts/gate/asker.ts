/** Puts calls of one run to what answers for it: a callback, a gate, or nothing. */
import { AsyncResource } from 'node:async_hooks';
import type { ToolSet } from 'ai';
import type {
  ApprovalRecord,
  CallReview,
  CallReviewer,
  DecisionType,
  Gate,
  Logger,
  PolicyInput,
  PolicyPlace,
} from '../../index.js';
import { InvalidConfigError } from '../errors/index.js';
import { type BoundBy, type Gating, type NativeNetwork, type RawRecord } from '../native.js';
import { knownToRules, ruleNameOf } from '../policy/foreign.js';
import type { JudgedByPolicy, Policies, ShownCall } from '../policy/policies.js';
import { type ValueSnapshot } from '../values/snapshot.js';
import { InternalError } from '../errors/internal-error.js';
import { after, isLater, type Awaitable } from '../values/awaitable.js';
import { agentReasonOf } from './agent-reason.js';
import type { CallQuestion } from './call-question.js';
import { checkPositive } from './check-positive.js';
import { LocalGate, localGate } from './gate.js';
import { showingOf } from './control.js';
import { askedAgainOf, describe } from './describing.js';
import { verdictNote } from './executing.js';
import { questionRequest, type QuestionCallback } from './asking-questions.js';
import { HumanAsker, type ApprovalCallback } from './human-asker.js';
import { checkAskOrder, type AskOrder } from './human-turns.js';
import { digestOf, type BoundEdit, type CheckedEdit } from './edits.js';
import { checkCallback } from './makers.js';
import { isDecided, type DecidedRecord } from './records.js';
import { rejectionsOf, type RunRejections } from './rejections.js';
import { DEFAULT_TIMEOUT_MS, type OpenRequest } from './requests.js';
import type { CallToReview } from './reviewer/reviewed-call.js';
import type { OpenReview } from './reviewer/open-reviews.js';
import { reviewNote } from './reviewer/review-note.js';
import { runReviewer, type RunReviewer } from './reviewer/run-reviewer.js';
import { filesOf, type SeenFile } from './seen-edit.js';
import { mainRunOf } from './run-ids.js';
import type { CheckEdit, Offers } from './teller.js';
import { identityOf, type ApprovedTool } from './tool-identity.js';
import { checkRequester } from './requester.js';
import { UnwrittenVerdicts } from './unwritten-verdicts.js';
import { allOf, asksPeople, whoOf, type ApproverRules } from './who.js';
import { judge, unanswered, type CallJudge, type JudgedCall, type CallVerdict } from './judge.js';

export type { CallQuestion, SupersededRequest } from './call-question.js';

export interface AskerOptions {
  gate?: Gate | undefined;
  onApprovalRequest?: ApprovalCallback | undefined;
  onQuestion?: QuestionCallback | undefined;
  /** Of a run that is a part of another it is that of the parent. */
  askOrder?: AskOrder | undefined;
  repeatedRejections?: 'ask' | 'answer' | undefined;
  approvalTimeout?: number | undefined;
  origin?: readonly string[] | undefined;
  logger?: Logger | undefined;
  /** Of the run: narrows what the gate's own says. */
  policy?: PolicyInput | readonly PolicyInput[] | undefined;
  /** Where relative paths start, without a gate. */
  place?: PolicyPlace | undefined;
  /** Who asked for the run. With a parent, unless it is said, it is that of the parent. */
  requester?: string | undefined;
  /** Of the run that this one is a part of: it asks in the same way. */
  parent?: CallAsker | undefined;
  /** Of the run. */
  reviewer?: CallReviewer | undefined;
}

/** A request that waits. */
export interface OpenedRequest {
  record: ApprovalRecord;
  decided: Promise<DecidedRecord>;
  /** Why an approval of it, or of what it was edited to, does not hold any more; `undefined`: it does. */
  staleness: (edit?: CheckedEdit) => Promise<string | undefined>;
}

/** A call whose approval is bound to what the policies say of it. */
export type BoundCall = ApprovedTool & Pick<CallQuestion, 'toolCallId' | 'args' | 'signal'>;

/** What an approval is bound to beside the call itself. */
interface BoundContext {
  policy: object | null;
  tool: string;
}

/** What an edited call is bound to. */
interface BoundFiles {
  /** Of its arguments. */
  digest: string;
  /** Those that its approval says. */
  files: readonly SeenFile[];
  /** Those that it writes. */
  changes: readonly SeenFile[];
}

/** What can be decided of a call that is denied. */
const DENIABLE: readonly DecisionType[] = ['reject'];

export class CallAsker {
  readonly gate: LocalGate;
  readonly runId: string;
  /** The path of agents that asks. */
  readonly origin: readonly string[];
  /** What was said of calls and is written when the run is kept. */
  readonly unwritten = new UnwrittenVerdicts();
  /** Calls that are not asked about again; `undefined`: they are. */
  readonly rejections: RunRejections | undefined;
  /** What the run was told so far, where that is known here. */
  conversation: (() => readonly unknown[]) | undefined;
  readonly #parent: CallAsker | undefined;
  /** Shared with the runs that are a part of this one; `undefined`: no reviewer comes before the human. */
  readonly #reviewer: RunReviewer | undefined;
  readonly human: HumanAsker;
  readonly #hasGate: boolean;
  /** Who asks, for messages. */
  readonly place: string;
  readonly #logger: Logger | undefined;
  readonly #timeout: number | null;
  #requester: string | undefined;
  /** Of the run, and of those that it is a part of. */
  readonly #policies: readonly Policies[];
  /** Those of the run itself. */
  readonly #own: readonly Policies[];
  /** The run that grants for a run are for. */
  readonly #mainRunId: string;
  /** What calls are bound to as persons have edited them, by the ids of the calls. */
  readonly #edited = new Map<string, BoundFiles>();
  // Callbacks run in the caller's async context, not in that of the stream or timer that led to them.
  readonly #context = new AsyncResource('countersign');

  constructor(runId: string, options: AskerOptions, place: string) {
    checkCallback(options.onApprovalRequest, 'onApprovalRequest', place);
    checkCallback(options.onQuestion, 'onQuestion', place);
    const { parent } = options;
    this.#parent = parent;
    this.runId = runId;
    this.place = place;
    this.#mainRunId = mainRunOf(runId);
    this.#hasGate = parent === undefined ? options.gate !== undefined : parent.#hasGate;
    this.gate = parent === undefined ? gateOf(options, place) : parent.gate;
    if (parent === undefined) this.gate.checkOpen(place);
    this.#reviewer = parent === undefined ? runReviewer(this.gate, options.reviewer, place) : parent.#reviewer;
    this.#logger = options.logger ?? (parent === undefined ? undefined : parent.#logger);
    this.human = new HumanAsker({
      gate: this.gate,
      hasGate: this.#hasGate,
      hasReviewer: this.#reviewer !== undefined,
      onApprovalRequest: options.onApprovalRequest,
      onQuestion: options.onQuestion,
      askOrder: checkAskOrder(options.askOrder, place),
      inContext: (call) => this.inContext(call),
      place,
      parent: parent?.human,
    });
    this.rejections = rejectionsOf(options.repeatedRejections, parent?.rejections, place);
    this.#timeout =
      options.approvalTimeout === undefined
        ? null
        : checkPositive(`${place}: approvalTimeout`, options.approvalTimeout);
    this.origin = options.origin ?? ['main'];
    this.#requester = checkRequester(place, options.requester) ?? parent?.requester;
    this.#own = this.gate.control.narrower(options.policy, place);
    this.#policies = [...(parent === undefined ? [] : parent.#policies), ...this.#own];
  }

  /** How long a human has where the tool does not say, in ms; `null`: nothing was said of it. */
  get approvalTimeout(): number | null {
    return this.#timeout;
  }

  /** Who asked for the run; `undefined`: not given. */
  get requester(): string | undefined {
    return this.#requester;
  }

  /** What was asked before the run was continued here says who asked for it, unless somebody just did. */
  recallRequester(records: readonly RawRecord[]): void {
    this.#requester ??= records.find(({ requester = null }) => requester !== null)?.requester ?? undefined;
  }

  /** Whether anything beside `interruptOn` can ask about a call, as things are now. */
  get judgesAll(): boolean {
    return this.gate.control.tightens(this.#policies);
  }

  /** Whether it can come to that later: the mode of a gate may change at any time. */
  get mayJudgeAll(): boolean {
    return this.#hasGate || this.judgesAll;
  }

  /**
   * The verdict of everything that judges. It is written down before anything follows from it.
   *
   * @param isKept the run is kept before anybody is asked: with it is written what asks
   */
  async judge(
    call: JudgedCall,
    by: Omit<CallJudge, 'control' | 'policies' | 'runId'>,
    isKept = false,
  ): Promise<CallVerdict> {
    const { control, telemetry } = this.gate;
    const judged = await judge(call, { ...by, control, policies: this.#policies, runId: this.#mainRunId });
    // What may not be approved, the mode does not approve.
    const verdict = by.gating.allowedDecisions?.includes('approve') === false ? unanswered(judged) : judged;
    telemetry?.judged(verdict.effect, verdict.said);
    if (!this.gate.isDurable) return verdict;
    const isWritten =
      isKept &&
      verdict.effect === 'ask' &&
      this.unwritten.add(call.toolCallId, verdictNote(call, this.runId, this.origin, verdict));
    return isWritten ? verdict : this.gate.noted(call, this.runId, this.origin, verdict);
  }

  /** Why the mode or the judge of the gate lets an approved call not run; `undefined`: they do. */
  objectionTo(call: BoundCall): Awaitable<string | undefined> {
    return this.gate.control.objectionTo(() => this.#judgedNow(call), this.#policies);
  }

  /**
   * The same, once everything else was asked: functions of the user's take their time, in which a mode is set and a file is written.
   *
   * @param runId where the approval is
   */
  lastObjectionTo(call: BoundCall, runId: string | null): Awaitable<string | undefined> {
    const ofMode = () => this.gate.control.objectionOfMode(() => this.#judgedNow(call));
    if (!this.gate.control.takesTime(this.#policies)) return ofMode();
    return after(this.#changedSince(call, runId), (objection) => objection ?? ofMode());
  }

  /** Why the approval of a call, which was shown with files, is no longer of what was shown; `undefined`: it is. */
  async #changedSince(call: BoundCall, runId: string | null): Promise<string | undefined> {
    const { toolCallId, toolName } = call;
    const edited = this.editedFiles(toolCallId, () => call.args) ?? [];
    const [other] = edited.length === 0 ? [] : await this.gate.control.changed(edited, this.#policies);
    if (other !== undefined) return `${other} changed since the call was edited.`;
    for (const { status, decision, toolName: asked, changes } of await this.gate.find(runId, toolCallId)) {
      if (asked !== toolName || status !== 'approved' || decision?.type !== 'approve' || changes.length === 0) continue;
      const [changed] = await this.gate.control.changed(changes, this.#policies);
      if (changed !== undefined) return `${changed} changed since its diff was shown.`;
    }
    return undefined;
  }

  #judgedNow({ toolCallId, toolName, args, tool, startsAgents, signal }: BoundCall) {
    return {
      toolCallId,
      toolName,
      args,
      ...knownToRules(toolName, tool),
      runId: this.#mainRunId,
      startsAgents,
      signal,
    };
  }

  /** Audits a call that no rule applies to. Throws if the entry cannot be written: then the call must not run. */
  async noteUnjudged(call: JudgedCall): Promise<void> {
    const verdict = await this.gate.noted(call, this.runId, this.origin, { effect: 'allow' });
    if (verdict.effect === 'deny') throw new Error(verdict.reason);
  }

  /** What an approval of a call is bound to, for the core to look up in the step that depends on it. */
  boundBy(call: BoundCall, files = this.#editOf(call.toolCallId, () => call.args)?.files ?? []): Awaitable<BoundBy> {
    return after(identityOf(call), (identity) =>
      after(this.gate.control.boundBy(this.#judgedAs(call), identity, this.#policies), ({ policies, binding }) => ({
        policies,
        binding: files.length === 0 ? binding : { ...binding, files: filesOf(files) },
      })),
    );
  }

  /** The files that an edited call writes, as they were seen; `undefined`: no person has edited it to this. */
  editedFiles(toolCallId: string, args: () => ValueSnapshot): readonly SeenFile[] | undefined {
    return this.#editOf(toolCallId, args)?.changes;
  }

  /** @param args is called for calls alone that somebody has edited */
  #editOf(toolCallId: string, args: () => ValueSnapshot): BoundFiles | undefined {
    const edit = this.#edited.get(toolCallId);
    return edit !== undefined && edit.digest === digestOf(args()) ? edit : undefined;
  }

  /** As rules know it. */
  #judgedAs({ toolCallId, toolName, args, tool, signal }: BoundCall): JudgedByPolicy {
    return { toolCallId, toolName, ...knownToRules(toolName, tool), args, signal };
  }

  /** What an edit of a call is bound to, as things are now. */
  async boundEdit(edited: BoundCall): Promise<BoundEdit> {
    const show = { floor: false, offers: false };
    const identity = await identityOf(edited);
    const look = await this.gate.control.lookAt(this.#judgedAs(edited), identity, this.#policies, show);
    const { context, shown } = await this.gate.look(edited.args, look);
    if (shown === null) throw new InternalError({ message: 'nothing of an edit was shown' });
    return { context, changes: shown.changes, shown };
  }

  /** Why what an edit was bound to does not hold any more; `undefined`: it does. */
  async editStaleness(
    record: Pick<ApprovalRecord, 'approvalId' | 'changes'>,
    call: BoundCall,
    { args, changes }: Pick<CheckedEdit, 'args' | 'changes'>,
  ): Promise<string | undefined> {
    const [changed] = changes.length === 0 ? [] : await this.gate.control.changed(changes, this.#policies);
    if (changed !== undefined) return `${changed} changed since the call was edited.`;
    const edited = { ...call, args };
    const boundTo = async (files: readonly SeenFile[]) =>
      this.gate.isBound(record.approvalId, call.toolName, args, await this.boundBy(edited, files));
    const { isBound, denied } = await boundTo(changes);
    if (denied !== undefined) return `It is denied by now: ${denied}`;
    this.#edited.set(call.toolCallId, { digest: digestOf(args), files: isBound ? changes : [], changes });
    if (isBound) return undefined;
    if (changes.length === 0)
      return 'A path of it leads elsewhere since it was edited, or what the policies say of it has changed.';
    if (!(await boundTo([])).isBound) {
      const files = changes.map(({ path }) => path).join(', ');
      return `A file that it writes (${files}), where a path of it leads, or what the policies say of it has changed since it was edited.`;
    }
    // It was decided where its files were not looked at: what the request has shown was seen.
    const unseen = changes.find(
      ({ target, before }) =>
        before !== null && !record.changes.some((shown) => shown.target === target && shown.before === before),
    );
    return unseen && `${unseen.path} was not looked at when the call was edited.`;
  }

  /** Why what was shown does not hold any more; `undefined`: it does. */
  async #staleness(
    call: BoundCall,
    record: ApprovalRecord,
    bound: object | null,
    edit: CheckedEdit | undefined,
  ): Promise<string | undefined> {
    const { approvalId, changes } = record;
    const { policy = null, tool } = (bound ?? {}) as Partial<BoundContext>;
    if (tool !== (await identityOf(call)))
      return `The tool ${call.toolName} is no longer the one that was asked about.`;
    const shown = async () => this.gate.control.shownThen(this.#judgedAs(call), { policy, changes }, this.#policies);
    const objection = await this.gate.stalenessNow(approvalId, shown);
    return objection ?? (edit && this.editStaleness(record, call, edit));
  }

  /**
   * What an approval by a callback is looked at with, in the same step. Later, where a function would be called first, or files
   * compared with what was shown: the decision does not wait for that.
   */
  #looksAt(call: BoundCall, { approvalId, changes }: ApprovalRecord, bound: object | null): void {
    const { policy = null } = (bound ?? {}) as Partial<BoundContext>;
    if (changes.length > 0 || this.gate.control.asksFunctions(this.#policies)) return;
    this.gate.looksAt(approvalId, () => {
      const shown = this.gate.control.shownThen(this.#judgedAs(call), { policy, changes }, this.#policies);
      return isLater(shown) ? undefined : shown;
    });
  }

  /**
   * Takes back the approvals of these that show a file as it is no longer; says why. Anyone who redeems an approval next sees what
   * the
   * policies say now.
   */
  async takeBackStale(records: readonly ApprovalRecord[]): Promise<string | undefined> {
    let why: string | undefined;
    for (const { approvalId, changes } of records) {
      const [changed] = changes.length === 0 ? [] : await this.gate.control.changed(changes, this.#policies);
      if (changed === undefined) continue;
      why = `${changed} changed since its diff was shown.`;
      await this.gate.revoke(approvalId, why);
    }
    return why;
  }

  /** Looks at the policy files. */
  async refresh(): Promise<void> {
    await this.gate.control.changed([], this.#policies);
  }

  /** Of these names of tools, those that are denied regardless of the arguments. */
  hidden(toolNames: readonly string[], tools: ToolSet): Set<string> {
    const nameOf = (name: string) => ruleNameOf(name, Object.hasOwn(tools, name) ? tools[name] : undefined);
    const hidden = this.gate.control.hidden([...toolNames, ...toolNames.map(nameOf)], this.#policies);
    return new Set(toolNames.filter((name) => hidden.has(name) || hidden.has(nameOf(name))));
  }

  /** All that judge its calls: those of the gate, of the run, and of those that it is a part of. */
  get policies(): readonly Policies[] {
    return this.gate.control.all(this.#policies);
  }

  /** What the policies of the run, and of those that it is a part of, say of connections. */
  async networks(): Promise<NativeNetwork[]> {
    const said = await Promise.all(this.#policies.map((policies) => policies.network()));
    return said.filter((each) => each !== null);
  }

  /** Names in rules that match none of these: in the policies of the run itself, and in those of the gate. */
  strangers(toolNames: readonly string[]): { own: readonly string[]; shared: readonly string[] } {
    const own = this.#own.flatMap((policies) => policies.strangers(toolNames));
    return { own, shared: this.gate.control.strangers(toolNames) };
  }

  /** In the async context in which the asker was made. */
  inContext<T>(call: () => T): T {
    return this.#context.runInAsyncScope(call);
  }

  /** Whether a reviewer is asked before the human. */
  get hasReviewer(): boolean {
    return this.#reviewer !== undefined;
  }

  /**
   * Makes the request, so that it can be shown and decided. The human is not called yet: see {@link HumanAsker.ask}.
   *
   * @throws {InvalidArgumentsError} when the arguments cannot be bound
   * @throws {RefusedByCore} `ERR_DUPLICATE_CALL` when this run asked about this call before
   */
  async open(question: CallQuestion, runId = this.runId): Promise<ApprovalRecord> {
    return this.gate.open(await this.#requestFor(question, runId), question.checkEdit);
  }

  /** As {@link CallAsker.open}, with the decision whenever it comes. */
  async openAndWait(question: CallQuestion, runId = this.runId): Promise<OpenedRequest> {
    return (await this.prepare(question, runId))();
  }

  /** What makes the request, once all that is shown with it is there. Those that are made at one moment share a write. */
  async prepare(question: CallQuestion, runId = this.runId): Promise<() => Promise<OpenedRequest>> {
    const request = await this.#requestFor(question, runId);
    return async () => {
      question.signal?.throwIfAborted();
      // Nothing follows from a verdict that is not written.
      const unwritten = this.unwritten.takeOf(question.toolCallId);
      if (unwritten !== undefined) await this.gate.note(unwritten);
      const opened = this.gate.openAndWait(request, question.checkEdit, question.signal);
      const { record, context, decided } = isLater(opened) ? await opened : opened;
      this.gate.answersByMode(record, decided, question.judgeAgain);
      this.#looksAt(question, record, context);
      return { record, decided, staleness: (edit) => this.#staleness(question, record, context, edit) };
    };
  }

  /** As {@link CallAsker.openAndWait}, for a request that was made before, perhaps by another process. */
  attach(
    { approvalId, context = null }: RawRecord,
    record: ApprovalRecord,
    call: BoundCall,
    checkEdit: CheckEdit,
    judgeAgain: () => Promise<CallVerdict>,
  ): OpenedRequest {
    const decided = this.gate.attach(approvalId, checkEdit);
    this.gate.answersByMode(record, decided, judgeAgain);
    if (!isDecided(record)) this.#looksAt(call, record, context);
    // An unawaited promise must not end the process.
    decided.catch(() => {});
    return { record, decided, staleness: (edit) => this.#staleness(call, record, context, edit) };
  }

  async #requestFor(question: CallQuestion, runId: string): Promise<OpenRequest> {
    if (question.questions !== undefined)
      return questionRequest(question, question.questions, { runId, origin: this.origin, logger: this.#logger });
    const open = this.#asksReviewer(question) ? this.#reviewer?.begin(question.toolName) : undefined;
    try {
      const { request, who } = await this.#unreviewed(question, runId);
      return open === undefined ? request : await this.#reviewed(question, request, who, open);
    } finally {
      open?.end();
    }
  }

  /** What is put to a human, before a reviewer is asked. */
  async #unreviewed(
    question: CallQuestion,
    runId: string,
  ): Promise<{ request: OpenRequest; who: ApproverRules | undefined }> {
    const { toolCallId, toolName, args, step = null, gating, signal, supersedes, editedFrom } = question;
    const isDenied = question.isAnswered === true || question.verdict?.effect === 'deny';
    const said = question.verdict && unanswered(question.verdict);
    const description = await describe({ ...question, verdict: said }, (call) => this.inContext(call));
    const call = { ...this.#judgedAs(question), runId, answers: said?.effect === 'ask' ? said.answers : undefined };
    // Who had to agree to what was shown before must agree to what is shown now.
    const who = allOf(
      said?.effect === 'ask' ? said.who : gating && whoOf(gating),
      supersedes?.needs && { needs: supersedes.needs, remind: null },
    );
    const asks: CallVerdict = said === undefined ? { effect: 'ask', floor: true, who } : withWho(said, who);
    const offers = this.#offersOf(question, call, asks);
    const tool = await identityOf(question);
    // What "always" would save is made later where there are no rules, and nothing else would be shown.
    const showing = offers === undefined ? showingOf(asks) : null;
    const show = showing && { ...showing, offers: showing.offers && question.isOnce !== true };
    const { look, policies } = await this.gate.control.lookAt(call, tool, this.#policies, show);
    // A schema is for those who look into the ledger.
    const schema =
      question.schema === undefined || this.#isPrivate ? null : await this.gate.schemaDigest(question.schema);
    const agentReason = agentReasonOf(question.tool, args.value);
    const askedAgain = askedAgainOf(question);
    const details = {
      verdict: asks.said ?? null,
      ...(agentReason === null ? {} : { agentReason }),
      ...(schema === null ? {} : { schema }),
      ...(step === null ? {} : { step }),
      ...(supersedes?.startedBefore === true ? { startedBefore: true } : {}),
      ...(editedFrom === undefined ? {} : { editedFrom: editedFrom.json }),
      ...(askedAgain === null ? {} : { askedAgain }),
      ...(isDenied ? { isDenied } : {}),
      ...(asks.effect === 'ask' && asks.askedBy !== undefined ? { askedBy: asks.askedBy } : {}),
      ...(asks.effect === 'ask' && (asks.floor === true || asks.codeAsks === true) ? { asksBeside: true } : {}),
    };
    signal?.throwIfAborted();
    const request = {
      runId,
      toolCallId,
      toolName,
      args,
      origin: this.origin,
      description,
      // A denied call cannot be approved in the moment before its denial is written down.
      allowedDecisions: isDenied ? DENIABLE : (gating?.allowedDecisions ?? null),
      timeoutMs: this.#timeoutOf(gating),
      logger: this.#logger,
      context: null,
      details,
      page: null,
      look,
      policies,
      offers,
      supersedes: supersedes?.approvalId ?? null,
      ...(supersedes?.callIsGone === true ? { callIsGone: true } : {}),
      needs: isDenied ? [] : (who?.needs ?? []),
      remindMs: isDenied ? null : (who?.remind ?? null),
      requester: this.#requester ?? null,
    };
    return { request, who };
  }

  /** Whether the reviewer is asked before the human. */
  #asksReviewer({ verdict, isAnswered }: CallQuestion): boolean {
    return this.#reviewer !== undefined && isAnswered !== true && verdict?.effect === 'ask';
  }

  /** With what the reviewer says of all that is shown. */
  async #reviewed(
    question: CallQuestion,
    request: OpenRequest,
    who: ApproverRules | undefined,
    open: OpenReview,
  ): Promise<OpenRequest> {
    const whole = await this.gate.whole(request);
    const { changes = [] } = whole.details as { changes?: ShownCall['changes'] };
    const isShownWhole = whole.page?.whole !== false;
    const review = await this.#reviewOf(question, request.runId, { changes, isShownWhole }, who, open);
    question.signal?.throwIfAborted();
    return review === undefined ? whole : { ...whole, details: { ...whole.details, review } };
  }

  /**
   * What the reviewer says of a call that would be put to a human, written into the audit before anything follows from it; `undefined`:
   * it is not asked. What it was shown is what the request is bound to.
   */
  async #reviewOf(
    question: CallQuestion,
    runId: string,
    { changes, isShownWhole }: Pick<CallToReview, 'changes' | 'isShownWhole'>,
    who: ApproverRules | undefined,
    open: OpenReview,
  ): Promise<CallReview | undefined> {
    const { verdict, gating, supersedes, signal, toolCallId, toolName, args, tool, messages } = question;
    const reviewer = this.#reviewer;
    if (reviewer === undefined || verdict?.effect !== 'ask') return undefined;
    const call = {
      toolName,
      toolCallId,
      runId,
      origin: this.origin,
      args,
      tool,
      verdict: verdict.said ?? null,
      changes,
      isShownWhole,
      asked: this.#top.conversation?.(),
      messages: messages ?? this.conversation?.(),
      isPart: this.#parent !== undefined,
    };
    const terms = {
      bar: verdict.reviewBar === undefined ? ('unmarked' as const) : verdict.reviewBar,
      namesPeople: asksPeople(who),
      isApprovable: gating?.allowedDecisions?.includes('approve') !== false,
      startedBefore: supersedes?.startedBefore === true,
    };
    return reviewer.review(call, terms, open, {
      signal,
      inContext: (run) => this.inContext(run),
      kept: this.gate,
      write: (review) => this.#written(call, review),
    });
  }

  async #written(call: CallToReview, review: CallReview): Promise<CallReview> {
    if (!this.gate.isDurable) return review;
    const unwritten = await this.gate.noteReview(reviewNote(call, review));
    // What cannot be written down decides nothing.
    return unwritten === undefined ? review : { ...review, answer: 'failed', reason: unwritten, decides: false };
  }

  /** Of the run that the user has asked for. */
  get #top(): CallAsker {
    return this.#parent === undefined ? this : this.#parent.#top;
  }

  /** Whether only the callback of the run sees what is asked. */
  get #isPrivate(): boolean {
    return !this.#hasGate && !this.gate.isDurable && this.#logger === undefined;
  }

  /**
   * What "always" would save, for when the callback asks; `undefined`: it is made now, since it belongs to what others see, or
   * to the change of a file, which the approval is bound to.
   */
  #offersOf({ toolName, gating }: CallQuestion, call: JudgedByPolicy, verdict: CallVerdict): Offers | undefined {
    if (!this.#isPrivate || gating === undefined || gating.changesFile === true || call.ruleName !== toolName)
      return undefined;
    const reader = this.human.callback ?? this.gate;
    // It may look at files: for those who read it, that is done on another thread before they are asked. So is what takes long to
    // show.
    if (readers.has(reader) || isLong(call.args)) return undefined;
    const offers = this.gate.control.offersLater(call, verdict, this.#policies);
    if (offers === undefined) return undefined;
    return () => {
      readers.add(reader);
      return offers();
    };
  }

  /** `null`: as long as it takes. A callback has a human at hand; without one, the wait might never end. */
  #timeoutOf(gating: Gating | undefined): number | null {
    const said = gating?.timeout ?? this.#timeout;
    if (said !== null && said !== undefined) return said;
    if (this.gate.timeout !== null) return this.gate.timeout;
    return this.human.callback === undefined ? DEFAULT_TIMEOUT_MS : null;
  }
}

const withWho = (verdict: CallVerdict, who: ApproverRules | undefined): CallVerdict =>
  verdict.effect === 'ask' ? { ...verdict, who } : verdict;

function gateOf({ gate, place: paths }: AskerOptions, place: string): LocalGate {
  // A run of its own keeps nothing: a durable ledger is somebody's to close.
  if (gate === undefined) return new LocalGate({ ledger: 'memory:', ...(paths === undefined ? {} : { place: paths }) });
  if (paths === undefined) return localGate(gate, place);
  throw new InvalidConfigError({ message: `${place}: leave place out: the gate has its own.` });
}

/** Whether it takes long to make ready to be shown. */
const isLong = ({ json }: ValueSnapshot): boolean => (JSON.stringify(json)?.length ?? 0) > LONGEST_AT_ONCE;

/** As in `crates/bridge`, in UTF-16 units of JSON, which are no more than its bytes. */
const LONGEST_AT_ONCE = 65_536;

/** Callbacks that have read what "always" would save. */
const readers = new WeakSet<object>();
