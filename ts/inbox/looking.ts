/** What can be read: what waits, one request whole, what is over, runs, the audit. */
import type { ApprovalRecord, ApprovalRequest, AuditEntry, AuditReport } from '../../index.js';
import { becomes, gaveBack } from '../ai-sdk/saved/told-run.js';
import { askedBefore, askedOften, LOOKED_AT } from '../gate/asked-before.js';
import { placeOfCall } from '../gate/call-place.js';
import { oneLine } from '../gate/in-a-line.js';
import { isHighRisk, standsOut } from '../gate/stands-out.js';
import { dangersInWords } from '../gate/danger.js';
import { safeText } from '../native.js';
import type { LocalGate } from '../gate/gate.js';
import { formOf } from './form.js';
import type {
  AuditState,
  EntriesAnswer,
  FilterFacet,
  HistoryAnswer,
  PendingAnswer,
  RequestDetail,
  RunsAnswer,
  ShownEntry,
} from './protocol.js';
import { badRequest, notFound } from './refusal.js';
import { ID } from './routes.js';
import { toldRunAt, type RunHeads } from './run-heads.js';
import { schemaOf } from './schema.js';
import { similarTo } from './similar.js';
import {
  agentOf,
  bothEnds,
  brief,
  historyItemOf,
  itemOf,
  recordOf,
  safeDeep,
  segmentsOf,
  shownQuestions,
  type ViewContext,
} from './view.js';

/** Requests on one page of a list. */
const PAGE = 200;
/** How many records of the history one request looks through for what it searches. */
const MOST_SEARCHED = 2_000;
/** The longest text that is searched for. */
const LONGEST_QUERY = 1_000;

/** ms since the epoch. */
const MOMENT = /^\d{1,15}$/;

const UNDECIDED = { status: 'pending', decision: null, decidedBy: null, via: null, decidedAt: null } as const;
export const waiting = (request: ApprovalRequest): ApprovalRecord => ({ ...request, ...UNDECIDED });

/** What waits, the oldest first; of one moment in the order in which it came: ids say nothing of that. */
const allPending = async (gate: LocalGate): Promise<ApprovalRecord[]> =>
  (await gate.pending()).map(waiting).toSorted((one, other) => one.createdAt - other.createdAt);

export async function pending(
  gate: LocalGate,
  heads: RunHeads,
  query: URLSearchParams,
  eyes: ViewContext,
): Promise<PendingAnswer> {
  const all = await allPending(gate);
  const [run, agent, tool, cursor] = ['run', 'agent', 'tool', 'cursor'].map((name) => query.get(name) || null);
  const isOfRisk = riskOf(query);
  const words = wordsOf(query);
  const found = all.filter(
    (record) =>
      (run === null || oneLine(record.runId) === run) &&
      (agent === null || oneLine(agentOf(record)) === agent) &&
      (tool === null || oneLine(record.toolName) === tool) &&
      isOfRisk(record) &&
      hasWords(record, words),
  );
  if (cursor && !MOMENT.test(cursor)) throw badRequest('cursor must be the `next` of a page.');
  const rest = cursor ? found.filter(({ createdAt }) => createdAt > Number(cursor)) : found;
  // What came at one moment is on one page: the moment says where the next begins, even if requests are decided meanwhile.
  const end = rest.findIndex(({ createdAt }, at) => at >= PAGE && createdAt !== rest[at - 1]?.createdAt);
  const page = end === -1 ? rest : rest.slice(0, end);
  return {
    items: page.map((record) => itemOf(record, eyes)),
    runs: await heads.of(page, all),
    total: found.length,
    next: end === -1 ? null : String(page.at(-1)?.createdAt),
    facets: {
      runs: facets(all, ({ runId }) => runId),
      agents: facets(all, agentOf),
      tools: facets(all, ({ toolName }) => toolName),
      risks: risksAmong(all),
    },
    now: eyes.now,
  };
}

/** Each value as it is shown, and taken back as a filter, with how often it is there, the most frequent first. */
function facets(records: readonly ApprovalRecord[], valueOf: (record: ApprovalRecord) => string): FilterFacet[] {
  const counts = new Map<string, number>();
  for (const value of records.map((record) => oneLine(valueOf(record))))
    counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, label: brief(value, 80), count }))
    .toSorted((one, other) => other.count - one.count);
}

const hasDoubts = (record: ApprovalRecord): boolean =>
  standsOut(record).length > 0 || (record.kind !== 'question' && dangersInWords(record).length > 0);

