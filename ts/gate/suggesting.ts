/** Rules for the policy of a project, from what was asked about in it. Which of them, and what they come to, the core says. */
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { ApprovalRecord, PolicyRule } from '../../index.js';
import {
  acceptRules,
  NativePolicies,
  projectDirectory,
  type KeptRecord,
  type NativeAnsweredCall,
  type NativeNote,
  type NativePast,
  type NativeProposal,
  type RawRecord,
} from '../native.js';
import { InvalidConfigError } from '../errors/index.js';
import { placeOfCall, type CallPlace } from './call-place.js';
import { isAskedBeside, isByHuman, toRequest } from './records.js';

/** A ledger, as far as it is read for this. */
export interface HistorySource {
  /** The newest first. */
  history: (past: NativePast) => Promise<readonly Pick<ApprovalRecord, 'approvalId' | 'runId'>[]>;
  records: (runId: string) => Promise<readonly (RawRecord | KeptRecord)[]>;
}

/** Questions that no rule could have saved, by what stands in the way. */
export interface UnansweredQuestions {
  /** Approvers are named, who are asked each time. */
  named: number;
  /** Not all of the arguments is kept: secrets were taken out, or they were dropped. */
  redacted: number;
  /** The program asks, and not only the rules of files. */
  byProgram: number;
  /** Nothing is kept of the parts of the call, as of requests of an older version. */
  withoutParts: number;
}

export interface PolicySuggestion extends NativeProposal {
  /** How many questions of this project a human answered. */
  questions: number;
  /** How many of their calls did not run as they were asked about. */
  rejected: number;
  unanswered: UnansweredQuestions;
  /** How many questions a human answered whose project is unknown: no policy judged them. */
  placeless: number;
}

/** Records that are read. A longer history gets no proposals: the rejections in its rest would be unknown. */
const MOST_RECORDS = 100_000;
const AT_ONCE = 1_000;

/** @param cwd a folder of the project */
export async function suggestPolicy(source: HistorySource, cwd: string): Promise<PolicySuggestion> {
  const project = projectDirectory(cwd);
  const policies = new NativePolicies({ documents: [], files: 'all', cwd: project, project, home: homedir() });
  const unanswered: UnansweredQuestions = { named: 0, redacted: 0, byProgram: 0, withoutParts: 0 };
  const asked: NativeAnsweredCall[] = [];
  let questions = 0;
  let rejected = 0;
  let placeless = 0;
  for await (const { record, place, toolName, isBeside } of answered(source)) {
    if (place === undefined) placeless += 1;
    if (place?.project !== project) continue;
    questions += 1;
    const answer = answerOf(record);
    if (answer !== 'approved') rejected += 1;
    // A deny of a file answers what others ask as well.
    const why = standingInTheWay(record) ?? (isBeside && answer !== 'rejected' ? 'byProgram' : undefined);
    if (why !== undefined) unanswered[why] += 1;
    // What is not there cannot be judged. Of what was only redacted enough is left to tell that it must not be allowed.
    if (record.contents === 'dropped') continue;
    const offer = why === undefined ? offerOf(record, answer) : null;
    asked.push({ toolName, cwd: place.cwd, args: record.args, answer, answerable: why === undefined, offer });
  }
  return { ...(await policies.propose(asked)), questions, rejected, unanswered, placeless };
}

/** What was shown is accepted. */
export interface AcceptedSuggestion {
  by: string;
  /** Trusts the file as it then is; see {@link mayTrust}. */
  trust: boolean;
  /** Writes into the audit. */
  note: (note: NativeNote) => Promise<unknown>;
}

/** Writes the rules that were shown. No rule may allow anything without a trace: the audit has it first. */
export async function acceptSuggestion(
  suggestion: PolicySuggestion,
  { by, trust, note }: AcceptedSuggestion,
): Promise<void> {
  const { offers, path, before, after } = suggestion;
  for (const { effect, label } of offers) await note({ kind: 'granted', by, effect, label, scope: 'policy' });
  await acceptRules({ directory: dirname(dirname(path)), before, after, trust: trust && mayTrust(suggestion) });
}

/** The other rules of a file that was not trusted before were not reviewed here. */
export const mayTrust = ({ before, trusted }: NativeProposal): boolean => before === null || trusted;

/** What humans answered of calls, the newest first, and the name that rules know the tool by. */
async function* answered(
  source: HistorySource,
): AsyncGenerator<{ record: ApprovalRecord; place: CallPlace | undefined; toolName: string; isBeside: boolean }> {
  for await (const runId of runsOf(source)) {
    for (const kept of await source.records(runId)) {
      // Arguments stay as they are kept: so the core reads them.
      const record = { ...toRequest(kept as RawRecord), args: kept.args };
      if (record.kind !== 'approval' || (record.decision ?? null) === null || !isByHuman(record.via ?? undefined))
        continue;
      const [place, toolName] = [placeOfCall(kept as RawRecord), ruleNameIn(kept as RawRecord)];
      yield { record, place, toolName, isBeside: isAskedBeside(kept) };
    }
  }
}

