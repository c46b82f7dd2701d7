/**
 * The plain front end, for pipes, screen readers and terminals that can do nothing: lines in, lines out, no cursor movement.
 * A line is a prompt, or the answer to what waits. The prompt of a pipe is read when the one before it has been dealt with,
 * so that prompts and answers may come in turn.
 */
import type { Readable } from 'node:stream';
import { shownPreview } from '../../gate/agent-reason.js';
import {
  ANSWERS_TWICE,
  asText,
  isBareNo,
  readQuestionAnswer,
  readReason,
  SHORT,
  SHORT_PIPED,
  untaken,
  WHY,
  type PipedCall,
} from '../../terminal/answers.js';
import type { PersonCall } from '../../terminal/call-person.js';
import { linesFor, NO_LONGER_PIPED, OwedLines, unlined } from '../../terminal/owed-lines.js';
import { failedIn, notTaken, pipedRefusal } from '../../terminal/piped-answer.js';
import { safeLong } from '../../terminal/safe-long.js';
import { AS_ASKED, confirming, LIKE_THIS, ShownDecision } from '../../terminal/shown-decision.js';
import { scrolledAway, type WindowSize } from '../../terminal/window.js';
import { revive } from '../../values/snapshot.js';
import { Exit } from '../exit.js';
import { readAnswer, readPiped, slipInAnswer, slipTold, type LineAnswer } from './answers.js';
import { approvalLines, questionHead, questionLines } from './asked-lines.js';
import { readCommand } from './commands.js';
import type { LocalChat } from './parts.js';
import { linesOf } from './printed-lines.js';
import { ReadLines } from './read-lines.js';
import type { ApprovalAsk, WaitingAsk } from './view.js';
import { callsOf } from './waiting-calls.js';

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

/** Until the input ends, it is left, or the one prompt has been dealt with. @returns the exit code */
export async function showLines(chat: LocalChat, options: LinesOptions): Promise<number> {
  const lines = new LineFrontEnd(chat, options);
  try {
    return await lines.run();
  } finally {
    lines.close();
  }
}

/** Said where a line was typed before what it would answer. */
const EARLY = 'Text that was typed before this appeared decides nothing: answer it now.';

/** What is being put. */
interface PutAsk {
  id: string;
  /** All that was said of it before it could be answered; of questions, of the one that is asked. */
  text: string;
  /** It was in sight for long enough: what is typed from now on is about it. */
  isSeen: boolean;
  decision: ShownDecision<LineAnswer>;
  /** The call as it was shown last, where that was with other arguments. */
  last?: ApprovalAsk;
  /** An answer that is a command: given once more, it is meant. */
  slip?: string;
  /** It was rejected, and the next line says why. */
  isWhy: boolean;
  /** Whether it was said that a question is longer than the window. */
  isWarned: boolean;
  /** How many lines of a pipe belong to it, and how many of them have answered it. */
  due: number;
  taken: number;
  answers: (string | readonly string[] | null)[];
}

class LineFrontEnd {
  readonly #chat: LocalChat;
  readonly #options: LinesOptions;
  /** `undefined`: nothing is read. */
  readonly #reader: ReadLines | undefined;
  readonly #isTerminal: boolean;
  #isRung = false;
  #wake: (() => void) | undefined;
  /** Lines that are on the screen already, since they were typed there. */
  readonly #typed: string[] = [];
  /** Entries that were printed. */
  readonly #printed = new Set<number>();
  /** What is being put, whether it could be read by now, and what was answered of it, for questions. */
  #put: PutAsk | undefined;
  readonly #owed = new OwedLines();
  /** The ids of requests of a pipe whose lines were taken, or are counted: no other line is theirs. */
  readonly #served = new Set<string>();
  /** Lines that are being dealt with. */
  #submitted = 0;
  #nobody = false;
  /** What waits cannot be refused, which was said: nothing comes of a second time. */
  #isStuck = false;

