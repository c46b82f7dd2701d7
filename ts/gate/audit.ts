/** The audit of a durable ledger, for programs. */
import type { Audit, AuditKind, AuditEntry, AuditHead, AuditReport, AuditStanding } from '../../index.js';
import type { NativeAuditEntry, NativeVerified } from '../native.js';
import { takeOptions } from '../options/check.js';
import { InvalidConfigError } from '../errors/index.js';
import { toldValue } from '../errors/told-value.js';
import { nearestOf } from '../options/nearest.js';
import { checkRecord, didYouMean } from '../options/names.js';
import { checkText, checkWhole } from './check-arguments.js';
import { bindMethods } from '../values/bind-methods.js';

/** Where the entries come from. */
export interface AuditSource {
  /** The entries after this number, in order. */
  audit(after: number, limit: number): Promise<NativeAuditEntry[]>;
  head(): Promise<AuditHead & { at: number }>;
  verify(): Promise<NativeVerified>;
}

/** How many entries are read at a time. */
const AT_ONCE = 1000;

/** The hash before the first entry. */
const GENESIS = '0'.repeat(64);

/** An entry as it is told. */
export function entryOf({ body, hash }: NativeAuditEntry): AuditEntry {
  return { ...(JSON.parse(body) as Omit<AuditEntry, 'hash'>), hash };
}

/** An entry as a line of an export: its body to the byte, then the hash before it and its own. */
const lineOf = ({ body, hash }: NativeAuditEntry, prev: string): string =>
  `${body.slice(0, -1)},"prev":"${prev}","hash":"${hash}"}`;

/** The entries after a number, as they are kept. */
export async function* entriesAfter(
  source: AuditSource,
  after: number,
  atOnce = AT_ONCE,
): AsyncGenerator<NativeAuditEntry> {
  for (let from = after; ; from += atOnce) {
    const some = await source.audit(from, atOnce);
    yield* some;
    if (some.length < atOnce) return;
  }
}

/** How the audit of a ledger stands to a head that was kept elsewhere. */
async function standingTo(source: AuditSource, head: Pick<AuditHead, 'size' | 'hash'>): Promise<AuditStanding> {
  checkRecord(head, 'gate.audit.verify', 'head');
  const size = checkWhole('gate.audit.verify: head.size', head.size, 0, Number.MAX_SAFE_INTEGER);
  const hash = checkText('gate.audit.verify: head.hash', head.hash);
  const { size: now } = await source.head();
  if (now < size) return 'truncated';
  const there = size === 0 ? GENESIS : (await source.audit(size - 1, 1))[0]?.hash;
  if (there !== hash) return 'forked';
  return now === size ? 'same' : 'extended';
}

/** A list of an unknown kind would always be empty. @throws {InvalidConfigError} */
function checkKind(kind: unknown): void {
  if (kind === undefined || KINDS.has(kind as AuditKind)) return;
  const near = typeof kind === 'string' ? nearestOf(kind, KINDS) : undefined;
  const hint = near === undefined ? `the kinds are ${[...KINDS].join(', ')}.` : didYouMean(near);
  throw new InvalidConfigError({ message: `gate.audit.list: there is no kind ${toldValue(kind)}: ${hint}` });
}

const KINDS: ReadonlySet<AuditKind> = new Set(
  Object.keys({
    requested: 1,
    voted: 1,
    refused: 1,
    reminded: 1,
    escalated: 1,
    decided: 1,
    started: 1,
    settled: 1,
    interrupted: 1,
    verdict: 1,
    reviewed: 1,
    granted: 1,
    'grant-revoked': 1,
    'run-started': 1,
    'run-resumed': 1,
    'run-ended': 1,
    'clock-jump': 1,
    pruned: 1,
    opened: 1,
  } satisfies Record<AuditKind, 1>) as AuditKind[],
);

export class GateAudit implements Audit {
  readonly #source: AuditSource;

  constructor(source: AuditSource) {
    this.#source = source;
    bindMethods(this);
  }

  list(options: Parameters<Audit['list']>[0] = {}): AsyncGenerator<AuditEntry, void, undefined> {
    return bindMethods(this.#list(options));
  }

  async *#list(options: NonNullable<Parameters<Audit['list']>[0]>) {
    const { after = 0, since = 0, kind, runId, limit = Infinity } = takeOptions('gate.audit.list', options);
    checkWhole('gate.audit.list: after', after, 0, Number.MAX_SAFE_INTEGER);
    checkKind(kind);
    let left = checkWhole('gate.audit.list: limit', limit, 0, Infinity);
    if (left <= 0) return;
    // Where all are meant, no more are read than that.
    const atOnce =
      since > 0 || kind !== undefined || runId !== undefined ? AT_ONCE : Math.min(AT_ONCE, Math.ceil(left));
    for await (const kept of entriesAfter(this.#source, after, atOnce)) {
      const entry = entryOf(kept);
      const isMeant =
        entry.at >= since &&
        (kind === undefined || entry.kind === kind) &&
        (runId === undefined || entry.runId === runId);
      if (!isMeant) continue;
      yield entry;
      if (--left <= 0) return;
    }
  }

  async verify(options: Parameters<Audit['verify']>[0] = {}): Promise<AuditReport> {
    const { head } = takeOptions('gate.audit.verify', options);
    const { entries, head: hash, records, faults } = await this.#source.verify();
    const standing = head === undefined ? null : await standingTo(this.#source, head);
    const isKept = standing === null || standing === 'same' || standing === 'extended';
    return { ok: faults.length === 0 && isKept, entries, hash, records, faults, standing };
  }

  head(): Promise<AuditHead> {
    return this.#source.head();
  }

  export(options: Parameters<Audit['export']>[0] = {}): AsyncGenerator<string, void, undefined> {
    return bindMethods(this.#export(options));
  }

  async *#export(options: NonNullable<Parameters<Audit['export']>[0]>) {
    const { from = 1 } = takeOptions('gate.audit.export', options);
    checkWhole('gate.audit.export: from', from, 1, Number.MAX_SAFE_INTEGER);
    // The entry before tells the hash that the first one goes on from.
    let [prev, first] = [GENESIS, from > 1];
    for await (const entry of entriesAfter(this.#source, Math.max(0, from - 2))) {
      if (!first) yield lineOf(entry, prev);
      [prev, first] = [entry.hash, false];
    }
  }
}
