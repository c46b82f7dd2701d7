/**
 * What was said of the calls of a run that a human is to be asked about. The run is kept before anybody is asked: that writes it
 * into the audit, too, where it would else take a write of its own.
 */
import type { NativeNote } from '../native.js';

export class UnwrittenVerdicts {
  /** By the id of the call. */
  readonly #notes = new Map<string, NativeNote>();
  #isOver = false;

  /** `false`: the run is kept no more, and it must be written by itself. */
  add(toolCallId: string, note: NativeNote): boolean {
    if (this.#isOver || this.#notes.has(toolCallId)) return false;
    this.#notes.set(toolCallId, note);
    return true;
  }

  /** What was said of this call and is not written; `undefined`: nothing. */
  takeOf(toolCallId: string): NativeNote | undefined {
    const note = this.#notes.get(toolCallId);
    this.#notes.delete(toolCallId);
    return note;
  }

  /** All of it, to be written, and what keeps it should that fail. */
  take(): { notes: NativeNote[]; giveBack: () => void } {
    const taken = [...this.#notes];
    this.#notes.clear();
    const giveBack = () => taken.forEach(([toolCallId, note]) => this.#notes.set(toolCallId, note));
    return { notes: taken.map(([, note]) => note), giveBack };
  }

  /** The last of it: what is said from now on is written by itself. */
  end(): NativeNote[] {
    this.#isOver = true;
    return this.take().notes;
  }
}
