/**
 * G1 over a ledger that is damaged while a human of this process thinks: the answer is written where it cannot be read any more.
 * The run ends with the error of the ledger, and whoever logs is told; nobody waits for ever.
 */
import { truncateSync, writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { gateTools, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { recordingTools } from '../support/tools.js';
import { stage } from './processes.js';

const on = stage();

const ways: [string, (path: string) => void][] = [
  [
    'overwritten',
    (path) => {
      writeFileSync(path, 'junk');
      writeFileSync(`${path}-wal`, 'junk');
    },
  ],
  ['without its log', (path) => truncateSync(`${path}-wal`, 0)],
];

it.skipIf(process.platform === 'win32').each(ways)(
  'a run whose ledger is %s while it asks ends with an error',
  async (_, damage) => {
    const path = on.path();
    const logger = { error: vi.fn() };
    const gate = on.gate(path, { logger });
    const { ran, tools } = recordingTools();
    const run = streamWithEvents({
      gate,
      model: scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]).model,
      tools,
      prompt: 'go',
      interruptOn: 'all',
      onApprovalRequest: () => {
        damage(path);
        return true;
      },
    } as never);
    const ended = run.result.then(
      () => 'ok',
      (error: unknown) => (error as { code?: unknown }).code,
    );
    const events = await collect(run);
    expect(await ended).toBe('ERR_LEDGER_CORRUPT');
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'ERR_LEDGER_CORRUPT' } });
    expect(ran).toEqual([]);
    expect(logger.error.mock.calls.length).toBeGreaterThan(0);
  },
);

it.skipIf(process.platform === 'win32').each(ways)(
  'a call of a gated tool whose ledger is %s while it asks is denied',
  async (_, damage) => {
    const path = on.path();
    const { ran, tools } = recordingTools();
    const onApprovalRequest = () => {
      damage(path);
      return true;
    };
    const { del } = gateTools(tools, { gate: on.gate(path), interruptOn: 'all', onApprovalRequest });
    const execute = del.execute as unknown as (args: object, options: object) => Promise<unknown>;
    const result = await execute({ path: '/a' }, { toolCallId: 'c1', messages: [] });
    expect(result).toMatchObject({ type: 'execution-denied', reason: expect.stringContaining('damaged') as string });
    expect(ran).toEqual([]);
  },
);
