/** Requests as the page shows them: every text made safe. */
import type {
  ApprovalRecord,
  GrantOffer,
  GrantScope,
  PolicyRuleRef,
  PolicyAction,
  PolicyVerdict,
} from '../../index.js';
import { agentLine, shownPreview } from '../gate/agent-reason.js';
import { againLine } from '../gate/asked-again.js';
import { callInALine, oneLine } from '../gate/in-a-line.js';
import { ownWords } from '../gate/own-words.js';
import { questionsOf, readAnswers } from '../gate/questions.js';
import { isTurnEnd } from '../gate/records.js';
import { answerText } from '../ai-sdk/tools/questions.js';
import { isUnnamed, mainRunOf } from '../gate/run-ids.js';
import { textOfCall } from '../gate/text-field.js';
import { reviewLine } from '../gate/reviewer/review-line.js';
import { whyAsked } from '../gate/why-asked.js';
import { safeText } from '../native.js';
import { dangersInWords, isHarmless, mayOverwrite } from '../gate/danger.js';
import { isHighRisk } from '../gate/stands-out.js';
import { argumentLines } from '../terminal/whole.js';
import { seenJson } from '../values/seen-json.js';
import { trySnapshot } from '../values/snapshot.js';
import { fitsField } from './fits-field.js';
import { approvalsOf, mayDecide, type GroupMembers } from './may.js';
import type { InboxPerson } from './may.js';
import type {
  HistoryItem,
  InboxItem,
  CallSegment,
  ShownDecision,
  ShownNeed,
  ShownOffer,
  ShownQuestion,
  ShownRecord,
  ShownRule,
  ShownVerdict,
} from './protocol.js';

/** Who looks, and when. */
export interface ViewContext {
  person: InboxPerson;
  groups: GroupMembers;
  scopes: ShownRecord['always']['scopes'];
  now: number;
}

/** The longest line of a list. */
const LONGEST = 400;

/** The longest text of what a tool gave back. */
const LONGEST_TEXT = 8_000;

/** A text of several lines, its beginning and its end when it is long. */
export function bothEnds(text: string): string {
  const characters = text.length > LONGEST_TEXT ? [...text] : [];
  if (characters.length <= LONGEST_TEXT) return text;
  const half = LONGEST_TEXT / 2;
  const left = characters.length - LONGEST_TEXT;
  return `${characters.slice(0, half).join('')}\n… ${left} characters are left out …\n${characters.slice(-half).join('')}`;
}

/** Any text as one line, its beginning and its end when it is long. */
export function brief(text: string, most = LONGEST): string {
  const line = oneLine(text);
  const characters = line.length > most ? [...line] : [];
  if (characters.length <= most) return line;
  const tail = Math.floor(most / 3);
  return `${characters.slice(0, most - tail - 1).join('')}…${characters.slice(-tail).join('')}`;
}

export const summaryOf = (record: ApprovalRecord): string =>
  brief(changesInWords(record) ?? callInALine({ ...record, args: trySnapshot(record.args)?.json ?? null }));

/** What it would write, as the request and the chat ask about it; `undefined`: it is not known to write anything. */
function changesInWords({ toolName, changes }: ApprovalRecord): string | undefined {
  if (changes.length === 0) return undefined;
  const put = mayOverwrite(toolName) ? 'Overwrite' : 'Edit';
  return changes.map(({ path, before }) => `${before === null ? 'Create' : put} ${path}`).join(', ');
}

/** The run that a request belongs to in a list: that of a subagent is a part of the main one. */
export const groupOf = ({ runId }: Pick<ApprovalRecord, 'runId'>): string => oneLine(mainRunOf(runId));

export const agentOf = ({ origin }: Pick<ApprovalRecord, 'origin'>): string => origin.at(-1) ?? 'main';

export function itemOf(record: ApprovalRecord, { person, groups, now }: ViewContext): InboxItem {
  const { approvalId, runId, kind, toolName, origin, description, flags, verdict, status, contents } = record;
  const { createdAt, expiresAt, votes, requester, escalatedAt } = record;
  return {
    approvalId,
    runId: oneLine(runId),
    run: brief(runId, 80),
    group: groupOf(record),
    kind,
    tool: brief(toolName, 80),
    origin: origin.map((part) => brief(part, 80)),
    agent: brief(agentOf(record), 80),
    summary: summaryOf(record),
    description: safeText(description),
    headline: headlineOf(record),
    agentSays: agentLine(record) ?? null,
    flags,
    dangers: kind === 'question' ? [] : dangersInWords(record),
    risk: isHighRisk(record) ? 'high' : null,
    harmless: kind === 'approval' && isHarmless(record),
    effect: verdict?.effect ?? null,
    status,
    createdAt,
    expiresAt,
    ...mayDecide(record, person, groups, now),
    needs: needsOf(record, groups, now),
    votes: votes.map(({ by, via, at, reason }) => ({ by: brief(by, 80), via, at, reason: textOf(reason) })),
    requester: requester === null ? null : brief(requester, 80),
    escalatedAt,
    contents,
  };
}

/** Why it is asked about once more, and what its program says of it. */
function headlineOf(record: ApprovalRecord): string | null {
  const parts = [againLine(record), ownWords(record)].filter((part) => part !== undefined);
  return parts.length === 0 ? null : parts.join(' ');
}

function needsOf(record: ApprovalRecord, groups: GroupMembers, now: number): ShownNeed[] {
  const { needs, createdAt } = record;
  if (needs.length === 0) return [];
  const approvals = approvalsOf(record, groups, now);
  return needs.map(({ approvers = [], quorum = 1, excludeRequester = false, escalate }, at) => ({
    approvers: approvers.map((name) => brief(name, 80)),
    quorum,
    approved: approvals[at] ?? null,
    excludeRequester,
    escalate:
      escalate === undefined
        ? null
        : { at: createdAt + escalate.after, to: escalate.to.map((name) => brief(name, 80)) },
  }));
}

