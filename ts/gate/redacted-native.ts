/** The gate of the core, given nothing that must not be kept. */
import type { ApprovalRecord, DecidedVia, DecisionOutcome } from '../../index.js';
import {
  canonicalize,
  NativeGate,
  preview,
  type DecideMeta,
  type NativeGateOptions,
  type NativeRequest,
  type Note,
} from '../native.js';
import { Originals } from '../redact/originals.js';
import type { Redactor } from '../redact/redactor.js';
import { keptDecision, keptRequest, originalRequest } from '../redact/request.js';
import { after, attempt, type Awaitable } from '../values/awaitable.js';
import { revive, snapshot, type Snapshot } from '../values/snapshot.js';
import { reviveDecision } from './records.js';

/** Of how many redacted requests the digest of the original arguments is remembered. */
const MAX_DIGESTS = 10_000;

export class RedactedNative extends NativeGate {
  readonly #redactor: Redactor;
  readonly #originals = new Originals();
  /** Of the original arguments, by request. */
  readonly #digests = new Map<string, string>();

  constructor(options: NativeGateOptions, redactor: Redactor) {
    super(options);
    this.#redactor = redactor;
  }

  override request(request: NativeRequest): Awaitable<ApprovalRecord> {
    const kept = keptRequest(this.#redactor, request, request, preview);
    return after(super.request({ ...request, ...kept }), (record) => {
      if (kept.stored !== null) this.#remember(record.approvalId, request.args);
      return record;
    });
  }

  /** A request that was just made, as the one who made it is shown it. */
  original(record: ApprovalRecord, request: Omit<NativeRequest, 'args'> & { args: Snapshot }): ApprovalRecord {
    return originalRequest(record, request, preview);
  }

  /** The decision that was told, in full where it was made here. */
  originalDecision(approvalId: string, told: DecisionOutcome): DecisionOutcome {
    return this.#originals.take(approvalId, told);
  }

  /** Whether these are the arguments that were asked about, of which a part is not kept. Not known: `false`. */
  isOriginal(approvalId: string, args: unknown): boolean {
    try {
      return this.#digests.get(approvalId) === digestOf(args);
    } catch {
      return false;
    }
  }

  #remember(approvalId: string, args: unknown): void {
    this.#digests.set(approvalId, digestOf(revive(args)));
    const [oldest] = this.#digests.size > MAX_DIGESTS ? this.#digests.keys() : [];
    if (oldest !== undefined) this.#digests.delete(oldest);
  }

  override decide(approvalId: string, decision: DecisionOutcome, meta: DecideMeta): Awaitable<ApprovalRecord> {
    // The function wants to know the tool, and has a say about arguments only.
    const record = decision.type === 'edit' ? this.get(approvalId) : null;
    return after(record, (found) => this.#decide(approvalId, found?.toolName ?? '', decision, meta));
  }

  #decide(approvalId: string, toolName: string, given: DecisionOutcome, meta: DecideMeta): Awaitable<ApprovalRecord> {
    const runs = given.type === 'edit' ? (meta.editedArgs ?? given.args) : undefined;
    const { decision, stored, asKept, original } = keptDecision(this.#redactor, toolName, given, runs);
    const forget = this.#originals.expect(approvalId, reviveDecision(original), reviveDecision(asKept));
    return attempt(
      () => super.decide(approvalId, decision, { ...meta, stored }),
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
    return super.revoke(approvalId, this.#redactor.text(reason));
  }

  override note(note: Note): Promise<void> {
    const clean = (text: unknown): unknown => (typeof text === 'string' ? this.#redactor.text(text) : text);
    return super.note({ ...note, reason: clean(note['reason']), label: clean(note['label']) });
  }

  override settle(approvalId: string, succeeded: boolean, result: unknown): Awaitable<void> {
    return super.settle(approvalId, succeeded, result === null ? null : this.#redactor.json(result));
  }
}

const digestOf = (args: unknown): string => canonicalize(JSON.stringify(snapshot(args).json)).digest;
