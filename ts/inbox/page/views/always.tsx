/** @jsxImportSource preact */
import { useState } from 'preact/hooks';
import type { GrantScope, PolicyRule } from '../../../../index.js';
import type { RequestDetail } from '../../protocol.js';
import { decide } from '../state/answers.js';
import { mayDecide } from '../state/compose.js';
import { Frame } from './frame.js';
import { Given } from './parts.js';

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
  const chosen = offered.find((choice) => choice.type === type);
  if (chosen?.offer == null) return null;
  const { offer, verb } = chosen;
  return (
    <Frame
      title="Always"
      send={`${verb}, and remember it`}
      isDanger={type === 'reject'}
      onSend={() => {
        onDone();
        void decide(approvalId, { type, remember: scope });
      }}
      onBack={onDone}
    >
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
      {offer.also.length > 0 && (
        <div class="also">
          <p>It also speaks of:</p>
          <ul>
            {offer.also.map((what) => (
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
      </fieldset>
    </Frame>
  );
}

/** As it would stand in a policy file. */
const asToml = (rule: PolicyRule) =>
  [
    '[[rule]]',
    ...Object.entries(rule)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
  ].join('\n');
