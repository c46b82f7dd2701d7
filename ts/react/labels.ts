import type { ApprovalLabels } from '../../react.js';

const WARNINGS: Readonly<Record<string, string>> = {
  ansi: 'codes that control a terminal',
  control: 'control characters',
  nul: 'a NUL character',
  bidi: 'characters that turn the direction of text',
  invisible: 'characters that cannot be seen',
  'unicode-space': 'unusual spaces',
  homoglyph: 'letters that look like others',
  combining: 'many marks on one letter',
  padding: 'blanks that push something out of sight',
  'odd-key': 'an unusual name of an argument',
  'right-to-left': 'words that run from right to left: the order on the screen is not the order that counts',
  long: 'a long text',
  hidden: 'a part of it is left out of what is shown first',
};

const lines = (count: number): string => `${count} ${count === 1 ? 'line' : 'lines'}`;

/** @see react.d.ts */
export const LABELS: ApprovalLabels = {
  title: (tool) => `Run ${tool}?`,
  approve: 'Approve',
  reject: 'Reject',
  reason: 'Reason, for the model',
  preview: 'What would run',
  whole: 'All of it',
  approveAnyway: 'I have looked twice: approve',
  tooEarly: 'That came too early: read it, then press again.',
  warnings: 'Careful',
  warning: (flag) => WARNINGS[flag] ?? flag,
  why: ({ effect, reason, source, line }) => {
    const place = source === null ? '' : ` (${source}${line === null ? '' : `:${line}`})`;
    return `${effect}: ${reason}${place}`;
  },
  agentReason: (said) => `The agent says: “${said.replaceAll(/[“”]/g, '"')}”`,
  origin: (path) => `From ${path.join(' > ')}`,
  change: ({ path, isNew, added, removed }) =>
    isNew ? `Creates ${path}: ${lines(added)}` : `Changes ${path}: ${lines(added)} added, ${removed} removed`,
  need: ({ approvers, quorum }, approvedBy) =>
    `Needs ${quorum} of ${approvers.length === 0 ? 'anybody' : approvers.join(', ')}` +
    (approvedBy.length === 0 ? '' : `; approved by ${approvedBy.join(', ')}`),
  timeLeft: (seconds) => `Expires in ${timeOf(seconds)}`,
  expired: 'It has expired. Reject it to go on.',
  redacted: 'Secrets are not shown: what runs has more in it.',
  noDetails: 'The server says nothing about this call: this is how it came with the message.',
  edit: 'Edit',
  editText: (name) => `Change ${name}`,
  editAll: 'Edit all arguments',
  editArgs: 'Arguments, as JSON',
  approveEdit: 'Approve as edited',
  notJson: 'This is not JSON.',
  unchanged: 'Nothing is changed yet.',
  shownEdit: 'It would run like this',
  answered: 'Sent …',
  failed: 'It could not be sent. Try again.',
};

/** The two largest units. */
function timeOf(seconds: number): string {
  const units = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  const first = units.findIndex((count) => count > 0);
  if (first < 0) return '0 s';
  return units
    .map((count, at) => `${count} ${['d', 'h', 'min', 's'][at]}`)
    .slice(first, first + 2)
    .join(' ');
}
