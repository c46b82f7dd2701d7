/**
 * G8. A subagent never does what its parent would have to ask for.
 *
 * What a child brings is the `policy` of a run on a gate that has one, and for an agent that another one starts its `policy`
 * and its `interruptOn`: the strictest of all counts.
 */
import * as ai from 'ai';
import { tool, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ApprovalRequest, InterruptOn, PolicyDocument, PolicyEffect, PolicyMode } from '../../index.js';
import { checkPolicy, createGate, definePolicy, gateTools, shellGlob, streamWithEvents } from '../../ts/index.js';
import { random, randomCall, randomPolicy, type Random, strictest, strictness, pick } from '../policy/random.js';
import { scratch } from '../policy/support.js';
import { became, ways } from '../policy/ways.js';
import { isSample, isThorough, isWhole, sample } from '../support/effort.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { withoutUndefined } from '../../ts/values/without-undefined.js';

const upTo = (seeds: number): number[] => Array.from({ length: seeds }, (_, seed) => seed);
/** Some have each pair of effects. */
const SEEDS = isWhole ? upTo(40) : [1, 5, 10, 13, 18, 22];
const open: PolicyDocument = { version: 1, default: 'allow' };

describe.each(ways)('%s', (...way) => {
  it('does no more under a policy of its own than its gate allows', async () => {
    const place = { cwd: scratch(), home: '/home/nobody' };
    const seen = new Set<string>();
    for (const seed of SEEDS) {
      const next = random(seed);
      const [parent, child, call] = [randomPolicy(next), randomPolicy(next), randomCall(next)];
      const entry = pick(next, [undefined, true, false]);
      const interruptOn = entry === undefined ? undefined : { [call.toolName]: entry };
      const alone = await became(
        way,
        call,
        withoutUndefined({ gate: createGate({ policy: parent, place }), interruptOn }),
      );
      const together = await became(way, call, {
        gate: createGate({ policy: parent, place }),
        ...withoutUndefined({ interruptOn }),
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

/** What one agent of a chain has. */
interface Level {
  interruptOn: InterruptOn | undefined;
  policy: PolicyDocument | undefined;
  /** Of its own tool of the name; `none`: it has no such tool, unless it makes the call. */
  own: 'none' | 'plain' | 'asks' | 'does not ask';
  /** Whether its loop is one of ours, or the SDK's with tools of `gateTools`. */
  loop: 'run' | 'tools';
}

function randomLevel(next: Random, toolName: string, policies: number): Level {
  const entry = () => pick(next, [true, false, { shouldApprove: () => true }, { shouldApprove: () => false }, {}]);
  const configurations: (() => InterruptOn | undefined)[] = [
    () => undefined,
    () => undefined,
    () => 'all',
    () => 'none',
    () => [toolName],
    () => ({ [toolName]: entry() }) as InterruptOn,
    () => ({ '*': pick(next, [true, false]) }),
    () => ({ '*': true, [toolName]: entry() }) as InterruptOn,
    () => ({ another: true }) as InterruptOn,
  ];
  return {
    interruptOn: pick(next, configurations)(),
    policy: next() < policies ? randomPolicy(next) : undefined,
    own: pick(next, ['none', 'plain', 'asks', 'does not ask']),
    loop: pick(next, ['run', 'run', 'tools']),
  };
}

type Call = ReturnType<typeof randomCall>;

/** What becomes of a call when the last of these agents makes it: each was started by a tool of the one before it. */
async function inChain(
  [first, ...more]: readonly Level[],
  made: Call,
  gatePolicy: PolicyDocument | undefined,
  place: { cwd: string; home: string },
): Promise<PolicyEffect> {
  const gate = createGate({ place, ...(gatePolicy === undefined ? {} : { policy: gatePolicy }) });
  const ran: unknown[] = [];
  const asked: ApprovalRequest[] = [];
  const act = (own: Level['own']) =>
    tool({
      inputSchema: z.looseObject({}),
      ...(own === 'asks' || own === 'does not ask' ? { needsApproval: () => own === 'asks' } : {}),
      execute: async (args: unknown) => void ran.push(args),
    });
  const start = async (level: Level, below: readonly Level[], above: object): Promise<string> => {
    const [next, ...rest] = below;
    const isLast = next === undefined;
    const tools: ToolSet = {};
    if (isLast || level.own !== 'none') tools[made.toolName] = act(level.own);
    if (!isLast)
      tools['go_down'] = Object.assign(
        tool({ inputSchema: z.object({}), execute: (_, options) => start(next, rest, { parent: options }) }),
        { [Symbol.for('countersign.task')]: true },
      );
    const { model } = scripted([
      isLast ? calls(call(made.toolName, made.args, 'c')) : calls(call('go_down', {}, 'c')),
      says('.'),
    ]);
    const gating = withoutUndefined({
      interruptOn: level.interruptOn,
      policy: level.policy,
      unknownTools: 'ignore',
      ...above,
    });
    if (level.loop === 'run') {
      await collect(streamWithEvents({ model, prompt: 'go', tools, ...gating } as never));
    } else {
      const gated = gateTools(tools, gating as never);
      const stopWhen = ({ steps }: { steps: unknown[] }) => steps.length >= 2;
      await ai.generateText({ model, prompt: 'go', tools: gated, stopWhen } as never);
    }
    return '.';
  };
  const onApprovalRequest = (request: ApprovalRequest) => {
    if (request.toolName === 'go_down') return true;
    asked.push(request);
    return false;
  };
  await start(first as Level, more, { gate, onApprovalRequest });
  return asked.length > 0 ? 'ask' : ran.length > 0 ? 'allow' : 'deny';
}

/**
 * Tools that are called `get`, and whose they are. `server`, `named` and `renamed` are the same one: by its bare name, with that of its
 * server, and by another that the program chose. `prefixed` is the program's own under the second.
 */
type KindOfTool = 'own' | 'asks' | 'does not ask' | 'server' | 'dynamic' | 'named' | 'renamed' | 'prefixed';

const KINDS_OF_TOOLS: readonly KindOfTool[] = [
  'own',
  'asks',
  'does not ask',
  'server',
  'dynamic',
  'named',
  'renamed',
  'prefixed',
];

/** What the tool is called in the set that has it. */
const nameOfKind = (kind: KindOfTool): string =>
  kind === 'named' || kind === 'prefixed' ? 'mcp__srv__get' : kind === 'renamed' ? 'fetch_it' : 'get';

/** The same tool under another name, which means the same to every entry. */
const spelledAnew = (kind: KindOfTool): KindOfTool =>
  kind === 'server' ? 'named' : kind === 'named' ? 'server' : kind;

/** Configurations that name it as its owner does, as rules do, and not at all. */
function randomNames(next: Random): InterruptOn | undefined {
  const entry = () =>
    pick<unknown>(next, [
      true,
      false,
      { approvers: ['bob'] },
      { shouldApprove: () => false },
      { allowedDecisions: ['approve', 'reject'] },
    ]);
  const names = ['*', 'get', 'mcp__srv__get', 'mcp____get', 'other', 'srv__get'].filter(() => next() < 0.4);
  if (next() < 0.2) return pick(next, [undefined, 'all', 'none', ['other'], ['get']]) as InterruptOn | undefined;
  // For all tools there is no function.
  const entryOf = (name: string, said: unknown) =>
    name === '*' && typeof said === 'object' && said !== null && 'shouldApprove' in said ? true : said;
  return Object.fromEntries(names.map((name) => [name, entryOf(name, entry())])) as InterruptOn;
}

interface Started {
  above: InterruptOn | undefined;
  /** Of the agent that makes the call; without it there is one agent, which makes it. */
  inside?: InterruptOn;
  /** What the agent above has under the name. */
  own?: KindOfTool;
  made: KindOfTool;
  way: 'run' | 'tools';
  /** Whether another agent stands between the two, with the configuration of the one that calls. */
  between?: boolean;
  /** Whether the agent above has the very tool that is called. */
  isVery?: boolean;
  /** Whether the tool has a `needsApproval` that says no. */
  saysNo?: boolean;
}

/** What becomes of a call of `get`, and who must agree to it. */
async function started({ above, own, made, way, between = false, isVery, saysNo, ...given }: Started) {
  const ran: unknown[] = [];
  const asked: ApprovalRequest[] = [];
  const toolOf = (kind: KindOfTool): ToolSet => {
    const execute = async (args: unknown) => void ran.push(args);
    const inputSchema = z.looseObject({});
    const says = saysNo === true ? { needsApproval: () => false } : {};
    const ofServer = { ...says, metadata: { clientName: 'srv', toolName: 'get' } };
    switch (kind) {
      case 'server':
        return { get: { ...ai.dynamicTool({ inputSchema, execute }), ...ofServer } as never };
      case 'named':
      case 'renamed':
        return { [nameOfKind(kind)]: { ...ai.dynamicTool({ inputSchema, execute }), ...ofServer } as never };
      case 'prefixed':
        return { [nameOfKind(kind)]: tool({ inputSchema, execute }) };
      case 'dynamic':
        return { get: { ...ai.dynamicTool({ inputSchema, execute }), ...says } };
      default:
        return {
          get: tool({ inputSchema, execute, ...(kind === 'own' ? {} : { needsApproval: kind === 'asks' }) }),
        };
    }
  };
  const name = nameOfKind(made);
  const stopWhen = ({ steps }: { steps: unknown[] }) => steps.length >= 2;
  const run = async (way: 'run' | 'tools', tools: ToolSet, called: string, gating: object) => {
    const { model } = scripted([calls(call(called, { a: 1 }, 'c')), says('.')]);
    const options = { unknownTools: 'ignore', ...gating };
    if (way === 'run') await collect(streamWithEvents({ model, prompt: 'go', tools, ...options } as never));
    else await ai.generateText({ model, prompt: 'go', tools: gateTools(tools, options as never), stopWhen } as never);
    return '.';
  };
  const down = (execute: (parent: object) => Promise<unknown>) => ({
    down: Object.assign(tool({ inputSchema: z.object({}), execute: (_, options) => execute(options) }), {
      [Symbol.for('countersign.task')]: true,
    }),
  });
  const onApprovalRequest = (request: ApprovalRequest) => {
    if (request.toolName === 'down') return true;
    asked.push(request);
    return false;
  };
  const main = withoutUndefined({ interruptOn: above, onApprovalRequest });
  const isAlone = own === undefined && !('inside' in given);
  if (isAlone) await run(way, toolOf(made), name, main);
  else {
    const called = toolOf(made);
    const last = (parent: object) =>
      run(way, called, name, { parent, ...withoutUndefined({ interruptOn: given.inside }) });
    const middle = (parent: object) =>
      run('run', down(last), 'down', { parent, ...withoutUndefined({ interruptOn: given.inside }) });
    const tools = {
      ...(own === undefined ? {} : isVery === true ? called : toolOf(own)),
      ...down(between ? middle : last),
    };
    await run('run', tools, 'down', main);
  }
  const effect: PolicyEffect = asked.length > 0 ? 'ask' : ran.length > 0 ? 'allow' : 'deny';
  return { effect, needs: asked[0]?.needs ?? [] };
}

describe('agents that start agents', () => {
  /** A chain may be cut off above: a policy can deny the tool that starts the next one. Then nothing runs, which is the strictest. */
  const kinds = async (seeds: readonly number[], policies: number, depths: (next: Random) => number) => {
    const place = { cwd: scratch(), home: '/home/nobody' };
    const seen = new Map<string, number>();
    for (const seed of seeds) {
      const next = random(seed);
      const made = randomCall(next);
      const gatePolicy = next() < policies ? randomPolicy(next) : undefined;
      const levels = Array.from({ length: depths(next) }, () => randomLevel(next, made.toolName, policies));
      const effects: PolicyEffect[] = [];
      for (let depth = 1; depth <= levels.length; depth++)
        effects.push(await inChain(levels.slice(0, depth), made, gatePolicy, place));
      const told = JSON.stringify({ seed, made, gatePolicy, levels, effects });
      for (const [depth, effect] of effects.entries())
        if (depth > 0) expect(strictness(effect), told).toBeGreaterThanOrEqual(strictness(effects[depth - 1]!));
      const kind = effects.slice(-2).join(' ');
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
    return seen;
  };

  it.skipIf(isSample)('do no more than each agent above them may do unasked', async () => {
    // These have two of each of those kinds.
    const some = [0, 2, 12, 13, 15, 18, 22, 36, 70, 75];
    const seen = await kinds(isThorough ? upTo(120) : some, 0.4, (next) => (next() < 0.7 ? 2 : 3));
    // The seeds do try what they are here for: children that tighten, and children that have what their parents have.
    for (const kind of ['allow allow', 'allow ask', 'allow deny', 'ask ask', 'ask deny'])
      expect(seen.get(kind) ?? 0, JSON.stringify([...seen])).toBeGreaterThan(isThorough ? 2 : 1);
  });

  it.skipIf(isSample)('nor does one that is started by one that is started', async () => {
    // These have two of each.
    const some = [0, 1, 6, 28, 34, 35];
    const seen = await kinds(isThorough ? upTo(80) : some, 0, () => 3);
    for (const kind of ['allow allow', 'allow ask', 'ask ask'])
      expect(seen.get(kind) ?? 0, JSON.stringify([...seen])).toBeGreaterThan(isThorough ? 4 : 1);
  });

  it('open no tool by the name of another, whosever it is: under each agent above it is as closed as there', async () => {
    const seen = new Map<string, number>();
    // These have each kind of tool with each pair of effects.
    const some = [13, 33, 126, 1, 15, 61, 3, 26, 95, 14, 17, 29, 38, 18, 118];
    for (const seed of isThorough ? upTo(250) : some) {
      const next = random(seed);
      const [above, inside] = [randomNames(next), randomNames(next)];
      const [own, made] = [pick(next, KINDS_OF_TOOLS), pick(next, KINDS_OF_TOOLS)];
      const [way, between] = [pick(next, ['run', 'tools'] as const), pick(next, [false, false, true])];
      const alone = await started({ above, made, way });
      const anew = await started({ above, made: spelledAnew(made), way });
      const within = await started({ above, made, way, own, between, ...(inside === undefined ? {} : { inside }) });
      const told = JSON.stringify({ seed, above, inside, own, made, way, between, alone, anew, within });
      expect(anew, told).toEqual(alone);
      expect(strictness(within.effect), told).toBeGreaterThanOrEqual(strictness(alone.effect));
      // Nor can others answer, nor otherwise.
      if (within.effect === 'ask') expect(within.needs, told).toEqual(expect.arrayContaining([...alone.needs]));
      const kind = `${made} ${alone.effect} ${within.effect}`;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
    for (const made of ['own', 'server', 'named', 'dynamic'])
      for (const effects of ['allow allow', 'ask ask', 'allow ask'])
        expect(seen.get(`${made} ${effects}`) ?? 0, JSON.stringify([...seen])).toBeGreaterThan(0);
  });

  it('do not open by an entry of theirs what the tool itself asks about', async () => {
    const says: InterruptOn[] = [{ get: false }, { get: { shouldApprove: () => false } }];
    const silent: InterruptOn[] = [{}, 'none', { '*': false }, { other: true }];
    const cases = (['run', 'tools'] as const).flatMap((way) =>
      says.flatMap((inside) =>
        silent.flatMap((above) =>
          [false, true].map((between) => ({ above, inside, between, made: 'asks', way }) as const),
        ),
      ),
    );
    for (const given of sample(cases, 2)) expect((await started(given)).effect, JSON.stringify(given)).toBe('ask');
    // Where it is named above as well, it is opened on purpose, as it would be there.
    for (const way of ['run', 'tools'] as const)
      for (const inside of says)
        expect((await started({ above: { get: false }, inside, made: 'asks', way })).effect).toBe('allow');
  });

  it.each(['server', 'dynamic'] as const)('runs the tool of a %s for no entry that is not for it', async (made) => {
    const ruleName = made === 'server' ? 'mcp__srv__get' : 'mcp____get';
    const closed: InterruptOn[] = [{ '*': true, get: false }, { '*': true }, { [ruleName]: true }, { get: true }];
    const children: (InterruptOn | undefined)[] = [
      undefined,
      {},
      { other: true },
      { get: false },
      { [ruleName]: false },
    ];
    const cases = closed.flatMap((above) =>
      children.flatMap((inside) =>
        ([undefined, 'own', 'does not ask', 'asks', made] as const).flatMap((own) =>
          (['run', 'tools'] as const).map((way) => ({
            above,
            made,
            way,
            ...(inside === undefined ? {} : { inside }),
            ...(own === undefined ? {} : { own }),
          })),
        ),
      ),
    );
    for (const given of sample(cases, 4)) expect((await started(given)).effect, JSON.stringify(given)).toBe('ask');
  });

  it('do not open what the tool itself asks about by an entry that was written for another tool of the name', async () => {
    const cases = (['run', 'tools'] as const).flatMap((way) =>
      [false, true].flatMap((between) =>
        ([{ get: false }, { get: { shouldApprove: () => false } }] as InterruptOn[]).map((above) => ({
          way,
          between,
          above,
        })),
      ),
    );
    for (const { above, ...how } of sample(cases, 1)) {
      for (const own of ['own', 'asks', 'does not ask'] as const)
        expect((await started({ above, own, made: 'asks', ...how })).effect, JSON.stringify([own, how])).toBe('ask');
      // Of the very tool that it was written for.
      expect((await started({ above, own: 'asks', made: 'asks', ...how, isVery: true })).effect).toBe('allow');
    }
  });

  it.each(['server', 'dynamic', 'named'] as const)(
    'ask where an entry and the tool of a %s decide side by side, as the agent above does',
    async (made) => {
      const entries = [{ shouldApprove: () => false }, { shouldApprove: () => false, approvers: ['bob'] }];
      const hows = entries.flatMap((entry) => (['run', 'tools'] as const).map((way) => ({ entry, way })));
      const given = ({ entry, way }: (typeof hows)[number]) => ({
        above: { get: entry } as InterruptOn,
        made,
        way,
        saysNo: true,
      });
      for (const how of hows) expect((await started(given(how))).effect).toBe('ask');
      const cases = hows.flatMap((how) =>
        ([undefined, 'none', [], 'all', { other: true }] as const).flatMap((inside) =>
          [false, true].map((between) => ({ how, inside, between })),
        ),
      );
      for (const { how, inside, between } of sample(cases, 2)) {
        const within = await started({
          ...given(how),
          between,
          ...(inside === undefined ? { own: made } : { inside }),
        });
        expect(within.effect, JSON.stringify({ inside, way: how.way, between })).toBe('ask');
        if ('approvers' in how.entry) expect(within.needs).toMatchObject([{ approvers: ['bob'] }]);
      }
    },
  );

  it('may be answered by what the parent was granted for the run, and no longer than it', async () => {
    const gate = createGate({
      policy: { version: 1, default: 'ask', rule: [{ tools: ['go_down'], effect: 'allow' }] },
    });
    const asked: string[] = [];
    const child = () => {
      const { model } = scripted([calls(call('execute', { command: 'make all' }, 'k')), says('.')]);
      return { model, prompt: 'x', tools: { execute: execute() } };
    };
    const execute = () => tool({ inputSchema: z.looseObject({}), execute: async () => 'ran' });
    const goDown = tool({
      inputSchema: z.object({}),
      execute: async (_, options) => (await streamWithEvents({ ...child(), parent: options } as never).result).text,
    });
    const play = () =>
      collect(
        streamWithEvents({
          model: scripted([
            calls(call('go_down', {}, 'c1'), call('go_down', {}, 'c2')),
            calls(call('execute', { command: 'make all' }, 'c3')),
            says('.'),
          ]).model,
          prompt: 'go',
          tools: { go_down: goDown, execute: execute() },
          gate,
          onApprovalRequest: ({ origin }: ApprovalRequest) => {
            asked.push(origin.join('/'));
            return { type: 'approve', remember: 'run' };
          },
        } as never),
      );
    await play();
    // Both subagents may have asked before either was answered; the parent was asked nothing.
    expect(asked.length).toBeLessThanOrEqual(2);
    expect(asked.every((origin) => origin.startsWith('main/task:c'))).toBe(true);
    const before = asked.length;
    await play();
    expect(asked.length).toBeGreaterThan(before);
  });
});
