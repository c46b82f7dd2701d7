/** A durable ledger of the core, for programs that run no tools. */
import type { DecisionOutcome, GateEvent } from '../../index.js';
import { binding, open, opened, textOf } from '../addon.js';
import type {
  DecideMeta,
  NativeAbout,
  NativeAuditEntry,
  NativeHead,
  NativeNote,
  NativePast,
  NativeRunInfo,
  NativeSavedRun,
  NativeTidied,
  NativeValue,
  NativeVerified,
  Operations,
} from '../wire.js';
import {
  type CoreEvent,
  DRAIN,
  type EventedAnswer,
  isFull,
  type KeptRecord,
  type OperationAnswer,
  type OperationTakes,
  recordOf,
} from './answers.js';

/** A durable ledger, for programs that look and decide and run nothing. */
export class NativeLedger {
  readonly #gate: binding.NativeGate;
  #tell: ((events: GateEvent[]) => void) | undefined;

  /** `readOnly`: nothing is written, not even that what is due expired. */
  constructor(options: { ledger: string; key: string | null; readOnly: boolean }) {
    const limits = { cwd: process.cwd(), maxArgumentBytes: 4_194_304, keepDecided: 1 };
    this.#gate = new binding.NativeGate(JSON.stringify({ ...options, ...limits }));
  }

  async #do<NAME extends keyof Operations>(
    operation: NAME,
    takes: OperationTakes<NAME>,
  ): Promise<OperationAnswer<NAME>> {
    const text = await this.#gate.call(textOf(operation, takes));
    const answer = JSON.parse(text) as EventedAnswer<OperationAnswer<NAME>>;
    if (answer.events !== undefined) this.#told(answer.events, text);
    return opened(answer);
  }

  open = (): Promise<void> => this.#do('open', {});
  get = (approvalId: string): Promise<KeptRecord | null> => this.#do('get', { approvalId });
  /** Oldest first; what is due expires first unless it is read only. */
  pending = (runId: string | null): Promise<KeptRecord[]> => this.#do('pending', { runId });
  /** Of one run, oldest first. */
  records = (runId: string): Promise<KeptRecord[]> => this.#do('records', { runId });
  /** As {@link NativeGate.history}. */
  history = (past: NativePast): Promise<KeptRecord[]> => this.#do('history', past);
  /** Fails as {@link NativeGate.decide}. */
  decide = async (approvalId: string, decision: DecisionOutcome, meta: DecideMeta): Promise<KeptRecord> =>
    recordOf(await this.#do('decide', { approvalId, decision, meta }));
  /** The latest change first. */
  runs = (open: boolean, limit: number): Promise<NativeRunInfo[]> => this.#do('runs', { open, limit });
  /** With all that is kept of it. */
  run = (runId: string): Promise<NativeSavedRun | null> => this.#do('run', { runId });
  note = (note: NativeNote): Promise<void> => this.#do('note', { notes: [note] });
  /** As {@link NativeGate.value}. */
  value = (key: string): Promise<NativeValue | null> => this.#do('value', { key });
  /** As {@link NativeGate.setValue}. */
  setValue = (key: string, expected: number | null, text: string): Promise<boolean> =>
    this.#do('setValue', { key, expected, text });
  /** The entries after this number. */
  audit = (after: number, limit: number): Promise<NativeAuditEntry[]> => this.#do('audit', { after, limit });
  head = (): Promise<NativeHead> => this.#do('head', {});
  verify = (): Promise<NativeVerified> => this.#do('verify', {});
  about = (): Promise<NativeAbout> => this.#do('about', {});
  /** Drops what ended longer ago than this, in ms; `null`: nothing. */
  tidy = (contents: number | null, records: number | null): Promise<NativeTidied> =>
    this.#do('tidy', { contents, records });
  /** Gives the space of what was dropped back. */
  compact = (): Promise<NativeTidied> => this.#do('compact', {});
  /** What waits goes on waiting. */
  close = (): Promise<void> => this.#do('close', { reason: '' });

  /** Tells of what every process does: `tell` gets what happened since the last time. */
  watch(tell: (events: GateEvent[]) => void): void {
    this.#tell = tell;
    this.#gate.onWake(() => this.#drain());
    this.#gate.callNow(textOf('watchAll', { on: true }));
  }

  #drain(): void {
    const text = this.#gate.callNow(DRAIN);
    this.#told(open<OperationAnswer<'drain'>>(text), text);
  }

  #told(events: readonly CoreEvent[], text: string): void {
    const told = events.filter((event) => event.type !== 'unreadable');
    if (told.length > 0) this.#tell?.(told);
    if (isFull(events, text)) this.#drain();
  }
}