/** What is marked in a list: a rule says so, or it stands out for what it does or hides; and the rest. */
const RISKS: readonly { value: string; label: string; isOf: (record: ApprovalRecord) => boolean }[] = [
  { value: 'high', label: 'High risk', isOf: isHighRisk },
  { value: 'stands-out', label: 'Stands out', isOf: hasDoubts },
  { value: 'nothing', label: 'Nothing stands out', isOf: (record) => !hasDoubts(record) },
];

const risksAmong = (records: readonly ApprovalRecord[]): FilterFacet[] =>
  RISKS.map(({ value, label, isOf }) => ({ value, label, count: records.filter(isOf).length })).filter(
    ({ count }) => count > 0,
  );

/** @throws {Refusal} 400 */
function riskOf(query: URLSearchParams): (record: ApprovalRecord) => boolean {
  const wanted = query.get('risk') || null;
  if (wanted === null) return () => true;
  const risk = RISKS.find(({ value }) => value === wanted);
  if (risk === undefined) throw badRequest(`risk must be one of ${RISKS.map(({ value }) => value).join(', ')}.`);
  return risk.isOf;
}

/** @throws {Refusal} 400 */
function wordsOf(query: URLSearchParams): string[] {
  const text = query.get('q') ?? '';
  if (text.length > LONGEST_QUERY) throw badRequest(`q has more than ${LONGEST_QUERY} characters.`);
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether each of these words stands somewhere in it. */
function hasWords(record: ApprovalRecord, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const { approvalId, runId, toolName, origin, description, preview, requester, decidedBy, decision } = record;
  const text = [approvalId, runId, toolName, ...origin, description, preview, requester, decidedBy, decision?.reason]
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

/** @throws {Refusal} 404 */
export async function existing(gate: LocalGate, id: string): Promise<ApprovalRecord> {
  const record = await gate.get(id);
  if (record === undefined) throw notFound('There is no such request, or its record was dropped.');
  return record;
}

export async function detail(gate: LocalGate, id: string, eyes: ViewContext): Promise<RequestDetail> {
  const record = await existing(gate, id);
  const { runId, toolName, approvalId } = record;
  const isPending = record.status === 'pending';
  const kept = gate.isDurable ? await gate.runs.records(runId) : [];
  const bound = kept.find((each) => each.approvalId === approvalId);
  const place = placeOfCall(bound);
  const projectOf = gate.projects();
  const earlier = await gate.history({ toolName, limit: LOOKED_AT });
  const [step, similar, times, schema, run] = await Promise.all([
    isPending ? gate.pending({ runId }) : [],
    similarTo(record, earlier, place?.project, projectOf),
    isPending ? askedBefore(record, earlier, projectOf) : 0,
    isPending ? schemaOf(gate, record) : null,
    toldRunAt(gate, record),
  ]);
  return {
    record: recordOf(record, eyes),
    segments: segmentsOf(record.verdict),
    step: step.filter((each) => each.approvalId !== approvalId && each.runId === runId).map((each) => each.approvalId),
    similar,
    often: askedOften(times, record) ?? null,
    schema: schema === null ? null : (safeDeep(schema) as object),
    form: isPending ? formOf(record, schema) : null,
    questions: shownQuestions(record),
    run: run == null ? null : { status: run.status, prompt: run.prompt, steps: run.steps },
    place: place === undefined ? null : { folder: oneLine(place.cwd), project: oneLine(place.project) },
    becomes: becomes(record, run),
    gave: isPending ? null : gaveText(bound?.result),
    now: eyes.now,
  };
}

/** What its tool gave back, both ends of it where it is long. */
function gaveText(result: unknown): string | null {
  const gave = gaveBack(result);
  if (gave === undefined) return null;
  return bothEnds(safeText(typeof gave === 'string' ? gave : (JSON.stringify(gave, null, 2) ?? '')));
}

export async function history(gate: LocalGate, query: URLSearchParams, eyes: ViewContext): Promise<HistoryAnswer> {
  const [run, tool, decision, by, from] = ['run', 'tool', 'decision', 'by', 'before'].map(
    (name) => query.get(name) || undefined,
  );
  const limit = Math.min(PAGE, Math.max(1, Number(query.get('limit') ?? 50) || 50));
  const words = wordsOf(query);
  const isOfRisk = riskOf(query);
  if (from !== undefined && !ID.test(from)) throw badRequest('before must be the id of a request.');
  const items: ApprovalRecord[] = [];
  let before = from;
  let isMore = true;
  // Words are looked for here: of what does not have them, only so much is read at a time.
  for (let searched = 0; isMore && items.length < limit && searched < MOST_SEARCHED;) {
    const some = await gate.history({
      ...(run === undefined ? {} : { runId: run }),
      ...(tool === undefined ? {} : { toolName: tool }),
      ...(before === undefined ? {} : { before }),
      limit: PAGE,
    });
    searched += some.length;
    isMore = some.length === PAGE;
    for (const record of some) {
      before = record.approvalId;
      const isDecided =
        (decision === undefined || record.decision?.type === decision) &&
        (by === undefined || oneLine(record.decidedBy ?? '') === by);
      if (isDecided && hasWords(record, words) && isOfRisk(record)) items.push(record);
      if (items.length === limit) break;
    }
    isMore ||= before !== some.at(-1)?.approvalId;
  }
  return {
    items: items.map((record) => historyItemOf(record, eyes)),
    next: isMore ? (before ?? null) : null,
    now: eyes.now,
  };
}

export async function runs(gate: LocalGate, { now }: ViewContext): Promise<RunsAnswer> {
  const byRun = new Map<string, ApprovalRecord[]>();
  for (const record of await allPending(gate)) {
    const others = byRun.get(record.runId);
    if (others === undefined) byRun.set(record.runId, [record]);
    else others.push(record);
  }
  const items = [...byRun].map(([runId, records]) => ({
    runId: oneLine(runId),
    run: brief(runId, 80),
    agents: [...new Set(records.map((record) => brief(agentOf(record), 80)))],
    tools: [...new Set(records.map(({ toolName }) => brief(toolName, 80)))],
    waiting: records.length,
    // The oldest comes first.
    since: records[0]?.createdAt ?? now,
  }));
  return { items, now };
}

/** Entries of the audit, the latest first. */
export async function entries(gate: LocalGate, query: URLSearchParams, { now }: ViewContext): Promise<EntriesAnswer> {
  if (!gate.isDurable) return { items: [], next: null, now };
  const before = query.get('before') || null;
  if (before !== null && !MOMENT.test(before)) throw badRequest('before must be the `next` of a page.');
  const kind = query.get('kind') || null;
  const words = wordsOf(query);
  const limit = Math.min(PAGE, Math.max(1, Number(query.get('limit') ?? 50) || 50));
  const items: ShownEntry[] = [];
  /** Those with a smaller number are still to be looked at. */
  let end = before === null ? (await gate.audit.head()).size + 1 : Number(before);
  for (let searched = 0; end > 1 && items.length < limit && searched < MOST_SEARCHED; searched += PAGE) {
    const after = Math.max(0, end - 1 - PAGE);
    const some: AuditEntry[] = [];
    for await (const entry of gate.audit.list({ after, limit: end - 1 - after })) some.push(entry);
    end = after + 1;
    for (const entry of some.toReversed()) {
      if ((kind !== null && entry.kind !== kind) || !isAbout(entry, words)) continue;
      items.push(entryOf(entry));
      if (items.length < limit) continue;
      end = entry.seq;
      break;
    }
  }
  return { items, next: end > 1 ? end : null, now };
}

function isAbout(entry: AuditEntry, words: readonly string[]): boolean {
  const { kind, runId, toolName, approvalId, by, reason, decision, status } = entry;
  const text = [kind, runId, toolName, approvalId, by, reason, decision, status].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

const entryOf = (entry: AuditEntry): ShownEntry => {
  const { seq, at, kind, runId, toolName, approvalId, by, decision, status, effect, reason } = entry;
  const text = (value: string | undefined, most: number) => (value === undefined ? null : brief(value, most));
  return {
    seq,
    at,
    kind,
    run: text(runId, 80),
    tool: text(toolName, 80),
    approvalId: approvalId ?? null,
    by: text(by, 80),
    what: text(decision ?? status ?? effect, 80),
    reason: text(reason, 400),
  };
};

/** The audit, and what was found when it was last looked at. */
export class AuditLook {
  readonly #gate: LocalGate;
  #checked: { report: AuditReport; checkedAt: number } | undefined;
  /** One at a time: it reads everything. */
  #checking: Promise<void> | undefined;

  constructor(gate: LocalGate) {
    this.#gate = gate;
  }

  async state(): Promise<AuditState> {
    const head = this.#gate.isDurable ? await this.#gate.audit.head() : null;
    return {
      head,
      report: this.#checked?.report ?? null,
      checkedAt: this.#checked?.checkedAt ?? null,
      now: Date.now(),
    };
  }

  async verify(): Promise<AuditState> {
    if (this.#gate.isDurable) {
      this.#checking ??= this.#verify().finally(() => (this.#checking = undefined));
      await this.#checking;
    }
    return this.state();
  }

  async #verify(): Promise<void> {
    const report = await this.#gate.audit.verify();
    const faults = report.faults.map((fault) => ({ ...fault, what: oneLine(fault.what) }));
    this.#checked = { report: { ...report, faults }, checkedAt: Date.now() };
  }
}
