/** Policies on the path of a call: in a run, beside `interruptOn`, with functions, modes and narrowing. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { PolicyDocument, PolicyEffect, PolicyMode } from '../../index.js';
import { createGate, definePolicy, InvalidConfigError, ModeForbiddenError, shellGlob } from '../../ts/index.js';
import { call, calls, says } from '../support/model.js';
import { play } from '../support/play.js';
import { scratch, usualTools } from './support.js';

const policy: PolicyDocument = {
  version: 1,
  rule: [
    { effect: 'allow', commands: ['git status', 'npm test'] },
    { effect: 'deny', commands: ['rm'], reason: 'nothing is deleted' },
    { effect: 'allow', tools: 'deploy' },
  ],
};

const execute = (command: string, id = 'c1') => [calls(call('execute', { command }, id)), says('done')];

/** What became of one call: it ran, somebody was asked, or it was denied. */
async function effectOf(
  options: Parameters<typeof play>[0] extends infer O ? Omit<O & object, 'turns' | 'tools'> : never,
  command: string,
) {
  const root = scratch();
  const { ran, tools } = usualTools(root);
  const onApprovalRequest = vi.fn(() => false);
  const played = await play({ tools, onApprovalRequest, turns: execute(command), ...options } as never);
  const effect: PolicyEffect = ran.length > 0 ? 'allow' : onApprovalRequest.mock.calls.length > 0 ? 'ask' : 'deny';
  return { effect, played, ran, onApprovalRequest };
}

describe('a policy decides', () => {
  test.each([
    ['git status -s', 'allow'],
    ['git status && npm test', 'allow'],
    ['git push', 'ask'],
    ['git status; git push', 'ask'],
    ['rm -rf build', 'deny'],
    ['git status && rm x', 'deny'],
    ['git status $(rm x)', 'deny'],
    ['$X', 'ask'],
  ])('%s: %s', async (command, effect) => {
    expect((await effectOf({ policy }, command)).effect).toBe(effect);
    expect((await effectOf({ gate: createGate({ policy }) }, command)).effect).toBe(effect);
  });

  test('the model is told why, and so is the human', async () => {
    const denied = await effectOf({ policy }, 'rm x');
    expect(denied.played.of('tool-denied')[0]?.reason).toContain('nothing is deleted');
    expect(JSON.stringify(denied.played.prompts[1])).toContain('nothing is deleted');
    const [asked] = (await effectOf({ policy }, 'git status; git push')).onApprovalRequest.mock.calls as never as [
      [{ description: string; preview: string; verdict: { actions: { text: string; effect: string }[] } }],
    ];
    const [request] = asked;
    expect(request.description).toContain('git push');
    expect(request.verdict.actions.map(({ text, effect }) => [text, effect])).toEqual([
      ['git status', 'allow'],
      ['git push', 'ask'],
    ]);
    expect(request.preview).toMatch(/git push/);
  });

  test('what no rule speaks of is asked about, whatever the tool', async () => {
    const root = scratch();
    const { ran, tools } = usualTools(root);
    const asked: string[] = [];
    await play({
      tools,
      policy,
      turns: [
        calls(call('deploy', { to: 'staging' }, 'c1'), call('read_file', { file_path: 'a' }, 'c2')),
        says('done'),
      ],
      onApprovalRequest: ({ toolName }) => {
        asked.push(toolName);
        return true;
      },
    });
    expect(asked).toEqual(['read_file']);
    expect(ran.toSorted()).toEqual(['deploy staging', 'read a']);
  });
});

describe('beside interruptOn', () => {
  test.each<[PolicyEffect, boolean | undefined, PolicyEffect]>([
    ['allow', undefined, 'allow'],
    ['allow', false, 'allow'],
    ['allow', true, 'ask'],
    ['ask', false, 'ask'],
    ['ask', true, 'ask'],
    ['deny', false, 'deny'],
    ['deny', true, 'deny'],
  ])('a policy that says %s and an entry %s: %s', async (says, entry, effect) => {
    const interruptOn = entry === undefined ? {} : { execute: entry };
    const command = { allow: 'git status', ask: 'git push', deny: 'rm x' }[says];
    expect((await effectOf({ policy, interruptOn }, command)).effect).toBe(effect);
  });

  test('a predicate is not asked about what is denied', async () => {
    const shouldApprove = vi.fn(() => true);
    expect((await effectOf({ policy, interruptOn: { execute: { shouldApprove } } }, 'rm x')).effect).toBe('deny');
    expect(shouldApprove).not.toHaveBeenCalled();
  });
});

