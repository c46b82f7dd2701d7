/** The code around a ledger that answers later, and that may fail: nothing runs on what it has not said. */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { generateText, tool } from 'ai';
import { z } from 'zod';
import type { ApprovalRecord, Logger } from '../../index.js';
import { createGate, GateClosedError, gateTools, LedgerError, streamWithEvents } from '../../ts/index.js';
import { localGate } from '../../ts/gate/gate.js';
import { random } from '../policy/random.js';
import { PATIENTLY } from '../runtimes.js';
import { later } from '../support/later.js';
import { call, calls, collect, resultsIn, says, scripted } from '../support/model.js';
import { of, play, start, until } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

vi.mock('../../binding/binding.js', async () => (await import('../support/later.js')).laterBinding());

const broken = { code: 'ERR_LEDGER_IO', message: 'the disk is gone' };
const fails = (wanted: string) => {
  later.trouble = (operation) => (operation === wanted ? broken : undefined);
};
const one = () => [calls(call('del', { path: '/1' }, 'c1')), says('.')];
const ledger = 'sqlite:';

function recorder(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  return { lines, logger: { error: (message, fields) => void lines.push(`${message} ${JSON.stringify(fields)}`) } };
}

const decideElsewhere = (approvalId: string | undefined, decision: object) =>
  later.elsewhere('decide', { approvalId, decision, meta: { by: 'mia', via: 'gate' } });

beforeEach(() => {
  later.trouble = () => undefined;
  later.performed = () => {};
  later.called.length = 0;
});

