/** Requests as they are printed: as JSON, as a row, and whole. */
import type { ApprovalRecord } from '../../index.js';
import { becomes, gaveBack, type ToldRun } from '../ai-sdk/saved/told-run.js';
import { askedOften } from '../gate/asked-before.js';
import type { CallPlace } from '../gate/call-place.js';
import { agentLine, shownArgs, shownPreview } from '../gate/agent-reason.js';
import { againLine } from '../gate/asked-again.js';
import { callInALine } from '../gate/in-a-line.js';
import { questionsOf, readable } from '../gate/questions.js';
import { ANYBODY, wholeDetails } from '../gate/records.js';
import { saidBeside } from '../gate/own-words.js';
import { standing } from '../gate/standing.js';
import { reviewLine } from '../gate/reviewer/review-line.js';
import { whyAsked } from '../gate/why-asked.js';
import { doubtsAbout } from '../gate/danger.js';
import { isHighRisk, startedFirst } from '../gate/stands-out.js';
import { preview, type KeptRecord } from '../native.js';
import { argumentLines } from '../terminal/whole.js';
import { hanging, wrap } from './chat/screen/layout.js';
import { clock, told } from './duration.js';
import { shortId, shortRun } from './ids.js';
import { columns, fit, oneLine, style, type TextStyle } from './style.js';
import type { TableColumn } from './table.js';

/** What lists and events of requests leave out: nothing was decided yet. */
const UNDECIDED = { status: 'pending', decision: null, decidedBy: null, via: null, decidedAt: null } as const;

/** A record as `ApprovalRecord` of the public API, but for special values in arguments, which stay tagged. */
export function toJson(record: KeptRecord): ApprovalRecord {
  const { details, context: _, result: __, contents = 'kept', ...rest } = record;
  return { ...ANYBODY, ...UNDECIDED, ...rest, ...wholeDetails(details), contents };
}

/** A request in one line: what would run. */
export function summary(record: KeptRecord, most = columns()): string {
  return fit(`${oneLine(record.toolName)} ${callInALine(toJson(record))}`, most);
}

export const pendingColumns = (now: number, width: number): TableColumn<KeptRecord>[] => [
  { title: 'ID', text: ({ approvalId }) => shortId(approvalId), style: () => 'cyan' },
  { title: 'AGE', text: ({ createdAt }) => (width < 50 ? '' : told(now - createdAt)), right: true },
  {
    title: 'LEFT',
    text: ({ expiresAt }) => (expiresAt !== null ? told(expiresAt - now) : width < 50 ? '' : '-'),
    right: true,
    style: ({ expiresAt }) => (expiresAt !== null && expiresAt - now < 60_000 ? 'yellow' : undefined),
  },
  { title: 'RUN', text: ({ runId }) => (width < 80 ? '' : fit(oneLine(shortRun(runId)), 12)) },
  { title: '!', text: markOf, style: () => 'red' },
  { title: 'TOOL', text: ({ toolName }) => fit(oneLine(toolName), width < 50 ? 8 : width < 80 ? 12 : 20) },
  { title: 'CALL', text: (record) => callInALine(toJson(record)), grows: true },
];

/** Whether it wants a second look, and whether that is since it may have run already, or since a rule marks it as a risk. */
function markOf(record: KeptRecord): string {
  const shown = toJson(record);
  const marks = [...(shown.startedBefore ? ['again'] : []), ...(isHighRisk(shown) ? ['high'] : [])];
  if (marks.length > 0) return marks.join(' ');
  return doubtsAbout(shown).length > 0 ? '!' : '';
}

/** How a decided request ended, in a few words. */
export function outcome(record: ApprovalRecord): string {
  const { status, decision, decidedBy, via, decidedAt } = record;
  if (decision === null) return status;
  const word = decision.type === 'approve' || decision.type === 'edit' ? `${decision.type}d` : VERB[decision.type];
  const who = decidedBy === via || decidedBy === null ? `through ${via}` : `by ${oneLine(decidedBy)} through ${via}`;
  const why = decision.reason === undefined ? '' : `: ${oneLine(decision.reason)}`;
  return `${word.replace('editd', 'edited')} ${who} at ${clock(decidedAt ?? 0)}${why}`;
}

const VERB = {
  reject: 'rejected',
  respond: 'answered',
  skip: 'skipped',
  expired: 'expired',
  cancelled: 'cancelled',
} as const;

/** What is known beside a request of its run, and of what its tool gave back. */
export interface KeptBeside {
  run?: ToldRun | null | undefined;
  place?: CallPlace | undefined;
  /** How often a person approved the like before. */
  askedBefore?: number;
  result?: unknown;
}

/** What stands before the texts of fields. */
const LABEL = 10;

/** Everything about a request, for a terminal: what it would do and why it is asked about, then all else. */
export const whole = (...about: Parameters<typeof wholeParts>): string[] => wholeParts(...about).flat();

