/** Runs without references. Needs --expose-gc. */
import { createGate, gateTools, streamWithEvents } from 'countersign';
import { call, calls, del, finish, gcUntil, heapUsed, gc, say, says, scripted, sleep } from './lib.mjs';

/** Ways, one after the other; behind `--` what one of them wants to know. */
const all = process.argv.slice(2);
const [names, details] = all.includes('--')
  ? [all.slice(0, all.indexOf('--')), all.slice(all.indexOf('--') + 1)]
  : [all, []];

const work = () => ({ model: scripted(calls('/a', '/b'), says('.')), tools: { del }, prompt: 'go' });
const run = (more) => streamWithEvents({ ...work(), interruptOn: 'all', ...more });
const isEmpty = (gate) => async () => (await gate.pending()).length === 0;
const upTo = async (iterator, type) => {
  for (;;) {
    const { done, value } = await iterator.next();
    if (done) throw new Error(`ended before ${type}`);
    if (value.type === type) return value;
  }
};
/** Makes it where nothing keeps it by accident. */
const made = async (make) => new WeakRef(await make());
const gone = (ref) => async () => ref.deref() === undefined;

/** Aborts once, with a controller that is not kept. */
const abortSoon = { now: () => {} };
const aborting = () => {
  let controller = new AbortController();
  const { signal } = controller;
  abortSoon.now = () => {
    controller.abort();
    controller = undefined;
  };
  return { signal };
};

/** Whether timers of the SDK would keep the process alive when all is over. */
let isHeld = false;

/** Whether it comes to its end while somebody is asked and memory is short. */
async function endsWhileItAsks(more, change = (own) => own) {
  const { jsonSchema, tool } = await import('ai');
  // The limit counts as long as the SDK has something to do.
  const read = tool({
    inputSchema: jsonSchema({ type: 'object' }),
    execute: (_, { abortSignal }) => new Promise((resolve) => abortSignal.addEventListener('abort', resolve)),
  });
  const gate = createGate();
  const reads = { ...call('', 'r'), toolName: 'read', input: '{}' };
  const own = { model: scripted([reads, ...calls('/a')], says('.')), tools: { del, read } };
  const reading = (async () => {
    const all = streamWithEvents({ ...change(own), prompt: 'go', interruptOn: ['del'], ...more, gate });
    for await (const { type } of all) if (type === 'abort') say(type);
  })();
  for (let isOver = false, time = 0; !isOver && time < 400; time++) {
    gc();
    isOver = await Promise.race([reading.then(() => true), sleep(20).then(() => false)]);
  }
  say('waiting', (await gate.pending()).length);
  isHeld = true;
}

/** A turn that starts an agent. */
const starts = () => [{ ...call('', 't'), toolName: 'task', input: '{}' }, finish('tool-calls')];

/** A tool that starts an agent. */
const starter = async (more) => {
  const { jsonSchema, tool } = await import('ai');
  return tool({
    inputSchema: jsonSchema({ type: 'object' }),
    // It asks about what its parent asks about.
    execute: async (_, options) => (await streamWithEvents({ ...work(), ...more, parent: options }).result).text,
  });
};