describe('a run', () => {
  it('goes on with what its human says', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate({ ledger });
    const { of, prompts } = await play({
      turns: one(),
      tools,
      gate,
      interruptOn: 'all',
      onApprovalRequest: () => true,
    });
    expect(ran).toEqual(['del /1']);
    expect(of('approval-response')).toHaveLength(1);
    expect(resultsIn(prompts[1])).toEqual({ c1: { type: 'text', value: 'deleted /1' } });
    // What the model gets is kept with the execution, and kept before it is handed on.
    const settled = later.called.find(([operation]) => operation === 'settle');
    expect(settled?.[1].slice(1)).toEqual([true, { type: 'text', value: 'deleted /1' }]);
    await gate.close();
  });

  it.each([['request'], ['redeem']])('runs nothing when the ledger cannot %s, and says so', async (operation) => {
    const { ran, tools } = recordingTools();
    fails(operation);
    const gate = createGate({ ledger });
    const { of, prompts } = await play({
      turns: one(),
      tools,
      gate,
      interruptOn: 'all',
      onApprovalRequest: () => true,
    });
    expect(ran).toEqual([]);
    expect(JSON.stringify(resultsIn(prompts[1])['c1'])).toContain('ERR_LEDGER_IO');
    expect(of('done')).toHaveLength(1);
    await gate.close();
  });

  it('asks nobody about a step that goes on before the ledger has it', async () => {
    const order: string[] = [];
    let ask = () => {};
    const asked = new Promise<void>((resolve) => (ask = resolve));
    later.trouble = async (operation) => {
      if (operation === 'request') ask();
      if (operation === 'saveRun')
        for (let turns = 0; turns < 50; turns++) await new Promise((done) => setImmediate(done));
      if (operation === 'saveRun' || operation === 'request') order.push(operation);
      return undefined;
    };
    // While it runs, the step goes on: the request is made in the middle of it.
    const read = tool({ inputSchema: z.object({ path: z.string() }), execute: () => asked.then(() => 'read') });
    const { ran, tools } = recordingTools();
    const { model } = scripted([
      calls(call('read', { path: '/1' }, 'r1'), call('del', { path: '/1' }, 'd1')),
      says('.'),
    ]);
    const gate = createGate({ ledger });
    const onApprovalRequest = () => true;
    const options = {
      model,
      tools: { ...tools, read },
      prompt: 'go',
      interruptOn: { del: true },
      gate,
      onApprovalRequest,
    };
    await collect(streamWithEvents(options as never));
    expect(order.slice(0, 2)).toEqual(['saveRun', 'request']);
    expect(ran).toEqual(['del /1']);
    await gate.close();
  });

  it('runs nothing when the decision cannot be written down, nor the refusal of it', async () => {
    const { ran, tools } = recordingTools();
    fails('decide');
    const gate = createGate({ ledger });
    const { of, prompts } = await play({
      turns: one(),
      tools,
      gate,
      interruptOn: 'all',
      onApprovalRequest: () => true,
    });
    expect(ran).toEqual([]);
    expect(of('approval-response')).toMatchObject([{ approved: false, decision: { type: 'cancelled' } }]);
    expect(JSON.stringify(resultsIn(prompts[1])['c1'])).toContain('ERR_LEDGER_IO');
    await gate.close();
  });

  it('gives the model the result of what ran, when that cannot be written down', async () => {
    const { ran, tools } = recordingTools();
    fails('settle');
    const { logger, lines } = recorder();
    const gate = createGate({ ledger, logger });
    const { prompts } = await play({ turns: one(), tools, gate, interruptOn: 'all', onApprovalRequest: () => true });
    expect(ran).toEqual(['del /1']);
    expect(resultsIn(prompts[1])).toEqual({ c1: { type: 'text', value: 'deleted /1' } });
    expect(lines.join()).toMatch(/not written down.*the disk is gone/);
    await gate.close();
  });

  it('runs nothing when a redemption comes back after the abort', async () => {
    const { ran, tools } = recordingTools();
    const stop = new AbortController();
    const gate = createGate({ ledger });
    later.performed = (operation) => {
      if (operation === 'redeem') stop.abort(new Error('enough'));
    };
    const { run } = start({
      turns: one(),
      tools,
      gate,
      interruptOn: 'all',
      onApprovalRequest: () => true,
      abortSignal: stop.signal,
    });
    const events = await collect(run);
    expect(ran).toEqual([]);
    const { approvalId } = of(events)('approval-requested')[0]!;
    await vi.waitFor(async () => expect((await gate.get(approvalId))?.status).toBe('failed'), PATIENTLY);
    await gate.close();
  });

  it('ends when what waits cannot be cancelled', async () => {
    const { ran, tools } = recordingTools();
    const stop = new AbortController();
    const { logger, lines } = recorder();
    const gate = createGate({ ledger, logger });
    fails('cancelRun');
    const { run } = start({ turns: one(), tools, gate, interruptOn: 'all', abortSignal: stop.signal });
    await until(run, 'approval-requested');
    stop.abort(new Error('enough'));
    const rest = await collect(run);
    expect(rest.at(-1)?.type).toBe('abort');
    expect(ran).toEqual([]);
    expect(lines.join()).toMatch(/not cancelled.*the disk is gone/);
    await gate.close();
  });

  it('that is left is over when what it cancels is in the ledger, and not before', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate({ ledger });
    let letGo: (trouble: undefined) => void = () => {};
    const held = new Promise<undefined>((resolve) => (letGo = resolve));
    const reached = new Promise<void>((resolve) => {
      later.trouble = (operation) => {
        if (operation !== 'cancelRun') return undefined;
        resolve();
        return held;
      };
    });
    const { run } = start({ turns: one(), tools, gate, interruptOn: 'all' });
    const { approvalId } = await until(run, 'approval-requested');
    const over = vi.fn();
    run.result.catch(over);
    const leaving = run.return();
    await reached;
    await sleep(0);
    expect(over).not.toHaveBeenCalled();
    letGo(undefined);
    await leaving;
    await expect(run.result).rejects.toMatchObject({ name: 'AbortError' });
    expect([ran, await gate.get(approvalId)]).toMatchObject([[], { status: 'cancelled' }]);
    await gate.close();
  });

  it('withdraws a request that was made while the run was being aborted', async () => {
    const { tools } = recordingTools();
    const stop = new AbortController();
    const gate = createGate({ ledger });
    const watcher = gate.events();
    let asked: string | undefined;
    later.trouble = async (operation) => {
      if (operation !== 'request') return undefined;
      stop.abort(new Error('enough'));
      await sleep(10);
      return undefined;
    };
    const { run } = start({ turns: one(), tools, gate, interruptOn: 'all', abortSignal: stop.signal });
    await collect(run);
    const { value } = await watcher.next();
    if (value?.type === 'requested') asked = value.request.approvalId;
    expect((await gate.get(asked ?? ''))?.status).toBe('cancelled');
    await gate.close();
  });

  it('a stream of results stays one', async () => {
    const gate = createGate({ ledger });
    const count = tool({
      inputSchema: z.object({}),
      execute: async function* () {
        yield 1;
        yield 2;
      },
    });
    const { model } = scripted([calls(call('count', {}, 'c1')), says('.')]);
    const run = streamWithEvents({
      model,
      prompt: 'go',
      tools: { count },
      gate,
      interruptOn: 'all',
      onApprovalRequest: () => true,
    });
    const results = of(await collect(run as never))('tool-result');
    expect(results.map(({ result }) => result)).toEqual([1, 2, 2]);
    await gate.close();
  });
});

