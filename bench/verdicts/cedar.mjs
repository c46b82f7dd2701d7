// @ts-check
// cedar-wasm: one policy for each rule, parsed once. Cedar reads no shell: it is given the words of each command, and what
// it takes to find them is not in its time. The program is the resource, which Cedar compares before it looks at conditions.

import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { synchronous } from './runner.mjs';
import { rules, strictest } from './task.mjs';

/** @param {import('./task.mjs').PrefixRule} rule */
function policy({ effect, words: [program, ...rest] }) {
  const conditions = rest.map(
    (word, index) => `context has arg${index} && context.arg${index} == ${JSON.stringify(word)}`,
  );
  const when = conditions.length === 0 ? '' : ` when { ${conditions.join(' && ')} }`;
  return `${effect === 'allow' ? 'permit' : 'forbid'}(principal, action == Action::"run", resource == Program::${JSON.stringify(program)})${when};`;
}

/** @param {number} count */
export function judge(count) {
  const id = `rules${count}`;
  const parsed = preparsePolicySet(id, { staticPolicies: rules(count).map(policy).join('\n') });
  if (parsed.type !== 'success') throw new Error(JSON.stringify(parsed.errors));
  const principal = { type: 'Agent', id: 'agent' };
  const action = { type: 'Action', id: 'run' };
  return (/** @type {import('./task.mjs').Line} */ { commands }) =>
    strictest(
      commands.map(([program, ...rest]) => {
        const answer = statefulIsAuthorized({
          principal,
          action,
          resource: { type: 'Program', id: program },
          context: Object.fromEntries(rest.map((word, index) => [`arg${index}`, word])),
          preparsedPolicySetId: id,
          entities: [],
        });
        if (answer.type !== 'success') throw new Error(JSON.stringify(answer.errors));
        const { decision, diagnostics } = answer.response;
        if (decision === 'allow') return 'allow';
        // A denial that no policy is named for is what Cedar says where nothing matches.
        return diagnostics.reason.length > 0 ? 'deny' : 'ask';
      }),
    );
}

export const run10 = synchronous(() => judge(10));
export const run100 = synchronous(() => judge(100));
export const run1000 = synchronous(() => judge(1_000));
export const run10000 = synchronous(() => judge(10_000));
