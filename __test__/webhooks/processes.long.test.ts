/** Senders in processes that are killed: nothing that was written down is untold, and what comes twice has the same id. */
import { expect, test } from 'vitest';
import { countersign } from '../cli/command.js';
import { sleep, stage } from '../ledger/processes.js';
import { runtimes } from '../runtimes.js';
import { effort, isThorough } from '../support/effort.js';
import { idsOf, receiver, SECRET } from './receiver.js';

const { ledger, start, gate } = stage();

test.runIf(isThorough)('killed in the middle of deliveries, again and again, by nobody missed for long', async () => {
  const hooks = await receiver();
  // It takes some, refuses some, and leaves some without an answer.
  hooks.reply = (_, index) => [204, 500, () => {}, 204, 503][index % 5]!;
  const where = ledger();
  const asked: string[] = [];
  const rounds = effort(2, 5);
  for (let round = 0; round < rounds; round++) {
    const before = hooks.taken.length;
    const sender = start('sender', [where, hooks.url, SECRET, '10']);
    await sender.says('done');
    asked.push(...sender.said('asked').map(([id]) => id!));
    await hooks.until(({ taken }) => taken.length > before);
    await sender.kill();
  }
  hooks.reply = () => 204;
  start('sender', [where, hooks.url, SECRET, '0']);
  const told = () => new Set(hooks.taken.map(({ event }) => event.data.approvalId));
  await hooks.until(() => asked.every((id) => told().has(id)));
  expect(asked).toHaveLength(10 * rounds);
  // The same event has the same id and the same body, however often it came.
  const bodies = new Map(hooks.all.map(({ headers, body }) => [String(headers['webhook-id']), body]));
  for (const { headers, body } of hooks.all) expect(bodies.get(String(headers['webhook-id']))).toBe(body);
  expect(new Set(idsOf(hooks.all)).size).toBe(10 * rounds);
});

test.runIf(isThorough)('of several processes one sends', async () => {
  const hooks = await receiver();
  const where = ledger();
  for (let each = 0; each < effort(2, 3); each++) {
    // None of them misses another, however long that has nothing to say on a busy machine.
    const sender = start('sender', [where, hooks.url, SECRET, '5', '600000']);
    await sender.says('done');
  }
  await hooks.until(({ taken }) => taken.length === effort(10, 15));
  expect(new Set(idsOf(hooks.all)).size).toBe(hooks.all.length);
});

test('when the one that sends is killed another does', async () => {
  const hooks = await receiver();
  const where = ledger();
  const senders = [];
  for (let each = 0; each < effort(2, 3); each++) {
    const sender = start('sender', [where, hooks.url, SECRET, '0']);
    await sender.says('done');
    senders.push(sender);
  }
  const asking = gate(where);
  for (const sender of senders.slice(0, -1)) {
    await sender.kill();
    asking.request({ toolName: 'pay', args: {}, timeout: 3_600_000 }).catch(() => {});
    const before = new Set(idsOf(hooks.taken)).size;
    await hooks.until(({ taken }) => new Set(idsOf(taken)).size > before);
  }
});

test.each(runtimes())('$name sends', async (runtime) => {
  const hooks = await receiver();
  hooks.reply = (_, index) => (index === 0 ? 503 : 204);
  start('sender', [ledger(), hooks.url, SECRET, '3'], { runtime });
  await hooks.until(({ taken }) => taken.length === 3);
});

test('the command tells of dead letters, and has them sent again', async () => {
  const hooks = await receiver();
  hooks.reply = () => 410;
  const where = ledger();
  const sender = start('sender', [where, hooks.url, SECRET, '2']);
  const run = (...args: string[]) => countersign(['webhooks', '--ledger', where, ...args]);
  const letters = async () =>
    (await run('--json')).stdout
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { id: string; state: string }]))
      .filter(({ state }) => state === 'dead');
  await hooks.until(({ all }) => all.length >= 2);
  while ((await letters()).length < 2) await sleep(20);
  await sender.kill();
  const { stdout } = await run();
  expect(stdout).toMatch(/^hooks: 0 waiting, 2 dead letters$/m);
  expect(stdout).toContain('it is gone (410)');
  expect((await run('--retry', 'msg_nothing')).code).toBe(4);
  const [letter] = await letters();
  expect(await run('--retry', letter!.id)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 dead letter '),
  });
  hooks.reply = () => 204;
  start('sender', [where, hooks.url, SECRET, '0']);
  await hooks.until(({ taken }) => taken.length === 1);
  expect(idsOf(hooks.taken)).toEqual([letter!.id]);
  expect((await run('--retry', 'all')).stdout).toContain('1 dead letter ');
  await hooks.until(({ taken }) => taken.length === 2);
});