describe('a decision of another process', () => {
  const open = async (args: object) => {
    const { ran, tools } = recordingTools();
    const { logger, lines } = recorder();
    const gate = createGate({ ledger, logger });
    const { run, prompts } = start({ turns: one(), tools, gate, interruptOn: 'all', ...args });
    const { approvalId } = await until(run, 'approval-requested');
    const decide = (decision: object, id = approvalId) => decideElsewhere(id, decision);
    return { ran, gate, run, prompts, decide, lines };
  };

  it('an approval runs it', async () => {
    const { ran, run, decide, gate } = await open({});
    await decide({ type: 'approve' });
    expect(of(await collect(run))('approval-response')).toMatchObject([{ approved: true, decidedBy: 'mia' }]);
    expect(ran).toEqual(['del /1']);
    await gate.close();
  });

  it('an edit that fits the schema runs', async () => {
    const { ran, run, decide, gate } = await open({});
    await decide({ type: 'edit', args: { path: '/2' } });
    await collect(run);
    expect(ran).toEqual(['del /2']);
    await gate.close();
  });

  it.each([
    ['does not fit the schema', { path: 7 }, /do not fit the schema/],
    ['is changed by the schema', { path: '/2', more: 1 }, /makes other arguments/],
  ])('an edit that %s is taken back, and asked about again', async (_, args, why) => {
    const { ran, run, decide, gate } = await open({});
    await decide({ type: 'edit', args });
    const again = await until(run, 'approval-requested');
    expect(again.description).toMatch(why);
    expect(again.args).toEqual({ path: '/1' });
    expect(ran).toEqual([]);
    await decide({ type: 'approve' }, again.approvalId);
    await collect(run);
    expect(ran).toEqual(['del /1']);
    await gate.close();
  });

  it('gateTools asks again about such an edit, too', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate({ ledger });
    const { del } = gateTools(tools, { gate, interruptOn: 'all' });
    const running = del.execute?.({ path: '/1' }, { toolCallId: 'c1', messages: [] } as never);
    const [first] = await vi.waitFor(async () => {
      const pending = await gate.pending();
      expect(pending).toHaveLength(1);
      return pending;
    }, PATIENTLY);
    await decideElsewhere(first?.approvalId, { type: 'edit', args: { path: 7 } });
    const [second] = await vi.waitFor(async () => {
      const pending = await gate.pending();
      expect(pending).toHaveLength(1);
      return pending;
    }, PATIENTLY);
    expect(second?.description).toMatch(/do not fit the schema/);
    await gate.reject(second?.approvalId ?? '');
    await running;
    expect(ran).toEqual([]);
    await gate.close();
  });

  it('attach waits for a request that was made before, and takes a decision that was made before', async () => {
    const gate = createGate({ ledger });
    const asking = gate.request({ toolName: 'deploy', args: {} });
    const [request] = await gate.pending();
    const attached = localGate(gate, 'test').attach(request?.approvalId ?? '');
    await decideElsewhere(request?.approvalId, { type: 'reject', reason: 'no' });
    expect(await attached).toMatchObject({ decision: { type: 'reject', reason: 'no' }, decidedBy: 'mia' });
    await asking;
    const again = await localGate(gate, 'test').attach(request?.approvalId ?? '');
    expect(again).toMatchObject({ status: 'rejected', decidedBy: 'mia' });
    await expect(localGate(gate, 'test').attach('nobody')).rejects.toMatchObject({ code: 'ERR_UNKNOWN_APPROVAL' });
    await gate.close();
  });
});

