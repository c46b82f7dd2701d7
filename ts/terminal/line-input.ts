/** Lines that a human types, or that come through a pipe: one after the other, for any number of readers. */
import type { Readable, Writable } from 'node:stream';
import { CountersignError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { skippedAtFirst, skippedRequests } from '../gate/callback-calls.js';
import { WorkLimit } from '../values/limit.js';
import { whenAborted } from '../values/when-aborted.js';
import { OwedLines } from './owed-lines.js';
import { SeenOutput, seenOutput } from './seen.js';
import { SEEN, TOGETHER } from './typing.js';
import { windowOf, type WindowSize } from './window.js';

type LineSource = Readable & { isTTY?: boolean; setRawMode?: (isRaw: boolean) => unknown };

const CTRL_C = '\u0003';

export interface LineRequest {
  prompt: string;
  /** What stands on the line already, on a terminal. */
  draft?: string | undefined;
  signal: AbortSignal;
}

/** One input, which is read only while somebody asks for a line: it keeps no process alive. */
export class LineInput {
  readonly #input: LineSource;
  /** Where the human sees it; `undefined`: nowhere. */
  readonly #output: SeenOutput | undefined;
  readonly #turns = new WorkLimit(1);
  readonly #decoder = new TextDecoder();
  /** What was read but not taken. */
  #rest = '';
  /** Piped lines that what has its turn is yet to take. */
  #due = 0;
  /** Those that belong to what had its turn and took none. */
  readonly #owed = new OwedLines();
  #isEnded = false;
  /** How many requests were skipped before the first of these lines could be meant for one. */
  readonly #skippedBefore: number;
  #failure: CountersignError | undefined;

  constructor(input: LineSource, output: Writable) {
    this.#input = input;
    // The lines of a program's own input have been there from its beginning.
    this.#skippedBefore = input === process.stdin ? 0 : skippedAtFirst();
    // The next caller is told; without a listener it would end the process.
    input.on('error', (error) => (this.#failure ??= inputFailed(error)));
    const seen = seenOutput(input, output);
    this.#output = seen && new SeenOutput(seen);
  }

  get isTerminal(): boolean {
    return this.#input.isTTY === true;
  }

  /** Nothing more comes from it. */
  get #isOver(): boolean {
    return this.#input.readableEnded || this.#input.destroyed;
  }

  say(text: string): void {
    this.#output?.write(text);
  }

  /** The window that it is said in; `undefined`: none that is known. */
  get window(): WindowSize | undefined {
    return windowOf(this.#output?.stream);
  }

  /**
   * No other question is asked here until it is done.
   *
   * @param count the piped lines that belong to it, whether it takes them or not: a call decided elsewhere leaves its lines to no
   * other
   */
  inTurn<T>(count: number, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(async () => {
      this.#due = this.isTerminal ? 0 : count;
      try {
        return await work();
      } finally {
        this.#owed.owe(this.#due);
        this.#due = 0;
      }
    });
  }

  /**
   * A line of a pipe answers the call whose turn it is. An approver hears of the calls that it is not asked about. A function of the
   * program does not: after the first call that one was given, and that was over before the function asked, no line answers
   * anything that is asked here. On a terminal a line answers what is shown.
   *
   * @throws {CountersignError} `ERR_INPUT_ENDED`
   */
  mustBeInOrder(): void {
    if (this.isTerminal || skippedRequests() === this.#skippedBefore) return;
    throw new CountersignError({
      code: 'ERR_INPUT_ENDED',
      message:
        'a call was over before your own function asked about it, so it is unknown which call the next piped line is for. Pass terminalApprover() itself as onApprovalRequest and onQuestion, let a gate answer the other calls, or run the program on a terminal',
    });
  }

  /** On a terminal, whether the person has ended the input, or it has ended: nothing more is asked there. */
  get isLeft(): boolean {
    return this.isTerminal && this.#failure === undefined && (this.#isEnded || this.#isOver);
  }

  /**
   * The next line; `undefined`: the input is at its end.
   *
   * @throws {CountersignError} `ERR_OUTPUT_UNSEEN`: what it would answer cannot have been seen
   * @throws an `AbortError` at Ctrl+C
   * @throws the reason of the signal
   */
  async line(asked: LineRequest): Promise<string | undefined> {
    asked.signal.throwIfAborted();
    if (!this.isTerminal) this.say(asked.prompt);
    await this.mustBeSeen();
    if (!this.isTerminal) {
      const line = await this.#piped(asked.signal);
      this.say('\n');
      return line;
    }
    if (this.isLeft) return undefined;
    const line = await this.#typed(asked);
    this.#isEnded ||= line === undefined;
    return line;
  }

  /** @throws {CountersignError} `ERR_OUTPUT_UNSEEN` */
  async mustBeSeen(): Promise<void> {
    if (this.#output !== undefined && !(await this.#output.isUnread())) return;
    const why =
      this.#output === undefined
        ? 'the answers come from a terminal, and what is asked does not go to one (the output is redirected)'
        : 'the reader of the questions has stopped';
    throw new CountersignError({
      code: 'ERR_OUTPUT_UNSEEN',
      message: `nobody would see the question: ${why} (let stderr go to the terminal, or pipe one line for each call)`,
    });
  }

  /** What was typed before the request was there decides nothing. */
  async forget(signal: AbortSignal): Promise<void> {
    await this.mustBeSeen();
    if (!this.isTerminal) return;
    const input = this.#input;
    input.setRawMode?.(true);
    const stay = whenContinued(() => this.#rawAgain());
    try {
      await this.#until<void>(signal, (resolve, reject) => {
        const see = (data: Buffer | string): void => {
          if (data.toString().includes(CTRL_C)) reject(interrupted());
        };
        input.on('data', see);
        input.resume();
        // What was typed while the program stood still is read first.
        const timer = setTimeout(() => setImmediate(() => resolve()), SEEN);
        return () => {
          clearTimeout(timer);
          input.off('data', see);
          input.pause();
        };
      });
    } finally {
      stay();
      input.setRawMode?.(false);
    }
  }

  /** The shell that continued the program (`fg`) has set the terminal to what a shell needs. */
  #rawAgain(): void {
    this.#input.setRawMode?.(false);
    this.#input.setRawMode?.(true);
  }

  async #typed({ prompt, draft, signal }: LineRequest): Promise<string | undefined> {
    // It is slow to load, and most programs ask in other ways.
    const { createInterface } = await import('node:readline');
    signal.throwIfAborted();
    return this.#until(signal, (resolve, reject) => {
      const output = this.#output?.stream;
      const terminal = createInterface({ input: this.#input, output, terminal: true, historySize: 0 });
      // Lines that come together were pasted: they are one text, so that the first of them answers nothing by itself.
      const lines: string[] = [];
      const give = (): void => resolve([...lines, terminal.line].join('\n').trimEnd());
      let gathering: NodeJS.Timeout | undefined;
      terminal.on('line', (line) => {
        lines.push(line);
        clearTimeout(gathering);
        // What came while the program stood still is read first.
        gathering = setTimeout(() => setImmediate(give), TOGETHER);
      });
      terminal.on('close', () => (lines.length > 0 ? give() : resolve(undefined)));
      // The input's own error is heard there.
      terminal.on('error', () => {});
      const end = (): void => resolve(undefined);
      // It says nothing where its input is destroyed.
      this.#input.on('close', end);
      if (this.#isOver) end();
      terminal.on('SIGINT', () => reject(interrupted()));
      terminal.setPrompt(prompt);
      terminal.prompt();
      if (draft !== undefined) terminal.write(draft);
      // At Ctrl+Z and `fg` readline pauses the input, and says so.
      terminal.on('SIGCONT', () => terminal.prompt(true));
      const stay = whenContinued(() => {
        this.#rawAgain();
        terminal.prompt(true);
      });
      return () => {
        clearTimeout(gathering);
        stay();
        this.#input.off('close', end);
        terminal.close();
      };
    });
  }

  #piped(signal: AbortSignal): Promise<string | undefined> {
    const input = this.#input;
    return this.#until(signal, (resolve) => {
      let isTaken = false;
      const give = (line: string | undefined): void => {
        isTaken = true;
        resolve(line);
      };
      const take = (): void => {
        // More may come before the waiter has it: that is for the next one.
        if (isTaken) return;
        let line = this.#nextPiped();
        while (line !== undefined && this.#owed.pass()) line = this.#nextPiped();
        if (line !== undefined) {
          this.#due = Math.max(0, this.#due - 1);
          give(line);
        } else if (this.#isEnded) give(undefined);
      };
      const more = (data: Buffer | string): void => {
        this.#rest += typeof data === 'string' ? data : this.#decoder.decode(data, { stream: true });
        take();
      };
      const end = (): void => {
        this.#isEnded = true;
        take();
      };
      this.#isEnded ||= this.#isOver;
      input.on('data', more);
      input.on('end', end);
      input.on('close', end);
      take();
      if (!this.#isEnded) input.resume();
      return () => {
        input.off('data', more);
        input.off('end', end);
        input.off('close', end);
        input.pause();
      };
    });
  }

  /** The first line of what was read; `undefined`: none is there by now. */
  #nextPiped(): string | undefined {
    const end = this.#rest.indexOf('\n');
    // Nor at the end of all: its writer may have died before the line was whole, and what it was to be is unknown.
    if (end < 0) return undefined;
    const line = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + 1);
    return line.replace(/\r$/, '');
  }

  /** @param start begins to wait, and gives what ends that */
  async #until<T>(
    signal: AbortSignal,
    start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
  ): Promise<T> {
    // The waiter may have been cancelled during the check of whether a question is seen.
    signal.throwIfAborted();
    let stop: (() => void) | undefined;
    let failed: ((error: unknown) => void) | undefined;
    let forget: (() => void) | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#input.on('error', (failed = () => reject(this.#failure)));
        if (this.#failure !== undefined) reject(this.#failure);
        stop = start(resolve, reject);
        forget = whenAborted(signal, () => reject(signal.reason as unknown));
      });
    } finally {
      forget?.();
      stop?.();
      if (failed !== undefined) this.#input.off('error', failed);
    }
  }
}

/** Calls when the process goes on after it was stopped. @returns what ends that */
function whenContinued(call: () => void): () => void {
  process.on('SIGCONT', call);
  return () => void process.off('SIGCONT', call);
}

/** As at its end, no one can answer: that is for the developer to fix, and not a human's no. */
const inputFailed = (cause: unknown): CountersignError =>
  new CountersignError({
    code: 'ERR_INPUT_ENDED',
    message: `the input has failed, and nobody can answer: ${messageOf(cause)}`,
    cause,
  });

const interrupted = (): DOMException => new DOMException('You stopped the run (Ctrl+C).', 'AbortError');

/** One for each input, however many ask there: what one of them read too much of is the next one's. */
const inputs = new WeakMap<Readable, LineInput>();

export function lineInput(input: Readable, output: Writable): LineInput {
  let known = inputs.get(input);
  if (known === undefined) {
    known = new LineInput(input, output);
    inputs.set(input, known);
  }
  return known;
}