const ways = {
  async 'never iterated'() {
    const gate = createGate();
    const ref = await made(() => run({ gate }));
    say('cleared', await gcUntil(gone(ref)));
    await gate.close();
  },
  async 'never iterated, with a signal that lives on'() {
    const stop = new AbortController();
    const ref = await made(() => run({ gate: createGate(), abortSignal: stop.signal }));
    say('cleared', await gcUntil(gone(ref)));
    stop.abort();
  },
  async 'dropped in the middle'() {
    const gate = createGate();
    const cancelled = [];
    const events = gate.events();
    void (async () => {
      for await (const event of events)
        if (event.type === 'decided') cancelled.push(`${event.decision.type} ${event.via}`);
    })();
    const ref = await made(async () => {
      const left = run({ gate });
      await upTo(left, 'approval-requested');
      await upTo(left, 'approval-requested');
      return left;
    });
    say('waiting', (await gate.pending()).length);
    say('empty', await gcUntil(isEmpty(gate)));
    say('cleared', await gcUntil(gone(ref)));
    // The reader of events is told a moment later.
    await gcUntil(async () => cancelled.length === 2);
    say('decided', cancelled.join());
    await gate.close();
  },
  async 'dropped in the middle, with a signal that lives on'() {
    const gate = createGate();
    const stop = new AbortController();
    await made(async () => {
      const left = run({ gate, abortSignal: stop.signal });
      await upTo(left, 'approval-requested');
      return left;
    });
    say('empty', await gcUntil(isEmpty(gate)));
    await gate.close();
    stop.abort();
  },
  async 'dropped with a callback that still thinks'() {
    let answer;
    let told = false;
    let ref = await made(async () => {
      const left = run({
        onApprovalRequest: (_, { abortSignal }) => {
          abortSignal.addEventListener('abort', () => (told = true));
          return new Promise((resolve) => (answer = resolve));
        },
      });
      await upTo(left, 'approval-requested');
      return left;
    });
    say('told', await gcUntil(async () => told));
    answer(true);
    say('cleared', await gcUntil(gone(ref)));
  },
  async 'approved, then dropped before it ran'() {
    const gate = createGate();
    await made(async () => {
      const left = run({ gate });
      await upTo(left, 'approval-requested');
      for (const { approvalId } of await gate.pending()) await gate.approve(approvalId);
      return left;
    });
    for (let time = 0; time < 10; time++) {
      gc();
      await sleep(10);
    }
    await gate.close();
  },
  /** A caller waits: that is not dropped, though no variable holds it. */
  async 'read by a loop that nobody holds'() {
    const gate = createGate();
    let isOver = () => {};
    const over = new Promise((resolve) => (isOver = resolve));
    (() => {
      void (async () => {
        for await (const { type } of run({ gate })) if (type === 'done') say('done');
        isOver();
      })();
    })();
    while ((await gate.pending()).length < 2) await sleep(1);
    for (let time = 0; time < 20; time++) {
      gc();
      await sleep(5);
    }
    say('waiting', (await gate.pending()).length);
    for (const { approvalId } of await gate.pending()) await gate.approve(approvalId);
    await over;
  },
  async 'one item awaited, and the run forgotten'() {
    const gate = createGate();
    let isTold = () => {};
    const told = new Promise((resolve) => (isTold = resolve));
    await (async () => {
      const left = run({ gate });
      await upTo(left, 'step-finish');
      const next = left.next();
      void (async () => {
        const { value } = await next;
        say(value.type, value.decision.type);
        isTold();
      })();
    })();
    for (let time = 0; time < 20; time++) {
      await sleep(5);
      gc();
    }
    for (const { approvalId } of await gate.pending()) await gate.approve(approvalId);
    await told;
    // Now nobody waits any more.
    say('empty', await gcUntil(isEmpty(gate)));
    await gate.close();
  },
  async 'awaited by its result only'() {
    const gate = createGate();
    const result = (() => run({ gate }).result.then(({ text }) => say('text', text)))();
    while ((await gate.pending()).length < 2) await sleep(1);
    for (let time = 0; time < 20; time++) {
      gc();
      await sleep(5);
    }
    for (const { approvalId } of await gate.pending()) await gate.approve(approvalId);
    await result;
  },
  /** What ends it must not be collected before it does. */
  async 'a time limit of the SDK'() {
    await endsWhileItAsks({ timeout: 300 });
  },
  async 'a time limit of the SDK, of several'() {
    await endsWhileItAsks({ timeout: { totalMs: 300, stepMs: 60_000 } });
  },
  async 'a time limit of the agent'() {
    const { ToolLoopAgent } = await import('ai');
    const agent = ({ model, tools }) => ({ agent: new ToolLoopAgent({ model, tools, timeout: 300 }) });
    await endsWhileItAsks({}, agent);
  },
  async 'a signal that is a timeout'() {
    await endsWhileItAsks({ abortSignal: AbortSignal.timeout(300) });
  },
  async 'an abort by what is gone'() {
    const abortSignal = aborting().signal;
    const all = run({ abortSignal, onApprovalRequest: () => true });
    abortSoon.now();
    for (let time = 0; time < 5; time++) {
      await sleep(5);
      gc();
    }
    for await (const { type } of all) if (type === 'abort') say(type);
  },
  async 'an abort by what is gone, while a tool runs that calls another'() {
    const { jsonSchema, tool } = await import('ai');
    const starts = tool({
      inputSchema: jsonSchema({ type: 'object' }),
      execute: async (_, options) => {
        const tools = gateTools({ del }, { parent: options });
        // Its signal was made before, and was not read.
        await tools.del.execute({ path: '/before' }, { toolCallId: 'x', messages: [] });
        abortSoon.now();
        for (let time = 0; time < 5; time++) {
          await sleep(5);
          gc();
        }
        await tools.del.execute({ path: '/after' }, { toolCallId: 'y', messages: [] }).catch(() => {});
      },
    });
    const all = run({
      abortSignal: aborting().signal,
      tools: { starts },
      interruptOn: { starts: true, del: true },
      onApprovalRequest: () => true,
      model: scripted([{ ...call('', 't'), toolName: 'starts', input: '{}' }, finish('tool-calls')], says('.')),
    });
    for await (const { type } of all) if (type === 'abort') say(type);
    await sleep(100);
  },
  async 'dropped while its subagent asks'() {
    const gate = createGate();
    const task = await starter({});
    const interruptOn = { del: true };
    const ref = await made(async () => {
      const left = run({
        gate,
        tools: { task, del },
        interruptOn,
        model: scripted(starts(), says('.')),
      });
      await upTo(left, 'approval-requested');
      await upTo(left, 'approval-requested');
      return left;
    });
    say('waiting', (await gate.pending()).length);
    say('empty', await gcUntil(isEmpty(gate)));
    say('cleared', await gcUntil(gone(ref)));
    await gate.close();
  },
  async 'a gate that is dropped'() {
    const refs = [];
    for (let index = 0; index < 20; index++) {
      refs.push(
        await made(async () => {
          const gate = createGate({ timeout: 3_600_000 });
          const tools = gateTools({ del }, { gate, interruptOn: 'all', mode: 'stop' });
          await tools.del.needsApproval({ path: '/a' }, { toolCallId: 'x', messages: [] });
          if ((await gate.pending()).length !== 1) throw new Error('it does not wait');
          return gate;
        }),
      );
    }
    say('cleared', await gcUntil(async () => refs.every((ref) => ref.deref() === undefined)));
  },
  async thousands() {
    const del = { inputSchema: undefined, execute: async () => 'x' };
    const { jsonSchema, tool } = await import('ai');
    const tools = { del: tool({ ...del, inputSchema: jsonSchema({ type: 'object' }) }) };
    const shared = createGate({ keepDecided: 100 });
    const stop = new AbortController();
    const isFamily = details[1] === 'families';
    const task = await starter({ tools });
    const one = async (index) => {
      const kind = index % 5;
      const model = scripted(isFamily ? starts() : calls('/a', '/b'), says('.'));
      const made = streamWithEvents({
        model,
        tools: isFamily ? { ...tools, task } : tools,
        prompt: 'go',
        interruptOn: isFamily ? { del: true } : 'all',
        abortSignal: stop.signal,
        ...(index % 2 === 0 ? { gate: shared } : {}),
        ...(kind === 4 && index % 2 === 0 ? {} : { onApprovalRequest: () => index % 3 !== 0 }),
      });
      if (kind === 0) return; // Never iterated.
      if (kind === 1) for await (const _ of made); // To its end.
      else if (kind === 2) for await (const { type } of made) if (type === 'tool-call') break;
      if (kind === 3) await made.result;
      if (kind === 4) await upTo(made, 'approval-requested'); // Dropped.
    };
    const some = async (count) => {
      for (let index = 0; index < count; index++) {
        await one(index);
        // Turns of the event loop, in which collected runs are finalized, as there are in any real process.
        if (index % 50 === 49) await sleep(1);
      }
      await gcUntil(isEmpty(shared));
      return [heapUsed(), process.memoryUsage.rss()];
    };
    const size = Number(details[0]);
    await some(size);
    const rounds = [];
    for (let round = 0; round < 4; round++) rounds.push(await some(size));
    const grown = (kind) => rounds.slice(1).map((now, index) => (now[kind] - rounds[index][kind]) / size);
    say('heap', Math.round(grown(0).reduce((sum, one) => sum + one) / 3));
    // An engine takes memory from the system in large pieces, and when it likes. What is kept grows in each round.
    say('rss', Math.round(Math.min(...grown(1))));
    say('pending', (await shared.pending()).length);
    await shared.close();
  },
};

for (const name of names) {
  if (names.length > 1) say('#', name);
  await ways[name]();
}
if (isHeld) process.exit();