/** The same in two parts: what a decision is about, and all else. */
export function wholeParts(
  record: KeptRecord,
  width = columns(),
  now = Date.now(),
  { run, place, result, askedBefore = 0 }: KeptBeside = {},
): [about: string[], else_: string[]] {
  const json = toJson(record);
  const lines: string[] = [];
  const field = (name: string, text: string, how?: TextStyle) => {
    if (text === '') return;
    const rows = width === Infinity ? [text] : wrap(text, Math.max(10, width - LABEL));
    const inked = rows.map((row) => (how === undefined ? row : style(how, row)));
    lines.push(...hanging(name.padEnd(LABEL), inked, 'dim'));
  };
  const why = whyAsked(json);
  const { first, others } = startedFirst(doubtsAbout(json));
  field('warning', first.join(', '), 'red');
  field('warning', againLine(json) ?? '', 'red');
  field('request', json.approvalId, 'cyan');
  field('status', json.status, json.status === 'pending' ? 'yellow' : undefined);
  field('tool', oneLine(json.toolName), 'bold');
  if (json.origin.length > 1) field('from', json.origin.map(oneLine).join(' > '));
  field('says', saidBeside(json, why));
  field('agent', agentLine(json) ?? '');
  field('risk', isHighRisk(json) ? 'high' : '', 'red');
  field('warning', others.join(', '), 'red');
  if (json.contents !== 'kept') field('contents', CONTENTS[json.contents], 'yellow');
  field('why', why);
  field('reviewer', reviewLine(json) ?? '');
  field('needs', oneLine(standing(json)), 'yellow');
  const often = json.status === 'pending' ? askedOften(askedBefore, json) : undefined;
  if (often !== undefined) field('often', `${often}: --remember always keeps the next one from being asked`, 'yellow');
  if (json.decision !== null) field('decided', outcome(json));
  field('then', becomes(json, run), 'yellow');
  if (json.decision?.type === 'edit')
    lines.push('', 'edited to', ...shownArguments(json.toolName, json.decision.args, width));
  if (json.decision?.type === 'respond')
    lines.push('', 'answered with', ...shownArguments(json.toolName, json.decision.output, width));
  if (json.contents !== 'dropped') lines.push('', ...pageOf(json, width), ...wholeOf(json));
  const end = lines.length;
  if (json.status === 'pending' && json.kind === 'question')
    lines.push('', `answer it: countersign respond ${shortId(json.approvalId)} --answer TEXT, one for each question`);
  const gave = gaveBack(result);
  if (gave !== undefined) lines.push('', 'gave back', ...shownArguments(json.toolName, gave, width));
  lines.push('');
  field('prompt', run?.prompt ?? '');
  for (const step of run?.steps ?? []) field('before', step);
  if (place !== undefined) {
    field('project', oneLine(place.project));
    if (place.cwd !== place.project) field('folder', oneLine(place.cwd));
  }
  field('asked', `${clock(json.createdAt)} (${told(now - json.createdAt)} ago)`);
  if (json.expiresAt !== null) field('until', `${clock(json.expiresAt)}${left(json, now)}`);
  if (json.requester !== null) field('for', oneLine(json.requester));
  if (json.escalatedAt !== null) field('escalated', clock(json.escalatedAt));
  field('choices', json.allowedDecisions.join(', '));
  if (json.verdict !== null) {
    const reason = oneLine(json.verdict.reason);
    field('policy', why.includes(reason) ? json.verdict.effect : `${json.verdict.effect}: ${reason}`);
  }
  for (const rule of json.verdict?.rule ? [json.verdict.rule] : [])
    field('rule', oneLine(`${rule.source}${rule.line === null ? '' : `:${rule.line}`} (${rule.layer})`));
  // Where the project is not known, nothing of it is remembered.
  for (const effect of place === undefined ? [] : (['allow', 'deny'] as const))
    field(`always ${effect === 'allow' ? '+' : '-'}`, oneLine(json.always[effect]?.label ?? ''));
  field('call', `${oneLine(json.toolCallId)}${json.step === null ? '' : ` (step ${json.step})`}`);
  field('run', oneLine(json.runId));
  field('digest', json.digest);
  return [lines.slice(0, end), lines.slice(end)];
}

function left({ status, expiresAt }: ApprovalRecord, now: number): string {
  if (status !== 'pending' || expiresAt === null) return '';
  return expiresAt > now ? ` (${told(expiresAt - now)} left)` : ' (passed)';
}

export const CONTENTS = {
  kept: '',
  redacted: 'secrets were taken out before it was stored: what runs has more in it than is shown',
  dropped: 'its arguments were dropped after the time they are kept for; digests stay',
} as const;

/** The preview, made for this width where it can be. */
function pageOf(record: ApprovalRecord, width: number): string[] {
  // With changes of files in it the preview is more than the arguments: it is shown as it was made.
  const isPlain = record.changes.length === 0 && width !== Infinity;
  const questions = questionsOf(record);
  const args = questions === undefined ? shownArgs(record) : readable(questions);
  return isPlain ? shownArguments(record.toolName, args, width) : shownPreview(record).split('\n');
}

/** What the page leaves out. */
function wholeOf(record: ApprovalRecord): string[] {
  const lines = argumentLines(record);
  return lines.length === 0 ? [] : ['', ...lines];
}

function shownArguments(toolName: string, args: unknown, width: number): string[] {
  return preview(toolName, args, width === Infinity ? undefined : width).text.split('\n');
}
