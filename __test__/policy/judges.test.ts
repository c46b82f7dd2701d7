/** Functions that have a say: conditions of `definePolicy` and the judge of a gate, and what becomes of slow ones. */
import type { Clock } from '@sinonjs/fake-timers';
import { describe, expect, it, vi } from 'vitest';
import type { PolicyCall, PolicyCondition, PolicyDocument, PolicyJudge } from '../../index.js';
import {
  anyOfKind,
  checkPolicy,
  createGate,
  definePolicy,
  fsGlob,
  InvalidConfigError,
  shellGlob,
  urlPattern,
} from '../../ts/index.js';
import { start } from '../support/play.js';
import { call, calls, collect, says } from '../support/model.js';
import { scratch, usualTools } from './support.js';
import { fakeClock } from '../support/fake-clock.js';

const run = (command: string) => ({ toolName: 'execute', args: { command } });
const read = (file_path: string) => ({ toolName: 'read_file', args: { file_path } });
const place = { cwd: '/p', project: '/p', home: '/h' };
const open: PolicyDocument = { version: 1, default: 'allow' };

/** A function that never answers, and what settles once it is asked. */
function hanging() {
  let told: () => void = () => {};
  const isAsked = new Promise<void>((resolve) => (told = resolve));
  const never = () => {
    told();
    return new Promise<never>(() => {});
  };
  return { never, isAsked };
}

/** What is answered when a function that never answers is given up: not earlier, and then without a wait. */
async function givenUp<T>(clock: Clock, isAsked: Promise<void>, asked: Promise<T>): Promise<T> {
  let isAnswered = false;
  void asked.finally(() => (isAnswered = true));
  await isAsked;
  await clock.tickAsync(9_999);
  expect(isAnswered).toBe(false);
  await clock.tickAsync(1);
  return asked;
}

describe('a deadline of 10 s', () => {
  const when = shellGlob('git');
  it.each<[string, (never: PolicyCondition) => ReturnType<typeof definePolicy>]>([
    ['an allow', (never) => definePolicy([{ when, if: never, effect: 'allow' }], { match: 'strictest' })],
    [
      'an allow beside others',
      (never) =>
        definePolicy(
          [
            { when, if: never, effect: 'allow' },
            { when, effect: 'allow' },
          ],
          { default: 'allow' },
        ),
    ],
    [
      'a deny',
      (never) => definePolicy([{ when, if: never, effect: 'deny' }], { match: 'strictest', default: 'allow' }),
    ],
  ])('holds for the condition of %s', async (_, policyOf) => {
    const clock = fakeClock();
    const { never, isAsked } = hanging();
    const asked = createGate({ policy: policyOf(never) }).check(run('git push'));
    expect(await givenUp(clock, isAsked, asked)).toMatchObject({ effect: 'ask' });
  });

  it('holds for a judge', async () => {
    const clock = fakeClock();
    const { never, isAsked } = hanging();
    const asked = createGate({ policy: open, judge: never }).check(run('git push'));
    expect(await givenUp(clock, isAsked, asked)).toMatchObject({
      effect: 'ask',
      reason: expect.stringMatching(/10000 ms/) as never,
    });
  });

  it('is not waited for once the run is aborted', async () => {
    const controller = new AbortController();
    const { ran, tools } = usualTools(scratch());
    const signals: (AbortSignal | undefined)[] = [];
    const judge: PolicyJudge = ({ abortSignal }) => {
      signals.push(abortSignal);
      setImmediate(() => controller.abort());
      return new Promise<never>(() => {});
    };
    const { run } = start({
      tools,
      gate: createGate({ policy: open, judge }),
      abortSignal: controller.signal,
      turns: [calls(call('execute', { command: 'ls' }, 'c1')), says('.')],
    });
    const events = await collect(run);
    expect([ran, events.at(-1)?.type, signals[0]?.aborted]).toEqual([[], 'abort', true]);
  });
});

