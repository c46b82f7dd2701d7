/**
 * G1 over a ledger that is damaged while a human of this process thinks: the answer is written where it cannot be read any more.
 * The run ends with the error of the ledger, and the logger is told; nobody waits for ever.
 */
import { renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { tool, type ToolSet } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Gate } from '../../index.js';
import { gateTools, streamWithEvents } from '../../ts/index.js';
import { sample } from '../support/effort.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { waiting } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { stage } from './processes.js';

const on = stage();

/** The ledger may have found the first damage already, and have taken its log and its index away as it closed. */
function unlessGone(change: () => void): void {
  try {
    change();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

const ways: [string, (path: string) => void][] = [
  [
    'overwritten',
    (path) => {
      writeFileSync(path, 'junk');
      writeFileSync(`${path}-wal`, 'junk');
    },
  ],
  ['without its log', (path) => truncateSync(`${path}-wal`, 0)],
  [
    'emptied',
    (path) => {
      truncateSync(path, 0);
      unlessGone(() => truncateSync(`${path}-wal`, 0));
    },
  ],
];

const oneCall = () => scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]).model;

it.skipIf(process.platform === 'win32').each(ways)(
  'a run whose ledger is %s while it asks ends with an error',
  async (_, damage) => {
    const path = on.path();
    const logger = { error: vi.fn() };
    const gate = on.gate(path, { logger });
    const { ran, tools } = recordingTools();
    const run = streamWithEvents({
      gate,
      model: oneCall(),
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
    // A look at the file may be the first to see it, and tells what became of the file.
    const lost = expect.stringMatching(/^ERR_LEDGER_(?:CORRUPT|IO)$/) as string;
    expect(await ended).toEqual(lost);
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: lost } });
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
    const reason = expect.stringMatching(/ERR_LEDGER_(?:CORRUPT|IO)/) as string;
    expect(result).toMatchObject({ type: 'execution-denied', reason });
    expect(ran).toEqual([]);
  },
);

it.skipIf(process.platform === 'win32').each(ways)(
  'a run whose ledger is %s after the answer was written, before the call runs, ends with an error',
  async (_, damage) => {
    const path = on.path();
    const info = (line: string) => {
      if (line === 'approval decided') damage(path);
    };
    const { ran, tools } = recordingTools();
    const gate = on.gate(path, { logger: { info, error: () => {} } });
    const run = streamWithEvents({
      gate,
      model: oneCall(),
      tools,
      prompt: 'go',
      interruptOn: 'all',
      onApprovalRequest: () => true,
    } as never);
    await expect(run.result).rejects.toMatchObject({ code: 'ERR_LEDGER_CORRUPT' });
    expect(ran).toEqual([]);
  },
);

it.skipIf(process.platform === 'win32')(
  'a yes after its ledger was removed ends the run, and is no word for the model',
  async () => {
    const path = on.path();
    const { ran, tools } = recordingTools();
    const onApprovalRequest = () => (rmSync(`${path}-wal`), true);
    const gate = on.gate(path, { logger: { error: () => {}, warn: () => {} } });
    const run = streamWithEvents({
      gate,
      model: oneCall(),
      tools,
      prompt: 'go',
      interruptOn: 'all',
      onApprovalRequest,
    } as never);
    await expect(run.result).rejects.toMatchObject({ code: 'ERR_LEDGER_CORRUPT' });
    expect(ran).toEqual([]);
  },
);

/** Answers come from elsewhere, or never: nothing is written by which the damage would be noticed. */
const gone: [string, (path: string) => void][] = [
  ...ways,
  [
    'removed',
    (path) => {
      rmSync(path);
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    },
  ],
  // Its log has all that is read, and the file itself is not looked at.
  ['overwritten by as many other bytes', (path) => writeFileSync(path, Buffer.alloc(statSync(path).size, 7))],
  ['in a folder that was renamed', (path) => renameSync(dirname(path), `${dirname(path)}-else`)],
  ['replaced by another file', (path) => (rmSync(path), writeFileSync(path, 'junk'))],
];

/** Ends as the run does. @param asked is told when it waits */
async function ofRun(options: object, asked: () => void): Promise<unknown> {
  const run = streamWithEvents({ model: oneCall(), prompt: 'go', interruptOn: 'all', ...options } as never);
  run.result.catch(() => {});
  for await (const event of run) if (event.type === 'approval-requested') asked();
  return run.result;
}

/** The parent tells that it waits, and what becomes of it. */
const parts: [string, (options: object, tools: ToolSet) => unknown][] = [
  [
    'gateTools',
    (options, tools) => {
      const execute = gateTools(tools, options)['del']?.execute as unknown as (...given: object[]) => unknown;
      return execute({ path: '/a' }, { toolCallId: 'c1', messages: [] });
    },
  ],
  ['streamWithEvents', (options, tools) => ofRun({ ...options, tools }, () => {})],
];

