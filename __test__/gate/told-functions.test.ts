/** Functions that are told something: when they fail, nothing that runs changes, the process lives, and somebody hears of it. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Logger } from '../../index.js';
import { createGate, streamWithEvents, verifyApprovals } from '../../ts/index.js';
import { quietLogger } from '../../ts/values/quiet-logger.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

const failing: [name: string, fail: () => unknown][] = [
  [
    'throws',
    () => {
      throw new TypeError('a secret');
    },
  ],
  [
    'rejects',
    async () => {
      throw new TypeError('a secret');
    },
  ],
];

const unhandled: unknown[] = [];
beforeEach(() => {
  unhandled.length = 0;
  const listen = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', listen);
  onTestFinished(() => void process.off('unhandledRejection', listen));
});
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe.each(failing)('one that %s', (_, fail) => {
  const logger = Object.fromEntries(
    ['trace', 'debug', 'info', 'warn', 'error'].map((level) => [level, fail]),
  ) as Logger;

  test('as a logger of a gate and of a run', async () => {
    using heard = listenToWarnings();
    const { ran, tools } = recordingTools();
    const { model } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]);
    const gate = createGate({ logger });
    await collect(
      streamWithEvents({ model, tools, prompt: 'x', gate, logger, interruptOn: 'all', onApprovalRequest: () => true }),
    );
    await gate.close();
    await settled();
    expect(ran).toEqual(['del /a']);
    expect(unhandled).toEqual([]);
    expect(heard.warnings.filter((each) => each.startsWith('logger.info failed'))).toHaveLength(1);
    expect(heard.warnings.join()).not.toContain('a secret');
  });

  test('as onRefused', async () => {
    using heard = listenToWarnings();
    await using gate = createGate();
    const content = [{ type: 'tool-approval-response', approvalId: 'nobody', approved: true }];
    const messages = [{ role: 'tool', content }] as never;
    expect(await verifyApprovals(messages, gate, { runId: 'r', onRefused: fail as never })).toHaveLength(1);
    await settled();
    expect(unhandled).toEqual([]);
    expect(heard.warnings).toEqual([expect.stringContaining('onRefused failed')]);
  });
});

test('a logger of a class keeps its fields, and is wrapped once', () => {
  class Counting {
    count = 0;
    info() {
      this.count++;
    }
  }
  const counting = new Counting();
  const quiet = quietLogger(counting);
  quiet.info?.('a', {});
  expect(counting.count).toBe(1);
  expect(quiet.debug).toBeUndefined();
  expect(quietLogger(quiet)).toBe(quiet);
});
