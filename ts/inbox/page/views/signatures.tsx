/** @jsxImportSource preact */
import type { ShownNeed, ShownRecord } from '../../protocol.js';
import { clock } from '../state/store.js';
import { VIA, approver, at, duration } from '../words.js';
import { Ago, Given } from './parts.js';

/** Who has signed, and who still has to: a line for each signature. */
export function Signatures({ record }: { record: ShownRecord }) {
  const { needs, votes, decision, status } = record;
  const isOver = status !== 'pending';
  if (needs.length === 0 && votes.length === 0) return null;
  return (
    <section class="signatures" aria-labelledby="signatures-title">
      <h3 id="signatures-title">Signatures</h3>
      {needs.map((need, index) => (
        <Need key={index} need={need} isOver={isOver} />
      ))}
      <ul class="lines">
        {votes.map(({ by, via, at: time, reason }) => (
          <li key={by} class="line signed">
            <span class="name">
              <Given>{by}</Given>
            </span>
            <span class="under">
              {VIA[via]}, <Ago time={time} />
              {reason !== null && (
                <>
                  : “<Given>{reason}</Given>”
                </>
              )}
            </span>
          </li>
        ))}
        {!isOver &&
          Array.from({ length: missing(needs) }, (_, index) => (
            <li key={index} class="line open">
              <span class="name" />
              <span class="under">not signed yet</span>
            </li>
          ))}
      </ul>
      {isOver && decision?.by != null && votes.length === 0 && (
        <p class="quiet">
          Decided by <Given>{decision.by}</Given>.
        </p>
      )}
    </section>
  );
}

/** The fewest people who have yet to sign: one person may count for several needs. */
const missing = (needs: readonly ShownNeed[]) =>
  Math.max(0, ...needs.map(({ quorum, approved }) => Math.min(8, quorum - (approved ?? 0))));

function Need({ need: { approvers, quorum, approved, excludeRequester, escalate }, isOver }: NeedProps) {
  return (
    <p class="need">
      <strong>
        {approved ?? '?'} of {quorum}
      </strong>{' '}
      {approvers.length === 0 ? (
        'anybody who gives a name'
      ) : (
        <>
          {quorum > approvers.length ? 'from ' : ''}
          {approvers.map((name, index) => (
            <span key={name}>
              {index > 0 && ', '}
              <Given>{approver(name)}</Given>
            </span>
          ))}
        </>
      )}
      {excludeRequester && <span class="quiet"> · not who asked for the run</span>}
      {escalate !== null && !isOver && <Escalation {...escalate} />}
    </p>
  );
}

interface NeedProps {
  need: ShownNeed;
  isOver: boolean;
}

function Escalation({ at: time, to }: { at: number; to: readonly string[] }) {
  const names = to.map(approver).join(', ');
  const left = time - clock.value;
  return (
    <span class="quiet" title={at(time)}>
      {' '}
      · {left > 0 ? `in ${duration(left)} also` : 'now also'} <Given>{names}</Given>
    </span>
  );
}
