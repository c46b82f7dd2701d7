/**
 * The chat without a terminal: prompts in, a view out. It holds the gate, runs the agent once per prompt with the whole
 * conversation, and puts what waits to the human.
 */
import { isAlike } from '../../gate/batch.js';
import type { ModelMessage } from 'ai';
import type {
  AgentEvent,
  AgentRun,
  ApprovalRecord,
  ApprovalRequest,
  Decision,
  Remember,
  QuestionsAnswered,
} from '../../../index.js';
import { AlreadyDecidedError, ApprovalExpiredError } from '../../errors/index.js';
import { messageOf } from '../../errors/message-of.js';
import { snapshot } from '../../values/snapshot.js';
import { editedCall } from '../../gate/edited-call.js';
import { localGate } from '../../gate/gate.js';
import { standing } from '../../gate/standing.js';
import { UsageError } from '../exit.js';
import { shortRun } from '../ids.js';
import { oneLine } from '../style.js';
import { WaitingAsks, asAsked, askOf } from './asks.js';
import { COMMANDS, complete, isCommand, nearest, readCommand } from './commands.js';
import type { NoteWindow } from './policy-page.js';
import { deeds, openIds, resumable, runOf, type CommandAction } from './deeds.js';
import { ChangeListeners } from './listeners.js';
import type { ChatAgent, ChatOptions, ChatRunOptions, LocalChat, OpenedModel, RunEnd } from './parts.js';
import { SAID, Transcript } from './transcript.js';
import type { ApprovalAsk, ChatView, ChatCommand } from './view.js';

/** The chat. It offers what can be continued before it resolves. @throws LedgerError (`ERR_LEDGER_…`) */
export async function createChat(options: ChatOptions): Promise<LocalChat> {
  const chat = new TheChat(options);
  await chat.start();
  return chat;
}

/** Where nothing is said of the window. */
const EVERYTHING = (): NoteWindow => ({ columns: Infinity, rows: Infinity });

/** What `letGo` gives a tool that runs, in ms; then it is stopped. */
const GRACE = 2_000;

/** A request that is not shown yet, with how often the like of it was approved. */
interface ComingAsk {
  request: ApprovalRequest;
  before: Promise<number>;
}

