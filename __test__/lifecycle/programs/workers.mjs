/** Workers that are terminated while requests with deadlines wait in them. */
import { Worker, isMainThread, parentPort } from 'node:worker_threads';
import { say, sleep } from './lib.mjs';

const [how, rounds, count] = process.argv.slice(2);
const PENDING = 50;

if (isMainThread) {
  // Alone: when the last worker goes, the addon's last environment goes with it.
  const gate = how === 'with main' ? (await import('countersign')).createGate() : undefined;
  const mine = gate?.request({ toolName: 'del', args: {} });
  for (let round = 0; round < Number(rounds); round++) {
    const workers = Array.from({ length: Number(count) }, () => new Worker(new URL(import.meta.url), { argv: [how] }));
    await Promise.all(
      workers.map((worker) => new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))),
    );
    // Deadlines pass while they are being terminated.
    await sleep((round % 4) * 10);
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  for (const { approvalId } of (await gate?.pending()) ?? []) await gate.approve(approvalId);
  say('end', (await mine)?.decision.type ?? '-');
} else {
  const { createGate } = await import('countersign');
  const gate = createGate();
  for (let index = 0; index < PENDING; index++) {
    void gate.request({ toolName: 'del', args: { index }, timeout: 5 + index * 2 });
  }
  parentPort.postMessage((await gate.pending()).length);
  setInterval(() => {}, 1000);
}
