/** What is about to be decided. It belongs to one request, and does not go over to the next one that is shown. */
import { computed, effect, signal } from '@preact/signals';
import type { DecisionType } from '../../../../index.js';
import { isSecondYes, type PagePress, type ShownLook } from '../../../press/second-look.js';
import type { RequestDetail, ShownRecord } from '../../protocol.js';
import { flag, isWarning } from '../words.js';
import { decide, isSending } from './answers.js';
import { stepFrom } from './list.js';
import { go } from './route.js';
import { clock, detail, rows, session } from './store.js';

/** `approve-next`: the next request follows. */
export type ComposeSheet = DecisionType | 'approve-next' | 'always' | 'together' | 'comment';

const opened = signal<({ id: string; sheet: ComposeSheet } & ShownLook) | null>(null);

/** Whether a second yes came too early to the sheet that is open. */
export const isTooEarly = signal(false);

/** The sheet that is open for the request that is shown. */
export const sheet = computed<ComposeSheet | null>(() =>
  opened.value !== null && opened.value.id === detail.value?.record.approvalId ? opened.value.sheet : null,
);

export const openSheet = (id: string, sheet: ComposeSheet): void => {
  opened.value = { id, sheet, since: performance.now() };
  isTooEarly.value = false;
};
export const closeSheet = (): void => {
  opened.value = null;
};

/** Whether a press is the second yes to what the sheet says. One that comes too early begins its time anew, and that is said. */
export function isYesToSheet(press: PagePress): boolean {
  const open = opened.value;
  if (open === null) return false;
  const isMeant = isSecondYes(open, press);
  isTooEarly.value = !isMeant;
  return isMeant;
}

/** The id of the request whose call is shown where there are diffs to show. */
export const callOf = signal<string | null>(null);

/** So long, in ms, must a request have been in sight before it can be decided: a click or a key meant for another does nothing. */
const IN_SIGHT = 400;

/** The id of the request that has been in sight for long enough. */
export const ready = signal<string | null>(null);
const shownId = computed(() => detail.value?.record.approvalId ?? null);
/** Goes up with each key that came too early. */
const tooEarly = signal(0);
effect(() => {
  const id = shownId.value;
  void tooEarly.value;
  ready.value = null;
  if (id === null) return;
  const timer = window.setTimeout(() => {
    ready.value = id;
  }, IN_SIGHT);
  return () => window.clearTimeout(timer);
});

/** A key was pressed. While a request cannot be decided yet, what is typed on must not decide it either: its time begins anew. */
export function keyPressed(): void {
  if (ready.value !== shownId.value) tooEarly.value++;
}

/** By this clock; the inbox' own decides. */
export const isTimeUp = ({ expiresAt }: ShownRecord): boolean => expiresAt !== null && expiresAt <= clock.value;

/** What this person may decide about it here and now. */
export function mayDecide({ record }: RequestDetail, type: DecisionType): boolean {
  if (session.value?.person.mayDecide !== true || record.status !== 'pending' || isTimeUp(record)) return false;
  return record.mayDecide.includes(type);
}

export const mayRemember = (shown: RequestDetail): boolean => {
  const { allow, deny, scopes } = shown.record.always;
  if (scopes.length === 0) return false;
  return (allow !== null && mayDecide(shown, 'approve')) || (deny !== null && mayDecide(shown, 'reject'));
};

/** Why this one wants a second look, each in a few words; none: nothing stands out. */
export function doubts({ record, segments }: RequestDetail): string[] {
  const doubts = record.dangers.map((danger) => `I${danger.slice(1)}`);
  doubts.push(...record.flags.filter((name) => isWarning(name)).map((name) => flag(name)));
  for (const { kind, text, reason } of segments) {
    if (kind === 'unknown') doubts.push(`Part of it cannot be proven: ${reason ?? text}`);
  }
  if (record.contents !== 'kept') doubts.push('Parts of it are not shown here');
  return [...new Set(doubts)];
}

/** Approves what is shown, at once where nothing stands out; else it asks once more. */
export const approve = (shown: RequestDetail): void => approveBy('approve', shown);

/** As {@link approve}, and then the next one: what it is shall be seen, so it is decided by a step of its own. */
export const approveAndGoOn = (shown: RequestDetail): void => approveBy('approve-next', shown);

export type ApproveSheet = 'approve' | 'approve-next';

function approveBy(how: ApproveSheet, shown: RequestDetail): void {
  const id = shown.record.approvalId;
  if (ready.value !== id || isSending(id) || !mayDecide(shown, 'approve')) return;
  if (doubts(shown).length > 0) openSheet(id, how);
  else approveNow(how, id);
}

/** The yes that is sent: nothing stands out, or it was looked at twice. */
export function approveNow(how: ApproveSheet, id: string): void {
  const next = [1, -1].map((by) => stepFrom(rows.value, id, by)).find((each) => each !== null && each !== id) ?? null;
  void decide(id, { type: 'approve' });
  if (how === 'approve-next' && isSending(id) && next !== null) go({ view: 'waiting', id: next }, { replace: true });
}