describe('a decision that is changed while the ledger looks for its request', () => {
  const decided = async (answer: object, options: object, change: () => void, approvers?: string[]) => {
    const gate = createGate({ ledger });
    const policed = approvers === undefined ? {} : { approvers };
    gate.request({ toolName: 'deploy', args: { to: 'staging' }, ...policed } as never).catch(() => {});
    const [request] = await gate.pending();
    const deciding = gate.decide(request?.approvalId ?? '', answer as never, options as never);
    change();
    return deciding.finally(() => gate.close());
  };

  it('a no stays one', async () => {
    const answer = { type: 'reject' };
    expect(await decided(answer, {}, () => (answer.type = 'approve'))).toMatchObject({ status: 'rejected' });
  });

  it('an edit runs what it said', async () => {
    const answer = { type: 'edit', args: { to: 'test' } };
    const record = await decided(answer, {}, () => (answer.args.to = 'prod'));
    expect(record).toMatchObject({ status: 'edited', decision: { args: { to: 'test' } } });
  });

  it('its person is who it was', async () => {
    const options = { by: 'mia', reason: 'fine' };
    const change = () => Object.assign(options, { by: 'eve', reason: 'bad' });
    const record = await decided({ type: 'approve' }, options, change);
    expect(record).toMatchObject({ decidedBy: 'mia', decision: { reason: 'fine' } });
  });

  it('who decides is in no group that is named later', async () => {
    const groups = ['staff'];
    const deciding = decided({ type: 'approve' }, { by: 'mia', groups }, () => groups.push('ops'), ['group:ops']);
    await expect(deciding).rejects.toMatchObject({ code: 'ERR_NOT_APPROVER' });
  });

  it('how long it is remembered is read with it', async () => {
    const remember = { scope: 'session', expiresIn: -1 };
    const deciding = decided({ type: 'approve' }, { remember }, () => (remember.expiresIn = 1_000));
    await expect(deciding).rejects.toMatchObject({
      code: 'ERR_INVALID_DECISION',
      message: expect.stringMatching(/`remember` must be/) as string,
    });
  });
});

describe('the end of a gate', () => {
  it('leaves what waits, and nobody waiting here', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate({ ledger });
    const { run } = start({ turns: one(), tools, gate, interruptOn: 'all' });
    const { approvalId } = await until(run, 'approval-requested');
    const asking = gate.request({ toolName: 'deploy', args: {} });
    await gate.pending();
    const closing = Promise.all([gate.close(), gate.close()]);
    await expect(asking).rejects.toBeInstanceOf(GateClosedError);
    await closing;
    const rest = await collect(run);
    expect(of(rest)('approval-response')).toEqual([]);
    expect(of(rest)('error')).toMatchObject([{ error: { code: 'ERR_GATE_CLOSED' } }]);
    await expect(run.result).rejects.toBeInstanceOf(GateClosedError);
    expect(ran).toEqual([]);
    expect(later.called.filter(([operation]) => operation === 'cancelRun')).toEqual([]);
    expect(await later.elsewhere('get', { approvalId })).toMatchObject({ status: 'pending' });
    await expect(gate.pending()).rejects.toBeInstanceOf(GateClosedError);
  });
});

