/** Unseen failures without a logger: the process says so, and the command says why. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, test } from 'vitest';
import type { Gate } from '../../index.js';
import { createGate } from '../../ts/index.js';
import { sendWebhooks } from '../../ts/webhooks/index.js';
import { quickly } from '../cli/command.js';
import { listenToWarnings } from '../support/warnings.js';
import { SECRET } from './receiver.js';

/** Answers everybody so. */
async function answering(status: number, headers: Record<string, string> = {}): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status, headers).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}

/** No process is given this port, and no service has it. To port 1 `fetch` would not even try. */
const nobodyThere = async () => 'http://127.0.0.1:2/hooks';

async function asking(gate: Gate): Promise<void> {
  onTestFinished(() => gate.close());
  gate.request({ toolName: 'pay', args: { iban: 'DE00-secret' } }).catch(() => {});
  while ((await gate.pending()).length === 0);
}

const eventually = async (look: () => boolean): Promise<void> => {
  while (!look()) await new Promise((resolve) => setTimeout(resolve, 5));
};

const SLOW = { firstDelay: 3_600_000, maxDelay: 3_600_000, timeout: 240_000 } as const;

it.each<[string, () => Promise<string>, RegExp]>([
  ['a wrong secret', () => answering(401), /401/],
  ['a redirect', () => answering(301, { location: 'http://elsewhere.example/' }), /./],
  ['nobody there', nobodyThere, /./],
])('an endpoint that takes nothing is told of without a logger: %s', async (_, address, why) => {
  using heard = listenToWarnings();
  const gate = createGate({ timeout: 3_600_000 });
  const sender = await sendWebhooks(gate, {
    endpoints: [{ name: 'hooks', url: await address(), secret: SECRET }],
    ...SLOW,
  });
  await asking(gate);
  await eventually(() => heard.warnings.length > 0);
  expect(heard.warnings).toEqual([expect.stringMatching(/^webhooks: (not taken|a dead letter): hooks: /)]);
  expect(heard.warnings[0]).toMatch(why);
  await sender.close();
  const [, lost] = heard.warnings;
  if (heard.warnings[0]!.includes('not taken'))
    expect(lost).toMatch(/events are lost: hooks: 1 not told when it ended/);
  expect(heard.warnings.join()).not.toContain('secret');
});

test('with a logger, the logger alone is told', async () => {
  using heard = listenToWarnings();
  const told: string[] = [];
  const gate = createGate({ timeout: 3_600_000 });
  const endpoints = [{ name: 'hooks', url: await answering(500), secret: SECRET }];
  const logger = { warn: (what: string) => void told.push(what), error: (what: string) => void told.push(what) };
  const sender = await sendWebhooks(gate, { endpoints, logger, ...SLOW });
  await asking(gate);
  await eventually(() => told.length > 0);
  await sender.close();
  expect([told, heard.warnings]).toEqual([['webhooks: not taken', 'webhooks: events are lost'], []]);
});

test('`countersign webhooks` says why, how often and when next, as text and as JSON', async () => {
  using _heard = listenToWarnings();
  const root = mkdtempSync(join(tmpdir(), 'countersign-webhooks-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  const gate = createGate({ ledger: `sqlite:${join(root, 'wh.db')}`, timeout: 3_600_000 });
  const told: unknown[] = [];
  const logger = { warn: (what: string) => void told.push(what) };
  const endpoints = [{ name: 'hooks', url: await answering(401), secret: SECRET }];
  const sender = await sendWebhooks(gate, { endpoints, logger, ...SLOW });
  await asking(gate);
  await eventually(() => told.length > 0);
  await sender.close();
  await gate.close();
  const run = (...more: string[]) => quickly(['webhooks', '--ledger', 'sqlite:wh.db', ...more], { cwd: root });
  const { stdout } = await run();
  expect(stdout).toMatch(/^hooks: 1 waiting, 0 dead letters; no process is sending$/m);
  expect(stdout).toMatch(/^ {2}not accepted: .*401.* \(1 attempt, next in \d+m\)$/m);
  const lines = (await run('--json')).stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { schemaVersion: 1, state: 'endpoint', endpoint: 'hooks', waiting: 1, dead: 0, isSent: false },
    expect.objectContaining({
      state: 'waiting',
      endpoint: 'hooks',
      attempts: 1,
      error: expect.stringContaining('401'),
    }),
  ]);
});