  constructor(chat: LocalChat, options: LinesOptions) {
    const { input, canAsk, prompt } = options;
    this.#chat = chat;
    this.#options = options;
    this.#isTerminal = input.isTTY === true;
    if (canAsk || prompt === undefined)
      this.#reader = new ReadLines(input, { changed: () => this.#ring(), isAnswer: () => this.#isPut });
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
    if (prompt === undefined && this.#isTerminal) this.#say('/help lists commands, /quit leaves.');
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
    if (this.#isStuck) return Exit.failure;
    if (this.#chat.lastRun === 'cancelled' && !this.#isTerminal) return 130;
    if (this.#chat.lastRun === 'failed' && !this.#isInteractive) return Exit.failure;
    return this.#nobody ? Exit.ask : Exit.ok;
  }

  get #isInteractive(): boolean {
    return this.#isTerminal && this.#options.prompt === undefined;
  }

  close(): void {
    this.#reader?.close();
  }

  /** Nothing more is read. */
  get #isEnded(): boolean {
    return this.#reader?.isEnded !== false;
  }

  #isDone(): boolean {
    const { view, isOver, lastRun } = this.#chat;
    if (this.#isStuck) return true;
    if (isOver && !view.isBusy) return true;
    if (view.isBusy || this.#submitted > 0) return false;
    if (this.#options.prompt !== undefined) return true;
    // The next line of a script would go to a missing model, or to one that was told to stop.
    if (!this.#isInteractive && (lastRun === 'failed' || lastRun === 'cancelled')) return true;
    return this.#isEnded;
  }

  /** Does what can be done now. @returns whether anything was */
  async #step(): Promise<boolean> {
    const { view } = this.#chat;
    const ask = this.#current;
    if (ask !== undefined) return this.#answer(ask);
    this.#takeAway();
    // It had its lines, and waits for others.
    const [left] = view.asks;
    if (left !== undefined) return this.#isEnded ? this.#refuse(left.request.approvalId) : false;
    // A terminal's line is meant now; the lines of a pipe are meant one after the other.
    if ((view.isBusy || this.#submitted > 0) && !this.#isInteractive) return false;
    const line = this.#nextPrompt();
    if (line === undefined) return false;
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

  /** The next prompt; `undefined`: it is not there yet. A command is a line of its own. */
  #nextPrompt(): string | undefined {
    if (this.#options.prompt !== undefined) return undefined;
    if (!this.#isInteractive || isCommandLine(this.#reader?.first)) return this.#nextLine();
    return this.#reader?.text(isCommandLine);
  }

  /** Resolves when something has changed since the last time. */
  async #rung(): Promise<void> {
    if (!this.#isRung) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#isRung = false;
  }

  // --- what waits ---------------------------------------------------------------------------------------------------

  /** The first that still needs an answer from here. */
  get #current(): WaitingAsk | undefined {
    return this.#chat.view.asks.find(({ request }) => !this.#served.has(request.approvalId));
  }

  get #isPut(): boolean {
    return this.#put !== undefined && this.#current?.request.approvalId === this.#put.id;
  }

  /** What was put is no longer what waits. */
  #takeAway(): void {
    this.#owe();
    this.#put = undefined;
  }

  /** On a pipe, what was decided elsewhere leaves its lines to nothing else. */
  #owe(): void {
    if (this.#isTerminal) return;
    for (const { request, behind } of this.#chat.view.overtaken) {
      const { approvalId } = request;
      // Those before it come first, unless they had their lines and wait for others.
      if (this.#served.has(approvalId) || behind.some((each) => !this.#served.has(each))) continue;
      this.#served.add(approvalId);
      const isPut = this.#put?.id === approvalId;
      const open = linesFor(request) - (isPut ? this.#put!.taken : 0);
      this.#owed.owe(open);
      if (isPut && open > 0) this.#ask(NO_LONGER_PIPED);
    }
  }

  /** The next line that may answer what waits, or be a prompt; `undefined`: it is not there yet. */
  #nextLine(as: 'answer' | 'next' = 'next'): string | undefined {
    this.#owe();
    while (this.#reader?.first !== undefined && this.#owed.pass()) {
      this.#reader.next();
      // It may have been the last one.
      this.#ring();
    }
    return this.#reader?.[as]();
  }

  async #answer(ask: WaitingAsk): Promise<boolean> {
    const { approvalId } = ask.request;
    if (!this.#isPut) {
      this.#takeAway();
      const decision = new ShownDecision<LineAnswer>({ type: 'approve' });
      const due = linesFor(ask.request);
      const put = {
        id: approvalId,
        text: '',
        isSeen: false,
        decision,
        isWhy: false,
        isWarned: false,
        due,
        taken: 0,
        answers: [],
      };
      this.#put = put;
      this.#putAsk(ask, put);
    }
    const { canAsk, isSeen } = this.#options;
    const isAsked = canAsk && (isSeen === undefined || (await isSeen()));
    // It may have been decided elsewhere meanwhile.
    if (!this.#isPut) return true;
    if (!isAsked) {
      // What is read from here on may have been meant as an answer: it is no prompt.
      this.#reader?.close();
      return this.#refuse(approvalId);
    }
    if (this.#put?.isSeen !== true) return false;
    const unwritten = this.#isTerminal ? undefined : unlined(ask.request);
    if (unwritten !== undefined) return this.#reject(ask, unwritten);
    // What is pasted on a terminal is one text: its first line answers nothing by itself.
    const line = this.#isTerminal ? this.#reader?.text() : this.#nextLine('answer');
    if (line === undefined) return this.#isEnded ? this.#refuse(approvalId) : false;
    if (ask.kind === 'question') return this.#answerQuestion(ask, line);
    return this.#isTerminal ? this.#answerApproval(ask, line) : this.#answerPiped(ask, line);
  }

  /** It cannot be answered, or was not seen. */
  async #refuse(approvalId: string): Promise<boolean> {
    this.#nobody = true;
    this.#isStuck = (await this.#chat.refuse(approvalId)) !== undefined;
    return this.#next();
  }

  /** Something new was put: it is answered from when it was in sight for a moment. Then it is said how. */
  #await(put: PutAsk, ...how: readonly string[]): void {
    if (!this.#isTerminal || this.#reader === undefined) {
      put.isSeen = true;
      return this.#ask(...how);
    }
    put.isSeen = false;
    this.#reader.forget((hadLine) => {
      put.isSeen = true;
      if (this.#put === put) this.#ask(...(hadLine ? [EARLY] : []), ...how);
      this.#ring();
    });
  }

  #awaitAnswer(put: PutAsk): void {
    this.#await(put, ...(this.#isTerminal ? ['Your answer:'] : []));
  }

  async #answerApproval(ask: ApprovalAsk, line: string): Promise<boolean> {
    const { approvalId } = ask.request;
    const put = this.#put!;
    const { isWhy } = put;
    put.isWhy = false;
    const slip = isWhy ? slipTold(line, WHY) : undefined;
    if (slip !== undefined) put.isWhy = true;
    const answer = slip ?? (isWhy ? readReason(line) : put.decision.meant(readAnswer(line, ask, put.last)));
    if (!isWhy && isBareNo(answer)) {
      put.isWhy = true;
      this.#ask(WHY);
      return true;
    }
    if (answer.type === 'say') {
      this.#ask(...answer.lines);
      if (answer.broken !== undefined && put.decision.last !== undefined) this.#startOver(ask, put);
      return true;
    }
    const call = await this.#callOf(ask, put, answer).catch((error: unknown) => {
      this.#ask(`Not accepted: ${failedIn(error)}`);
      this.#startOver(ask, put);
      return null;
    });
    // It may have been decided elsewhere meanwhile.
    if (call === null || !this.#isPut) return true;
    if (call !== undefined && !this.#isConfirmed(put, answer, call)) return true;
    await this.#give(approvalId, answer, call);
    return this.#next();
  }

  /** An edit could not be taken: what was shown of another one before says nothing of it, and is confirmed no more. */
  #startOver(ask: ApprovalAsk, put: PutAsk): void {
    const isShown = put.decision.last !== undefined;
    put.decision.startOver();
    put.last = undefined;
    if (isShown) this.#ask(AS_ASKED, ...shownPreview(ask.request).split('\n'));
    this.#await(put, SHORT);
  }

  /** One line of a pipe answers one call: what cannot be taken is a no, and never leaves the call to the next line. */
  async #answerPiped(ask: ApprovalAsk, line: string): Promise<boolean> {
    const { approvalId } = ask.request;
    const put = this.#put!;
    put.taken = 1;
    const reason = await pipedRefusal<TakenAnswer, PipedCall & SeenAsk>(line, readPiped(line, ask), {
      callOf: async (answer) => {
        const call = await this.#callOf(ask, put, answer);
        return call && { ...call.request, shown: call.shown ?? null };
      },
      // It may have been decided elsewhere meanwhile.
      take: async (answer, call) => (this.#isPut ? this.#give(approvalId, answer, call) : undefined),
    }).catch(failedIn);
    return reason !== undefined && this.#isPut ? this.#reject(ask, reason) : this.#next();
  }

  /** No line of a pipe answers it. */
  async #reject({ kind, request: { approvalId } }: WaitingAsk, reason: string): Promise<boolean> {
    this.#ask(notTaken(reason));
    if (kind === 'question') return this.#answered(approvalId, null);
    await this.#chat.decide(approvalId, { type: 'reject', reason });
    return this.#next();
  }

