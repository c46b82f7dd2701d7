/**
 * G14: The event loop is never blocked: no file or network I/O on the JavaScript thread; memory per pending request is
 * bounded. And a reader that is slow slows the model: what it has not read is not piled up.
 */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { tool } from 'ai';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { localGate } from '../../ts/gate/gate.js';
import { createGate, streamWithEvents } from '../../ts/index.js';
import { NativeGate, NativePolicies } from '../../ts/native.js';
import { snapshot } from '../../ts/values/snapshot.js';
import { makeSandbox, runProgram, type Sandbox } from '../lifecycle/sandbox.js';
import { effort, isThorough, isWhole } from '../support/effort.js';
import { lazy } from '../support/lazy-model.js';
import { call, calls, finish, major, says, scripted, sleep, type ModelPart } from '../support/model.js';
import { aTurn, settled } from '../support/turns.js';

/**
 * How long this thread has worked, or waited for what it had asked for, in ms. Where the system tells how long it was kept from
 * its processor by other programs (Linux: the second number of `schedstat`, in ns), that does not count.
 */
function ownTime(): number {
  try {
    return performance.now() - Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** How long this process has worked, in ms of a processor: how busy the machine is makes no difference. */
function work(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Work alone is measured where other programs may keep all processors; a thread that waits for a file or a lock is found in
 * `g14-the-event-loop-is-free.processes.test.ts`. Where there is time, waiting counts as well.
 */
const spent = isThorough ? ownTime : work;

/** The longest time, in ms, for which a timer of 5 ms did not come round while this ran. */
async function longestGap(doIt: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = spent();
  const look = () => {
    const now = spent();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 5);
  await sleep(20);
  longest = 0;
  await doIt();
  // The timer may have been due when the work ended.
  await sleep(10);
  clearInterval(timer);
  look();
  return longest;
}

/** How often a comparison is made at most: a machine that is busy with something else does not stay so, code that blocks does. */
const ATTEMPTS = 10;

/**
 * Whether twice as much of it takes about twice as long, and not four times: no call searches through all the others. How long
 * that is depends on the machine, and is measured in `bench/`.
 */
async function expectLinear(measure: (count: number) => Promise<number>): Promise<void> {
  let [once, twice] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < ATTEMPTS && !(twice < 3 * once); attempt++) {
    once = Math.min(once, await measure(REQUESTS));
    twice = Math.min(twice, await measure(2 * REQUESTS));
  }
  expect(twice).toBeLessThan(3 * once);
}

const REQUESTS = effort(250, 1_000);
const args = { path: '/srv/data/file.txt', content: 'x'.repeat(200), options: { force: true, depth: 3 } };

/** A gate alone is the same on either version of the AI SDK: it is measured on one. */
const isTwice = major === 6;

describe.skipIf(isTwice)('the event loop', () => {
  it(`is free while ${REQUESTS} requests come and are decided one by one`, async () => {
    const gapAndWork = async () => {
      const before = spent();
      const gap = await longestGap(async () => {
        await using gate = createGate();
        const all: Promise<unknown>[] = [];
        for (let index = 0; index < REQUESTS; index++) {
          all.push(gate.request({ toolName: 'write', args }));
          if (index % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        for (const [index, { approvalId }] of (await gate.pending()).entries()) {
          await (index % 2 === 0 ? gate.approve(approvalId) : gate.reject(approvalId));
          if (index % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        await Promise.all(all);
      });
      return [gap, spent() - before] as const;
    };
    // One look at all that waits, as JSON, is the longest of it. Were they put off and done in one go, that would be nearly all.
    let [gap, all] = await gapAndWork();
    for (let attempt = 1; attempt < ATTEMPTS && gap >= all / 3; attempt++) [gap, all] = await gapAndWork();
    expect(gap).toBeLessThan(all / 3);
  });

  it.runIf(isWhole)(`is blocked for no longer than requests that come at once take`, async () => {
    await expectLinear((count) =>
      longestGap(async () => {
        await using gate = createGate();
        const all = Array.from({ length: count }, () => gate.request({ toolName: 'write', args }));
        await new Promise((resolve) => setImmediate(resolve));
        const waiting = await gate.pending();
        await Promise.all(waiting.map(({ approvalId }) => gate.approve(approvalId)));
        await Promise.all(all);
      }),
    );
  });

  it(`is free while deadlines pass at once`, async () => {
    /** In ms, from the first request to the deadline of all: they pass at once where the last one was made before it. */
    let ahead = 150;
    await expectLinear(async (count) => {
      for (;;) {
        let making = 0;
        const gap = await longestGap(async () => {
          await using gate = createGate();
          const since = Date.now();
          const until = since + ahead;
          const all: Promise<{ decision: { type: string } }>[] = [];
          for (let index = 0; index < count; index++) {
            all.push(gate.request({ toolName: 'write', args, timeout: Math.max(1, until - Date.now()) }));
            if (index % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
          }
          making = Date.now() - since;
          const kinds = new Set((await Promise.all(all)).map(({ decision }) => decision.type));
          expect([...kinds]).toEqual(['expired']);
        });
        if (making < ahead) return gap;
        ahead = 2 * making;
      }
    });
  });

  it('is free while a human thinks', async () => {
    await using gate = createGate();
    let isOver = false;
    const asking = gate.request({ toolName: 'write', args }).finally(() => (isOver = true));
    for (let turn = 0; turn < 100; turn++) await aTurn();
    expect(isOver).toBe(false);
    for (const { approvalId } of await gate.pending()) await gate.approve(approvalId);
    expect(await asking).toMatchObject({ approved: true });
  });
});

describe('a slow reader', () => {
  const CHUNKS = effort(1_000, 5_000);
  /**
   * Each of the SDK's streams between the model and the reader holds a part or so; there are about a dozen. What is not
   * bounded would have read all of them.
   */
  const AHEAD = 100;

  const variants = { 'ungated tools': 'none', 'gated tools': 'all' } as const;
  const deltas = function* (): Generator<ModelPart> {
    yield { type: 'text-start', id: '1' };
    for (let index = 0; index < CHUNKS; index++) yield { type: 'text-delta', id: '1', delta: `${index} ` };
    yield { type: 'text-end', id: '1' };
    yield finish('stop');
  };
  const start = (interruptOn: 'all' | 'none', turn: (number: number) => Iterable<ModelPart> = deltas) => {
    const model = lazy(turn);
    const execute = async () => 'done';
    const tools = { del: tool({ inputSchema: z.object({ path: z.string() }), execute }) };
    const run = streamWithEvents({
      model: model.model,
      tools,
      prompt: 'go',
      interruptOn,
      onApprovalRequest: () => true,
    });
    return { model, run };
  };

  it.each(Object.entries(variants))('of events, with %s', async (_, interruptOn) => {
    const { model, run } = start(interruptOn);
    let read = 0;
    let most = 0;
    for await (const { type } of run) {
      if (type === 'text') read++;
      // Many short stops, and some until nothing happens any more: none may be the start of another hundred.
      if (type === 'text' && read <= CHUNKS / 5) await aTurn();
      if (type !== 'text' || read % (CHUNKS / 5) !== 0) continue;
      most = Math.max(most, (await settled(() => model.pulled)) - read);
    }
    expect(read).toBe(CHUNKS);
    expect(most).toBeLessThan(AHEAD);
  });

  it.each(Object.entries(variants))('of events that has not begun or stops, with %s', async (_, interruptOn) => {
    const { model, run } = start(interruptOn);
    expect([await settled(() => model.pulled), model.calls]).toEqual([0, 0]);
    await run.next();
    expect(await settled(() => model.pulled)).toBeLessThan(AHEAD);
    await run.return();
    expect(await settled(() => model.pulled)).toBeLessThan(AHEAD);
  });

  it.each(Object.entries(variants))('of a UI stream, with %s', async (_, interruptOn) => {
    const { model, run } = start(interruptOn);
    const reader = run.toUIMessageStream().getReader();
    for (let chunk = 0; chunk < 10; chunk++) await reader.read();
    expect(await settled(() => model.pulled)).toBeLessThan(AHEAD);
    await reader.cancel();
    expect(await settled(() => model.pulled)).toBeLessThan(AHEAD);
  });

  it.each(Object.entries(variants))('of a response, with %s', async (_, interruptOn) => {
    const { model, run } = start(interruptOn);
    const reader = (run.toUIMessageStreamResponse().body as ReadableStream<Uint8Array>).getReader();
    for (let chunk = 0; chunk < 10; chunk++) await reader.read();
    expect(await settled(() => model.pulled)).toBeLessThan(AHEAD);
    await reader.cancel();
  });

  it('of the second round', async () => {
    const { model, run } = start('all', (number) =>
      number === 0 ? [call('del', { path: '/a' }, 'c1'), finish('tool-calls')] : deltas(),
    );
    for await (const { type } of run) {
      if (type !== 'text') continue;
      expect(await settled(() => model.pulled)).toBeLessThan(AHEAD);
      break;
    }
    expect(await settled(() => model.pulled)).toBeLessThan(AHEAD);
  });
});

describe('memory', () => {
  let sandbox: Sandbox;
  beforeAll(() => void (sandbox = makeSandbox(`ai${major}`)));
  afterAll(() => sandbox.remove());
  const runtime = { name: 'this Node', kind: 'node', version: process.versions.node, path: process.execPath } as const;

  const PENDING = effort(300, 2_000);
  const PARTS = effort(10_000, 40_000);

  /** Lines such as `heap 2191` as numbers. */
  async function figures(args: string[], ...flags: string[]): Promise<Record<string, number>> {
    const ran = await runProgram(sandbox, runtime, 'memory', { args, flags: ['--expose-gc', ...flags] });
    expect(ran.code, ran.all).toBe(0);
    return Object.fromEntries(ran.lines.map((line) => line.split(' ')).map(([name, value]) => [name, Number(value)]));
  }

  it.runIf(isWhole && !isTwice)(`of ${PENDING} pending requests is bounded and given back`, async () => {
    const used = await figures(['pending', `${PENDING}`]);
    // In JavaScript a promise, two closures and the copy of the arguments; in the core the record and its indexes. About
    // 2.3 KB and 1 KB were measured; the bound leaves room for other versions of V8 and malloc, not for a second copy of
    // everything.
    expect(used['heap']).toBeLessThan(5_000);
    expect(used['rss']).toBeLessThan(10_000);
    expect(used['heap-after']).toBeLessThan(100);
  });

  it.runIf(isThorough && !isTwice).each(['reject', 'approve'])(
    'does not grow with the number of requests that were decided (%s)',
    async (how) => {
      // Bytes of RSS per request: 0 but for noise. A record that is kept takes 800 or more. Noise does not come three times.
      const most = 400;
      let growth = Number.POSITIVE_INFINITY;
      for (let time = 0; time < 3 && growth >= most; time++)
        growth = (await figures(['decided', '10000', how], '--max-semi-space-size=1'))['growth'] as number;
      expect(growth).toBeLessThan(most);
    },
  );

  it.runIf(isWhole)('of a stream does not grow more than that of the SDK itself', async () => {
    // What is kept of each part would take some 200 bytes and more.
    const used = await figures(['stream', `${PARTS}`], '--max-old-space-size=64');
    const raw = await figures(['raw-stream', `${effort(10_000, 30_000)}`], '--max-old-space-size=64');
    expect(used['seen']).toBe(PARTS);
    // What is left is the text itself, which the SDK puts together piece by piece.
    expect(used['growth']).toBeLessThan((raw['growth'] as number) * 1.1 + 10);
  });
});

/** Where no rule has a say. */
const SHOWN = {
  look: {
    binding: { tool: 'del', asked: { ruleName: 'del', now: 0 } },
    show: { hasRules: false, ofGate: false, floor: false, offers: true },
  },
};

describe('long arguments', () => {
  const long = '\u202e'.repeat(70_000);

  it('are judged, and made ready to be shown, on another thread', async () => {
    const home = tmpdir();
    const policies = new NativePolicies({ documents: [], files: 'none', cwd: home, project: home, home });
    const call = (content: string) => ({ toolName: 'del', args: { content }, now: 0 });
    const gate = localGate(createGate(), 'test');
    const reader = { policies: [policies], ...SHOWN };
    const shown = (content: string) => gate.look(snapshot({ content }), reader);
    expect(policies.judge(call('short'))).not.toBeInstanceOf(Promise);
    expect(shown('short')).not.toBeInstanceOf(Promise);
    expect(policies.judge(call(long))).toBeInstanceOf(Promise);
    const later = shown(long);
    expect(later).toBeInstanceOf(Promise);
    expect((await later).shown?.page.flags).toContain('bidi');
  });

  it('are so in a run without policies, too', async () => {
    const request = vi.spyOn(NativeGate.prototype, 'request');
    onTestFinished(() => request.mockRestore());
    for (const content of ['short', long]) {
      const { model } = scripted([calls(call('note', { content }, 'c1')), says('.')]);
      const note = tool({ inputSchema: z.object({ content: z.string() }), execute: () => 'ok' });
      const options = {
        model,
        prompt: 'go',
        tools: { note },
        interruptOn: { note: true },
        onApprovalRequest: () => false,
      };
      await streamWithEvents(options as never).result;
    }
    const isLater = request.mock.results.map(({ value }) => value instanceof Promise);
    expect(isLater).toEqual([false, true]);
  });
});
