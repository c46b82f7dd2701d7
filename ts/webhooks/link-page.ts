/** The pages behind links: HTML that runs nothing, loads nothing, and shows nothing but texts. */
import { createHash } from 'node:crypto';
import type { ApprovalRecord, ApprovalRequest } from '../../index.js';
import { doubtsAbout } from '../gate/danger.js';
import { oneLine } from '../gate/in-a-line.js';
import { agentLine, shownPreview } from '../gate/agent-reason.js';
import { reviewLine } from '../gate/reviewer/review-line.js';
import { standsApart, type AskedCall } from '../gate/stands-out.js';
import { argumentLines } from '../terminal/whole.js';
import type { LinkDecision } from './link-token.js';

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 46rem; padding: 1rem }
h1 { font-size: 1.4rem }
dl { display: grid; gap: 0 1rem; grid-template-columns: max-content 1fr }
dt { opacity: .7 } dd { margin: 0; overflow-wrap: anywhere }
pre { border: 1px solid; overflow-x: auto; padding: .75rem; white-space: pre-wrap; overflow-wrap: anywhere }
textarea { box-sizing: border-box; font: inherit; min-height: 4rem; width: 100% }
button { font: inherit; font-weight: bold; min-height: 2.75rem; padding: .5rem 1.5rem }
.beware { font-weight: bold }
`;

const styleHash = createHash('sha256').update(STYLE).digest('base64');

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
  // The address holds the link. `no-referrer` would also take the origin away from the form, which is looked at.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

/** The longest reason, in characters. */
export const MAX_REASON = 1_000;

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text that is safe to show, as HTML. */
const html = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPED[character]!);
/** Any text, as HTML in one line. */
const line = (text: string): string => html(oneLine(text));

export function page(status: number, title: string, body: string, more: Record<string, string> = {}): Response {
  const text = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${line(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${line(title)}</h1>
${body}</main></body></html>
`;
  return new Response(text, { status, headers: { ...HEADERS, ...more } });
}

/** A page that only says something. */
export const notice = (status: number, title: string, text: string, more?: Record<string, string>): Response =>
  page(status, title, `<p>${line(text)}</p>\n`, more);

const time = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** The field of the form that says that somebody looked twice. */
export const SECOND_YES = 'looked';

/** Whether the button alone does not approve it. Behind a link it is the second yes, to what the page says of the call. */
export const needsTick = (request: AskedCall, decision: LinkDecision['decision']): boolean =>
  decision === 'approve' && standsApart(request);

/** What would be decided, and the button that decides it. */
export function confirmation(request: ApprovalRequest, { by, decision }: LinkDecision): Response {
  const verb = decision === 'approve' ? 'Approve' : 'Reject';
  const facts: [string, string][] = [
    ['Tool', request.toolName],
    ['From', request.origin.join(' > ')],
    ['Run', request.runId],
    ['Asked', time(request.createdAt)],
    ...(request.expiresAt === null ? [] : [['Until', time(request.expiresAt)] as [string, string]]),
    ...(request.votes.length === 0
      ? []
      : [['Approved by', request.votes.map((vote) => vote.by).join(', ')] as [string, string]]),
    ...[reviewLine(request) ?? []].flat().map((said): [string, string] => ['A reviewer', said]),
    ['You are', by],
  ];
  // The preview has only both ends of what is long.
  const whole = argumentLines(request).join('\n');
  const list = facts.map(([name, value]) => `<dt>${name}</dt><dd>${line(value)}</dd>`).join('\n');
  const agent = agentLine(request);
  const doubts = doubtsAbout(request);
  const beware = [
    ...(doubts.length === 0 ? [] : [`Careful: ${doubts.join(', ')}.`]),
    ...(request.contents === 'kept' ? [] : ['What runs has more in it than is shown: secrets were taken out.']),
  ];
  const reason =
    decision === 'reject'
      ? `<p><label>Why not? The model is told. <textarea name="reason" maxlength="${MAX_REASON}"></textarea></label></p>\n`
      : '';
  const second = needsTick(request, decision)
    ? `<p><label><input type="checkbox" name="${SECOND_YES}" value="yes" required> I have looked at all of it, and it may run.</label></p>\n`
    : '';
  return page(
    200,
    `${verb} ${request.toolName}?`,
    `<p>${line(request.description)}</p>
${agent === undefined ? '' : `<p>${line(agent)}</p>\n`}${beware.map((text) => `<p class="beware">${line(text)}</p>\n`).join('')}<dl>
${list}
</dl>
<pre>${html(shownPreview(request))}</pre>
${whole === '' ? '' : `<details><summary>All of it</summary><pre>${html(whole)}</pre></details>\n`}<form method="post">
${reason}${second}<button name="decision" value="${decision}">${verb}</button>
</form>
<p>Nothing is decided before you press the button.</p>
`,
  );
}

/** What became of a request that waits no longer. */
export function alreadyDecided(record: ApprovalRecord): Response {
  const { decision, decidedBy, decidedAt, expiresAt } = record;
  if (decision?.type === 'expired' || decision === null)
    return notice(410, 'Too late', `Nobody decided before ${time(expiresAt ?? decidedAt ?? 0)}, so it does not run.`);
  const word = DONE[decision.type];
  const what = `${word} by ${decidedBy ?? 'somebody'} at ${time(decidedAt ?? 0)}`;
  return notice(409, 'Already decided', `${record.toolName} was ${what}. This link does nothing any more.`);
}

const DONE = {
  approve: 'approved',
  edit: 'approved with other arguments',
  reject: 'rejected',
  respond: 'answered',
  skip: 'skipped',
  cancelled: 'cancelled',
} as const;

/** What this link did. */
export function done(record: ApprovalRecord, { by, decision }: LinkDecision): Response {
  const { toolName, votes, status } = record;
  if (status === 'pending') {
    const names = votes.map((vote) => vote.by).join(', ');
    return notice(200, 'Counted', `Your approval of ${toolName} is counted. So far: ${names}. Others must agree, too.`);
  }
  return notice(200, 'Done', `${toolName} was ${DONE[decision]} by ${by}.`);
}