const textOf = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : safeText(text);

export function historyItemOf(record: ApprovalRecord, eyes: ViewContext): HistoryItem {
  const { verdict } = record;
  return { ...itemOf(record, eyes), verdict: verdict && verdictOf(verdict), decision: decisionOf(record) };
}

export function recordOf(record: ApprovalRecord, eyes: ViewContext): ShownRecord {
  const { digest, always, changes } = record;
  return {
    ...historyItemOf(record, eyes),
    preview: record.contents === 'dropped' ? '' : shownPreview(record),
    argsJson: argsJsonOf(record),
    textName: textNameOf(record),
    whole: wholeOf(record),
    why: [whyAsked(record), reviewLine(record)].filter((part) => part !== undefined).join('. '),
    digest,
    always: { allow: offerOf(always.allow), deny: offerOf(always.deny), scopes: scopesOf(record, eyes) },
    changes: changes.map((change) => ({ ...change, path: oneLine(change.path) })),
  };
}

/** For how long a decision can be remembered. */
const scopesOf = ({ runId }: ApprovalRecord, { scopes }: ViewContext): readonly GrantScope[] =>
  isUnnamed(runId) ? scopes.filter((scope) => scope !== 'run') : scopes;

function wholeOf(record: ApprovalRecord): string | null {
  const lines = record.contents === 'dropped' ? [] : argumentLines(record);
  return lines.length === 0 ? null : lines.join('\n');
}

/** `null` when it would not read as the very same arguments. */
function argsJsonOf({ args, contents }: ApprovalRecord): string | null {
  if (contents !== 'kept') return null;
  const taken = trySnapshot(args);
  // Dates, big integers and the like stand tagged in a snapshot: as JSON they would be something else.
  if (taken === undefined || !isPlain(args, taken.json)) return null;
  return seenJson(taken.json, 2);
}

function textNameOf({ args }: ApprovalRecord): string | null {
  const field = textOfCall(args);
  return field !== undefined && fitsField(field.text) ? field.name : null;
}

function isPlain(args: unknown, json: unknown): boolean {
  try {
    return JSON.stringify(args) === JSON.stringify(json);
  } catch {
    return false;
  }
}

function decisionOf(record: ApprovalRecord): ShownDecision | null {
  const { decision, decidedBy, via, decidedAt } = record;
  if (decision === null) return null;
  return {
    type: decision.type,
    reason: textOf(decision.reason),
    stop: isTurnEnd(decision),
    text: decidedText(record),
    by: decidedBy === null ? null : brief(decidedBy, 80),
    via,
    at: decidedAt,
  };
}

/** The arguments of an edit, or what the model got in the tool's place: answers to questions as it reads them. */
function decidedText(record: ApprovalRecord): string | null {
  const { decision } = record;
  const answers = answersIn(record);
  if (answers !== null) return safeText(answers);
  if (decision?.type !== 'edit' && decision?.type !== 'respond') return null;
  return seenJson(trySnapshot(decision.type === 'edit' ? decision.args : decision.output)?.json ?? null, 2);
}

/** `null`: nothing was answered, or it cannot be read any more. */
function answersIn(record: ApprovalRecord): string | null {
  const { decision, contents } = record;
  const questions = questionsOf(record);
  if (questions === undefined || decision?.type !== 'respond') return null;
  try {
    const answers = readAnswers(questions, decision.output, contents !== 'kept');
    return answerText(questions, { status: 'answered', answers });
  } catch {
    return null;
  }
}

const offerOf = (offer: GrantOffer | null): ShownOffer | null =>
  offer === null ? null : (safeDeep(offer) as ShownOffer);

/** Every text in it made safe, names too. */
export function safeDeep(value: unknown): unknown {
  if (typeof value === 'string') return safeText(value);
  if (Array.isArray(value)) return value.map(safeDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [safeText(key), safeDeep(item)]));
}

export const verdictOf = ({ effect, rule, reason, more = 0 }: PolicyVerdict): ShownVerdict => ({
  effect,
  rule: ruleOf(rule),
  reason: safeText(reason),
  more,
});

const ruleOf = (rule: PolicyRuleRef | null): ShownRule | null =>
  rule === null ? null : { source: oneLine(rule.source), layer: rule.layer, line: rule.line };

/** The parts of a call, each with what the policies say of it. */
export const segmentsOf = (verdict: PolicyVerdict | null): CallSegment[] =>
  (verdict?.actions ?? []).map((action) => ({
    kind: action.kind,
    text: brief(actionText(action), 2_000),
    effect: action.effect,
    rule: ruleOf(action.rule),
    reason: action.kind === 'unknown' ? safeText(action.reason) : null,
  }));

function actionText(action: PolicyAction): string {
  if (action.kind === 'env' || action.kind === 'tool') return action.name;
  return action.kind === 'unknown' ? '' : action.text;
}

/** `null`: it asks none. */
export function shownQuestions(record: ApprovalRecord): ShownQuestion[] | null {
  const questions = questionsOf(record);
  if (questions === undefined) return null;
  return questions.map((question) => ({
    kind: question.kind,
    question: safeText(question.question),
    header: textOf(question.header),
    required: question.required !== false,
    options:
      question.kind === 'text'
        ? []
        : question.options.map(({ label, description }) => ({
            value: label,
            label: oneLine(label),
            description: textOf(description),
          })),
  }));
}