describe('what they are told', () => {
  it('a condition: the call, as a copy; asked for its tools only, once for each call', async () => {
    const seen: PolicyCall[] = [];
    const condition: PolicyCondition = (call) => {
      seen.push(call);
      (call.args as { command: string }).command = 'evil';
      return true;
    };
    const policy = definePolicy([
      { tools: 'execute', if: condition, effect: 'allow' },
      { tools: 'other', if: condition, effect: 'allow' },
    ]);
    const verdict = await checkPolicy(policy, run('ls'), place);
    expect(seen).toMatchObject([{ toolName: 'execute', cwd: '/p', toolCallId: expect.any(String) as never }]);
    expect([verdict.effect, JSON.stringify(verdict)]).toEqual(['allow', expect.not.stringContaining('evil')]);
    await checkPolicy(policy, read('x'), place);
    expect(seen).toHaveLength(1);
  });

  it('a judge: the call and the verdict so far, as copies', async () => {
    const judge: PolicyJudge = (call, verdict) => {
      (call.args as { command: string }).command = 'evil';
      verdict.effect = 'allow';
      verdict.actions.length = 0;
      return undefined;
    };
    const verdict = await createGate({ policy: { version: 1 }, judge }).check(run('ls'));
    expect(verdict).toEqual(await createGate({ policy: { version: 1 } }).check(run('ls')));
  });

  it('a judge is not asked about what is denied, and once about the rest', async () => {
    const judge = vi.fn<PolicyJudge>(() => undefined);
    const gate = createGate({ policy: { version: 1, rule: [{ effect: 'deny', commands: ['rm'] }] }, judge });
    await gate.check(run('rm x'));
    expect(judge).not.toHaveBeenCalled();
    await gate.check(run('ls'));
    expect(judge).toHaveBeenCalledTimes(1);
  });

  it.each([null, 'deny', {}, 5])('a judge that is %j is refused', (judge) => {
    expect(() => createGate({ judge: judge as never })).toThrow(InvalidConfigError);
  });

  it.each<[string, unknown]>([
    ['an object of another effect', { effect: 'alow' }],
    ['an effect that is inherited', Object.create({ effect: 'allow' })],
    ['a list', ['deny']],
    ['null', null],
    ['a promise of nonsense', Promise.resolve(7)],
  ])('a judge that says %s asks', async (_, said) => {
    expect((await createGate({ policy: open, judge: () => said as never }).check(run('ls'))).effect).toBe('ask');
  });
});

describe('how often they are asked', () => {
  it('asks an if three times about an approved call, as the docs say: before, when it is answered, and before it runs', async () => {
    const { ran, tools } = usualTools(scratch());
    const asked: string[] = [];
    const policy = definePolicy([{ when: shellGlob('ls'), if: () => asked.push('if') > 0, effect: 'ask' }], {
      default: 'allow',
    });
    const { run } = start({
      tools,
      policy,
      onApprovalRequest: () => {
        asked.push('human');
        return true;
      },
      turns: [calls(call('execute', { command: 'ls' }, 'c1')), says('.')],
    });
    await collect(run);
    expect([asked, ran.length]).toEqual([['if', 'human', 'if', 'if'], 1]);
  });

  it('a mode that is set while an if is asked for the last time lets the approved call not run', async () => {
    const { ran, tools } = usualTools(scratch());
    let times = 0;
    const isMeant = async () => {
      if (++times === 3) await gate.setMode('deny-all-asks');
      return true;
    };
    const policy = definePolicy([{ when: shellGlob('ls'), if: isMeant, effect: 'ask' }], { default: 'allow' });
    await using gate = createGate({ policy });
    const turns = [calls(call('execute', { command: 'ls' }, 'c1')), says('.')];
    const { run, prompts } = start({ tools, gate, onApprovalRequest: () => true, turns });
    await collect(run);
    expect([times, ran]).toEqual([3, []]);
    expect(JSON.stringify(prompts[1])).toContain('the mode is deny-all-asks');
  });

  it('makes the request of the very answers that the verdict rests on', async () => {
    const { ran, tools } = usualTools(scratch());
    const answers = [false, true];
    const policy = definePolicy(
      [{ when: shellGlob('ls'), if: () => answers.shift() ?? true, effect: 'deny', reason: 'no longer' }],
      { default: 'ask' },
    );
    let seen = 0;
    const { run } = start({
      tools,
      policy,
      onApprovalRequest: () => {
        seen++;
        return true;
      },
      turns: [calls(call('execute', { command: 'ls' }, 'c1')), says('.')],
    });
    await collect(run);
    // It denies from its second answer on: after the human's, and before it runs.
    expect([seen, answers, ran]).toEqual([1, [], []]);
  });
});

