/** A prompt says which calls need an approval: where `interruptOn` alone is another, nobody has written another prompt. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApprovalRequest } from '../../index.js';
import { createDeepAgent, createLocalBackend, describeApprovals } from '../../ts/agent/index.js';
import { call, calls, collect, says, scripted, text } from '../support/model.js';
import { until } from '../support/play.js';
import { askThenLeave, goOn, RUN, stage, type Stage } from './stage.js';

const ADVICE = 'Asked again: Which calls need an approval (interruptOn, or whether there are rules) has changed';
const one = () => [[...text('A'), ...calls(call('del', { path: '/1' }, 'c1'))]];

describe('a run that is continued with another interruptOn', () => {
  const both = { del: true, read: true };
  const systemFor = (on: Stage, own: string, interruptOn: object) =>
    `${own}\n\n${describeApprovals(on.tools(), { interruptOn: interruptOn as never })}`;

  it.each([
    ['says so, where its prompt is made of it', 'Be nice.', both, ADVICE],
    ['says so, where nothing is gated any more', 'Be nice.', {}, ADVICE],
    [
      'says that the prompt is another, where it is',
      'Be quick.',
      both,
      'Asked again: The prompt of the run has changed',
    ],
  ])('%s', async (_, own, interruptOn, said) => {
    const on = stage();
    await askThenLeave(on, one(), 1, { system: systemFor(on, 'Be nice.', { del: true }) });
    const asked: ApprovalRequest[] = [];
    const { of } = await goOn(on, [says('done')], {
      interruptOn: { del: true },
      system: systemFor(on, own, interruptOn),
      onApprovalRequest: (request: ApprovalRequest) => asked.push(request) > 1,
    });
    expect(asked.map(({ description }) => description)).toEqual([expect.stringContaining(said) as unknown]);
    expect(of('run-resumed')).toMatchObject([{ drift: { tools: [], prompt: true } }]);
  });
});

it('a deep agent that is continued with another interruptOn says so', async () => {
  const on = stage();
  const root = mkdtempSync(join(tmpdir(), 'countersign-drift-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const life = (interruptOn: ('del' | 'execute' | 'write_file')[]) => {
    const gate = on.gate({ place: { cwd: root } });
    const { model } = scripted(interruptOn.length > 1 ? [says('done')] : one());
    const tools = { del: on.tools().del };
    return { gate, agent: createDeepAgent({ gate, model, tools, interruptOn, backend: createLocalBackend({ root }) }) };
  };
  const first = life(['del']);
  const run = first.agent.streamWithEvents({ prompt: 'go', runId: RUN });
  await until(run as never, 'approval-requested');
  await first.gate.close();
  for await (const _ of run);
  const asked: ApprovalRequest[] = [];
  const onApprovalRequest = (request: ApprovalRequest) => (asked.push(request), false);
  await collect(life(['del', 'execute', 'write_file']).agent.resume({ runId: RUN, onApprovalRequest }) as never);
  expect(asked.map(({ description }) => description)).toEqual([expect.stringContaining(ADVICE) as unknown]);
});