class TheChat implements LocalChat {
  readonly commands: readonly ChatCommand[] = COMMANDS;
  readonly #options: ChatOptions;
  readonly #transcript = new Transcript();
  readonly #asks = new WaitingAsks();
  /** Those that are about to wait. */
  #coming: ComingAsk[] = [];
  readonly #listeners = new ChangeListeners();
  #view: ChatView | undefined;
  #model: OpenedModel;
  #conversation: ModelMessage[] = [];
  #running: { run: AgentRun; abort: AbortController; ended: Promise<void> } | undefined;
  /** What others decided in this run, in words, by the ids of requests. */
  #decided: Readonly<Record<string, string>> = {};
  /** Requests of this run that were over without an answer from here, and the ids of those that waited before them. */
  #overtaken: readonly { request: ApprovalRequest; behind: readonly string[] }[] = [];
  /** Something was allowed here that may answer other requests, too. */
  #hasAllowed = false;
  /** The ids of requests that this chat is answering. */
  readonly #answering = new Set<string>();
  /** What is to be run, one after the other, with what to do when it has been dealt with. */
  readonly #queue: { work: () => Promise<void>; dealtWith: () => void }[] = [];
  #isWorking = false;
  #known: { runs: readonly string[]; grants: readonly string[] } = { runs: [], grants: [] };
  #closing: Promise<void> | undefined;
  /** The run is let go of: what waits in it goes on waiting. */
  #isLeaving = false;
  isOver = false;
  lastRun: RunEnd | null = null;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#model = options.model;
  }

  async start(): Promise<void> {
    const { greeting } = this.#options;
    if (greeting !== undefined) this.#transcript.note('info', greeting);
    this.#options.watch?.follow((problems) => {
      for (const { message } of problems) this.#note('warning', message);
    });
    for (const line of await resumable(this.#options.gate)) this.#transcript.note('info', line);
    await this.#learn();
  }

  // --- looking ------------------------------------------------------------------------------------------------------

  get view(): ChatView {
    this.#view ??= this.#currentView();
    return this.#view;
  }

  #currentView(): ChatView {
    const { entries, todos, subagents } = this.#transcript;
    const waiting = new Set(this.#waiting().map(({ approvalId }) => approvalId));
    return {
      mode: this.#options.gate.mode,
      isBusy: this.#running !== undefined,
      model: oneLine(this.#model.label),
      folder: oneLine(this.#options.folder),
      entries,
      asks: this.#asks.view(),
      decided: this.#decided,
      overtaken: this.#overtaken.map(({ request, behind }) => ({
        request,
        behind: behind.filter((each) => waiting.has(each)),
      })),
      todos,
      subagents,
    };
  }

  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  complete(line: string): string[] {
    return complete(line, this.#known);
  }

  #changed(): void {
    this.#view = undefined;
    this.#listeners.tell();
  }

  #note(level: 'info' | 'warning' | 'error', text: string): void {
    this.#transcript.note(level, text);
    this.#changed();
  }

  // --- what the human enters ----------------------------------------------------------------------------------------

  async submit(line: string): Promise<void> {
    if (line.trim() === '' || this.isOver) return;
    const command = readCommand(line);
    if (command === undefined) return this.#prompt(line);
    this.#transcript.user(line.trim());
    if (!isCommand(command.name)) {
      const meant = nearest(command.name);
      const hint = meant === undefined ? '/help lists them' : `did you mean /${meant}?`;
      return this.#note('error', `There is no command /${oneLine(command.name)}: ${hint}`);
    }
    await this.#do(command.name, command.rest);
    await this.#learn();
  }

  async #do(name: string, rest: string): Promise<void> {
    const { gate, policies = [], window = EVERYTHING, openModel } = this.#options;
    const deed = (deeds as Readonly<Record<string, CommandAction>>)[name];
    try {
      if (deed !== undefined)
        return this.#note('info', (await deed(gate, rest, { policies, window: window() })).join('\n'));
      switch (name) {
        case 'approve':
          return await this.#switch(rest);
        case 'resume':
          return await this.#resume(rest);
        case 'model':
          if (rest !== '') this.#model = await openModel(rest);
          return this.#note('info', `Model: ${this.#model.label}`);
        case 'clear':
          this.#conversation = [];
          this.#transcript.forgetTodos();
          return this.#note('info', 'A new conversation: the model does not know what was said before.');
        case 'quit':
          this.isOver = true;
          return this.#changed();
      }
    } catch (error) {
      this.#note('error', messageOf(error));
    }
  }

  /** What completion offers. */
  async #learn(): Promise<void> {
    const { gate } = this.#options;
    try {
      const grants = (await gate.grants.list()).map(({ id }) => id);
      this.#known = { runs: await openIds(gate), grants };
    } catch {
      // Completion is a convenience: what fails is told where it matters.
    }
  }

  #prompt(prompt: string): Promise<void> {
    if (this.#isWorking) this.#note('info', `Queued: ${oneLine(prompt)}`);
    return this.#inTurn(() => {
      this.#transcript.user(prompt);
      const messages: ModelMessage[] = [...this.#conversation, { role: 'user', content: prompt }];
      // What the model was told stays told, also when it fails.
      this.#conversation = messages;
      return this.#run((agent, options) => agent.streamWithEvents({ ...options, messages }));
    });
  }

  async #resume(id: string): Promise<void> {
    if (this.#isWorking)
      return this.#note('error', 'A run is in progress: wait for its end, or cancel it with Ctrl+C.');
    const runId = await runOf(this.#options.gate, id);
    await this.#inTurn(() => this.#run((agent, options) => agent.resume({ ...options, runId })));
  }

  /** One run at a time. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    return new Promise((dealtWith) => {
      this.#queue.push({ work, dealtWith });
      if (!this.#isWorking) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      await next.work();
      next.dealtWith();
    }
    this.#isWorking = false;
  }

  // --- a run --------------------------------------------------------------------------------------------------------

  async #run(start: (agent: ChatAgent, options: ChatRunOptions) => AgentRun): Promise<void> {
    const { gate, createAgent } = this.#options;
    const abort = new AbortController();
    // It never answers, so there is no deadline: answers are given at the gate.
    const onApprovalRequest = (): Promise<never> => new Promise(() => {});
    this.#decided = {};
    this.#overtaken = [];
    let end: RunEnd = 'failed';
    let over = (): void => {};
    const ended = new Promise<void>((resolve) => (over = resolve));
    try {
      const run = start(createAgent({ model: this.#model.model, gate }), {
        abortSignal: abort.signal,
        onApprovalRequest,
      });
      this.#running = { run, abort, ended };
      this.#changed();
      for await (const event of run) end = this.#see(event) ?? end;
    } catch (error) {
      this.#transcript.note('error', messageOf(error));
    }
    this.lastRun = end;
    this.#coming = [];
    this.#asks.clear();
    const runId = this.#running?.run.runId;
    this.#transcript.close(this.#isLeaving ? 'waits' : end === 'failed' ? 'failed' : 'cancelled');
    if (this.#isLeaving && runId !== undefined)
      this.#transcript.note('info', `The run is left as it is: /resume ${shortRun(runId)} continues it.`);
    await this.#learn();
    this.#running = undefined;
    over();
    this.#changed();
  }

  /** Shows a request once it is counted how often the like of it was approved: with all others that come meanwhile, which are counted. */
  #ask(request: ApprovalRequest): void {
    const isFirst = this.#coming.length === 0;
    this.#coming.push({ request, before: this.#approvedBefore(request) });
    if (isFirst) void this.#askComing();
  }

  async #askComing(): Promise<void> {
    const counted = new Map<ComingAsk, number>();
    for (;;) {
      const left = this.#coming.filter((each) => !counted.has(each));
      if (left.length === 0) break;
      for (const each of left) counted.set(each, await each.before);
    }
    for (const each of this.#coming.splice(0)) this.#asks.add(each.request, counted.get(each));
    this.#changed();
  }

  /** How often a person approved the like of it. If that cannot be counted, the prompt says less. */
  async #approvedBefore({ approvalId, always }: ApprovalRequest): Promise<number> {
    try {
      return always.allow === null ? 0 : await this.#options.gate.askedBefore(approvalId);
    } catch {
      return 0;
    }
  }

  /** @returns how the run ends, with the event that says so */
  #see(event: AgentEvent): RunEnd | undefined {
    this.#options.onEvent?.(event);
    // It is not decided, it is let go of.
    const isLeft = this.#isLeaving && (event.type === 'approval-response' || event.type === 'question-answered');
    if (!isLeft) this.#transcript.see(event);
    this.#changed();
    switch (event.type) {
      case 'run-resumed':
        this.#conversation = event.messages;
        return undefined;
      case 'approval-requested': {
        const { type: _, isAutomatic, ...request } = event;
        if (!isAutomatic) this.#ask(request);
        return undefined;
      }
      case 'question-asked': {
        const { type: _, questions, ...request } = event;
        this.#ask({ ...request, args: { questions } });
        return undefined;
      }
      case 'approval-voted': {
        const votes = this.#asks.find(event.approvalId)?.votes ?? [];
        const others = votes.filter(({ by }) => by !== event.vote.by);
        this.#asks.update(event.approvalId, [...others, event.vote]);
        return undefined;
      }
      case 'approval-response':
      case 'question-answered':
        this.#seeOver(event);
        this.#coming = this.#coming.filter(({ request }) => request.approvalId !== event.approvalId);
        if (!this.#answering.has(event.approvalId)) this.#tellOvertaken(overtakenBy(event));
        this.#asks.remove(event.approvalId);
        return undefined;
      case 'done':
        this.#conversation = event.messages;
        return 'done';
      case 'abort':
        this.#conversation = event.messages;
        this.#transcript.note('warning', 'Cancelled.');
        return 'cancelled';
      default:
        return undefined;
    }
  }

  /** A request is over. */
  #seeOver(event: Extract<AgentEvent, { type: 'approval-response' | 'question-answered' }>): void {
    const waiting = this.#waiting();
    const at = waiting.findIndex(({ approvalId }) => approvalId === event.approvalId);
    const request = waiting[at];
    if (request === undefined || this.#answering.has(event.approvalId)) return;
    const isAllowed = event.type === 'approval-response' && event.isAutomatic && event.approved && this.#hasAllowed;
    const behind = waiting.slice(0, at).map(({ approvalId }) => approvalId);
    if (!isAllowed) this.#overtaken = [...this.#overtaken, { request, behind }];
  }

  /** What waits, and what is about to, oldest first. */
  #waiting(): ApprovalRequest[] {
    return [...this.#asks.requests, ...this.#coming.map(({ request }) => request)];
  }

  /** Somebody else was faster. */
  #tellOvertaken({
    approvalId,
    decision,
    decidedBy,
  }: Pick<ApprovalRecord, 'approvalId' | 'decision' | 'decidedBy'>): void {
    if (decision === null || this.#asks.find(approvalId) === undefined) return;
    const isByNone = decidedBy === null || decision.type === 'cancelled' || decision.type === 'expired';
    const by = isByNone ? '' : ` by ${decidedBy}`;
    this.#decided = { ...this.#decided, [approvalId]: oneLine(`${SAID[decision.type]}${by}`) };
  }

  // --- decisions ----------------------------------------------------------------------------------------------------

  decide(approvalId: string, decision: Decision): Promise<string | undefined> {
    const { gate, by } = this.#options;
    return this.#answered(approvalId, () => gate.decide(approvalId, decision, { by, via: 'terminal' }));
  }

  async reconsider(approvalId: string, args: unknown): Promise<ApprovalAsk> {
    const { gate } = this.#options;
    const request = this.#asks.find(approvalId);
    if (request === undefined) throw new UsageError('It no longer waits: see /pending.');
    // An edit is the human's: with any verdict they are asked about it.
    const read = (json: unknown) => localGate(gate, 'chat').readEdit(request, json);
    const call = await editedCall(request, snapshot(args).json, read);
    const ask = askOf({ ...call, args, description: '' }, 1, 1);
    if (ask.kind !== 'approval') throw new UsageError('It is a question, and has no arguments to edit: answer it.');
    return { ...ask, shown: call.shown };
  }

  async refuse(approvalId: string): Promise<string | undefined> {
    const { gate } = this.#options;
    const nobody = { by: 'nobody', reason: 'Nobody is there to answer.' };
    if ((this.#asks.find(approvalId)?.needs ?? []).length === 0)
      return this.#answered(approvalId, () => gate.reject(approvalId, nobody));
    // No person decides: the program ends it.
    await localGate(gate, 'chat').rejectBySystem(approvalId, nobody.reason, nobody.by);
    this.#asks.remove(approvalId);
    this.#changed();
    return undefined;
  }

  async approveAlike(approvalId: string): Promise<string | undefined> {
    const { gate, by } = this.#options;
    const one = this.#asks.find(approvalId);
    const alike = one === undefined ? [] : this.#asks.requests.filter((other) => isAlike(one, other));
    const objection = await this.#answered(approvalId, () => gate.approve(approvalId, { by, via: 'terminal' }));
    for (const each of alike.map((other) => other.approvalId))
      await this.#answered(each, () => gate.approve(each, { by, via: 'terminal' }));
    return objection;
  }

  async always(approvalId: string, remember: Remember): Promise<string | undefined> {
    const { gate, by } = this.#options;
    this.#hasAllowed = true;
    const objection = await this.#answered(approvalId, () =>
      gate.approve(approvalId, { by, via: 'terminal', remember }),
    );
    await this.#learn();
    return objection;
  }

  answer(approvalId: string, answers: QuestionsAnswered['answers'] | null): Promise<string | undefined> {
    const { gate, by } = this.#options;
    const request = this.#asks.find(approvalId);
    return this.#answered(approvalId, () =>
      answers === null || request === undefined
        ? gate.reject(approvalId, { by, via: 'terminal', reason: 'The human does not want to answer.' })
        : gate.respond(approvalId, { answers: asAsked(request, answers) }, { by, via: 'terminal' }),
    );
  }

  /**
   * Gives an answer. Where it cannot be taken the request goes on waiting, unless it was decided before.
   *
   * @returns why it goes on waiting without it
   */
  async #answered(approvalId: string, give: () => Promise<ApprovalRecord>): Promise<string | undefined> {
    this.#answering.add(approvalId);
    let objection: string | undefined;
    try {
      const record = await give();
      if (record.status === 'pending') {
        this.#asks.update(approvalId, record.votes);
        this.#transcript.note('info', `Counted: ${oneLine(standing(record))}`);
      } else this.#asks.remove(approvalId);
    } catch (error) {
      if (AlreadyDecidedError.isInstance(error)) this.#tellOvertaken(error.winner);
      const isOver = AlreadyDecidedError.isInstance(error) || ApprovalExpiredError.isInstance(error);
      if (isOver) this.#asks.remove(approvalId);
      else objection = messageOf(error);
      this.#transcript.note('error', messageOf(error));
    } finally {
      this.#answering.delete(approvalId);
    }
    this.#changed();
    return objection;
  }

  async approveAll(): Promise<string | undefined> {
    const { gate } = this.#options;
    if (gate.mode !== 'auto') return this.#setMode('auto');
    // Once more, for what waits since.
    await gate.setMode('auto');
    await this.#seeDecided();
    return undefined;
  }

  /** Without a word it says how things are: nothing is turned on by a slip. */
  async #switch(word: string): Promise<void> {
    const { mode } = this.#options.gate;
    if (word === '')
      return this.#note(
        'info',
        `Auto-approve is ${mode === 'auto' ? 'on' : 'off'}. /approve on and /approve off change it.`,
      );
    if (word !== 'on' && word !== 'off')
      throw new UsageError(`Use /approve on or /approve off, not ${JSON.stringify(word)}.`);
    if (mode === 'plan') this.#note('warning', 'Plan mode: only what is read-only runs. Start again without --plan.');
    else await this.#setMode(word === 'on' ? 'auto' : 'safe');
  }

  /** @returns why it cannot be */
  async #setMode(mode: 'safe' | 'auto'): Promise<string | undefined> {
    const { gate, emoji = true, beforeAuto } = this.#options;
    if (mode === 'auto') this.#hasAllowed = true;
    try {
      if (mode === 'auto') await beforeAuto?.();
      await gate.setMode(mode);
    } catch (error) {
      const why = `Auto-approve stays ${gate.mode === 'auto' ? 'on' : 'off'}: ${messageOf(error)}`;
      this.#note('warning', why);
      return why;
    }
    const said =
      mode === 'auto'
        ? ['🟠', 'Auto-approve: calls that need approval run at once. Calls that a policy denies do not.']
        : ['🟢', 'Safe mode: commands and changes that no rule allows need approval.'];
    this.#note('info', (emoji ? said : said.slice(1)).join(' '));
    if (mode === 'auto') await this.#seeDecided();
    return undefined;
  }

  /**
   * What the gate has approved by its mode waits no more, though the run has yet to say so: the next line answers none of it.
   * Tells what it has not approved, since a human must answer it or a policy denies it.
   */
  async #seeDecided(): Promise<void> {
    const { gate } = this.#options;
    for (const { approvalId, kind, toolName, args, runId, allowedDecisions, needs } of this.#asks.requests) {
      if ((await gate.get(approvalId))?.status !== 'pending') {
        this.#asks.remove(approvalId);
        continue;
      }
      if (kind !== 'approval' || needs.length > 0 || !allowedDecisions.includes('approve')) continue;
      const { reason } = await gate.check({ toolName, args, runId });
      this.#note('warning', `Not approved: ${oneLine(toolName)}: ${oneLine(reason)}`);
    }
    this.#changed();
  }

  // --- the end ------------------------------------------------------------------------------------------------------

  interrupt(): boolean {
    const running = this.#running;
    if (running === undefined || running.abort.signal.aborted) return false;
    this.#cancel('cancelled by the human');
    return true;
  }

  leave(): void {
    this.isOver = true;
    this.#changed();
  }

  say(text: string): void {
    this.#note('info', text);
  }

  #cancel(reason: string): void {
    this.#forgetQueue();
    this.#running?.abort.abort(new DOMException(reason, 'AbortError'));
  }

  #forgetQueue(): void {
    for (const { dealtWith } of this.#queue.splice(0)) dealtWith();
  }

  close(): Promise<void> {
    this.isOver = true;
    this.#closing ??= this.#close(() => this.#cancel('the chat was closed'));
    return this.#closing;
  }

  letGo(): Promise<void> {
    this.isOver = true;
    this.#closing ??= this.#close(async () => {
      this.#forgetQueue();
      const running = this.#running;
      if (running === undefined) return;
      const patience = new Promise((resolve) => setTimeout(resolve, GRACE).unref());
      // Where nothing is kept, nothing can be let go of.
      this.#isLeaving = true;
      const suspended = running.run.suspend().then(
        () => running.ended,
        () => void (this.#isLeaving = false),
      );
      await Promise.race([suspended, patience]);
      if (this.#running !== running) return;
      this.#isLeaving = false;
      this.#cancel('the terminal is gone');
    });
    return this.#closing;
  }

  async #close(end: () => unknown): Promise<void> {
    const ended = this.#running?.ended;
    try {
      await end();
      await ended;
    } finally {
      await this.#options.gate.close();
    }
  }
}

/** Who was faster, and with what. */
function overtakenBy(
  event: Extract<AgentEvent, { type: 'approval-response' | 'question-answered' }>,
): Pick<ApprovalRecord, 'approvalId' | 'decision' | 'decidedBy'> {
  if (event.type === 'approval-response') return event;
  const { approvalId, answer, decidedBy } = event;
  const decision =
    answer.status === 'answered'
      ? ({ type: 'respond', output: null } as const)
      : ({ type: 'cancelled', reason: '' } as const);
  return { approvalId, decision, decidedBy };
}
