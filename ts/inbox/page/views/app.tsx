/** @jsxImportSource preact */
import { notifies, toggleNotifies } from '../calling.js';
import { connection } from '../live.js';
import { route, selected, type PageView } from '../state/route.js';
import { heldNow } from '../state/answers.js';
import { announced, clock, locked, pending, session } from '../state/store.js';
import { VERB } from '../words.js';
import { Audit } from './audit.js';
import { Help, isHelpOpen } from './help.js';
import { History } from './history.js';
import { Empty, Given, Key, Mark } from './parts.js';
import { Request } from './request.js';
import { Suggestions } from './suggestions.js';
import { Waiting } from './waiting.js';

export function App() {
  const { view } = route.value;
  if (locked.value !== null) return <Locked why={locked.value} />;
  return (
    <div class={selected.value === null ? 'app' : 'app open'}>
      <Head />
      <Connection />
      <main class={view}>
        {view === 'audit' ? (
          <Audit />
        ) : view === 'suggestions' ? (
          <Suggestions />
        ) : (
          <>
            {view === 'waiting' ? <Waiting /> : <History />}
            <Request />
          </>
        )}
      </main>
      <Held />
      <p class="unseen" role="status" aria-live="polite">
        {announced.value}
      </p>
      <Help />
    </div>
  );
}

/** What is about to be sent, and the way back. */
function Held() {
  return (
    <div class="held" role="status">
      {heldNow.value.map(({ type, until, takeBack }) => (
        <p key={until}>
          {VERB[type].doing.replace('…', '')} {secondsTo(until)}
          <button type="button" onClick={takeBack}>
            Undo <Key>z</Key>
          </button>
        </p>
      ))}
    </div>
  );
}

/** Goes with the clock of the page. */
function secondsTo(until: number): string {
  void clock.value;
  return `in ${Math.max(0, Math.ceil((until - Date.now()) / 1000))} s`;
}

function Locked({ why }: { why: string }) {
  return (
    <main class="locked">
      <Empty title="You are not signed in" isPage>
        <p>
          <Given>{why}</Given>
        </p>
      </Empty>
    </main>
  );
}

const VIEWS: readonly (readonly [PageView, string])[] = [
  ['waiting', 'Waiting'],
  ['history', 'History'],
  ['audit', 'Audit'],
  ['suggestions', 'Suggestions'],
];

function Head() {
  const total = pending.value?.total;
  return (
    <header class="top">
      <a class="brand" href="#/waiting" aria-label="countersign">
        <Mark /> <span>countersign</span>
      </a>
      <nav aria-label="Views">
        {VIEWS.map(([view, label]) => (
          <a key={view} href={`#/${view}`} aria-current={route.value.view === view ? 'page' : undefined}>
            {label}
            {view === 'waiting' && total !== undefined && total > 0 && <span class="count">{total}</span>}
          </a>
        ))}
      </nav>
      <div class="who">
        {session.value !== null && (
          <span class="person" title={session.value.person.groups.join(', ')}>
            <Given>{session.value.person.name}</Given>
            {!session.value.person.mayDecide && <span class="quiet"> looks on</span>}
          </span>
        )}
        {notifies.value !== null && (
          <button
            type="button"
            class="plain"
            aria-pressed={notifies.value}
            title="A notification for what comes while you do not look"
            onClick={() => void toggleNotifies()}
          >
            {notifies.value && <span aria-hidden="true">✓ </span>}
            Notify me
          </button>
        )}
        <button type="button" class="plain" aria-label="Keys" onClick={() => (isHelpOpen.value = true)}>
          ?
        </button>
      </div>
    </header>
  );
}

const SAID = {
  lost: 'Not connected. What you see may be out of date; it is tried again…',
  closed: 'The inbox was closed. What you see may be out of date; it is tried again…',
} as const;

/** Says so when the page is not told of changes. */
function Connection() {
  const state = connection.value;
  return (
    <div class="connection" role="status" data-state={state}>
      {(state === 'lost' || state === 'closed') && (
        <p>
          <span aria-hidden="true">◌</span> {SAID[state]}
        </p>
      )}
    </div>
  );
}
