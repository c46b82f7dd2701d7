/** Says how much memory something takes. Needs --expose-gc. */
import { streamText } from 'ai';
import { createGate, streamWithEvents } from 'countersign';
import { del, finish, gc, heapUsed, say, scripted, sleep } from './lib.mjs';

const [what, number, how] = process.argv.slice(2);
const count = Number(number);

const rss = () => {
  gc();
  gc();
  return process.memoryUsage.rss();
};

/** `count` requests wait at once, and are decided. */
async function pending() {
  const gate = createGate({ keepDecided: 100, timeout: 3_600_000 });
  const open = async () => {
    const all = [];
    for (let index = 0; index < count; index++) {
      all.push(gate.request({ toolName: 'del', args: { path: `/srv/data/file-${index}.txt`, force: true } }));
      if (index % 1000 === 0) await sleep(0);
    }
    return all;
  };
  const decide = async (all) => {
    for (const { approvalId } of await gate.pending()) await gate.reject(approvalId);
    await Promise.all(all);
  };
  // Warm: code is compiled.
  for (let index = 0; index < 1000; index++) {
    const waits = gate.request({ toolName: 'del', args: { path: `/srv/data/file-${index}.txt` } });
    for (const { approvalId } of await gate.pending()) await gate.reject(approvalId);
    await waits;
  }
  const [heapBefore, rssBefore] = [heapUsed(), rss()];
  let all = await open();
  say('heap', Math.round((heapUsed() - heapBefore) / count));
  say('rss', Math.round((rss() - rssBefore) / count));
  await decide(all);
  all = undefined;
  await sleep(50);
  // Again, more than once: what V8 keeps for a while, such as compiled code, is no memory of requests. That grows each time.
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < 3; time++) {
    const before = heapUsed();
    await decide(await open());
    await sleep(50);
    least = Math.min(least, heapUsed() - before);
  }
  say('heap-after', Math.round(least / count));
  await gate.close();
}

/** One after the other, `count` requests are decided and forgotten. */
async function decided() {
  const gate = createGate({ keepDecided: 100, timeout: 3_600_000 });
  const some = async (number) => {
    for (let index = 0; index < number; index++) {
      const args = { path: `/srv/data/file-${index}.txt`, force: true };
      const waits = gate.request({ toolName: 'del', args });
      const [{ approvalId }] = await gate.pending();
      await gate[how](approvalId);
      await waits;
    }
  };
  await some(Math.max(count / 5, 300));
  const before = rss();
  await some(count);
  say('growth', Math.round((rss() - before) / count));
  await gate.close();
}

function* deltas() {
  yield { type: 'text-start', id: '1' };
  for (let index = 0; index < count; index++) yield { type: 'text-delta', id: '1', delta: 'x' };
  yield { type: 'text-end', id: '1' };
  yield finish('stop');
}

/** Reads `count` texts and says by how many bytes the heap grew for each. */
async function growthOf(items, isText) {
  let seen = 0;
  let first = 0;
  let most = 0;
  for await (const item of items) {
    if (!isText(item)) continue;
    seen++;
    // The first tenth fills what is filled once.
    if (seen === count / 10) first = heapUsed();
    else if (seen % (count / 10) === 0) most = Math.max(most, heapUsed());
  }
  say('seen', seen);
  say('growth', Math.round((most - first) / (count * 0.9)));
}

const stream = () =>
  growthOf(
    streamWithEvents({
      model: scripted(deltas),
      tools: { del },
      prompt: 'go',
      interruptOn: 'all',
      onApprovalRequest: () => true,
    }),
    ({ type }) => type === 'text',
  );

const rawStream = () =>
  growthOf(streamText({ model: scripted(deltas), prompt: 'go' }).fullStream, ({ type }) => type === 'text-delta');

await { pending, decided, stream, 'raw-stream': rawStream }[what]();
