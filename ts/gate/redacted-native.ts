/** The gate of the core, given nothing that must not be kept. */
import type { ApprovalRecord, DecidedVia, DecisionOutcome } from '../../index.js';
import { InternalError } from '../errors/internal-error.js';
import {
  canonicalize,
  NativeGate,
  preview,
  type AnsweredRequest,
  type DecideMeta,
  type NativeGateOptions,
  type NativePolicies,
  type NativeRequest,
  type NativeRequested,
  type NativeSaveRun,
  type NativeNote,
} from '../native.js';
import { keptEntry } from '../redact/history.js';
import { Originals } from '../redact/originals.js';
import { WITHHELD, type Redactor } from '../redact/redactor.js';
import { keptDecision, keptRequest, originalRequest } from '../redact/request.js';
import { after, attempt, type Awaitable } from '../values/awaitable.js';
import { revive, snapshot, type ValueSnapshot } from '../values/snapshot.js';
import { reviveDecision } from './records.js';

/** Of how many redacted requests something is remembered. */
const MAX_REQUESTS = 10_000;

/** What is remembered of a request, or of its edit, that is redacted. */
interface KnownRequest {
  /** Of the original arguments; absent: they are kept as they are. */
  digest?: string;
  /** A text that may quote the arguments, as it may be kept. */
  quoting: (text: string) => string;
}

export class RedactedNative extends NativeGate {
  readonly #redactor: Redactor;
  readonly #originals = new Originals();
  readonly #requests = new Map<string, KnownRequest>();

  constructor(options: NativeGateOptions, redactor: Redactor) {
    super(options);
    this.#redactor = redactor;
  }

  /** All that is shown of it must be there: secrets are taken out of it. */
  override request(request: NativeRequest, policies: readonly NativePolicies[]): Awaitable<NativeRequested> {
    if (request.look != null) throw new InternalError({ message: 'what is shown was to be kept with its secrets' });
    const { quoting, ...kept } = keptRequest(this.#redactor, request, request, preview);
    return after(super.request({ ...request, ...kept }, policies), (requested) => {
      if (kept.stored !== null)
        this.#remember(requested.record.approvalId, { digest: digestOf(revive(request.args)), quoting });
      return requested;
    });
  }

  /** A request that was just made, as the one who made it is shown it. */
  original(record: ApprovalRecord, request: Omit<NativeRequest, 'args'> & { args: ValueSnapshot }): ApprovalRecord {
    return originalRequest(record, request, preview);
  }

  /** The decision that was told, in full where it was made here. */
  originalDecision(approvalId: string, told: DecisionOutcome): DecisionOutcome {
    return this.#originals.take(approvalId, told);
  }

  /** Whether these are the arguments of the request, which does not keep all of them. Not known: `false`. */
  isOriginal(approvalId: string, args: unknown): boolean {
    try {
      return this.#requests.get(approvalId)?.digest === digestOf(args);
    } catch {
      return false;
    }
  }

  #remember(approvalId: string, known: KnownRequest): void {
    this.#requests.set(approvalId, known);
    const [oldest] = this.#requests.size > MAX_REQUESTS ? this.#requests.keys() : [];
    if (oldest !== undefined) this.#requests.delete(oldest);
  }

  /** Why an edit is taken back quotes it, too. */
  #quotesEdit(approvalId: string, quoting: (text: string) => string): void {
    const known = this.#requests.get(approvalId);
    const { quoting: before = (text: string) => text } = known ?? {};
    this.#remember(approvalId, { ...known, quoting: (text) => quoting(before(text)) });
  }

  /** A reason that no human wrote: it may quote the arguments. */
  #reason(approvalId: string, reason: string): string {
    const known = this.#requests.get(approvalId);
    if (known !== undefined) return known.quoting(reason);
    // Of what is not remembered here, nothing is known.
    return this.#redactor.hasFunction ? WITHHELD : this.#redactor.text(reason);
  }

  override answer(approvalId: string, toolName: string, answer: unknown, meta: DecideMeta): Awaitable<AnsweredRequest> {
    // What is kept of a decision is known when it is read.
    const read = this.parseAnswer(answer, toolName);
    if (read.type !== 'approve' && read.type !== 'reject' && read.type !== 'skip') return { read };
    return after(this.decide(approvalId, read, meta), ({ status }) => ({ answered: status }));
  }

  override decide(approvalId: string, decision: DecisionOutcome, meta: DecideMeta): Awaitable<ApprovalRecord> {
    // The function wants to know the tool, and has a say about arguments only.
    const record = decision.type === 'edit' ? this.get(approvalId) : null;
    return after(record, (found) => this.#decide(approvalId, found?.toolName ?? '', decision, meta));
  }

  #decide(approvalId: string, toolName: string, given: DecisionOutcome, meta: DecideMeta): Awaitable<ApprovalRecord> {
    const runs = given.type === 'edit' ? (meta.editedArgs ?? given.args) : undefined;
    const { decision, stored, asKept, original, quoting } = keptDecision(this.#redactor, toolName, given, runs);
    if (quoting !== undefined) this.#quotesEdit(approvalId, quoting);
    if (meta.via === 'system' && given.reason !== undefined)
      decision.reason = asKept.reason = this.#reason(approvalId, given.reason);
    const forget = this.#originals.expect(approvalId, reviveDecision(original), reviveDecision(asKept));
    return attempt(
      () =>
        after(super.decide(approvalId, decision, { ...meta, stored }), (record) => {
          // A vote that is only counted is never reported as a decision.
          if (record.status === 'pending') forget();
          return record;
        }),
      (error) => {
        forget();
        throw error;
      },
    );
  }

  override cancelRun(runId: string, reason: string, via: DecidedVia): Awaitable<void> {
    return super.cancelRun(runId, this.#redactor.text(reason), via);
  }

  override revoke(approvalId: string, reason: string): Awaitable<boolean> {
    return super.revoke(approvalId, this.#reason(approvalId, reason));
  }

  override note(note: NativeNote): Promise<void> {
    return super.note(this.#keptNote(note));
  }

  #keptNote(note: NativeNote): NativeNote {
    const clean = (text: string | null | undefined) => {
      if (typeof text !== 'string') return text;
      // It may quote arguments that no request was made of.
      return this.#redactor.hasFunction ? WITHHELD : this.#redactor.text(text);
    };
    return { ...note, reason: clean(note.reason), label: clean(note.label) };
  }

  override saveRun(run: NativeSaveRun): Promise<string[]> {
    const entries = run.entries.map((entry) => keptEntry(this.#redactor, entry));
    const notes = run.notes?.map((note) => this.#keptNote(note));
    return super.saveRun({ ...run, entries, ...(notes === undefined ? {} : { notes }) });
  }

  override settle(approvalId: string, succeeded: boolean, result: unknown): Awaitable<void> {
    return super.settle(approvalId, succeeded, result === null ? null : this.#redactor.json(result));
  }
}

const digestOf = (args: unknown): string => canonicalize(JSON.stringify(snapshot(args).json)).digest;
