/** @jsxImportSource preact */
import { useState } from 'preact/hooks';
import type { GrantScope, PolicyRule, Remember } from '../../../../index.js';
import type { RequestDetail } from '../../protocol.js';
import { decide } from '../state/answers.js';
import { doubts, mayDecide } from '../state/compose.js';
import { Frame } from './frame.js';
import { Doubts, Given } from './parts.js';

const SCOPES: Readonly<Record<GrantScope, string>> = {
  run: 'while this run lasts',
  session: 'while the program that asks lives',
  always: 'from now on, in its project',
};

/** What would be remembered, shown whole before it is. */
export function Always({ shown, onDone }: { shown: RequestDetail; onDone: () => void }) {
  const { approvalId, always } = shown.record;
  const offers = [
    { type: 'approve', verb: 'Approve', offer: mayDecide(shown, 'approve') ? always.allow : null },
    { type: 'reject', verb: 'Reject', offer: mayDecide(shown, 'reject') ? always.deny : null },
  ] as const;
  const offered = offers.filter(({ offer }) => offer !== null);
  const [type, setType] = useState(offered[0]?.type ?? 'approve');
  const [scope, setScope] = useState(always.scopes[0] ?? 'run');
  const [times, setTimes] = useState('');
  const [exact, setExact] = useState(false);
  const chosen = offered.find((choice) => choice.type === type);
  if (chosen?.offer == null) return null;
  const { offer, verb } = chosen;
  // What the sentence says already is not said again.
  const also = offer.also.filter((each) => !offer.label.includes(each));
  // It lets this call run, too: what stands out in it is said here as it is of a yes alone.
  const stands = type === 'approve' ? doubts(shown) : [];
  return (
    <Frame
      title="Always"
      send={`${verb}${stands.length === 0 ? '' : ' all the same'}, and remember it`}
      isDanger={type === 'reject' || stands.length > 0}
      isSecondLook={stands.length > 0}
      isWhole={TIMES.test(times)}
      onSend={() => {
        onDone();
        void decide(approvalId, { type, remember: rememberedAs(scope, times, exact) });
      }}
      onBack={onDone}
    >
      <Doubts doubts={stands} />
      {offered.length > 1 && (
        <fieldset class="choice">
          <legend>What to remember</legend>
          {offered.map((choice) => (
            <label key={choice.type} class="check">
              <input
                type="radio"
                name="always-type"
                checked={choice.type === type}
                onChange={() => setType(choice.type)}
              />
              <Given>{choice.offer?.label}</Given>
            </label>
          ))}
        </fieldset>
      )}
      {offered.length === 1 && (
        <p class="label">
          <Given>{offer.label}</Given>
        </p>
      )}
      {also.length > 0 && (
        <div class="also">
          <p>It also speaks of:</p>
          <ul>
            {also.map((what) => (
              <li key={what}>
                <Given>{what}</Given>
              </li>
            ))}
          </ul>
        </div>
      )}
      <figure class="code">
        <figcaption>{offer.rules.length === 1 ? 'The rule' : `The ${offer.rules.length} rules`}</figcaption>
        <pre tabIndex={0}>{offer.rules.map((rule) => asToml(rule)).join('\n\n')}</pre>
      </figure>
      <fieldset class="choice">
        <legend>For how long</legend>
        {always.scopes.map((each) => (
          <label key={each} class="check">
            <input type="radio" name="always-scope" checked={each === scope} onChange={() => setScope(each)} />
            {SCOPES[each]}
            {each === 'always' && shown.place !== null && (
              <>
                {': '}
                <Given>{shown.place.project}</Given>
              </>
            )}
          </label>
        ))}
        <label class="check">
          <input
            type="text"
            inputMode="numeric"
            size={4}
            value={times}
            aria-invalid={!TIMES.test(times)}
            onInput={({ currentTarget: { value } }) => setTimes(value.trim())}
          />
          calls at most; empty: any number
        </label>
      </fieldset>
      {offer.rules.some(isBeginning) && (
        <label class="check">
          <input type="checkbox" checked={exact} onChange={({ currentTarget: { checked } }) => setExact(checked)} />
          Only the very words of this call, and nothing that begins like it
        </label>
      )}
    </Frame>
  );
}

/** Nothing, or a number of calls. */
const TIMES = /^(?:[1-9]\d{0,5})?$/;

const rememberedAs = (scope: GrantScope, times: string, exact: boolean): Remember =>
  times === '' && !exact
    ? scope
    : { scope, ...(times === '' ? {} : { times: Number(times) }), ...(exact ? { exact } : {}) };

/** Whether it has the beginning of a command, behind which more words may stand. */
const isBeginning = ({ commands = [] }: PolicyRule): boolean =>
  commands.some((command) => typeof command === 'string' || !('exact' in command));

/** As it would stand in a policy file. */
const asToml = (rule: PolicyRule) =>
  [
    '[[rule]]',
    ...Object.entries(rule)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
  ].join('\n');
