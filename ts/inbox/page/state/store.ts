/** What the page knows, and how it comes to know it. What changes it stands in `answers.ts`. */
import { batch, effect, signal, untracked } from '@preact/signals';
import type { RequestDetail, InboxItem, PendingAnswer, RunHead, SessionAnswer } from '../../protocol.js';
import { RefusedError, get, setCsrf } from '../api.js';
import { listen } from '../live.js';
import { standing, words } from '../words.js';
import { coalesced } from './coalesced.js';
import { arrivals, withItems, type ListRow } from './list.js';
import { go, isSame, NO_FILTERS, route, selected, type ListFilters } from './route.js';

export { NO_FILTERS, type ListFilters } from './route.js';

export const session = signal<SessionAnswer | null>(null);
/** Why this person sees nothing; `null`: they do. */
export const locked = signal<string | null>(null);
/** Of what waits; they stand in the address. */
export const filters = signal<ListFilters>(route.value.view === 'waiting' ? route.value.filters : NO_FILTERS);
export const rows = signal<readonly ListRow[]>([]);
/** What was said of the list beside its items; `null` until it was read. */
export const pending = signal<Omit<PendingAnswer, 'items'> | null>(null);
/** What is said of the runs in the list, by their groups. */
export const heads = signal<ReadonlyMap<string, RunHead>>(new Map());
/** Why the list could not be read when that was last tried. */
export const listFault = signal<string | null>(null);
/** The request that is shown: never another than the selected one. */
export const detail = signal<RequestDetail | null>(null);
export const detailFault = signal<string | null>(null);
/** Said to those who do not see the list. */
export const announced = signal('');
/** Goes up with each change, here or elsewhere: what shows what is over reads again. */
export const revision = signal(0);
/** Now, by the server's clock, to the second. */
export const clock = signal(Date.now());

/** The server's clock minus this machine's, in ms. */
let ahead = 0;

export function setClock(now: number): void {
  ahead = now - Date.now();
  clock.value = now;
}

/** What went wrong, in words; a person who is not let in sees that and nothing else. */
export function faultOf(error: unknown): string {
  if (error instanceof RefusedError && error.status === 401) locked.value = error.message;
  return error instanceof Error ? error.message : String(error);
}

export async function readSession(): Promise<void> {
  try {
    const read = await get<SessionAnswer>('session');
    setCsrf(read.csrf);
    batch(() => {
      session.value = read;
      locked.value = null;
      setClock(read.now);
    });
  } catch (error) {
    faultOf(error);
  }
}

/** At least so long, in ms, between two readings of the same. */
const PAUSE = 300;

/** So long, in ms, after a list that could not be read. */
const RETRY = 3000;

/** So long, in ms, must a request be selected before it is read. */
const GLANCE = 40;

/** So long, in ms, until it is asked again what becomes of a run: no change of a request says that a run has ended. */
const GOES_ON = 3000;

/** How many pages of the list are shown. */
let pages = 1;
/** What the rows are in the order of: those of these filters. */
let orderedFor: ListFilters | null = null;
/** What the rows are: those of these filters. */
let shownFor: ListFilters | null = null;

export const readList = coalesced(async () => {
  const asked = filters.value;
  const items: InboxItem[] = [];
  const runs: RunHead[] = [];
  let last: PendingAnswer | undefined;
  try {
    for (let cursor: string | null = '', page = 0; page < pages && cursor !== null; page++) {
      last = await get<PendingAnswer>('pending', { ...asked, cursor });
      items.push(...last.items);
      runs.push(...last.runs);
      cursor = last.next;
    }
  } catch (error) {
    listFault.value = faultOf(error);
    window.setTimeout(readList, RETRY);
    return;
  }
  if (last === undefined || asked !== filters.value) return;
  const { items: _, ...rest } = last;
  batch(() => {
    const before = rows.value;
    rows.value = withItems(before, items, selected.value, orderedFor === asked);
    orderedFor = asked;
    heads.value = new Map(runs.toReversed().map((head) => [head.group, head]));
    pending.value = rest;
    listFault.value = null;
    setClock(rest.now);
    const arrived = arrivals(before, rows.value).length;
    // What another filter shows did not arrive.
    if (shownFor === asked && arrived > 0) announced.value = words.arrived(arrived, rest.total);
    shownFor = asked;
  });
}, PAUSE);

/** One page more. */
export function readMore(): void {
  pages++;
  shownFor = null;
  readList();
}

/** A step of the browser's history leads back to all that waited before. */
export function setFilters(to: Partial<ListFilters>): void {
  go({ view: 'waiting', id: selected.value, filters: { ...filters.value, ...to } });
}

/** The address says what is shown. */
function followAddress(): void {
  const { view, filters: wanted } = route.value;
  if (view !== 'waiting' || isSame(wanted, filters.peek())) return;
  filters.value = wanted;
  pages = 1;
  readList();
}

/** Of two answers, the one to the latest request counts. */
let turns = 0;
let answered = 0;

async function readShown(): Promise<void> {
  const id = selected.value;
  if (id === null) return;
  const turn = ++turns;
  const isCurrent = () => id === selected.value && turn > answered;
  try {
    const read = await get<RequestDetail>(`requests/${encodeURIComponent(id)}`);
    if (!isCurrent()) return;
    answered = turn;
    const { record } = read;
    const isNews = detail.value?.record.status === 'pending' && record.status !== 'pending';
    batch(() => {
      if (isNews) announced.value = `What is shown no longer waits: ${standing(record)}`;
      detail.value = read;
      detailFault.value = null;
      setClock(read.now);
    });
  } catch (error) {
    const fault = faultOf(error);
    if (isCurrent()) detailFault.value = fault;
  }
}

/** Reads what is shown again. */
export const readDetail = coalesced(readShown, PAUSE);

/** Starts to read and to listen, for as long as the page is open. */
export function start(): void {
  window.setInterval(() => {
    clock.value = Date.now() + ahead;
  }, 1000);
  window.setInterval(() => {
    if (detail.value?.run?.status === 'active' && detail.value.record.status !== 'pending') readDetail();
  }, GOES_ON);
  effect(() => {
    const id = selected.value;
    untracked(() => {
      if (detail.value?.record.approvalId !== id) detail.value = null;
      detailFault.value = null;
      // What was kept in its place only while it was selected goes.
      rows.value = rows.value.filter(({ item, gone }) => !gone || item.approvalId === id);
    });
    // A person who goes through the list quickly does not read each of them.
    const timer = window.setTimeout(readShown, GLANCE);
    return () => window.clearTimeout(timer);
  });
  effect(followAddress);
  void readSession();
  listen({
    onAll(now) {
      setClock(now);
      // A server that was started anew has another token, and knows this person or not.
      void readSession();
      readList();
      readDetail();
      revision.value++;
    },
    onChange(ids) {
      readList();
      if (selected.value !== null && ids.includes(selected.value)) readDetail();
      revision.value++;
    },
  });
}
