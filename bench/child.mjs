// @ts-check
// The measured processes and how they end. The waiting caller always learns the outcome: the process crashed, ended,
// hung, answered nonsense or did not do what it was asked.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Without an answer for so long, a process hangs. No answer takes nearly as long, however slow the machine is. */
export const PATIENCE = 15 * 60_000;
/** How long a released process may take to end by itself, and an ended one to deliver its last output. */
const GRACE = 30_000;
/** Of what it last wrote, kept to be shown. */
const LAST_LINES = 60;
const LAST_BYTES = 16_384;

/** What went wrong with a process, in the words of a row of results. */
export class Trouble extends Error {
  /** @param {string} what @param {string[]} [lastLines] of its stderr */
  constructor(what, lastLines = []) {
    super(what);
    this.lastLines = lastLines;
  }
}

/**
 * @typedef {object} Starting
 * @property {NodeJS.ProcessEnv} env
 * @property {AbortSignal} [signal] ends it
 * @property {number} [patience] in ms, see {@link PATIENCE}
 * @property {string} [cwd]
 * @property {boolean} [shell]
 * @property {boolean} [talks] by messages; without it what it prints is its answer
 */

/** @typedef {{ key: string, isRight: (message: any) => boolean, settle: (message: any) => void, fail: (error: Error) => void }} Waiter */

export class Child {
  #child;
  #signal;
  #patience;
  #start = performance.now();
  #lastWords = '';
  #output = '';
  /** @type {Set<Waiter>} */
  #waiters = new Set();
  /** @type {Error | undefined} */
  #error;
  /** @type {Promise<void>} */
  #over;