describe('an abort and the end of the gate at one moment', () => {
  const statuses = () =>
    later.called
      .filter(([operation]) => operation === 'saveRun')
      .map(([, [run]]) => (run as { status: string }).status);
  const operations = () => later.called.map(([operation]) => operation);

  it('the run ends cancelled, though nobody reads on', async () => {
    const { ran, tools } = recordingTools();
    const stop = new AbortController();
    const gate = createGate({ ledger });
    const { run } = start({ turns: one(), tools, gate, interruptOn: 'all', abortSignal: stop.signal });
    const { approvalId } = await until(run, 'approval-requested');
    // As when both hang on one signal of the process.
    later.trouble = async (operation) => void (operation === 'cancelRun' && (await sleep(20)));
    stop.abort(new Error('enough'));
    await gate.close();
    expect(await later.elsewhere('get', { approvalId })).toMatchObject({ status: 'cancelled', via: 'abort' });
    expect(statuses().at(-1)).toBe('cancelled');
    expect(operations().at(-1)).toBe('close');
    expect(of(await collect(run))('abort')).toHaveLength(1);
    expect(ran).toEqual([]);
  });

  it.each(['a run', 'gateTools', 'gate.request'])('a request of %s that is on its way ends cancelled', async (way) => {
    const { ran, tools } = recordingTools();
    const stop = new AbortController();
    const gate = createGate({ ledger });
    let closing: Promise<void> | undefined;
    later.trouble = async (operation) => {
      if (operation !== 'request') return undefined;
      await sleep(5);
      stop.abort(new Error('enough'));
      closing = gate.close();
      return void (await sleep(20));
    };
    const options = { abortSignal: stop.signal };
    if (way === 'a run') await collect(start({ turns: one(), tools, gate, interruptOn: 'all', ...options }).run);
    else if (way === 'gate.request')
      await gate.request({ toolName: 'del', toolCallId: 'c1', args: {} }, options).catch(() => {});
    else {
      const { model } = scripted(one());
      const gated = gateTools(tools, { gate, interruptOn: 'all' });
      await generateText({ model, tools: gated, prompt: 'go', ...options }).catch(() => {});
    }
    await vi.waitFor(() => expect(closing).toBeDefined(), PATIENTLY);
    await closing;
    expect(await later.elsewhere('find', { runId: null, toolCallId: 'c1' })).toMatchObject([
      { status: 'cancelled', via: 'abort' },
    ]);
    expect(ran).toEqual([]);
  });

  it('nothing else is taken any more', async () => {
    const { tools } = recordingTools();
    const stop = new AbortController();
    const gate = createGate({ ledger });
    const { run } = start({ turns: one(), tools, gate, interruptOn: 'all', abortSignal: stop.signal });
    await until(run, 'approval-requested');
    void gate.request({ toolName: 'deploy', args: {} });
    const other = (await gate.pending()).find(({ toolName }) => toolName === 'deploy')?.approvalId ?? '';
    stop.abort(new Error('enough'));
    const closing = gate.close();
    await expect(gate.approve(other)).rejects.toBeInstanceOf(GateClosedError);
    await expect(gate.request({ toolName: 'deploy', args: {} })).rejects.toBeInstanceOf(GateClosedError);
    await closing;
    expect(await later.elsewhere('get', { approvalId: other })).toMatchObject({ status: 'pending' });
    await run.return();
  });
});

it('a request that nobody waits for ends no process when its gate is closed', async () => {
  const unhandled: unknown[] = [];
  const others = process.rawListeners('unhandledRejection') as ((...all: unknown[]) => void)[];
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (error) => void unhandled.push(error));
  try {
    const gate = createGate({ ledger });
    void gate.request({ toolName: 'deploy', args: {} });
    await gate.pending();
    void gate.request({ toolName: 'deploy', args: {} });
    await gate.close();
    using told = listenToWarnings();
    void gate.request({ toolName: 'deploy', args: {} });
    // The last one was never asked, and is not looked at.
    await vi.waitFor(() => expect(told.warnings).not.toEqual([]), PATIENTLY);
    void Promise.reject(new Error('later'));
    await vi.waitFor(() => expect(unhandled).not.toEqual([]), PATIENTLY);
    expect(unhandled.splice(0)).toMatchObject([{ message: 'later' }]);
    expect(told.warnings).toEqual([expect.stringContaining('gate.request: the gate is closed')]);
    // What is wrong with a request is told.
    void gate.request({ toolName: 'deploy', args: () => {} });
    await vi.waitFor(() => expect(unhandled).not.toEqual([]), PATIENTLY);
    expect(unhandled).toMatchObject([{ code: 'ERR_INVALID_ARGUMENTS' }]);
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const listener of others) process.on('unhandledRejection', listener);
  }
});

