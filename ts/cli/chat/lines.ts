/**
 * The plain front end, for pipes, screen readers and terminals that can do nothing: lines in, lines out, no cursor movement.
 * A line is a prompt, or the answer to what waits. The prompt of a pipe is read when the one before it has been dealt with,
 * so that prompts and answers may come in turn.
 */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Question } from '../../../index.js';
import { messageOf } from '../../errors/message-of.js';
import { told } from '../duration.js';
import { style } from '../style.js';
import { ANSWERS_TWICE, readQuestionAnswer, SHORT, unpiped } from '../../terminal/answers.js';
import type { PersonCall } from '../../terminal/call-person.js';
import { agentLine, shownPreview } from '../../gate/agent-reason.js';
import { startedFirst } from '../../gate/stands-out.js';
import { linesFor, NO_LONGER_PIPED, OwedLines } from '../../terminal/owed-lines.js';
import { AS_ASKED, confirming, LIKE_THIS, ShownDecision } from '../../terminal/shown-decision.js';
import { argumentLines } from '../../terminal/whole.js';
import { revive } from '../../values/snapshot.js';
import { readAnswer, type LineAnswer } from './answers.js';
import { readCommand } from './commands.js';
import type { LocalChat } from './parts.js';
import { Exit } from '../exit.js';
import { safeLong } from '../../terminal/safe-long.js';
import { scrolledAway, type WindowSize } from '../../terminal/window.js';
import { callsOf } from './waiting-calls.js';
import type { WaitingAsk, TranscriptEntry } from './view.js';

export interface LinesOptions {
  input: Readable & { isTTY?: boolean };
  write(text: string): void;
  /** Puts what waits where the person sees it. @default write */
  ask?: ((text: string) => void) | undefined;
  /** The window that it is put in, now. @default none that is known */
  window?: (() => WindowSize | undefined) | undefined;
  /** Whether what was put came through. @default it did */
  isSeen?: (() => Promise<boolean>) | undefined;
  /** The only prompt. */
  prompt?: string | undefined;
  /** Whether somebody reads what waits, and answers. */
  canAsk: boolean;
  /** Calls the person, on a terminal. */
  person?: PersonCall | undefined;
  emoji: boolean;
}

/** Lines that a terminal sends sooner after each other are of one paste, in ms: no person types that fast. */
const TOGETHER = 50;

/** On a terminal, a line that comes sooner after what it would answer was not typed with that in sight, in ms. */
const SEEN = 250;

/** Until the input ends, it is left, or the one prompt has been dealt with. @returns the exit code */
export async function showLines(chat: LocalChat, options: LinesOptions): Promise<number> {
  const lines = new LineFrontEnd(chat, options);
  try {
    return await lines.run();
  } finally {
    lines.close();
  }
}

type ApprovalAsk = Extract<WaitingAsk, { kind: 'approval' }>;

/** What is being put. */
interface PutAsk {
  id: string;
  /** All that was said of it before it could be answered; of questions, of the one that is asked. */
  text: string;
  isSeen: boolean;
  decision: ShownDecision<LineAnswer>;
  /** The call as it was shown last, where that was with other arguments. */
  last?: ApprovalAsk;
  /** Whether it was said that a question is longer than the window. */
  isWarned: boolean;
  /** Lines that have answered it. */
  taken: number;
  answers: (string | readonly string[] | null)[];
}

class LineFrontEnd {
  readonly #chat: LocalChat;
  readonly #options: LinesOptions;
  readonly #reader;
  /** Lines not taken yet. */
  readonly #read: string[] = [];
  #isEnded = false;
  /** While more lines may come with those that were read. */
  #gathering: NodeJS.Timeout | undefined;
  #isRung = false;
  #wake: (() => void) | undefined;
  /** Lines that are on the screen already, since they were typed there. */
  readonly #typed: string[] = [];
  /** Entries that were printed. */
  readonly #printed = new Set<number>();
  /** What is being put, whether it could be read by now, and what was answered of it, for questions. */
  #put: PutAsk | undefined;
  /** What was put was taken away unanswered: the line that is being typed may be about that. */
  #isLost = false;
  readonly #owed = new OwedLines();
  /** The ids of requests that were decided elsewhere, and whose lines are counted. */
  readonly #passed = new Set<string>();
  /** Lines that are being dealt with. */
  #submitted = 0;
  #nobody = false;