async function* runsOf(source: HistorySource): AsyncGenerator<string> {
  const seen = new Set<string>();
  let before: string | null = null;
  for (let read = 0; read < MOST_RECORDS; read += AT_ONCE) {
    const some: Awaited<ReturnType<HistorySource['history']>> = await source.history({
      runId: null,
      toolName: null,
      before,
      limit: AT_ONCE,
    });
    for (const { runId } of some) {
      if (seen.has(runId)) continue;
      seen.add(runId);
      yield runId;
    }
    before = some.at(-1)?.approvalId ?? null;
    if (some.length < AT_ONCE || before === null) return;
  }
  throw new InvalidConfigError({
    message: `The ledger has more than ${MOST_RECORDS.toLocaleString('en')} requests: rules cannot be proven over all of them. Compact it first (countersign ledger compact).`,
  });
}

const answerOf = ({ decision }: ApprovalRecord): NativeAnsweredCall['answer'] =>
  decision?.type === 'approve' ? 'approved' : decision?.type === 'reject' ? 'rejected' : 'changed';

function standingInTheWay({
  needs,
  contents,
  verdict,
  askedBy,
}: ApprovalRecord): keyof UnansweredQuestions | undefined {
  if (needs.length > 0) return 'named';
  if (contents !== 'kept') return 'redacted';
  const isByRules = (askedBy ?? 'policy') === 'policy';
  if (verdict === null || verdict.effect !== 'ask' || !isByRules) return 'byProgram';
  return Array.isArray(verdict.actions as unknown) ? undefined : 'withoutParts';
}

function offerOf({ always }: ApprovalRecord, answer: NativeAnsweredCall['answer']): NativeAnsweredCall['offer'] {
  const offer = answer === 'approved' ? always.allow : answer === 'rejected' ? always.deny : null;
  return offer === null ? null : { label: offer.also.join(' and ') || offer.label, rules: offer.rules as PolicyRule[] };
}

/** What rules know the tool by: it stands before the blank. */
function ruleNameIn({ context, toolName }: RawRecord): string {
  const { tool } = (context ?? {}) as { tool?: unknown };
  return typeof tool === 'string' && tool.includes(' ') ? tool.slice(0, tool.lastIndexOf(' ')) : toolName;
}

/** Why an offer is not among those that are proposed, in words. */
export const LEFT_OUT: Readonly<Record<NativeProposal['leftOut'][number]['why'], string>> = {
  allowsRejected: 'it would allow a call that was rejected, or changed before it ran',
  deniesApproved: 'it would deny a call that was approved',
  allowsUnknown: 'it would allow a call with a part that is unknown',
  noRule: 'it cannot stand in a policy',
  tooMany: 'there are too many',
};

/** Why nothing is proposed, a sentence each; empty: something is. */
export function whyNothing(suggestion: PolicySuggestion): string[] {
  const { offers, questions, placeless } = suggestion;
  if (offers.length > 0) return [];
  const elsewhere =
    placeless === 0
      ? []
      : [
          `${placeless} ${placeless === 1 ? 'question does' : 'questions do'} not say the project: only a gate with policies (\`policyFiles\` or \`policy\`) records it.`,
        ];
  if (questions === 0) return ['People answered no question of this project.', ...elsewhere];
  return [
    `No question that a rule can answer was answered alike three times (${questions} ${questions === 1 ? 'question' : 'questions'} in all).`,
    ...provenBy(suggestion).slice(1),
    ...elsewhere,
  ];
}

const UNTRUSTED = 'The file is not trusted: its allows answer none of them until you trust it.';

/** A gate may leave the files out. */
const WHERE_READ = 'Rules of the file count only in programs that read it (`policyFiles: true`).';

/** What the rules come to, a sentence each. */
export function provenBy(suggestion: PolicySuggestion): string[] {
  const { questions, rejected, saved, answered: already, unanswered, offers, before, trusted } = suggestion;
  const { named, redacted, byProgram, withoutParts } = unanswered;
  const not: readonly (readonly [number, string])[] = [
    [named, 'named approvers, who are asked each time'],
    [redacted, 'have arguments that are not kept whole'],
    [
      byProgram,
      'come from the program itself (e.g. interruptOn, its own policy), which also asks about calls that rules allow',
    ],
    [withoutParts, 'are of an older version, which kept no parts of the call'],
  ];
  return [
    `It would have saved ${saved} of ${questions} questions, allows none of the ${rejected} calls that were rejected or changed, and nothing unknown.`,
    ...(already === 0 ? [] : [`Rules that exist now answer ${already} of them.`]),
    ...(already === 0 || before === null || trusted ? [] : [UNTRUSTED]),
    ...not.filter(([count]) => count > 0).map(([count, why]) => `No rule answers ${count} of them: they ${why}.`),
    ...(offers.length === 0 ? [] : [WHERE_READ]),
  ];
}

/** The end of the file as it is, and what comes behind it, as `diff -u` shows that. */
export function proposalDiff({ path, before, after }: NativeProposal): string[] {
  const old = before === null ? [] : before.replace(/\r?\n$/, '').split(/\r?\n/);
  const now = after.replace(/\r?\n$/, '').split(/\r?\n/);
  const near = old.slice(-3);
  const first = old.length - near.length;
  const added = now.slice(old.length);
  return [
    before === null ? '--- /dev/null' : `--- ${path}`,
    `+++ ${path}`,
    `@@ -${near.length === 0 ? 0 : first + 1},${near.length} +${first + 1},${near.length + added.length} @@`,
    ...near.map((line) => ` ${line}`),
    ...added.map((line) => `+${line}`),
  ];
}
