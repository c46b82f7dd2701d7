/** What the page says. */
import type { ApprovalStatus, DecidedVia, DecisionType, PolicyEffect } from '../../../index.js';
import type { CallSegment, ShownDecision, ShownRecord } from '../protocol.js';

const many = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;

/** Short, for a length of time in ms: `4:05`, `2 h 10 min`, `3 d 4 h`. Below zero it is zero. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 1440)} d ${Math.floor((minutes % 1440) / 60)} h`;
}

/** How long ago, without seconds: what changes each second draws the eye. */
export function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return many(Math.floor(minutes / 1440), 'day') + ' ago';
}

const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

export const at = (time: number): string => FULL.format(time);
export const timeOfDay = (time: number): string => TIME.format(time);

export const STATUS: Readonly<Record<ApprovalStatus, string>> = {
  pending: 'waits',
  approved: 'approved',
  edited: 'approved with changes',
  rejected: 'rejected',
  responded: 'answered',
  skipped: 'skipped',
  expired: 'expired',
  cancelled: 'cancelled',
  started: 'approved, runs',
  succeeded: 'approved, done',
  failed: 'approved, failed',
  interrupted: 'approved, interrupted',
};

/** How a status is coloured. */
export function toneOf(status: ApprovalStatus): 'good' | 'bad' | 'wait' | 'quiet' {
  if (status === 'pending') return 'wait';
  if (status === 'rejected' || status === 'failed' || status === 'interrupted') return 'bad';
  if (status === 'skipped' || status === 'expired' || status === 'cancelled') return 'quiet';
  return 'good';
}

export const EFFECT: Readonly<Record<PolicyEffect, string>> = { allow: 'allowed', ask: 'asks', deny: 'denied' };

export const VIA: Readonly<Record<DecidedVia, string>> = {
  callback: 'in the program',
  gate: 'in the program',
  terminal: 'on a terminal',
  messages: 'in a chat',
  inbox: 'in an inbox',
  link: 'through a link',
  protocol: 'in an editor or client',
  deadline: 'when its time was up',
  abort: 'when the run was stopped',
  system: 'by countersign',
};

const DECIDED: Readonly<Record<ShownDecision['type'], string>> = {
  approve: 'approved',
  edit: 'approved with changes',
  reject: 'rejected',
  respond: 'answered',
  skip: 'skipped',
  expired: 'expired',
  cancelled: 'cancelled',
};

/** What became of what was approved. */
const EXECUTED: Partial<Readonly<Record<ApprovalStatus, string>>> = {
  started: 'it runs',
  succeeded: 'it is done',
  failed: 'it failed',
  interrupted: 'it was interrupted',
};

/** What was decided; while nothing is, that it waits. */
export const decided = ({ status, decision }: ShownRecord): string =>
  decision === null ? STATUS[status] : DECIDED[decision.type];

/** What stands, who said so and when, and what came of it. */
export function standing(record: ShownRecord): string {
  const { status, decision } = record;
  if (decision === null) return STATUS[status];
  const isPerson = decision.by !== null && decision.by !== decision.via;
  const by = isPerson ? ` by ${decision.by}` : '';
  const via = decision.via === null ? '' : ` ${VIA[decision.via]}`;
  const when = decision.at === null ? '' : `, ${at(decision.at)}`;
  const then = EXECUTED[status] === undefined ? '' : `; ${EXECUTED[status]}`;
  return `${decided(record)}${by}${via}${when}${then}`;
}

export const KIND: Readonly<Record<CallSegment['kind'], string>> = {
  command: 'runs',
  read: 'reads',
  write: 'writes',
  url: 'fetches',
  env: 'sets',
  tool: 'uses',
  unknown: 'unclear',
};

/** What a flag of the preview means to who decides. */
const FLAGS: Readonly<Record<string, string>> = {
  ansi: 'Escape sequences, which could rewrite what a terminal shows',
  control: 'Control characters, shown as \\u{…}',
  nul: 'NUL characters, at which some programs stop reading',
  bidi: 'Characters that turn the direction of text: it may run in another order than it reads',
  invisible: 'Invisible characters, shown as \\u{…}',
  'unicode-space': 'Spaces that are not ordinary ones',
  homoglyph: 'Letters of another script that look like Latin ones',
  combining: 'Marks piled on letters',
  long: 'Very long',
  padding: 'A long run of blanks, which could push something out of sight',
  multiline: 'Several lines',
  'odd-key': 'An argument with a strange name',
  hidden: 'A part of it is left out of what is shown: “All of it” has it',
  'right-to-left': 'Words that run from right to left: the order on the screen may not be the order that counts',
};

export const flag = (name: string): string => FLAGS[name] ?? name;

/** Flags that say what a text is like, not that something may be wrong with it. */
const PLAIN = ['long', 'multiline'];

export const isWarning = (name: string): boolean => !PLAIN.includes(name);

export const VERB: Readonly<Record<DecisionType, { label: string; doing: string; key: string }>> = {
  approve: { label: 'Approve', doing: 'Approving…', key: 'y' },
  edit: { label: 'Edit', doing: 'Approving with changes…', key: 'e' },
  reject: { label: 'Reject', doing: 'Rejecting…', key: 'n' },
  respond: { label: 'Answer', doing: 'Answering…', key: 'r' },
  skip: { label: 'Skip', doing: 'Skipping…', key: 'x' },
};

export const approver = (name: string): string => (name.startsWith('group:') ? `anybody of ${name.slice(6)}` : name);

export const words = {
  arrived: (count: number, total: number) =>
    `${many(count, 'new request waits', 'new requests wait')}, ${total} in all`,
  waiting: (count: number) => many(count, 'request waits', 'requests wait'),
  many,
};