  constructor(chat: LocalChat, options: LinesOptions) {
    this.#chat = chat;
    this.#options = options;
    this.#reader =
      options.canAsk || options.prompt === undefined ? createInterface({ input: options.input }) : undefined;
    this.#isEnded = this.#reader === undefined;
    this.#reader?.on('line', (line) => {
      this.#read.push(line);
      if (this.#isInteractive) this.#gather();
      else this.#ring();
    });
    this.#reader?.on('close', () => {
      this.#isEnded = true;
      this.#ring();
    });
  }

  async run(): Promise<number> {
    const { prompt } = this.#options;
    const call = (): void => this.#options.person?.waits(callsOf(this.#chat.view.asks));
    const stop = this.#chat.subscribe(() => {
      call();
      this.#ring();
    });
    const { model, folder } = this.#chat.view;
    this.#say(`Model: ${model}`, `Folder: ${folder}`, this.#mode());
    if (prompt === undefined && this.#options.input.isTTY === true) this.#say('/help lists commands, /quit leaves.');
    try {
      if (prompt !== undefined) void this.#submit(prompt);
      while (!this.#isDone()) {
        // Nothing is said behind what waits: it could be taken for it.
        if (!this.#isPut) this.#printDone();
        if (!(await this.#step())) await this.#rung();
      }
      this.#printDone();
    } finally {
      stop();
      this.#options.person?.end();
    }
    if (this.#chat.lastRun === 'cancelled' && this.#options.input.isTTY !== true) return 130;
    if (this.#chat.lastRun === 'failed' && !this.#isInteractive) return Exit.failure;
    return this.#nobody ? Exit.ask : Exit.ok;
  }

  get #isInteractive(): boolean {
    return this.#options.input.isTTY === true && this.#options.prompt === undefined;
  }

  close(): void {
    clearTimeout(this.#gathering);
    this.#reader?.close();
  }

  #isDone(): boolean {
    const { view, isOver, lastRun } = this.#chat;
    if (isOver && !view.isBusy) return true;
    if (view.isBusy || this.#submitted > 0) return false;
    if (this.#options.prompt !== undefined) return true;
    // The next line of a script would go to a missing model, or to one that was told to stop.
    if (!this.#isInteractive && (lastRun === 'failed' || lastRun === 'cancelled')) return true;
    return this.#isEnded && this.#read.length === 0;
  }

  /** Does what can be done now. @returns whether anything was */
  async #step(): Promise<boolean> {
    const { view } = this.#chat;
    const [ask] = view.asks;
    if (ask !== undefined) return this.#answer(ask);
    this.#takeAway();
    // A terminal's line is meant now; the lines of a pipe are meant one after the other.
    if ((view.isBusy || this.#submitted > 0) && !this.#isInteractive) return false;
    const line = this.#nextPrompt();
    if (line === undefined) return false;
    this.#isLost = false;
    void this.#submit(line);
    return true;
  }

  async #submit(line: string): Promise<void> {
    this.#submitted++;
    if (this.#isInteractive) this.#typed.push(safeLong(line));
    await this.#chat.submit(line);
    this.#submitted--;
    this.#ring();
  }

  #ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  /** Waits until no more comes with what was read: several lines that were pasted are one prompt. */
  #gather(): void {
    clearTimeout(this.#gathering);
    const taken = (): void => {
      this.#gathering = undefined;
      this.#ring();
    };
    // What came while the program stood still is read first.
    this.#gathering = setTimeout(() => {
      this.#gathering = setTimeout(taken, 0);
    }, TOGETHER);
  }

  /** The next prompt; `undefined`: it is not there yet. A command is a line of its own. */
  #nextPrompt(): string | undefined {
    if (this.#options.prompt !== undefined || this.#gathering !== undefined) return undefined;
    if (!this.#isInteractive || isCommandLine(this.#read[0])) return this.#nextLine();
    const end = this.#read.findIndex(isCommandLine);
    const lines = this.#read.splice(0, end === -1 ? this.#read.length : end);
    return lines.length === 0 ? undefined : lines.join('\n');
  }

  /** Resolves when something has changed since the last time. */
  async #rung(): Promise<void> {
    if (!this.#isRung) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#isRung = false;
  }

  // --- what waits ---------------------------------------------------------------------------------------------------

  get #isPut(): boolean {
    return this.#put !== undefined && this.#chat.view.asks[0]?.request.approvalId === this.#put.id;
  }

  /** What was put is no longer what waits. */
  #takeAway(): void {
    if (this.#put !== undefined && this.#options.input.isTTY === true) this.#isLost = true;
    this.#owe();
    this.#put = undefined;
  }

  /** On a pipe, what was decided elsewhere leaves its lines to nothing else. */
  #owe(): void {
    if (this.#options.input.isTTY === true) return;
    for (const request of this.#chat.view.overtaken) {
      const { approvalId } = request;
      if (this.#passed.has(approvalId)) continue;
      this.#passed.add(approvalId);
      const isPut = this.#put?.id === approvalId;
      const open = linesFor(request) - (isPut ? this.#put!.taken : 0);
      this.#owed.owe(open);
      if (isPut && open > 0) this.#ask(NO_LONGER_PIPED);
    }
  }

  /** The next line that may answer what waits, or be a prompt; `undefined`: it is not there yet. */
  #nextLine(): string | undefined {
    this.#owe();
    while (this.#read.length > 0 && this.#owed.pass()) {
      this.#read.shift();
      // It may have been the last one.
      this.#ring();
    }
    return this.#read.shift();
  }

  async #answer(ask: WaitingAsk): Promise<boolean> {
    const { approvalId } = ask.request;
    if (!this.#isPut) {
      this.#takeAway();
      const decision = new ShownDecision<LineAnswer>({ type: 'approve' });
      const put: PutAsk = { id: approvalId, text: '', isSeen: true, decision, isWarned: false, taken: 0, answers: [] };
      this.#put = put;
      // What was typed before it could be seen is not about it.
      if (this.#options.input.isTTY === true) this.#read.length = 0;
      this.#putAsk(ask, put);
      if (ask.kind === 'approval') this.#sayHow(put);
    }
    const { canAsk, isSeen } = this.#options;
    const isAsked = canAsk && (isSeen === undefined || (await isSeen()));
    // It may have been decided elsewhere meanwhile.
    if (!this.#isPut) return true;
    if (!isAsked) {
      // What is read from here on may have been meant as an answer: it is no prompt.
      this.#isEnded = true;
      this.#reader?.close();
      this.#read.length = 0;
      return this.#refuse(approvalId);
    }
    const line = this.#nextLine();
    if (line === undefined && !this.#isEnded) return false;
    if (line !== undefined && this.#isTooEarly()) {
      this.#ask('That was typed before this was there, and decides nothing: answer once more.');
      return true;
    }
    if (line === undefined) return this.#refuse(approvalId);
    return ask.kind === 'question' ? this.#answerQuestion(ask, line) : this.#answerApproval(ask, line);
  }

  /** It cannot be answered, or was not seen. */
  async #refuse(approvalId: string): Promise<boolean> {
    this.#nobody = true;
    await this.#chat.refuse(approvalId);
    return this.#next();
  }

  /** Whether a line that came now may be about something else. */
  #isTooEarly(): boolean {
    if (this.#options.input.isTTY !== true) return false;
    const isLost = this.#isLost;
    this.#isLost = false;
    return isLost || this.#put?.isSeen !== true;
  }

  /** Says which answers there are, as soon as they are taken. */
  #sayHow(put: { isSeen: boolean }, how = SHORT): void {
    if (this.#options.input.isTTY !== true) return this.#ask(how);
    put.isSeen = false;
    const take = (): void => {
      put.isSeen = true;
      if (this.#put === put) this.#ask(how);
    };
    // What was typed while the program stood still is read first.
    setTimeout(() => setImmediate(take), SEEN);
  }

  async #answerApproval(ask: ApprovalAsk, line: string): Promise<boolean> {
    const { approvalId } = ask.request;
    const put = this.#put!;
    const answer = put.decision.meant(readAnswer(line, ask, put.last));
    if (answer.type === 'say') {
      this.#ask(...answer.lines);
      return true;
    }
    put.taken = 1;
    const call = await this.#callOf(ask, put, answer).catch((error: unknown) => {
      put.taken = 0;
      this.#ask(`That was not taken: ${safeLong(messageOf(error))}`, SHORT);
      return null;
    });
    // It may have been decided elsewhere meanwhile.
    if (call === null || !this.#isPut) return true;
    if (call !== undefined && this.#options.input.isTTY === true) {
      if (!this.#isConfirmed(put, answer, call)) return true;
    } else if (call !== undefined) {
      const refused = unpiped(call.request);
      if (refused !== undefined) return this.#rejectPiped(approvalId, refused);
    }
    switch (answer.type) {
      case 'all':
        await this.#chat.approveAll();
        break;
      case 'like':
        await this.#chat.approveAlike(approvalId);
        break;
      case 'always':
        await this.#chat.always(approvalId, answer.remember);
        break;
      default:
        // What is tagged stays what its tag says.
        await this.#chat.decide(approvalId, answer.type === 'edit' ? { ...answer, args: revive(answer.args) } : answer);
    }
    return this.#next();
  }

  /** The call as an answer lets it run; `undefined`: it does not. */
  async #callOf(ask: ApprovalAsk, put: PutAsk, answer: LineAnswer): Promise<ApprovalAsk | undefined> {
    if (answer.type !== 'edit') return RUNS.has(answer.type) ? ask : undefined;
    return put.last !== undefined && put.decision.isLast(answer)
      ? put.last
      : this.#chat.reconsider(put.id, revive(answer.args));
  }

  /**
   * Whether an answer runs the call at once. If not, what it runs is shown: where one yes is not enough for that, or where something
   * else was shown last.
   */
  #isConfirmed(put: PutAsk, answer: LineAnswer, call: ApprovalAsk): boolean {
    const { decision } = put;
    if (decision.isLast(answer)) return true;
    const isEdit = answer.type === 'edit';
    const head = isEdit ? LIKE_THIS : decision.last?.type === 'edit' ? AS_ASKED : undefined;
    const shown = head === undefined ? [] : [head, ...shownPreview(call.request).split('\n')];
    const text = head === undefined ? put.text : shown.map((row) => `${row}\n`).join('');
    const away = scrolledAway(`${text}${SHORT}`, this.#options.window?.());
    const doubts = [
      ...call.dangers,
      ...call.warnings,
      ...(away === undefined ? [] : [away]),
      ...(answer.type === 'all' ? ['what would be asked about runs at once from now on'] : []),
    ];
    if (decision.runsAtOnce(answer, doubts)) return true;
    put.last = isEdit ? call : undefined;
    this.#ask(...shown, ...(doubts.length === 0 ? [] : [`Look twice: ${doubts.join('; ')}.`]), confirming(answer));
    this.#sayHow(put);
    return false;
  }

  /** A line that may have been written before the call was there does not run it, and is a no. */
  async #rejectPiped(approvalId: string, reason: string): Promise<boolean> {
    this.#ask(`That is a no: ${reason}`);
    await this.#chat.decide(approvalId, { type: 'reject', reason });
    return this.#next();
  }

  async #answerQuestion(ask: Extract<WaitingAsk, { kind: 'question' }>, line: string): Promise<boolean> {
    const { questions, request } = ask;
    const put = this.#put!;
    const question = questions[put.answers.length];
    const answer = question === undefined ? null : readQuestionAnswer(line, question);
    if (answer?.type === 'say') {
      this.#ask(...answer.lines);
      return true;
    }
    if (answer === null || answer.type === 'none') {
      await this.#chat.answer(request.approvalId, null);
      return this.#next();
    }
    const away = scrolledAway(put.text, this.#options.window?.());
    if (away !== undefined && !put.isWarned && this.#options.input.isTTY === true) {
      put.isWarned = true;
      this.#ask(`Look twice: ${away}.`);
      this.#sayHow(put, ANSWERS_TWICE);
      return true;
    }
    put.answers.push(answer.answer);
    put.taken = put.answers.length;
    put.isWarned = false;
    const next = questions[put.answers.length];
    if (next !== undefined) {
      put.text = '';
      this.#putQuestion(next, put);
    } else {
      await this.#chat.answer(request.approvalId, put.answers);
      return this.#next();
    }
    return true;
  }

  /** Where the answer was not taken, it is put again. */
  #next(): true {
    this.#put = undefined;
    return true;
  }

  #putAsk(ask: WaitingAsk, put: PutAsk): void {
    const { index, of, from, request } = ask;
    const which = of > 1 ? ` (tool ${index} of ${of})` : '';
    const who = from === '' ? '' : ` from ${from}`;
    if (ask.kind === 'question') {
      this.#askOf(put, [
        '',
        `${style('yellow', 'The agent asks you something')}${who}${which}. /no: you do not want to answer.`,
      ]);
      const [first] = ask.questions;
      if (first !== undefined) this.#putQuestion(first, put);
      return;
    }
    const left = request.expiresAt === null ? [] : [`Time left: ${told(request.expiresAt - Date.now())}`];
    const { first, others } = startedFirst([...ask.dangers, ...ask.warnings]);
    const beware = (doubts: readonly string[]): string[] => doubts.map((each) => style('red', `Beware: ${each}`));
    const lines = [
      '',
      style('yellow', `Waits for approval${which}${who}:`),
      ...beware(first),
      ...[agentLine(request) ?? []].flat(),
      ...shownPreview(request).split('\n'),
      ...(this.#options.input.isTTY === true ? [] : argumentLines(request)),
      `Why: ${ask.why}`,
      ...beware(others),
      ...left,
      ...(ask.always === null
        ? []
        : [`s would allow for this session: ${[ask.always.label, ...ask.always.also].join('; ')}`]),
    ];
    this.#askOf(put, lines);
  }

  /** Says this of what is put. */
  #askOf(put: PutAsk, lines: readonly string[]): void {
    put.text += lines.map((line) => `${line}\n`).join('');
    this.#ask(...lines);
  }

  #putQuestion(question: Question, put: PutAsk): void {
    const isLeftOut = question.required === false ? ' (an empty line leaves it out)' : '';
    this.#askOf(put, [style('bold', question.question) + isLeftOut]);
    if (question.kind === 'text') return;
    this.#askOf(put, [
      ...question.options.map(
        ({ label, description }, at) => `  ${at + 1}. ${label}${description === undefined ? '' : `: ${description}`}`,
      ),
      question.kind === 'multiple_choice'
        ? 'A number, or other words of your own.'
        : 'Numbers, with commas between them.',
    ]);
  }

  // --- what is printed ----------------------------------------------------------------------------------------------

  #printDone(): void {
    for (const entry of this.#chat.view.entries) {
      if (!entry.isDone || this.#printed.has(entry.id)) continue;
      this.#printed.add(entry.id);
      const typed = entry.kind === 'user' ? this.#typed.indexOf(entry.text) : -1;
      if (typed === -1) this.#say(...linesOf(entry));
      else this.#typed.splice(typed, 1);
    }
  }

  #mode(): string {
    const { mode } = this.#chat.view;
    const [mark, words] =
      mode === 'auto' ? ['🟠', 'Auto-approve'] : mode === 'safe' ? ['🟢', 'Safe mode'] : ['', `Mode: ${mode}`];
    return this.#options.emoji && mark !== '' ? `${mark} ${words}` : words;
  }

  #ask(...lines: readonly string[]): void {
    const { ask, write } = this.#options;
    (ask ?? write)(lines.map((line) => `${line}\n`).join(''));
  }

  #say(...lines: readonly string[]): void {
    this.#options.write(lines.map((line) => `${line}\n`).join(''));
  }
}