  /** @param {string} program @param {readonly string[]} words @param {Starting} how */
  constructor(program, words, { env, signal, patience = PATIENCE, cwd, shell = false, talks = true }) {
    this.#signal = signal;
    this.#patience = patience;
    const stdio = /** @type {('ignore' | 'pipe' | 'ipc')[]} */ (['ignore', 'pipe', 'pipe', ...(talks ? ['ipc'] : [])]);
    // In a group of its own: what interrupts the benchmark must not look like a crash of who is measured.
    this.#child = spawn(program, words, { env, cwd, shell, stdio, detached: process.platform !== 'win32' });
    const keep = (/** @type {string} */ text) => (this.#lastWords = `${this.#lastWords}${text}`.slice(-LAST_BYTES));
    this.#child.stderr?.setEncoding('utf8').on('data', keep);
    this.#child.stdout?.setEncoding('utf8').on('data', talks ? keep : (text) => (this.#output += text));
    const streams = [this.#child.stdout, this.#child.stderr].filter((stream) => stream !== null);
    const told = Promise.allSettled(streams.map((stream) => once(stream, 'close')));
    this.#child.on('message', (message) => this.#hear(message));
    const kill = () => this.#kill();
    if (signal?.aborted) kill();
    signal?.addEventListener('abort', kill);
    this.#over = new Promise((resolve) => {
      const end = (/** @type {Error} */ error) => {
        signal?.removeEventListener('abort', kill);
        this.#fail(error);
        resolve();
      };
      this.#child.on('error', (error) => {
        // It is an event too when a message cannot be sent: then the end of the process says why.
        if (this.#child.pid === undefined) end(new Trouble(`could not be started: ${error.message}`));
      });
      this.#child.once('exit', async (code, by) => {
        // What it wrote last may still be on its way; a child of its own may hold the pipe open for ever.
        // (The child's own event is not emitted in Node 20 when it was let go of.)
        await Promise.race([told, sleep(GRACE, undefined, { ref: false })]);
        end(this.#endOf(code, by));
      });
    });
  }

  /**
   * Its next message with this in it.
   *
   * @param {string} key
   * @param {(message: any) => boolean} [isRight] whether its content makes sense
   * @returns {Promise<any>}
   */
  next(key, isRight = () => true) {
    /** @type {NodeJS.Timeout | undefined} */
    let hang;
    /** @type {Waiter | undefined} */
    let waiter;
    return /** @type {Promise<any>} */ (
      new Promise((settle, fail) => {
        if (this.#error) return fail(this.#error);
        waiter = { key, isRight, settle, fail };
        this.#waiters.add(waiter);
        hang = setTimeout(() => this.#hang(), this.#patience);
      })
    ).finally(() => {
      clearTimeout(hang);
      if (waiter) this.#waiters.delete(waiter);
    });
  }

  /** @param {any} message */
  send(message) {
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  /** What it printed until its end. @returns {Promise<string>} */
  async printed() {
    const hang = setTimeout(() => this.#hang(), this.#patience);
    await this.#over;
    clearTimeout(hang);
    if (!(this.#error instanceof Ended)) throw this.#error;
    return this.#output;
  }

  /** Lets go of it, and resolves when it has ended. */
  async end() {
    if (this.#child.connected) this.#child.disconnect();
    const timer = setTimeout(() => this.#kill(), GRACE);
    await this.#over;
    clearTimeout(timer);
  }

  /** @param {unknown} message */
  #hear(message) {
    if (typeof message === 'object' && message !== null && 'wrong' in message) {
      this.#give(new Trouble(`did not do what it was asked: ${oneLine(String(message.wrong))}`, this.#lastLines()));
      return;
    }
    for (const { key, isRight, settle } of this.#waiters) {
      if (typeof message !== 'object' || message === null || !(key in message)) continue;
      if (!isRight(message)) break;
      settle(message);
      return;
    }
    // An unawaited failure does no harm.
    if (this.#waiters.size > 0)
      this.#give(new Trouble(`answered nonsense: ${quote(JSON.stringify(message) ?? '')}`, this.#lastLines()));
  }

  #hang() {
    this.#give(new Trouble(`hung: no answer for ${duration(this.#patience)}`, this.#lastLines()));
  }

  /** It is of no use any more. @param {Trouble} trouble */
  #give(trouble) {
    this.#fail(trouble);
    this.#kill();
  }

  /** And all that it started. */
  #kill() {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      if (process.platform === 'win32') this.#child.kill('SIGKILL');
      else process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }

  /** Tells every waiting caller, now and later. The first failure counts. @param {Error} error */
  #fail(error) {
    this.#error ??= this.#signal?.aborted ? this.#signal.reason : error;
    for (const { fail } of this.#waiters) fail(/** @type {Error} */ (this.#error));
  }

  /** @param {number | null} code @param {NodeJS.Signals | null} by */
  #endOf(code, by) {
    const after = `after ${duration(performance.now() - this.#start)}`;
    if (by !== null) return new Trouble(`crashed (${by}) ${after}`, this.#lastLines());
    if (code === 0) return new Ended(`ended without an answer ${after}`, this.#lastLines());
    const [, asserted] = /^(?:Uncaught )?AssertionError \[ERR_ASSERTION\]: (.*)$/m.exec(this.#lastWords) ?? [];
    if (asserted !== undefined)
      return new Trouble(`did not do what it was asked: ${oneLine(asserted)}`, this.#lastLines());
    return new Trouble(`crashed (exit code ${code}) ${after}`, this.#lastLines());
  }

  #lastLines() {
    const lines = this.#lastWords.split('\n').map((line) => line.trimEnd());
    return lines.filter((line) => line !== '').slice(-LAST_LINES);
  }
}

/** It ended by itself, with 0. */
class Ended extends Trouble {}

/**
 * Runs a program to its end; what it prints is JSON.
 *
 * @param {string} program
 * @param {readonly string[]} words
 * @param {Omit<Starting, 'talks'>} how
 * @param {(printed: any) => boolean} isRight whether what it printed makes sense
 * @returns {Promise<any>}
 */
export async function runToEnd(program, words, how, isRight) {
  const text = await new Child(program, words, { ...how, talks: false }).printed();
  try {
    const printed = JSON.parse(text);
    if (isRight(printed)) return printed;
  } catch {
    // Told below.
  }
  throw new Trouble(`printed nonsense: ${quote(text)}`);
}

/**
 * Runs a program that builds something to its end.
 *
 * @param {string} program
 * @param {readonly string[]} words
 * @param {Omit<Starting, 'talks'>} how
 * @returns {Promise<string>} what it printed
 */
export async function build(program, words, how) {
  try {
    return await new Child(program, words, { ...how, talks: false }).printed();
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    throw new Trouble(`could not be built: ${program} ${error.message}`, error.lastLines);
  }
}

/** Whether a message has figures under these names. @param {...string} names */
export const hasNumbers =
  (...names) =>
  (/** @type {any} */ message) =>
    names.every((name) => Number.isFinite(message?.[name]));

/** @param {number} ms */
export function duration(ms) {
  const seconds = ms / 1_000;
  if (seconds < 10) return `${Number(seconds.toPrecision(2))} s`;
  return seconds < 100 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

const oneLine = (/** @type {string} */ text) => text.split('\n')[0].slice(0, 200);
const quote = (/** @type {string} */ text) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