describe('requests of one moment', () => {
  const requests = () =>
    later.called
      .filter(([operation]) => operation === 'request')
      .map(([, [all]]) => (all as { toolCallId: string }[]).map(({ toolCallId }) => toolCallId));

  it('of a step share a write, in the order of the calls', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate({ ledger });
    const description = async ({ args }: { args: { path: string } }) => {
      // The first takes longest.
      await sleep(args.path === '/1' ? 20 : 1);
      return `Deletes ${args.path}.`;
    };
    const { run } = start({
      turns: [calls(...['1', '2', '3'].map((n) => call('del', { path: `/${n}` }, `c${n}`))), says('.')],
      tools,
      gate,
      interruptOn: { del: { description } } as never,
      onApprovalRequest: () => true,
    });
    const events = await collect(run);
    expect(requests()).toEqual([['c1', 'c2', 'c3']]);
    expect(of(events)('approval-requested').map(({ toolCallId }) => toolCallId)).toEqual(['c1', 'c2', 'c3']);
    expect(ran.toSorted()).toEqual(['del /1', 'del /2', 'del /3']);
    await gate.close();
  });

  it('come into the ledger in their order; one that is refused takes no other with it', async () => {
    const gate = createGate({ ledger, maxArgumentBytes: 100 });
    const ask = (toolCallId: string, length = 1) =>
      gate.request({ runId: 'r', toolCallId, toolName: 'deploy', args: { text: 'x'.repeat(length) } });
    const asked = [ask('c'), ask('a'), ask('long', 200), ask('c'), ask('b')];
    const refused = Promise.allSettled([asked[2], asked[3]]);
    expect((await gate.pending()).map(({ toolCallId }) => toolCallId)).toEqual(['c', 'a', 'b']);
    expect(await refused).toMatchObject([
      { reason: { code: 'ERR_INVALID_ARGUMENTS' } },
      { reason: { code: 'ERR_DUPLICATE_REQUEST' } },
    ]);
    expect(requests()).toEqual([['c', 'a', 'long', 'c', 'b']]);
    await gate.close();
  });

  it('that are very long do not share one', async () => {
    const gate = createGate({ ledger });
    const args = { text: 'x'.repeat(600_000) };
    for (const toolCallId of ['a', 'b', 'c']) void gate.request({ toolCallId, toolName: 'deploy', args });
    expect((await gate.pending()).map(({ toolCallId }) => toolCallId)).toEqual(['a', 'b', 'c']);
    expect(requests()).toEqual([['a'], ['b'], ['c']]);
    await gate.close();
  });

  it('fail together when the ledger does, and the next are taken', async () => {
    const gate = createGate({ ledger });
    fails('request');
    const ask = () => gate.request({ toolName: 'deploy', args: {} });
    for (const one of await Promise.allSettled([ask(), ask()]))
      expect(one).toMatchObject({ reason: { code: 'ERR_LEDGER_IO' } });
    later.trouble = () => undefined;
    void ask();
    expect(await gate.pending()).toHaveLength(1);
    await gate.close();
  });
});

