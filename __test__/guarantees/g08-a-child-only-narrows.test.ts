/**
 * G8. A subagent never does what its parent would have to ask for.
 *
 * What a child brings is, as yet, the `policy` of a run on a gate that has one: the strictest of both counts. Agents that
 * start agents come later, on the same rule.
 */
import { describe, expect, it } from 'vitest';
import type { PolicyDocument, PolicyEffect, PolicyMode } from '../../index.js';
import { checkPolicy, createGate, definePolicy, shellGlob } from '../../ts/index.js';
import { random, randomCall, randomPolicy, strictest, strictness, pick } from '../policy/random.js';
import { scratch } from '../policy/support.js';
import { became, ways } from '../policy/ways.js';

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);
const open: PolicyDocument = { version: 1, default: 'allow' };

describe.each(ways)('%s', (...way) => {
  it('does no more under a policy of its own than its gate allows', { timeout: 120_000 }, async () => {
    const place = { cwd: scratch(), home: '/home/nobody' };
    const seen = new Set<string>();
    for (const seed of SEEDS) {
      const next = random(seed);
      const [parent, child, call] = [randomPolicy(next), randomPolicy(next), randomCall(next)];
      const entry = pick(next, [undefined, true, false]);
      const interruptOn = entry === undefined ? undefined : { [call.toolName]: entry };
      const alone = await became(way, call, { gate: createGate({ policy: parent, place }), interruptOn });
      const together = await became(way, call, {
        gate: createGate({ policy: parent, place }),
        interruptOn,
        policy: child,
      });
      const said = [parent, child].map((policy) => checkPolicy(policy, call, place));
      const effects = (await Promise.all(said)).map(({ effect }) => effect);
      const told = JSON.stringify({ seed, parent, child, call, interruptOn, effects });
      expect(strictness(together.effect), told).toBeGreaterThanOrEqual(strictness(alone.effect));
      if (effects[1] === 'deny') expect(together.effect, told).toBe('deny');
      expect(together.effect, told).toBe(strictest(...effects, entry === true ? 'ask' : 'allow'));
      seen.add(`${effects.join(' ')} ${entry}`);
    }
    // The seeds do try what they are here for.
    expect(
      [...seen].filter((each) => /^ask allow|^deny allow|^allow deny|^allow ask/.test(each)).length,
    ).toBeGreaterThan(3);
  });

  it.each<[PolicyMode, PolicyEffect]>([
    ['safe', 'deny'],
    ['auto', 'deny'],
    ['deny-all-asks', 'deny'],
  ])('does not what the child denies in mode %s', async (mode, effect) => {
    const policy: PolicyDocument = { version: 1, default: 'allow', rule: [{ effect: 'deny', commands: ['rm'] }] };
    const call = { toolName: 'execute', args: { command: 'true && rm x' } };
    expect((await became(way, call, { gate: createGate({ policy: open, mode }), policy })).effect).toBe(effect);
    expect((await became(way, call, { gate: createGate({ mode }), policy })).effect).toBe(effect);
  });

  it('keeps a child from the mode that its policy forbids', async () => {
    const policy: PolicyDocument = { version: 1, forbid: ['auto'] };
    const call = { toolName: 'execute', args: { command: 'git push' } };
    expect((await became(way, call, { gate: createGate({ policy: open, mode: 'auto' }), policy })).effect).toBe('ask');
    expect((await became(way, call, { gate: createGate({ policy: open, mode: 'auto' }) })).effect).toBe('allow');
  });

  it('asks the functions of both', async () => {
    const parent = definePolicy([{ when: shellGlob('git'), if: () => true, effect: 'allow' }]);
    const child = (says: boolean) => definePolicy([{ when: shellGlob('git'), if: () => says, effect: 'allow' }]);
    const call = { toolName: 'execute', args: { command: 'git push' } };
    const effects = [];
    for (const says of [true, false])
      effects.push((await became(way, call, { gate: createGate({ policy: parent }), policy: child(says) })).effect);
    expect(effects).toEqual(['allow', 'deny']);
  });

  it('does not let a grant that its gate remembers answer what the child asks', async () => {
    const gate = createGate({ policy: { version: 1, default: 'ask' } });
    const call = { toolName: 'execute', args: { command: 'make all' } };
    const granted = await became(way, call, { gate }, () => ({ type: 'approve', remember: 'session' }));
    expect([granted.effect, (await gate.grants.list()).length]).toEqual(['ask', 1]);
    expect((await became(way, call, { gate })).effect).toBe('allow');
    const denying: PolicyDocument = { version: 1, default: 'allow', rule: [{ effect: 'deny', commands: ['make'] }] };
    expect((await became(way, call, { gate, policy: denying })).effect).toBe('deny');
  });
});
