/** @jsxImportSource preact */
import { effect, signal } from '@preact/signals';
import type { HistoryAnswer as Page, HistoryItem } from '../../protocol.js';
import { get } from '../api.js';
import { coalesced } from '../state/coalesced.js';
import { route } from '../state/route.js';
import { faultOf, revision } from '../state/store.js';
import { RowLink, Search } from './list.js';
import { Ago, Empty, Given, Status } from './parts.js';

const sought = signal('');
/** `null`: not read yet. */
export const past = signal<readonly HistoryItem[] | null>(null);
const next = signal<string | null>(null);
const fault = signal<string | null>(null);

const LIMIT = '50';

/** What was searched for when it was read. */
let readFor: string | null = null;

/** The latest. Older ones that were read before stay. */
const read = coalesced(async () => {
  const q = sought.value;
  try {
    const page = await get<Page>('history', { q, limit: LIMIT });
    if (q !== sought.value) return;
    const last = page.items.at(-1)?.approvalId;
    const older =
      readFor === q ? (past.value ?? []).filter((item) => last !== undefined && item.approvalId < last) : [];
    past.value = [...page.items, ...older];
    if (older.length === 0) next.value = page.next;
    fault.value = null;
    readFor = q;
  } catch (error) {
    fault.value = faultOf(error);
  }
}, 500);

async function readOlder(): Promise<void> {
  const q = sought.value;
  try {
    const page = await get<Page>('history', { q, limit: LIMIT, before: next.value ?? '' });
    if (q !== sought.value) return;
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
  void revision.value;
  void sought.value;
  if (isOpen.value) read();
});

/** What is over, the latest first. */
export function History() {
  const items = past.value;
  return (
    <section class="list" aria-labelledby="list-title">
      <header>
        <h1 id="list-title">History</h1>
        <Search label="Search the history" value={sought.value} onSearch={(q) => (sought.value = q)} />
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
        <Empty title={sought.value === '' ? 'Nothing is over yet' : 'Nothing that is over fits'} />
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
        <span class="last">
          {decision?.by != null && <Given>{decision.by}</Given>}
          <Ago time={decision?.at ?? record.createdAt} />
        </span>
      </RowLink>
    </li>
  );
}
