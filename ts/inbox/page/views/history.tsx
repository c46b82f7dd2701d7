/** @jsxImportSource preact */
import { effect, signal } from '@preact/signals';
import type { HistoryAnswer as Page, HistoryItem } from '../../protocol.js';
import { get } from '../api.js';
import { coalesced } from '../state/coalesced.js';
import { go, isSame, NO_FILTERS, route, selected, type ListFilters } from '../state/route.js';
import { faultOf, revision } from '../state/store.js';
import { RowLink, Search } from './list.js';
import { Ago, Empty, Given, Status } from './parts.js';

/** What is looked for; it stands in the address. */
const sought = signal<ListFilters>(NO_FILTERS);
/** `null`: not read yet. */
export const past = signal<readonly HistoryItem[] | null>(null);
const next = signal<string | null>(null);
const fault = signal<string | null>(null);

const LIMIT = '50';

/** What was searched for when it was read. */
let readFor: ListFilters | null = null;

/** The latest. Older ones that were read before stay. */
const read = coalesced(async () => {
  const asked = sought.value;
  try {
    const page = await get<Page>('history', { ...asked, limit: LIMIT });
    if (asked !== sought.value) return;
    const last = page.items.at(-1)?.approvalId;
    const older =
      readFor === asked ? (past.value ?? []).filter((item) => last !== undefined && item.approvalId < last) : [];
    past.value = [...page.items, ...older];
    if (older.length === 0) next.value = page.next;
    fault.value = null;
    readFor = asked;
  } catch (error) {
    fault.value = faultOf(error);
  }
}, 500);

async function readOlder(): Promise<void> {
  const asked = sought.value;
  try {
    const page = await get<Page>('history', { ...asked, limit: LIMIT, before: next.value ?? '' });
    if (asked !== sought.value) return;
    past.value = [...(past.value ?? []), ...page.items];
    next.value = page.next;
  } catch (error) {
    fault.value = faultOf(error);
  }
}

// Only while it is looked at.
const isOpen = signal(false);
effect(() => {
  isOpen.value = route.value.view === 'history';
});
effect(() => {
  const { view, filters } = route.value;
  if (view === 'history' && !isSame(filters, sought.peek())) sought.value = filters;
});
effect(() => {
  void revision.value;
  void sought.value;
  if (isOpen.value) read();
});

const look = (to: Partial<ListFilters>): void =>
  go({ view: 'history', id: selected.value, filters: { ...sought.value, ...to } });

/** By one of the values of what was read. */
function ValueChoice({
  name,
  all,
  valueOf,
}: {
  name: 'tool' | 'by';
  all: string;
  valueOf: (item: HistoryItem) => string | null | undefined;
}) {
  const value = sought.value[name];
  const read = (past.value ?? []).flatMap((item) => valueOf(item) ?? []);
  const values = [...new Set([...(value === '' ? [] : [value]), ...read])];
  return (
    <select
      class={value === '' ? '' : 'set'}
      aria-label={all.replace('All', 'Only of these')}
      value={value}
      onChange={({ currentTarget }) => look({ [name]: currentTarget.value })}
    >
      <option value="">{all}</option>
      {values.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  );
}

/** By one of a few values, each with its words. */
function FixedChoice({
  name,
  all,
  values,
}: {
  name: 'risk' | 'decision';
  all: string;
  values: readonly (readonly [value: string, words: string])[];
}) {
  const value = sought.value[name];
  return (
    <select
      class={value === '' ? '' : 'set'}
      aria-label={all.replace('All', 'Only of these')}
      value={value}
      onChange={({ currentTarget }) => look({ [name]: currentTarget.value })}
    >
      <option value="">{all}</option>
      {values.map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </select>
  );
}

const RISKS = [
  ['high', 'High risk'],
  ['stands-out', 'Stands out'],
  ['nothing', 'Nothing stands out'],
] as const;

const DECISIONS = [
  ['approve', 'Approved'],
  ['edit', 'Approved with changes'],
  ['reject', 'Rejected'],
  ['respond', 'Answered'],
  ['skip', 'Skipped'],
  ['expired', 'Expired'],
  ['cancelled', 'Cancelled'],
] as const;

/** What is over, the latest first. */
export function History() {
  const items = past.value;
  return (
    <section class="list" aria-labelledby="list-title">
      <header>
        <h1 id="list-title">History</h1>
        <Search label="Search the history" value={sought.value.q} onSearch={(q) => look({ q })} />
        <div class="choices">
          <ValueChoice name="tool" all="All tools" valueOf={({ tool }) => tool} />
          <FixedChoice name="decision" all="All decisions" values={DECISIONS} />
          <ValueChoice name="by" all="All people" valueOf={({ decision }) => decision?.by} />
          <FixedChoice name="risk" all="All risks" values={RISKS} />
          {sought.value.run !== '' && (
            <button type="button" onClick={() => look({ run: '' })}>
              All runs
            </button>
          )}
        </div>
      </header>
      {fault.value !== null && <p class="note bad">The history could not be read: {fault.value}</p>}
      {items !== null && items.length > 0 && (
        <ul class="rows">
          {items.map((record) => (
            <Item key={record.approvalId} record={record} />
          ))}
        </ul>
      )}
      {items === null && fault.value === null && <Empty title="Reading what is over…" />}
      {items?.length === 0 && (
        <Empty title={isSame(sought.value, NO_FILTERS) ? 'Nothing is over yet' : 'Nothing that is over fits'} />
      )}
      {next.value !== null && (
        <button type="button" class="more" onClick={() => void readOlder()}>
          Show older ones
        </button>
      )}
    </section>
  );
}

function Item({ record }: { record: HistoryItem }) {
  const { approvalId, decision } = record;
  return (
    <li class="row">
      <RowLink view="history" id={approvalId}>
        <span class="first">
          <span class="tool">
            <Given>{record.kind === 'question' ? 'Question' : record.tool}</Given>
          </span>
          <Status status={record.status} />
        </span>
        <span class="summary">
          <Given mono={record.kind === 'approval'}>{record.summary}</Given>
        </span>
        {decision?.reason != null && (
          <span class="summary">
            “<Given>{decision.reason}</Given>”
          </span>
        )}
        <span class="last">
          {decision?.by != null && <Given>{decision.by}</Given>}
          <Ago time={decision?.at ?? record.createdAt} />
        </span>
      </RowLink>
    </li>
  );
}