  /**
   * @param call as it runs, and was shown
   * @returns why it was not taken, where it goes on waiting
   */
  async #give(approvalId: string, answer: TakenAnswer, call: SeenAsk | undefined): Promise<string | undefined> {
    switch (answer.type) {
      case 'all':
        return (await this.#chat.approveAll()) ?? (this.#isPut ? 'Auto-approve does not answer it.' : undefined);
      case 'like':
        return this.#chat.approveAlike(approvalId);
      case 'always':
        return this.#chat.always(approvalId, answer.remember);
      default:
        // What is tagged stays what its tag says.
        return this.#chat.decide(
          approvalId,
          answer.type === 'edit' ? { type: 'edit', args: revive(answer.args), shown: call?.shown ?? null } : answer,
        );
    }
  }

  /** The call as an answer lets it run; `undefined`: it does not. */
  async #callOf(ask: ApprovalAsk, put: PutAsk, answer: TakenAnswer): Promise<ApprovalAsk | undefined> {
    if (answer.type !== 'edit') return RUNS.has(answer.type) ? ask : undefined;
    return put.last !== undefined && put.decision.isLast(answer)
      ? put.last
      : this.#chat.reconsider(put.id, revive(answer.args));
  }

  /**
   * Whether an answer runs the call at once. If not, what it runs is shown: where one yes is not enough for that, or where something
   * else was shown last.
   */
  #isConfirmed(put: PutAsk, answer: TakenAnswer, call: ApprovalAsk): boolean {
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
      ...(answer.type === 'all' ? ['calls that need approval run at once from now on'] : []),
    ];
    if (decision.runsAtOnce(answer, [...doubts, ...asText(answer)])) return true;
    put.last = isEdit ? call : undefined;
    const why = isEdit ? [`Why: ${call.why}`] : [];
    this.#ask(...shown, ...why, ...(doubts.length === 0 ? [] : [`Careful: ${doubts.join('; ')}.`]), confirming(answer));
    this.#await(put, SHORT);
    return false;
  }

  async #answerQuestion(ask: Extract<WaitingAsk, { kind: 'question' }>, line: string): Promise<boolean> {
    const { questions, request } = ask;
    const put = this.#put!;
    put.taken += 1;
    const question = questions[put.answers.length];
    const answer = question === undefined ? null : readQuestionAnswer(line, question);
    if (answer?.type === 'say') {
      this.#ask(...answer.lines);
      if (this.#isTerminal) return true;
      // The next line belongs to what is asked next.
      return this.#reject(ask, untaken(line, {}));
    }
    if (answer === null || answer.type === 'none') return this.#answered(request.approvalId, null);
    const slip = slipInAnswer(answer.answer, question);
    if (slip !== undefined && !this.#isTerminal) return this.#reject(ask, untaken(line, { broken: `${slip}.` }));
    if (slip !== undefined && put.slip !== answer.answer) {
      put.slip = line.trim();
      this.#ask(`Nothing was answered: ${slip}. Give it again to answer with it.`);
      return true;
    }
    const away = scrolledAway(put.text, this.#options.window?.());
    if (away !== undefined && !put.isWarned && this.#isTerminal) {
      put.isWarned = true;
      this.#ask(`Careful: ${away}.`);
      this.#await(put, ANSWERS_TWICE);
      return true;
    }
    put.answers.push(answer.answer);
    put.isWarned = false;
    delete put.slip;
    const next = questions[put.answers.length];
    if (next === undefined) return this.#answered(request.approvalId, put.answers);
    put.text = '';
    this.#askOf(put, questionLines(next));
    this.#awaitAnswer(put);
    return true;
  }

  async #answered(approvalId: string, answers: PutAsk['answers'] | null): Promise<boolean> {
    const objection = await this.#chat.answer(approvalId, answers);
    if (objection !== undefined && answers !== null && !this.#isTerminal) await this.#chat.answer(approvalId, null);
    return this.#next();
  }

  /** It was answered. Where that was not taken, it is put again on a terminal; on a pipe it has had its lines. */
  #next(): true {
    const put = this.#put;
    if (put !== undefined && !this.#isTerminal && !this.#served.has(put.id)) {
      this.#served.add(put.id);
      this.#owed.owe(put.due - put.taken);
    }
    this.#put = undefined;
    return true;
  }

  #putAsk(ask: WaitingAsk, put: PutAsk): void {
    if (ask.kind === 'approval') {
      this.#askOf(put, approvalLines(ask, !this.#isTerminal));
      return this.#await(put, this.#isTerminal ? SHORT : SHORT_PIPED);
    }
    const [first] = ask.questions;
    this.#askOf(put, [...questionHead(ask), ...(first === undefined ? [] : questionLines(first))]);
    this.#awaitAnswer(put);
  }

  /** Says this of what is put. */
  #askOf(put: PutAsk, lines: readonly string[]): void {
    put.text += lines.map((line) => `${line}\n`).join('');
    this.#ask(...lines);
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
    if (lines.length === 0) return;
    const { ask, write } = this.#options;
    (ask ?? write)(lines.map((line) => `${line}\n`).join(''));
  }

  #say(...lines: readonly string[]): void {
    this.#options.write(lines.map((line) => `${line}\n`).join(''));
  }
}

/** What was shown of an edit. */
type SeenAsk = Pick<ApprovalAsk, 'shown'>;

/** An answer that decides something. */
type TakenAnswer = Exclude<LineAnswer, { type: 'say' }>;

/** Answers that let the call run as it was asked for. */
const RUNS: ReadonlySet<string> = new Set(['approve', 'always', 'like', 'all']);

const isCommandLine = (line: string | undefined): boolean => line !== undefined && readCommand(line) !== undefined;
