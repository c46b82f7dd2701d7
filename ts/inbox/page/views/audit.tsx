/** @jsxImportSource preact */
import { effect, signal } from '@preact/signals';
import type { AuditState } from '../../protocol.js';
import { get, post } from '../api.js';
import { route } from '../state/route.js';
import { faultOf, revision, session } from '../state/store.js';
import { at, words } from '../words.js';
import { Entries } from './entries.js';
import { Ago, Empty, Given } from './parts.js';

const audit = signal<AuditState | null>(null);
const fault = signal<string | null>(null);
const isVerifying = signal(false);

const isOpen = signal(false);
effect(() => {
  isOpen.value = route.value.view === 'audit';
});
effect(() => {
  void revision.value;
  if (!isOpen.value) return;
  void read();
});

async function read(): Promise<void> {
  try {
    audit.value = await get<AuditState>('audit');
    fault.value = null;
  } catch (error) {
    fault.value = faultOf(error);
  }
}

async function verify(): Promise<void> {
  if (isVerifying.value) return;
  isVerifying.value = true;
  try {
    audit.value = await post<AuditState>('audit/verify', {});
    fault.value = null;
  } catch (error) {
    fault.value = faultOf(error);
  } finally {
    isVerifying.value = false;
  }
}

/** Whether the log of all that was asked, decided and done is as it was written. */
export function Audit() {
  return (
    <section class="report" aria-labelledby="audit-title">
      <h1 id="audit-title">Audit</h1>
      <p class="lead">
        Each request, decision and execution is an entry that carries the hash of the one before it. A change anywhere
        shows.
      </p>
      {fault.value !== null && <p class="note bad">{fault.value}</p>}
      {session.value?.ledger.isDurable === false ? (
        <Empty title="No audit is kept">
          <p>This ledger lives in memory and ends with its process.</p>
        </Empty>
      ) : (
        audit.value !== null && (
          <>
            <Known audit={audit.value} />
            <Entries />
          </>
        )
      )}
    </section>
  );
}

function Known({ audit: { head, report, checkedAt } }: { audit: AuditState }) {
  return (
    <>
      <div class={report === null ? 'verdict-card' : report.ok ? 'verdict-card good' : 'verdict-card bad'}>
        <p class="title" role="status">
          {isVerifying.value ? (
            <>
              <span class="spinner" aria-hidden="true" /> Verifying…
            </>
          ) : report === null ? (
            'Not verified yet'
          ) : report.ok ? (
            <>
              <span aria-hidden="true">✓</span> As it was written
            </>
          ) : (
            <>
              <span aria-hidden="true">✕</span> {words.many(report.faults.length, 'fault')} found
            </>
          )}
        </p>
        {report !== null && (
          <p class="quiet">
            {words.many(report.entries, 'entry', 'entries')} and {words.many(report.records, 'request')} compared
            {checkedAt !== null && (
              <>
                {' '}
                <Ago time={checkedAt} />
              </>
            )}
          </p>
        )}
        <button type="button" class="primary" disabled={isVerifying.value} onClick={() => void verify()}>
          Verify now
        </button>
      </div>
      {report !== null && report.faults.length > 0 && (
        <ol class="faults">
          {report.faults.map(({ seq, record, what }, index) => (
            <li key={index}>
              <Given>{what}</Given>
              <span class="quiet">
                {seq !== null && `entry ${seq}`} {record !== null && <Given mono>{record}</Given>}
              </span>
            </li>
          ))}
        </ol>
      )}
      {head !== null && (
        <dl class="facts">
          <dt>Entries</dt>
          <dd>{head.size}</dd>
          <dt>Last entry</dt>
          <dd>{head.at === null ? 'does not say when' : at(head.at)}</dd>
          <dt>Head</dt>
          <dd>
            <Given mono>{head.hash}</Given>
          </dd>
        </dl>
      )}
      <p class="quiet">
        Whoever can write the ledger can also write a whole new log: only a head that was kept elsewhere tells. Note
        this one down, or let <code>countersign audit</code> sign and keep it.
      </p>
    </>
  );
}
