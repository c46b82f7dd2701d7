/** @jsxImportSource preact */
/** What can be decided about the request that is shown, and what became of it. */
import type { DecisionType } from '../../../../index.js';
import type { PagePress } from '../../../press/second-look.js';
import type { RequestDetail } from '../../protocol.js';
import { answers, dismiss, isSending, type AnswerResult } from '../state/answers.js';
import {
  approve,
  approveAndGoOn,
  closeSheet,
  isTimeUp,
  mayDecide,
  mayRemember,
  openSheet,
  ready,
  sheet,
} from '../state/compose.js';
import { draftsOf, dropDrafts } from '../state/drafts.js';
import { rows, session } from '../state/store.js';
import { VERB } from '../words.js';
import { Always } from './always.js';
import { Edit } from './edit.js';
import { Given, Key } from './parts.js';
import { Questions } from './questions.js';
import { Respond, SecondLook, WithComment, WithReason } from './sheets.js';
import { Together } from './together.js';

export function Decide({ shown }: { shown: RequestDetail }) {
  const { approvalId } = shown.record;
  const answer = answers.value.get(approvalId);
  return (
    <footer class="decide" aria-label="Decide">
      {answer !== undefined && <Told id={approvalId} answer={answer} />}
      {shown.record.status !== 'pending' && !isSending(approvalId) && <Left id={approvalId} />}
      {!isSending(approvalId) && shown.record.status === 'pending' && <Open shown={shown} />}
    </footer>
  );
}

/** What was being written when it was decided otherwise: it can still be read and copied. */
function Left({ id }: { id: string }) {
  const left = draftsOf(id);
  if (left.length === 0) return null;
  return (
    <div class="left-over">
      {left.map(({ label, text }) => (
        <label key={label} class="field">
          <span class="label">
            {label} <span class="quiet">that you were writing: it was not sent</span>
          </span>
          <textarea readOnly rows={3} value={text} />
        </label>
      ))}
      <button type="button" onClick={() => dropDrafts(id)}>
        Forget it
      </button>
    </div>
  );
}

/** What became of the last decision: on its way, done, or why not. */
function Told({ id, answer }: { id: string; answer: AnswerResult }) {
  // That stands below, wherever somebody has gone meanwhile.
  if (answer.at === 'held') return null;
  if (answer.at === 'sending') {
    return (
      <p class="told sending" role="status">
        <span class="spinner" aria-hidden="true" /> {VERB[answer.type].doing}
      </p>
    );
  }
  return (
    <div class={answer.at === 'done' ? 'told good' : 'told bad'} role={answer.at === 'done' ? 'status' : 'alert'}>
      <p>
        <span aria-hidden="true">{answer.at === 'done' ? '✓' : '✕'}</span> <Given>{answer.text}</Given>
      </p>
      {answer.at === 'failed' && answer.problems.length > 0 && (
        <ul>
          {answer.problems.map(({ path, message }) => (
            <li key={path + message}>
              {path !== '' && <Given mono>{path}</Given>} <Given>{message}</Given>
            </li>
          ))}
        </ul>
      )}
      <button type="button" class="plain" aria-label="Hide this" onClick={() => dismiss(id)}>
        ✕
      </button>
    </div>
  );
}

function Open({ shown }: { shown: RequestDetail }) {
  const { record } = shown;
  const id = record.approvalId;
  const done = closeSheet;
  if (isTimeUp(record)) return <p class="why-not">Its time is up.</p>;
  if (session.value !== null && record.mayDecide.length === 0) {
    return (
      <p class="why-not">
        <Given>{record.whyNot ?? 'You may look at it, not decide it.'}</Given>
      </p>
    );
  }
  switch (sheet.value) {
    case 'approve':
    case 'approve-next':
      return <SecondLook key={sheet.value} shown={shown} how={sheet.value} onDone={done} />;
    case 'reject':
    case 'skip':
      return <WithReason key={sheet.value} id={id} type={sheet.value} onDone={done} />;
    case 'comment':
      return <WithComment shown={shown} onDone={done} />;
    case 'edit':
      return <Edit shown={shown} onDone={done} />;
    case 'respond':
      return shown.questions === null ? (
        <Respond id={id} onDone={done} />
      ) : (
        <Questions id={id} questions={shown.questions} onDone={done} />
      );
    case 'always':
      return <Always shown={shown} onDone={done} />;
    case 'together':
      return <Together shown={shown} onDone={done} />;
    default:
      return <Bar shown={shown} />;
  }
}

/** Not the second of a double click, whose first was about what stood here before. */
const once =
  (act: () => void) =>
  ({ detail }: PagePress) => {
    if (detail <= 1) act();
  };

function Bar({ shown }: { shown: RequestDetail }) {
  const id = shown.record.approvalId;
  const may = (type: DecisionType) => mayDecide(shown, type) && (type !== 'edit' || shown.record.argsJson !== null);
  const isReady = ready.value === id;
  const first: DecisionType = may('approve') ? 'approve' : 'respond';
  // Nothing is marked where it is not proven that it does no harm: the hand must choose.
  const marked = first === 'approve' && !shown.record.harmless ? null : first;
  // Approve may ask for a second look first; all others open a sheet.
  const way = (type: DecisionType) =>
    may(type) && (
      <button
        key={type}
        type="button"
        class={type === marked ? 'primary' : type === 'reject' ? 'danger' : ''}
        disabled={!isReady}
        onClick={once(() => (type === 'approve' ? approve(shown) : openSheet(id, type)))}
      >
        {VERB[type].label} <Key>{VERB[type].key}</Key>
      </button>
    );
  const rest = (['edit', 'respond', 'skip'] as const).filter((type) => type !== first);
  return (
    <div class="bar">
      {shown.record.whyNot !== null && (
        <p class="why-not">
          <Given>{shown.record.whyNot}</Given>
        </p>
      )}
      {way(first)}
      {way('reject')}
      <div class="more-ways">
        {may('approve') && (
          <>
            <button type="button" disabled={!isReady} onClick={once(() => openSheet(id, 'comment'))}>
              Comment… <Key>c</Key>
            </button>
            {rows.value.length > 1 && (
              <button type="button" disabled={!isReady} onClick={once(() => approveAndGoOn(shown))}>
                And the next <Key>Y</Key>
              </button>
            )}
          </>
        )}
        {rest.map(way)}
        {mayRemember(shown) && (
          <button type="button" disabled={!isReady} onClick={once(() => openSheet(id, 'always'))}>
            Always… <Key>s</Key>
          </button>
        )}
        {shown.step.length > 0 && (
          <button
            type="button"
            title="Decide several of this run together"
            disabled={!isReady}
            onClick={once(() => openSheet(id, 'together'))}
          >
            All {shown.step.length + 1}… <Key>t</Key>
          </button>
        )}
      </div>
    </div>
  );
}
