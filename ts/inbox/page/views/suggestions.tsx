/** @jsxImportSource preact */
import { effect, signal } from '@preact/signals';
import type { AcceptAnswer, ShownSuggestion, SuggestionAnswer } from '../../protocol.js';
import { get, post } from '../api.js';
import { route } from '../state/route.js';
import { faultOf } from '../state/store.js';
import { words } from '../words.js';
import { Empty, Given } from './parts.js';

const answer = signal<SuggestionAnswer | null>(null);
const fault = signal<string | null>(null);
const accepted = signal<AcceptAnswer | null>(null);
const trusts = signal(false);
const isSending = signal(false);

const isOpen = signal(false);
effect(() => {
  isOpen.value = route.value.view === 'suggestions';
});
// It is read when somebody comes to look: the whole history is judged for it.
effect(() => {
  if (isOpen.value) void read();
});

async function read(): Promise<void> {
  answer.value = null;
  accepted.value = null;
  trusts.value = false;
  try {
    answer.value = await get<SuggestionAnswer>('suggestions');
    fault.value = null;
  } catch (error) {
    fault.value = faultOf(error);
  }
}

async function accept({ digest }: ShownSuggestion): Promise<void> {
  if (isSending.value) return;
  isSending.value = true;
  try {
    accepted.value = await post<AcceptAnswer>('suggestions', { digest, trust: trusts.value });
    fault.value = null;
  } catch (error) {
    fault.value = faultOf(error);
  } finally {
    isSending.value = false;
  }
}

/** Rules that would have saved questions, to be accepted. */
export function Suggestions() {
  return (
    <section class="report" aria-labelledby="suggestions-title">
      <h1 id="suggestions-title">Suggestions</h1>
      <p class="lead">
        Rules for the policy of this project, from what was answered in it. Each is tried on the whole history: none
        lets through what somebody did not let through.
      </p>
      {fault.value !== null && <p class="note bad">{fault.value}</p>}
      {answer.value === null && fault.value === null && <p class="note">Reading the history…</p>}
      {answer.value !== null && <Answer answer={answer.value} />}
    </section>
  );
}

function Answer({ answer: { suggestion, whyNot } }: { answer: SuggestionAnswer }) {
  if (accepted.value !== null) return <Accepted accepted={accepted.value} />;
  if (suggestion === null)
    return (
      <Empty title="No suggestion">
        <p>
          <Given>{whyNot ?? ''}</Given>
        </p>
      </Empty>
    );
  const { offers, leftOut, proof, diff, file, mayTrust } = suggestion;
  return (
    <>
      {offers.length === 0 ? (
        <Empty title="Nothing to suggest">
          {proof.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </Empty>
      ) : (
        <>
          <ul class="several">
            {offers.map(({ effect: does, label, saves }) => (
              <li key={label}>
                {does} <Given mono>{label}</Given>{' '}
                <span class="quiet">would have saved {words.many(saves, 'question')}</span>
              </li>
            ))}
          </ul>
          <ul>
            {proof.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
          <figure class="code">
            <figcaption>
              <Given>{file}</Given>
            </figcaption>
            <pre tabIndex={0}>{diff.join('\n')}</pre>
          </figure>
          {mayTrust ? (
            <label class="check">
              <input
                type="checkbox"
                checked={trusts.value}
                onChange={({ currentTarget: { checked } }) => (trusts.value = checked)}
              />
              Trust the file as it then is, so that its allows count
            </label>
          ) : (
            <p class="note">
              The file is not trusted: read all of it, then run <code>countersign policy trust</code>.
            </p>
          )}
          <button type="button" class="primary" disabled={isSending.value} onClick={() => void accept(suggestion)}>
            Write these rules
          </button>
        </>
      )}
      {leftOut.length > 0 && (
        <div class="also">
          <p>Left out:</p>
          <ul>
            {leftOut.map(({ label, why }) => (
              <li key={label}>
                <Given mono>{label}</Given> <span class="quiet">{why}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function Accepted({ accepted: { file, trusted } }: { accepted: AcceptAnswer }) {
  return (
    <div class="verdict-card good">
      <p class="title" role="status">
        <span aria-hidden="true">✓</span> Written
      </p>
      <p class="quiet">
        <Given>{file}</Given>{' '}
        {trusted ? 'is trusted as it is now.' : 'allows nothing more until it is trusted: countersign policy trust.'}
      </p>
    </div>
  );
}