describe('operations', () => {
  it('of one request or call are done in their order', async () => {
    const gate = createGate({ ledger });
    const next = random(1);
    later.trouble = async () => void (await sleep(10 * next()));
    for (let round = 0; round < 10; round++) {
      const call = { runId: `r${round}`, toolCallId: 'c', toolName: 'deploy', args: {} };
      const [first, ...more] = Array.from({ length: 5 }, () => gate.request(call).catch((error: unknown) => error));
      expect(await Promise.all(more)).toMatchObject(more.map(() => ({ code: 'ERR_DUPLICATE_REQUEST' })));
      const [{ approvalId } = { approvalId: '' }] = await gate.pending();
      const said = Array.from({ length: 5 }, (_, index) => gate.reject(approvalId, { by: `${index}` }));
      await Promise.allSettled(said);
      expect(await first).toMatchObject({ decidedBy: '0' });
    }
    await gate.close();
  });

  it('are at most 64 at once, and all are done', async () => {
    const gate = createGate({ ledger });
    const asking = Array.from({ length: 200 }, () => gate.request({ toolName: 'deploy', args: {} }));
    await vi.waitFor(async () => expect(await gate.pending()).toHaveLength(200), PATIENTLY);
    const pending = await gate.pending();
    let now = 0;
    let most = 0;
    let isFull = () => {};
    const full = new Promise<void>((resolve) => (isFull = resolve));
    later.trouble = async () => {
      most = Math.max(most, ++now);
      if (now === 64) isFull();
      // Were there room for more, they would come before these are gone.
      await full;
      await sleep(2);
      now--;
      return undefined;
    };
    await Promise.all(pending.map(({ approvalId }) => gate.approve(approvalId)));
    expect(most).toBe(64);
    expect((await Promise.all(asking)).every(({ approved }) => approved)).toBe(true);
    await gate.close();
  });

  it('fail with the code of the ledger', async () => {
    const gate = createGate({ ledger });
    later.trouble = () => ({ code: 'ERR_LEDGER_FULL', message: 'the disk is full' });
    const failure: unknown = await gate.ready().catch((error: unknown) => error);
    expect(LedgerError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({ name: 'LedgerError', code: 'ERR_LEDGER_FULL', message: 'the disk is full' });
    await expect(gate.request({ toolName: 't', args: {} })).rejects.toMatchObject({ code: 'ERR_LEDGER_FULL' });
    later.trouble = () => undefined;
    await gate.close();
  });

  it('take an id that is no text of Unicode for an unknown one', async () => {
    const gate = createGate({ ledger });
    expect(await gate.get('a\ud800')).toBeUndefined();
    await gate.close();
  });
});

describe('grants', () => {
  const policy = { version: 1, default: 'ask' } as const;
  const asked = async (gate: ReturnType<typeof createGate>): Promise<Partial<ApprovalRecord>> => {
    const { tools } = recordingTools();
    const { run } = start({ turns: one(), tools, gate });
    const request = await until(run, 'approval-requested');
    void collect(run);
    return request;
  };

  it('are noted in the audit, and so is that they are revoked', async () => {
    const gate = createGate({ ledger, policy });
    const { approvalId = '' } = await asked(gate);
    await gate.approve(approvalId, { by: 'mia', remember: 'session' });
    const [grant] = await gate.grants.list();
    await gate.grants.revoke(grant?.id ?? '');
    const notes = later.called.flatMap(([operation, args]) => {
      if (operation === 'saveRun') return (args[0] as { notes: object[] }).notes;
      return operation === 'note' ? (args[0] as object[]) : [];
    });
    expect(notes).toMatchObject([
      { kind: 'verdict', effect: 'ask' },
      { kind: 'granted', grantId: grant?.id, approvalId, effect: 'allow', scope: 'session', by: 'mia' },
      { kind: 'grant-revoked', grantId: grant?.id },
    ]);
    await gate.close();
  });

  it('that cannot be noted are not made; the decision stands', async () => {
    const { logger, lines } = recorder();
    const gate = createGate({ ledger, policy, logger });
    const { approvalId = '' } = await asked(gate);
    fails('note');
    const record = await gate.approve(approvalId, { by: 'mia', remember: 'session' });
    expect(record.status).toBe('approved');
    expect(await gate.grants.list()).toEqual([]);
    expect(lines.join()).toMatch(/not noted in the audit.*the disk is gone/);
    await gate.close();
  });
});
