/** @jsxImportSource preact */
/** Why it asks, what it would do part by part, and how the like was decided before. */
import type {
  RequestDetail,
  CallSegment,
  ShownRecord,
  ShownRule,
  ShownVerdict,
  SimilarRequest,
} from '../../protocol.js';
import { addressOf } from '../state/route.js';
import { KIND } from '../words.js';
import { Ago, Effect, Given, Status } from './parts.js';

export function Why({ shown: { record, segments, often } }: { shown: RequestDetail }) {
  const { verdict } = record;
  if (record.kind === 'question') return null;
  const rule = verdict?.effect === 'allow' ? null : (verdict?.rule ?? null);
  return (
    <section class="why" aria-labelledby="why-title">
      <h3 id="why-title">{record.status === 'pending' ? 'Why it asks' : 'Why it asked'}</h3>
      <p class="verdict">
        <Given>{record.why}</Given> {rule !== null && <Rule rule={rule} />}
      </p>
      {often !== null && (
        <p class="note">
          {often}: {record.always.scopes.length > 0 ? 'Always remembers it' : 'a rule would remember it'}
        </p>
      )}
      <Segments segments={segments} more={verdict?.more ?? 0} />
    </section>
  );
}

export function Verdict({ verdict: { effect, reason, rule } }: { verdict: ShownVerdict }) {
  return (
    <p class="verdict">
      <Effect effect={effect} /> <Given>{reason}</Given> {rule !== null && <Rule rule={rule} />}
    </p>
  );
}

/** Where a rule stands: file, line, and whose it is. */
function Rule({ rule: { source, layer, line } }: { rule: ShownRule }) {
  return (
    <span class="rule">
      <Given mono>{line === null ? source : `${source}:${line}`}</Given> <span class="layer">{layer}</span>
    </span>
  );
}

export function Segments({ segments, more }: { segments: readonly CallSegment[]; more: number }) {
  if (segments.length === 0) return null;
  return (
    <ol class="segments" aria-label="What it would do">
      {segments.map(({ kind, text, effect, rule, reason }, index) => (
        <li key={index} class={effect}>
          <span class="kind">{KIND[kind]}</span>
          <span class="what">
            <Given mono>{text}</Given>
            {reason !== null && (
              <span class="reason">
                <Given>{reason}</Given>
              </span>
            )}
          </span>
          <span class="by">
            <Effect effect={effect} />
            {rule === null ? <span class="rule">no rule speaks of it</span> : <Rule rule={rule} />}
          </span>
        </li>
      ))}
      {more > 0 && <li class="more">and {more} more, none stricter than these</li>}
    </ol>
  );
}

export function Similars({ similar }: { similar: readonly SimilarRequest[] }) {
  if (similar.length === 0) return null;
  return (
    <section class="similar" aria-labelledby="similar-title">
      <h3 id="similar-title">Decided before</h3>
      <ul>
        {similar.map(({ approvalId, summary, status, decidedBy, decidedAt, reason, same }) => (
          <li key={approvalId}>
            <a href={addressOf({ view: 'history', id: approvalId })}>
              <Status status={status} />
              <span class="summary">
                <Given mono>{summary}</Given>
                {same && <span class="same">the very same</span>}
                {reason !== null && (
                  <span class="reason">
                    “<Given>{reason}</Given>”
                  </span>
                )}
              </span>
              <span class="when">
                {decidedBy !== null && <Given>{decidedBy}</Given>} {decidedAt !== null && <Ago time={decidedAt} />}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What is needed to speak of it elsewhere. */
export function Ids({ record }: { record: ShownRecord }) {
  return (
    <details class="ids">
      <summary>Ids and digest</summary>
      <dl>
        <dt>Request</dt>
        <dd>
          <Given mono>{record.approvalId}</Given>
        </dd>
        <dt>Run</dt>
        <dd>
          <Given mono>{record.run}</Given>
        </dd>
        <dt>SHA-256 of what is approved</dt>
        <dd>
          <Given mono>{record.digest}</Given>
        </dd>
      </dl>
    </details>
  );
}
