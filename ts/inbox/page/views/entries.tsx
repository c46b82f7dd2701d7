/** @jsxImportSource preact */
/** The entries of the audit: what happened, the latest first. */
import { effect, signal } from '@preact/signals';
import type { AuditKind } from '../../../../index.js';
import type { EntriesAnswer, ShownEntry } from '../../protocol.js';
import { get } from '../api.js';
import { addressOf, route } from '../state/route.js';
import { faultOf, revision } from '../state/store.js';
import { at } from '../words.js';
import { Given } from './parts.js';

const KINDS: readonly AuditKind[] = [
  'requested',
  'verdict',
  'voted',
  'decided',
  'refused',
  'started',
  'settled',
  'interrupted',
  'granted',
  'grant-revoked',
  'run-started',
  'run-resumed',
  'run-ended',
];

/** `''`: all. */
const kind = signal<AuditKind | ''>('');
const items = signal<readonly ShownEntry[]>([]);
const next = signal<number | null>(null);
const fault = signal<string | null>(null);

async function read(before: number | null): Promise<void> {
  const asked = kind.value;
  try {
    const page = await get<EntriesAnswer>('entries', { kind: asked, before: before === null ? '' : String(before) });
    if (asked !== kind.value) return;
    items.value = before === null ? page.items : [...items.value, ...page.items];
    next.value = page.next;
    fault.value = null;
  } catch (error) {
    fault.value = faultOf(error);
  }
}

const isOpen = signal(false);
effect(() => {
  isOpen.value = route.value.view === 'audit';
});
effect(() => {
  void revision.value;
  void kind.value;
  if (isOpen.value) void read(null);
});

export function Entries() {
  return (
    <section class="entries" aria-labelledby="entries-title">
      <h2 id="entries-title">Entries</h2>
      <select
        class={kind.value === '' ? '' : 'set'}
        aria-label="Only of this kind"
        value={kind.value}
        onChange={({ currentTarget }) => (kind.value = currentTarget.value as AuditKind | '')}
      >
        <option value="">All kinds</option>
        {KINDS.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      {fault.value !== null && <p class="note bad">The entries could not be read: {fault.value}</p>}
      <ol class="rows">
        {items.value.map((entry) => (
          <Entry key={entry.seq} entry={entry} />
        ))}
      </ol>
      {next.value !== null && (
        <button type="button" class="more" onClick={() => void read(next.value)}>
          Show older ones
        </button>
      )}
    </section>
  );
}

function Entry({
  entry: { seq, at: time, kind: what, tool, approvalId, by, what: said, reason },
}: {
  entry: ShownEntry;
}) {
  return (
    <li value={seq}>
      <span class="quiet">{seq}</span> <strong>{what}</strong> {said !== null && <Given>{said}</Given>}{' '}
      {tool !== null &&
        (approvalId === null ? (
          <Given mono>{tool}</Given>
        ) : (
          <a href={addressOf({ view: 'history', id: approvalId })}>
            <Given mono>{tool}</Given>
          </a>
        ))}{' '}
      {by !== null && (
        <>
          by <Given>{by}</Given>{' '}
        </>
      )}
      <span class="quiet">{at(time)}</span>
      {reason !== null && (
        <p class="quiet">
          “<Given>{reason}</Given>”
        </p>
      )}
    </li>
  );
}
