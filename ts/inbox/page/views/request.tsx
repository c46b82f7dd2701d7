/** @jsxImportSource preact */
import type { RequestDetail } from '../../protocol.js';
import { callOf } from '../state/compose.js';
import { addressOf, route, selected } from '../state/route.js';
import { detail, detailFault } from '../state/store.js';
import { readDiff } from '../shown-diff.js';
import { flag, isWarning, standing } from '../words.js';
import { Decide } from './decide.js';
import { Diff } from './diff.js';
import { Ago, Empty, Given, Key, Origin, Status, TimeLeft } from './parts.js';
import { Asked } from './questions.js';
import { Signatures } from './signatures.js';
import { Preview } from './preview.js';
import { Ids, Similars, Why } from './why.js';

/** The request that is selected, whole. */
export function Request() {
  const shown = detail.value;
  if (selected.value === null) {
    return (
      <div class="request none">
        <Empty title="Choose a request">
          <p>
            <kbd>j</kbd> and <kbd>k</kbd> go through the list, <kbd>?</kbd> lists all keys.
          </p>
        </Empty>
      </div>
    );
  }
  if (shown === null) {
    return (
      <div class="request none">
        <Back />
        {detailFault.value === null ? (
          <Empty title="Reading the request…" />
        ) : (
          <Empty title="It cannot be shown">
            <p>{detailFault.value}</p>
          </Empty>
        )}
      </div>
    );
  }
  // A whole new tree for each request: nothing that was typed, pressed or scrolled goes over from one to another.
  return <Whole key={shown.record.approvalId} shown={shown} />;
}

function Back() {
  return (
    <>
      {/* Where there is one thing at a time, the list and its heading are not there. */}
      <h1 class="unseen alone">{route.value.view === 'history' ? 'A request that is over' : 'A request that waits'}</h1>
      <a class="back" href={addressOf({ view: route.value.view, id: null })}>
        <span aria-hidden="true">←</span> All
      </a>
    </>
  );
}

function Whole({ shown }: { shown: RequestDetail }) {
  const { record } = shown;
  return (
    <article class="request" aria-labelledby="request-title" data-id={record.approvalId}>
      <div class="scroll">
        <div class="sheet">
          <Back />
          <Head shown={shown} />
          <Run shown={shown} />
          {detailFault.value !== null && <p class="note bad">It could not be read again: {detailFault.value}</p>}
          <Warnings shown={shown} />
          {record.kind === 'approval' ? <Contents shown={shown} /> : <Asked questions={shown.questions ?? []} />}
          <Signatures record={record} />
          <Why shown={shown} />
          <Similars similar={shown.similar} />
          <Ids record={record} />
        </div>
      </div>
      <Decide shown={shown} />
    </article>
  );
}

function Head({ shown: { record, becomes, gave } }: { shown: RequestDetail }) {
  const isPending = record.status === 'pending';
  return (
    <header class="head">
      <div class="kicker">
        <span class="tool">
          <Given>{record.kind === 'question' ? 'Question' : record.tool}</Given>
        </span>
        <Origin origin={record.origin} />
        {isPending ? <TimeLeft from={record.createdAt} until={record.expiresAt} /> : <Status status={record.status} />}
      </div>
      <h2 id="request-title" tabIndex={-1}>
        <Given mono={record.kind === 'approval'}>
          {record.changes.length === 0 ? record.summary : record.changes.map(({ path }) => path).join(', ')}
        </Given>
      </h2>
      <p class="asked">
        Asked <Ago time={record.createdAt} />
        {record.requester !== null && (
          <>
            {' '}
            for <Given>{record.requester}</Given>
          </>
        )}
      </p>
      {record.description !== '' && !record.description.startsWith(`Run tool "${record.tool}"?`) && (
        <p class="description">
          <Given>{record.description}</Given>
        </p>
      )}
      {record.agentSays !== null && (
        <p class="says">
          <Given>{record.agentSays}</Given>
        </p>
      )}
      {!isPending && (
        <p class={`outcome ${record.status}`}>
          <Given>{capital(standing(record))}</Given>
          {record.decision?.reason != null && (
            <>
              . “<Given>{record.decision.reason}</Given>”
            </>
          )}
          {becomes !== '' && (
            <>
              ; <Given>{becomes}</Given>
            </>
          )}
        </p>
      )}
      {record.decision?.text != null && (
        <figure class="code">
          <figcaption>{record.decision.type === 'edit' ? 'It ran with' : 'The model got'}</figcaption>
          <pre tabIndex={0}>{record.decision.text}</pre>
        </figure>
      )}
      {gave !== null && (
        <figure class="code">
          <figcaption>{record.status === 'failed' ? 'It failed with' : 'The tool gave back'}</figcaption>
          <pre tabIndex={0}>{gave}</pre>
        </figure>
      )}
    </header>
  );
}