describe('narrowing', () => {
  const open: PolicyDocument = { version: 1, default: 'allow' };
  test.each<[string, PolicyDocument, PolicyDocument, PolicyEffect]>([
    ['a run cannot widen what its gate asks', policy, open, 'ask'],
    ['a run tightens', open, policy, 'ask'],
    [
      'a run denies',
      open,
      { version: 1, default: 'allow', rule: [{ effect: 'deny', commands: ['git push'] }] },
      'deny',
    ],
  ])('%s', async (_, gate, run, effect) => {
    expect((await effectOf({ gate: createGate({ policy: gate }), policy: run }, 'git push')).effect).toBe(effect);
  });
});

test('a grant for what the gate asks does not answer what the run asks beside it', async () => {
  const gate = createGate({ policy });
  const run: PolicyDocument = { version: 1, default: 'allow', rule: [{ effect: 'ask', commands: ['git status'] }] };
  const onApprovalRequest = () => ({ type: 'approve', remember: 'session' }) as const;
  await effectOf({ gate, onApprovalRequest } as never, 'git push');
  expect((await gate.check({ toolName: 'execute', args: { command: 'git push' } })).effect).toBe('allow');
  expect((await effectOf({ gate, policy: run }, 'git push')).effect).toBe('allow');
  expect((await effectOf({ gate, policy: run }, 'git push && git status')).effect).toBe('ask');
});

describe('functions', () => {
  const cases: [string, () => unknown, PolicyEffect][] = [
    ['yes', () => true, 'allow'],
    ['no', () => false, 'deny'],
    ['later', async () => true, 'allow'],
    [
      'a throw',
      () => {
        throw new Error('no');
      },
      'deny',
    ],
    [
      'a rejection',
      async () => {
        throw new Error('no');
      },
      'deny',
    ],
    ['something else', () => 1, 'deny'],
  ];
  test.each(cases)('an allow whose condition says %s', async (_, condition, effect) => {
    const policy = definePolicy([{ when: shellGlob('git push'), if: condition as never, effect: 'allow' }]);
    expect((await effectOf({ policy }, 'git push')).effect).toBe(effect);
  });

  test.each([
    [
      'a throw',
      () => {
        throw new Error('no');
      },
    ],
    ['something else', () => 1],
  ])('a deny whose condition fails with %s never allows', async (_, condition) => {
    const policy = definePolicy(
      [
        { when: shellGlob('git push'), if: condition as never, effect: 'deny' },
        { when: shellGlob('git'), effect: 'allow' },
      ],
      { match: 'strictest' },
    );
    expect((await effectOf({ policy }, 'git push')).effect).not.toBe('allow');
    expect((await effectOf({ policy }, 'git status')).effect).toBe('allow');
  });

  const allows: PolicyDocument = { version: 1, default: 'allow' };
  const judges: [string, () => unknown, PolicyEffect][] = [
    ['allow', () => 'allow', 'allow'],
    ['nothing', () => undefined, 'allow'],
    ['ask', () => 'ask', 'ask'],
    ['deny', async () => ({ effect: 'deny', reason: 'it smells' }), 'deny'],
    ['something else', () => 'yes', 'ask'],
    ['a name of a prototype', () => 'constructor', 'ask'],
    [
      'a throw',
      () => {
        throw new Error('no');
      },
      'ask',
    ],
  ];
  test.each(judges)('a judge that says %s', async (_, judge, effect) => {
    const gate = createGate({ policy: allows, judge: judge as never });
    expect((await effectOf({ gate }, 'git push')).effect).toBe(effect);
  });

  test('a judge cannot loosen', async () => {
    const judge = vi.fn(() => 'allow' as const);
    expect((await effectOf({ gate: createGate({ policy, judge }) }, 'git push')).effect).toBe('ask');
    expect((await effectOf({ gate: createGate({ policy, judge }) }, 'rm x')).effect).toBe('deny');
    expect(judge).toHaveBeenCalledTimes(1);
  });
});