type WaitCase = [string, (gate: Gate, tools: ToolSet, asked: () => void) => Promise<unknown>];

const waits: WaitCase[] = [
  ['streamWithEvents', (gate, tools, asked) => ofRun({ gate, tools }, asked)],
  [
    'streamWithEvents with a human who thinks',
    (gate, tools, asked) => ofRun({ gate, tools, onApprovalRequest: () => new Promise(() => {}) }, asked),
  ],
  [
    'gateTools',
    async (gate, tools, asked) => {
      const onApprovalRequest = () => (asked(), new Promise<never>(() => {}));
      const { del } = gateTools(tools, { gate, interruptOn: 'all', onApprovalRequest });
      const execute = del?.execute as unknown as (args: object, options: object) => Promise<{ reason: string }>;
      const { reason } = await execute({ path: '/a' }, { toolCallId: 'c1', messages: [] });
      // What a tool gives is told to the model.
      throw Object.assign(new Error(reason), {
        code: /ERR_LEDGER_\w+/.exec(reason)?.[0] ?? reason,
      });
    },
  ],
  ...parts.map(([name, part]): WaitCase => [
    `${name} as a part of a run`,
    (gate, tools, asked) => {
      const execute = async (_: unknown, parent: object) => part({ parent, interruptOn: 'all' }, tools);
      const task = tool({ inputSchema: z.object({}), execute });
      const { model } = scripted([calls(call('task', {}, 't1')), says('.')]);
      return ofRun({ gate, model, tools: { task }, interruptOn: 'none' }, asked);
    },
  ]),
  [
    'gate.request',
    (gate, _tools, asked) => {
      void waiting(gate).then(asked);
      return gate.request({ toolName: 'del', args: {} });
    },
  ],
];

/** How often the logger heard that the ledger cannot be read any more. */
const lost = ({ error }: { error: { mock: { calls: unknown[][] } } }) =>
  error.mock.calls.filter(([what]) => what === 'nobody can be told what was decided');

const goneInTurn = gone.map(([name, damage], turn) => [name, damage, turn] as const);

describe.skipIf(process.platform === 'win32').each(goneInTurn)(
  'a ledger that is %s while nobody answers',
  (_, damage, turn) => {
    it.each(sample(waits, 1, turn))('ends what waits with its error, before the deadline: %s', async (_name, wait) => {
      const path = on.path();
      const logger = { error: vi.fn() };
      // Nobody waits for the deadline: that would be the limit of the test.
      const gate = on.gate(path, { logger, timeout: 86_400_000 });
      const { ran, tools } = recordingTools();
      const ended = wait(gate, tools, () => damage(path)).then(
        () => 'ok',
        (error: unknown) => String((error as { code?: unknown }).code),
      );
      expect(await ended).toMatch(/^ERR_LEDGER_/);
      expect(ran).toEqual([]);
      // Not at all where the run has found it itself, by what it looked for, and has told it as its error.
      expect(lost(logger).length).toBeLessThanOrEqual(1);
    });

    /** What a gate tells, once it has asked and the ledger is gone. @param isWaited whether the request still waits then */
    async function toldUntilGone(isWaited: boolean): Promise<void> {
      const path = on.path();
      const logger = { error: vi.fn() };
      const gate = on.gate(path, { logger });
      await gate.ready();
      const events = gate.events();
      const late = gate.events();
      const next = events.next();
      void gate.request({ toolName: 'del', args: {}, timeout: 86_400_000 }).catch(() => {});
      const requested = (await next).value;
      expect(requested).toMatchObject({ type: 'requested' });
      if (!isWaited && requested?.type === 'requested') {
        await gate.reject(requested.request.approvalId);
        expect((await events.next()).value).toMatchObject({ type: 'decided' });
      }
      damage(path);
      const error = { code: expect.stringMatching(/^ERR_LEDGER_/) as never };
      await expect(events.next()).rejects.toMatchObject(error);
      expect((await events.next()).done).toBe(true);
      // What the request itself looked for may have been told before, as its own.
      expect(lost(logger)).toHaveLength(1);
      // Who has not read on hears first of what came before.
      for (const type of isWaited ? ['requested'] : ['requested', 'decided'])
        expect((await late.next()).value).toMatchObject({ type });
      await expect(late.next()).rejects.toMatchObject(error);
      expect((await late.next()).done).toBe(true);
    }

    it('ends the events of the gate with its error, whether somebody waits for a decision or only reads', async () => {
      await Promise.all([true, false].map(toldUntilGone));
    });
  },
);
