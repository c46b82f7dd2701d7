/** Keeps a run while it goes on: only what is new is written, one write at a time, in the order of the moments. */
import type { ModelMessage } from 'ai';
import type { NativeSavedRun, NativeRunStatus, RunStore } from '../../native.js';
import { UnwrittenVerdicts } from '../../gate/unwritten-verdicts.js';
import { decode, encode, type KeptRun, type StepMark } from './saved-run.js';

interface WrittenRun {
  message: ModelMessage;
  mark: StepMark | undefined;
  /** The hash of this entry and of all before it. */
  head: string;
}

interface WantedState {
  run: KeptRun;
  status: NativeRunStatus;
}

export class RunKeeper {
  readonly #store: RunStore;
  readonly #runId: string;
  readonly #unwritten: UnwrittenVerdicts;
  readonly #written: WrittenRun[] = [];
  #next: WantedState | undefined;
  #last: KeptRun | undefined;
  #writing: Promise<void> | undefined;
  #isOurs = false;
  #ending: Promise<void> | undefined;
  #isStopped = false;
  #isOver = false;

  /** @param unwritten what is written into the audit with the run */
  constructor(store: RunStore, runId: string, unwritten = new UnwrittenVerdicts()) {
    this.#store = store;
    this.#runId = runId;
    this.#unwritten = unwritten;
  }

  /** Whether the ledger knows this run as the one that this process continues. What waits in any other is not ours. */
  get isOurs(): boolean {
    return this.#isOurs;
  }

  /** It was taken from the ledger, where it is as it is here. Fails when it cannot be read. */
  took({ entries, heads, state }: NativeSavedRun): KeptRun {
    this.#isOurs = true;
    const run = decode(this.#runId, entries, state);
    this.#last = run;
    run.messages.forEach((message, index) =>
      this.#written.push({ message, mark: run.marks.get(index), head: heads[index] as string }),
    );
    return run;
  }

  /** Resolves when this, or a later moment, is durable. A moment that waits gives way to a later one. */
  save(run: KeptRun): Promise<void> {
    // No caller may go on as if it were kept.
    if (this.#isOver || this.#isStopped) return Promise.reject(new DOMException('The run is over.', 'AbortError'));
    return this.#put({ run, status: 'running' });
  }

  /** From here on it stays as it was last saved. */
  stop(): void {
    this.#isStopped = true;
  }

  #put(wanted: WantedState): Promise<void> {
    this.#next = wanted;
    this.#writing ??= this.#writeAll();
    return this.#writing;
  }

  /**
   * Stores the final state when the run is over in this process: `given`, else the last saved one. A run that was never saved
   * stays unsaved. Never rejects: `failed` gets the error of a write. The first end counts, later calls wait for it.
   */
  end(status: NativeRunStatus, failed: (error: unknown) => void, given?: KeptRun): Promise<void> {
    this.#ending ??= this.#end(status, failed, given);
    return this.#ending;
  }

  async #end(status: NativeRunStatus, failed: (error: unknown) => void, given: KeptRun | undefined): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#next = undefined;
    try {
      // The first moment may be on its way.
      await this.#writing?.catch(() => {});
      const run = given ?? this.#last;
      if (run !== undefined) await this.#put({ run, status });
    } catch (error) {
      failed(error);
    }
    await this.#noteLeft(failed);
    // A finished or cancelled run has no owner.
    if (status === 'failed') await this.#letGo(failed);
  }

  /** Lets go of it as it is, so that another process may continue it. Never rejects. */
  async release(failed: (error: unknown) => void): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#noteLeft(failed);
    await this.#letGo(failed);
  }

  /** What was said of calls after which nothing was kept. */
  async #noteLeft(failed: (error: unknown) => void): Promise<void> {
    try {
      for (const note of this.#unwritten.end()) await this.#store.note(note);
    } catch (error) {
      failed(error);
    }
  }

  async #letGo(failed: (error: unknown) => void): Promise<void> {
    try {
      await this.#writing?.catch(() => {});
      if (!this.#isOurs) return;
      await this.#store.releaseRun(this.#runId);
    } catch (error) {
      failed(error);
    }
  }

  async #writeAll(): Promise<void> {
    try {
      for (let wanted = this.#take(); wanted !== undefined; wanted = this.#take()) await this.#write(wanted);
    } finally {
      this.#writing = undefined;
    }
  }

  #take(): WantedState | undefined {
    const next = this.#next;
    this.#next = undefined;
    return next;
  }

  async #write({ run, status }: WantedState): Promise<void> {
    const { messages, marks, state } = run;
    let same = 0;
    while (same < messages.length && this.#isWritten(same, messages[same], marks.get(same))) same++;
    const fresh = messages.slice(same).map((message, index) => ({ message, mark: marks.get(same + index) }));
    const entries = fresh.map(({ message, mark }) => encode(message, mark));
    const parent = this.#written[same - 1]?.head ?? null;
    const saved = { runId: this.#runId, parent, entries, state, status, steps: marks.size };
    const { notes, giveBack } = this.#unwritten.take();
    const heads = await this.#store.saveRun({ ...saved, notes }).catch((error: unknown) => {
      if (notes.length === 0) throw error;
      // What cannot be written may be what was said of one call: then that call is not asked about, and the run goes on.
      giveBack();
      return this.#store.saveRun({ ...saved, notes: [] });
    });
    this.#isOurs = true;
    this.#last = run;
    this.#written.length = same;
    fresh.forEach((entry, index) => this.#written.push({ ...entry, head: heads[index] as string }));
  }

  #isWritten(index: number, message: ModelMessage | undefined, mark: StepMark | undefined): boolean {
    const written = this.#written[index];
    return written !== undefined && written.message === message && written.mark === mark;
  }
}