/** Where the call came from, what its run was given to do, and what that did before. */
function Run({ shown: { run, place } }: { shown: RequestDetail }) {
  if (place === null && (run === null || (run.prompt === null && run.steps.length === 0))) return null;
  return (
    <section class="run" aria-label="The run that asks">
      {place !== null && (
        <p>
          <span class="label">Project</span> <Given mono>{place.project}</Given>
          {place.folder !== place.project && (
            <>
              {' '}
              <span class="label">Folder</span> <Given mono>{place.folder}</Given>
            </>
          )}
        </p>
      )}
      {run !== null && run.prompt !== null && (
        <p>
          <span class="label">Prompt</span> <Given>{run.prompt}</Given>
        </p>
      )}
      {run !== null && run.steps.length > 0 && (
        <details>
          <summary>What it called before</summary>
          <ol>
            {run.steps.map((step, index) => (
              <li key={index}>
                <Given mono>{step}</Given>
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function Warnings({ shown: { record } }: { shown: RequestDetail }) {
  const warnings = record.flags.filter((name) => isWarning(name));
  const dangers = record.status === 'pending' ? record.dangers : [];
  if (warnings.length + dangers.length === 0 && record.contents === 'kept') return null;
  return (
    <section class="warnings" aria-label="Warnings">
      <ul>
        {dangers.map((danger) => (
          <li key={danger}>{capital(danger)}</li>
        ))}
        {warnings.map((name) => (
          <li key={name}>{flag(name)}</li>
        ))}
        {record.contents === 'redacted' && <li>Parts were taken out before it was stored: you do not see all of it</li>}
        {record.contents === 'dropped' && <li>Its arguments are no longer kept</li>}
      </ul>
    </section>
  );
}

/** What would run: the diffs of the files that it would change, or the call itself. */
function Contents({ shown: { record } }: { shown: RequestDetail }) {
  const { approvalId, changes, preview, whole } = record;
  const isCall = changes.length === 0 || callOf.value === approvalId;
  return (
    <section class="contents" aria-label="What would run">
      {changes.length > 0 && (
        <div class="tabs">
          <button type="button" aria-pressed={!isCall} onClick={() => (callOf.value = null)}>
            Changes
          </button>
          <button type="button" aria-pressed={isCall} onClick={() => (callOf.value = approvalId)}>
            Call
          </button>
          <Key>d</Key>
        </div>
      )}
      {isCall ? (
        <Preview text={preview} />
      ) : (
        changes.map(({ path, before, added, removed, diff }) => (
          <figure key={path} class="change">
            <figcaption>
              <Given mono>{path}</Given>
              {before === null && <span class="pill quiet">new file</span>}
              <span class="sums">
                <span class="added">+{added}</span> <span class="removed">−{removed}</span>
              </span>
            </figcaption>
            <Diff rows={readDiff(diff)} label={`Changes of ${path}`} />
          </figure>
        ))
      )}
      {whole !== null && (
        <details class="whole">
          <summary>All of it</summary>
          <Preview text={whole} />
        </details>
      )}
    </section>
  );
}
