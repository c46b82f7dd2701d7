/** Checked by `tsc`: policies, verdicts, grants and modes. */
import { expectTypeOf } from 'vitest';
import type {
  Gate,
  Grant,
  GrantOffer,
  Policy,
  PolicyDocument,
  PolicyEffect,
  PolicyExplanation,
  PolicyFinding,
  PolicyVerdict,
} from '../../index.js';
import {
  anyOfKind,
  checkPolicy,
  createGate,
  definePolicy,
  explainPolicy,
  fsGlob,
  importPolicy,
  lintPolicy,
  loadPolicy,
  parsePolicy,
  PolicyError,
  shellGlob,
  urlPattern,
} from '../../ts/index.js';

export async function policiesAreReadAndAsked(): Promise<void> {
  const document = {
    version: 1,
    rule: [
      { effect: 'allow', commands: ['git status', ['git', ['log', 'diff']]], examples: { match: ['git status'] } },
    ],
  } as const satisfies PolicyDocument;
  const call = { toolName: 'execute', args: { command: 'ls' } };
  expectTypeOf(parsePolicy('version = 1', { format: 'toml' })).toEqualTypeOf<Policy>();
  expectTypeOf(await loadPolicy('x.toml')).toEqualTypeOf<Policy>();
  expectTypeOf(await checkPolicy(document, call)).toEqualTypeOf<PolicyVerdict>();
  expectTypeOf(await explainPolicy([document, 'preset:developer'], call)).toEqualTypeOf<PolicyExplanation>();
  expectTypeOf(lintPolicy(document)).toEqualTypeOf<PolicyFinding[]>();
  expectTypeOf((await importPolicy('claude-code', '{}')).toml).toEqualTypeOf<string>();
  // @ts-expect-error no such product
  void importPolicy('emacs', '');
  // @ts-expect-error no such preset
  createGate({ policy: 'preset:admin' });
  // @ts-expect-error a version to come
  createGate({ policy: { version: 2 } });
  // @ts-expect-error no such effect
  createGate({ policy: { version: 1, default: 'maybe' } });
}

export function policiesInCode(): void {
  const policy = definePolicy([
    { tools: 'execute', when: [shellGlob('ls'), fsGlob('/tmp/**', { access: 'read' })], effect: 'allow' },
    {
      when: urlPattern('https://*'),
      if: async ({ toolName, args }) => toolName === 'x' && args !== null,
      effect: 'ask',
    },
    { when: anyOfKind('command', 'env'), effect: 'deny', reason: 'no' },
  ]);
  expectTypeOf(policy).toEqualTypeOf<Policy>();
  // @ts-expect-error a function goes into `if`
  definePolicy([{ when: () => true, effect: 'allow' }]);
  // @ts-expect-error no such kind
  anyOfKind('file');
}

export async function gatesWithPolicies(gate: Gate, verdict: PolicyVerdict): Promise<void> {
  createGate({
    policyFiles: true,
    mode: 'plan',
    judge: async (_, { effect }) => (effect === 'ask' ? 'deny' : undefined),
  });
  expectTypeOf(await gate.check({ toolName: 'x', args: {} })).toEqualTypeOf<PolicyVerdict>();
  expectTypeOf(await gate.grants.list()).toEqualTypeOf<Grant[]>();
  await gate.approve('x', { remember: { scope: 'session', expiresIn: 1 } });
  // @ts-expect-error no such scope
  await gate.approve('x', { remember: 'forever' });
  // @ts-expect-error no such mode
  await gate.setMode('turbo');
  expectTypeOf((await gate.pending())[0]?.always.allow).toEqualTypeOf<GrantOffer | null | undefined>();
  for (const action of verdict.actions) {
    expectTypeOf(action.effect).toEqualTypeOf<PolicyEffect>();
    if (action.kind === 'command') expectTypeOf(action.argv).toEqualTypeOf<(string | null)[]>();
    if (action.kind === 'unknown') expectTypeOf(action.reason).toEqualTypeOf<string>();
  }
  const error: unknown = verdict;
  if (PolicyError.isInstance(error)) expectTypeOf(error.problems[0]?.line).toEqualTypeOf<number | null | undefined>();
}
