/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import type { Detail, InboxItem, Pending } from '../../protocol.js';
import { get } from '../api.js';
import { decideAll } from '../state/answers.js';
import { faultOf, session } from '../state/store.js';
import { isWarning, words } from '../words.js';
import { Frame } from './frame.js';
import { Given } from './parts.js';

/** More are not taken at once. */
const MOST = 100;

const TYPES = ['approve', 'reject', 'skip'] as const;
const LABEL = { approve: 'Approve', reject: 'Reject', skip: 'Skip' } as const;

/** Several requests of one run at once. What has a warning is approved by itself, when it has been looked at. */
export function Together({ shown, onDone }: { shown: Detail; onDone: () => void }) {
  const { runId } = shown.record;
  const [items, setItems] = useState<readonly InboxItem[] | null>(null);
  const [fault, setFault] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [type, setType] = useState<(typeof TYPES)[number]>('approve');
  useEffect(() => {
    get<Pending>('pending', { run: runId }).then(
      (read) => setItems(read.items.slice(0, MOST)),
      (error: unknown) => setFault(faultOf(error)),
    );
  }, [runId]);

  const may = (item: InboxItem) =>
    session.value?.person.mayDecide === true &&
    item.mayDecide.includes(type) &&
    (type !== 'approve' || (item.contents === 'kept' && !item.flags.some((name) => isWarning(name))));
  const ids = (items ?? []).filter((item) => may(item) && chosen.includes(item.approvalId));
  return (
    <Frame
      title="Several of this run"
      send={`${LABEL[type]} ${words.many(ids.length, 'request')}`}
      isDanger={type === 'reject'}
      isWhole={ids.length > 0}
      onSend={() => {
        onDone();
        void decideAll(
          ids.map(({ approvalId }) => approvalId),
          { type },
        );
      }}
      onBack={onDone}
    >
      <fieldset class="choice across">
        <legend class="unseen">What to do</legend>
        {TYPES.map((each) => (
          <label key={each} class="check">
            <input type="radio" name="together-type" checked={each === type} onChange={() => setType(each)} />
            {LABEL[each]}
          </label>
        ))}
        <button
          type="button"
          class="plain"
          onClick={() => setChosen((items ?? []).filter(may).map(({ approvalId }) => approvalId))}
        >
          Choose all
        </button>
      </fieldset>
      {fault !== '' && <p class="note bad">{fault}</p>}
      {items === null && fault === '' && <p class="note">Reading what waits in this run…</p>}
      <ul class="several">
        {items?.map((item) => (
          <li key={item.approvalId}>
            <label class="check">
              <input
                type="checkbox"
                disabled={!may(item)}
                checked={may(item) && chosen.includes(item.approvalId)}
                onChange={({ currentTarget: { checked } }) =>
                  setChosen(
                    checked ? [...chosen, item.approvalId] : chosen.filter((known) => known !== item.approvalId),
                  )
                }
              />
              <span>
                <span class="tool">
                  <Given>{item.tool}</Given>
                </span>
                <Given mono>{item.summary}</Given>
                {!may(item) && <span class="quiet">{whyNot(item)}</span>}
              </span>
            </label>
          </li>
        ))}
      </ul>
    </Frame>
  );
}

const whyNot = (item: InboxItem) =>
  item.mayDecide.length === 0 ? (item.whyNot ?? 'not yours to decide') : 'is decided by itself';
