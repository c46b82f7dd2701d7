/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import type { RequestDetail, InboxItem, PendingAnswer } from '../../protocol.js';
import { get } from '../api.js';
import { decideAll } from '../state/answers.js';
import { doubts } from '../state/compose.js';
import { faultOf, session } from '../state/store.js';
import { words } from '../words.js';
import { Frame } from './frame.js';
import { Given } from './parts.js';
import { Preview } from './preview.js';

/** More are not taken at once. */
const MOST = 100;

const TYPES = ['approve', 'reject', 'skip'] as const;
const LABEL = { approve: 'Approve', reject: 'Reject', skip: 'Skip' } as const;

/** Several requests of one run at once, each with its call. What stands out is approved alone. */
export function Together({ shown, onDone }: { shown: RequestDetail; onDone: () => void }) {
  const { runId } = shown.record;
  const [items, setItems] = useState<readonly InboxItem[] | null>(null);
  const [details, setDetails] = useState<ReadonlyMap<string, RequestDetail>>(new Map());
  const [fault, setFault] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [type, setType] = useState<(typeof TYPES)[number]>('approve');
  useEffect(() => {
    let isOver = false;
    const read = async () => {
      const waiting = (await get<PendingAnswer>('pending', { run: runId })).items.slice(0, MOST);
      setItems(waiting);
      for (const { approvalId } of waiting) {
        if (isOver) return;
        const detail = await get<RequestDetail>(`requests/${encodeURIComponent(approvalId)}`);
        setDetails((known) => new Map([...known, [approvalId, detail]]));
      }
    };
    read().catch((error: unknown) => setFault(faultOf(error)));
    return () => {
      isOver = true;
    };
  }, [runId]);

  const may = (item: InboxItem) => whyNot(item, details.get(item.approvalId), type) === null;
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
        <button
          type="button"
          class="plain"
          onClick={() =>
            setChosen(
              (items ?? [])
                .filter((item) => item.tool === shown.record.tool && may(item))
                .map(({ approvalId }) => approvalId),
            )
          }
        >
          Choose those of <Given>{shown.record.tool}</Given>
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
                {!may(item) && <span class="quiet">{whyNot(item, details.get(item.approvalId), type)}</span>}
              </span>
            </label>
            <Call detail={details.get(item.approvalId)} />
          </li>
        ))}
      </ul>
    </Frame>
  );
}

/** Why this one is not among them; `null`: it may be. */
function whyNot(item: InboxItem, detail: RequestDetail | undefined, type: (typeof TYPES)[number]): string | null {
  if (session.value?.person.mayDecide !== true) return 'You may look, not decide';
  if (!item.mayDecide.includes(type)) return item.whyNot ?? 'Decide this one separately';
  if (type !== 'approve') return null;
  if (detail === undefined) return 'Is being read…';
  const [doubt] = doubts(detail);
  return doubt === undefined ? null : `Approve this one separately. ${doubt}`;
}

function Call({ detail }: { detail: RequestDetail | undefined }) {
  if (detail === undefined || detail.record.kind === 'question') return null;
  return (
    <details class="call">
      <summary>The call</summary>
      <Preview text={detail.record.preview} />
    </details>
  );
}
