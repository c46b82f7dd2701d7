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

/** The tools of what was read. */
function ToolChoice() {
  const { tool } = sought.value;
  const tools = [...new Set([...(tool === '' ? [] : [tool]), ...(past.value ?? []).map((item) => item.tool)])];
  return (
    <select
      class={tool === '' ? '' : 'set'}
      aria-label="Only of these tools"
      value={tool}
      onChange={({ currentTarget }) => look({ tool: currentTarget.value })}
    >
      <option value="">All tools</option>
      {tools.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  );
}

function RiskChoice() {
  const { risk } = sought.value;
  return (
    <select
      class={risk === '' ? '' : 'set'}
      aria-label="Only of these risks"
      value={risk}
      onChange={({ currentTarget }) => look({ risk: currentTarget.value })}
    >
      <option value="">All risks</option>
      <option value="high">High risk</option>
      <option value="stands-out">Stands out</option>
    </select>
  );
}

/** What is over, the latest first. */
export function History() {
  const items = past.value;
  return (
    <section class="list" aria-labelledby="list-title">
      <header>
        <h1 id="list-title">History</h1>
        <Search label="Search the history" value={sought.value.q} onSearch={(q) => look({ q })} />
        <div class="choices">
          <ToolChoice />
          <RiskChoice />
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
