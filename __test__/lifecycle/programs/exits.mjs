/** Ways for a process to end, or not to end, with requests pending. */
import { createGate, streamWithEvents, toolApproval } from 'countersign';
import { calls, del, gcUntil, say, says, scripted, sleep } from './lib.mjs';

const run = (more) =>
  streamWithEvents({
    model: scripted(calls('/a', '/b'), says('.')),
    tools: { del },
    prompt: 'go',
    interruptOn: 'all',
    ...more,
  });
const ask = (gate, timeout = 3_600_000) => gate.request({ toolName: 'del', args: {}, timeout });
const never = () => new Promise(() => {});
const upTo = async (iterator, type) => {
  for (;;) {
    const { done, value } = await iterator.next();
    if (done) throw new Error(`ended before ${type}`);
    if (value.type === type) return;
  }
};
const sayAll = async (iterator) => {
  for await (const { type, decision } of iterator) if (decision) say(type, decision.type);
  say('end');
};

const ways = {
  async 'process.exit, many requests wait'() {
    const gate = createGate();
    for (let index = 0; index < 200; index++) void ask(gate);
    void sayAll(run({ gate }));
    void sayAll(run({ onApprovalRequest: never }));
    while ((await gate.pending()).length < 202) await sleep(1);
    process.exit(7);
  },
  async 'process.exit in onApprovalRequest'() {
    void sayAll(run({ onApprovalRequest: () => process.exit(9) }));
  },
  async 'process.exit after an approval'() {
    void sayAll(run({ onApprovalRequest: async () => (setTimeout(() => process.exit(9), 0), await sleep(0), false) }));
  },
  async 'a request that is awaited'() {
    say('wait');
    say((await ask(createGate(), 600)).decision.type);
  },
  async 'a request that is not awaited'() {
    say('wait');
    void ask(createGate(), 600).then(({ decision }) => say(decision.type));
  },
  async 'a run that is read'() {
    say('wait');
    await sayAll(run({ gate: createGate({ timeout: 600 }) }));
  },
  async 'a run whose result is awaited'() {
    say('wait');
    const { text } = await run({ gate: createGate({ timeout: 600 }) }).result;
    say('text', text);
  },
  async 'a callback with a deadline that never answers'() {
    say('wait');
    await sayAll(run({ approvalTimeout: 600, onApprovalRequest: never }));
  },
  async 'a callback without a deadline that never answers'() {
    say('wait');
    // Does not keep the process alive itself.
    setTimeout(() => (say('alive'), process.exit()), 1500).unref();
    await sayAll(run({ onApprovalRequest: never }));
  },
  async 'a run that was returned'() {
    const left = run({ gate: createGate() });
    await upTo(left, 'approval-requested');
    await left.return();
    say('left');
  },
  async 'a run that was aborted'() {
    const stop = new AbortController();
    const gate = createGate();
    void (async () => {
      while ((await gate.pending()).length < 2) await sleep(1);
      stop.abort();
    })();
    await sayAll(run({ gate, abortSignal: stop.signal }));
  },
  async 'a request that was withdrawn'() {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const { decision } = await createGate().request({ toolName: 'del', args: {} }, { abortSignal: stop.signal });
    say(decision.type);
  },
  async 'a run that was dropped and collected'() {
    const gate = createGate();
    await (async () => upTo(run({ gate }), 'approval-requested'))();
    if (!(await gcUntil(async () => (await gate.pending()).length === 0))) throw new Error('it is still there');
    say('collected');
  },
  async 'a gate that is closed'() {
    const gate = createGate();
    void ask(gate).then(({ decision }) => say(decision.type));
    void sayAll(run({ gate }));
    while ((await gate.pending()).length < 3) await sleep(1);
    await gate.close();
  },
  async 'a reader of events'() {
    const gate = createGate();
    void sayAll(gate.events());
    say('reading');
  },
  async 'a question that nobody waits for'() {
    const decide = toolApproval({ gate: createGate(), interruptOn: 'all' });
    const status = await decide({
      toolCall: { toolCallId: '1', toolName: 'del', input: {} },
      tools: { del },
      messages: [],
    });
    say(status.type);
  },
};

await ways[process.argv[2]]();