/** Answers that let the call run as it was asked for. */
const RUNS: ReadonlySet<string> = new Set(['approve', 'always', 'like', 'all']);

const isCommandLine = (line: string | undefined): boolean => line !== undefined && readCommand(line) !== undefined;

const STATUS = {
  called: 'called',
  waits: 'waits',
  runs: 'runs',
  succeeded: 'done',
  failed: 'failed',
  denied: 'did not run',
  cancelled: 'cancelled',
} as const;

function linesOf(entry: TranscriptEntry): string[] {
  const name = entry.origin.length > 1 ? `[${entry.origin.at(-1)}] ` : '';
  switch (entry.kind) {
    case 'user':
      return ['', ...entry.text.split('\n').map((line, at) => `${at === 0 ? '> ' : '  '}${line}`)];
    case 'text':
      return entry.text.split('\n').map((line) => `${name}${line}`);
    case 'note':
      return [entry.level === 'info' ? entry.text : `${entry.level}: ${entry.text}`];
    case 'tool': {
      const how = entry.status === 'succeeded' ? 'green' : entry.status === 'cancelled' ? 'dim' : 'red';
      const head = `${name}* ${entry.toolName} ${entry.title}: ${style(how, STATUS[entry.status])}`;
      return [head, ...(entry.detail === '' ? [] : entry.detail.split('\n').map((line) => `    ${line}`))];
    }
  }
}
