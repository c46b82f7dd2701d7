/** @jsxImportSource preact */
import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { History as Page, HistoryItem } from '../../protocol.js';
import { get } from '../api.js';
import { coalesced } from '../state/coalesced.js';
import { addressOf, route, selected } from '../state/route.js';
import { faultOf, revision } from '../state/store.js';
import { Ago, Empty, Given, Status } from './parts.js';

const sought = signal('');
/** `null`: not read yet. */
export const past = signal<readonly HistoryItem[] | null>(null);
const next = signal<string | null>(null);
const fault = signal<string | null>(null);

const LIMIT = '50';

const read = coalesced(async () => {
  const q = sought.value;
  try {
    const page = await get<Page>('history', { q, limit: LIMIT });
    if (q !== sought.value) return;
    past.value = page.items;
    next.value = page.next;
    fault.value = null;
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
        <Search />
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

function Search() {
  const timer = useRef(0);
  return (
    <div class="search" role="search">
      <input
        id="search"
        type="search"
        aria-label="Search the history"
        placeholder="Search  /"
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        defaultValue={sought.value}
        onInput={({ currentTarget: { value } }) => {
          window.clearTimeout(timer.current);
          timer.current = window.setTimeout(() => {
            sought.value = value.trim();
          }, 200);
        }}
      />
    </div>
  );
}

function Item({ record }: { record: HistoryItem }) {
  const { approvalId, decision } = record;
  const isSelected = selected.value === approvalId;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isSelected) link.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  return (
    <li class="row">
      <a
        ref={link}
        href={addressOf({ view: 'history', id: approvalId })}
        aria-current={isSelected ? 'true' : undefined}
        data-id={approvalId}
      >
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
      </a>
    </li>
  );
}