describe('several policies with functions', () => {
  it('keep their functions apart', async () => {
    const one = definePolicy([{ when: shellGlob('a'), if: () => true, effect: 'allow' }], { default: 'ask' });
    const two = definePolicy(
      [
        { when: shellGlob('b'), if: () => false, effect: 'allow' },
        { when: shellGlob('c'), if: () => true, effect: 'allow' },
      ],
      { default: 'ask' },
    );
    for (const policy of [
      [one, two],
      [two, one],
      [{ version: 1 } as const, one, two, one],
    ]) {
      const effects = [];
      for (const command of ['a', 'b', 'c', 'a; c']) effects.push((await checkPolicy(policy, run(command))).effect);
      expect(effects).toEqual(['allow', 'ask', 'allow', 'allow']);
    }
  });
});

describe('matchers', () => {
  const only = (when: Parameters<typeof definePolicy>[0][number]['when']) => definePolicy([{ when, effect: 'allow' }]);
  it.each<[string, ReturnType<typeof definePolicy>, { toolName: string; args: unknown }, string]>([
    ['fsGlob', only(fsGlob('${project}/src/**')), read('src/a'), 'allow'],
    ['fsGlob', only(fsGlob('${project}/src/**')), read('src/../x'), 'deny'],
    ['fsGlob of reads', only(fsGlob('/p/**', { access: 'read' })), read('a'), 'allow'],
    ['fsGlob of writes', only(fsGlob('/p/**', { access: 'write' })), read('a'), 'deny'],
    ['fsGlob with exceptions', only(fsGlob(['/p/**', '!/p/b'])), read('b'), 'deny'],
    ['shellGlob', only(shellGlob('npm run *', 'ls')), run('npm run build; ls'), 'allow'],
    ['shellGlob', only(shellGlob('npm run *', 'ls')), run('npm exec x'), 'deny'],
    [
      'urlPattern',
      only(urlPattern('https://*.example.com/**')),
      { toolName: 'fetch_url', args: { url: 'https://a.example.com/x' } },
      'allow',
    ],
    [
      'urlPattern',
      only(urlPattern('https://*.example.com/**')),
      { toolName: 'fetch_url', args: { url: 'https://a.example.com@evil.test/x' } },
      'deny',
    ],
    ['anyOfKind read', only(anyOfKind('read')), read('/etc/passwd'), 'allow'],
    ['anyOfKind command', only(anyOfKind('command')), run('anything at all'), 'allow'],
    ['anyOfKind command', only(anyOfKind('command')), run('X=1 ls'), 'deny'],
    ['anyOfKind command, env', only(anyOfKind('command', 'env')), run('X=1 ls'), 'allow'],
    ['anyOfKind url', only(anyOfKind('url')), { toolName: 'fetch_url', args: { url: 'http://x.test' } }, 'allow'],
    ['several', only([fsGlob('/p/**'), shellGlob('ls')]), run('ls'), 'allow'],
    ['several', only([fsGlob('/p/**'), shellGlob('ls')]), read('a'), 'allow'],
    ['what is unknown', only(anyOfKind('command', 'read', 'write', 'url', 'env')), run('$X'), 'deny'],
  ])('%s', async (_, policy, call, effect) => {
    expect([call, (await checkPolicy(policy, call, place)).effect]).toEqual([call, effect]);
  });

  it('the first that matches decides, and denies are what is left', async () => {
    const policy = definePolicy([
      { when: shellGlob('git push'), effect: 'ask' },
      { when: shellGlob('git'), effect: 'allow' },
    ]);
    const effects = [];
    for (const command of ['git push', 'git log', 'git log; git push', 'ls'])
      effects.push((await checkPolicy(policy, run(command))).effect);
    expect(effects).toEqual(['ask', 'allow', 'ask', 'deny']);
  });

  it.each([[[]], [['nothing']], [['constructor']]])('anyOfKind(...%j) is refused', (kinds) => {
    expect(() => anyOfKind(...(kinds as never[]))).toThrow(InvalidConfigError);
  });
});