describe('modes', () => {
  test.each<[PolicyMode, PolicyEffect, PolicyEffect, PolicyEffect]>([
    ['safe', 'allow', 'ask', 'deny'],
    ['auto', 'allow', 'allow', 'deny'],
    ['plan', 'allow', 'deny', 'deny'],
    ['deny-all-asks', 'allow', 'deny', 'deny'],
  ])('%s', async (mode, allowed, asked, denied) => {
    const gate = createGate({ policy, mode });
    expect((await effectOf({ gate }, 'git status')).effect).toBe(allowed);
    expect((await effectOf({ gate }, 'git push')).effect).toBe(asked);
    expect((await effectOf({ gate }, 'rm x')).effect).toBe(denied);
  });

  test('without a policy they answer interruptOn', async () => {
    const interruptOn = { execute: true };
    expect((await effectOf({ gate: createGate({ mode: 'auto' }), interruptOn }, 'git push')).effect).toBe('allow');
    expect((await effectOf({ gate: createGate({ mode: 'deny-all-asks' }), interruptOn }, 'git push')).effect).toBe(
      'deny',
    );
    expect((await effectOf({ gate: createGate({ mode: 'plan' }) }, 'git push')).effect).toBe('deny');
  });

  test('they are switched while the gate lives, unless a policy forbids it', async () => {
    const gate = createGate({ policy });
    await gate.setMode('auto');
    expect(gate.mode).toBe('auto');
    expect((await effectOf({ gate }, 'git push')).effect).toBe('allow');
    await gate.setMode('safe');
    expect((await effectOf({ gate }, 'git push')).effect).toBe('ask');
    await expect(gate.setMode('turbo' as never)).rejects.toThrow(InvalidConfigError);
    const strict = createGate({ policy: { ...policy, forbid: ['auto'] } });
    await expect(strict.setMode('auto')).rejects.toThrow(ModeForbiddenError);
    expect(strict.mode).toBe('safe');
    expect(() => createGate({ policy: { ...policy, forbid: ['auto'] }, mode: 'auto' })).toThrow(ModeForbiddenError);
  });
});

test('a tool that is always denied is left out of what the model sees', async () => {
  const { tools } = usualTools(scratch());
  const denying: PolicyDocument = {
    version: 1,
    rule: [
      { effect: 'deny', tools: 'deploy' },
      { effect: 'deny', tools: 'read_file', reads: '**/.env' },
    ],
  };
  for (const hideDeniedTools of [false, true]) {
    const seen: string[][] = [];
    const turn = ({ tools }: { tools?: { name: string }[] }) => {
      seen.push((tools ?? []).map(({ name }) => name).toSorted());
      return says('done');
    };
    await play({ tools, policy: denying, hideDeniedTools, turns: [turn as never] });
    const all = ['deploy', 'execute', 'read_file', 'write_file'];
    expect(seen).toEqual([hideDeniedTools ? all.filter((name) => name !== 'deploy') : all]);
  }
});

describe('a file that changed since its diff was shown', () => {
  const write = { version: 1, default: 'ask' } as const;
  test('is asked about again', async () => {
    const root = scratch();
    writeFileSync(join(root, 'a.txt'), 'one\n');
    const { ran, tools } = usualTools(root);
    const seen: { description: string; changes: { diff: string }[] }[] = [];
    const { of } = await play({
      tools,
      gate: createGate({ policy: write, place: { cwd: root } }),
      turns: [calls(call('write_file', { file_path: 'a.txt', content: 'two\n' }, 'c1')), says('done')],
      onApprovalRequest: (request) => {
        seen.push(request);
        if (seen.length === 1) writeFileSync(join(root, 'a.txt'), 'changed\n');
        return true;
      },
    });
    expect(seen).toHaveLength(2);
    expect(seen[0]?.changes[0]?.diff).toMatch(/-\s?one/);
    expect(seen[1]?.changes[0]?.diff).toMatch(/-\s?changed/);
    expect(seen[1]?.description).toMatch(/changed since/);
    expect(ran).toEqual(['write a.txt']);
    expect(of('approval-response').map(({ approved }) => approved)).toEqual([true, true]);
  });
});
