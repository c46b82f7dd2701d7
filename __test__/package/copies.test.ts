/** Two copies of the package in one process: what one made and the other is given works, or is refused by name, and runs nothing unasked. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tool } from 'ai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import * as agent from '../../ts/agent/index.js';
import * as ours from '../../ts/index.js';
import { serveInbox } from '../../ts/inbox/index.js';
import { sendWebhooks } from '../../ts/webhooks/index.js';
import { installIn, linkIn } from '../support/installed.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

const no = { onApprovalRequest: () => false } as const;
const interruptOn = { del: true } as const;
const deleting = () => scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]).model;
const refused = (place: string) =>
  expect.objectContaining({
    code: 'ERR_INVALID_CONFIG',
    message: expect.stringMatching(
      new RegExp(`${place} is of another copy of countersign.*npm ls countersign`),
    ) as unknown,
  });

let theirs: typeof ours;
let theirAgent: typeof agent;

const folder = mkdtempSync(join(tmpdir(), 'countersign-copies-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  installIn(folder);
  linkIn(folder, 'ai');
  const at = (name: string) => pathToFileURL(join(folder, 'node_modules/countersign/dist', name)).href;
  theirs = (await import(at('index.js'))) as typeof ours;
  theirAgent = (await import(at('agent.js'))) as typeof agent;
  expect(theirs.createGate).not.toBe(ours.createGate);
});

test.each(['wait', 'stop'] as const)(
  "tools that another copy has gated in the mode '%s' are refused where they would be asked about twice",
  (mode) => {
    const { tools } = recordingTools();
    const tool = {
      model: deleting(),
      tools: theirs.gateTools(tools, { interruptOn, mode, gate: theirs.createGate() }),
    };
    const twice = /the tool "del" is gated already/;
    expect(() => ours.gateTools(tool.tools, { interruptOn, ...no })).toThrow(twice);
    expect(() => ours.streamWithEvents({ ...tool, prompt: 'x', interruptOn, ...no })).toThrow(twice);
    if (mode === 'stop') expect(() => ours.streamWithEvents({ ...tool, prompt: 'x', ...no })).toThrow(twice);
  },
);

test('a gate of another copy is refused by each entry', async () => {
  await using gate = theirs.createGate();
  const { tools } = recordingTools();
  const model = deleting();
  for (const [place, make] of Object.entries({
    streamWithEvents: () => ours.streamWithEvents({ model, tools, prompt: 'x', interruptOn, gate }),
    resume: () => ours.resume({ model, tools, runId: 'r', interruptOn, gate }),
    gateTools: () => ours.gateTools(tools, { interruptOn, gate }),
    createDeepAgent: () => agent.createDeepAgent({ model, gate }),
    verifyApprovals: () => ours.verifyApprovals([], gate, { runId: 'r' }),
    serveInbox: () => serveInbox(gate, { by: 'mia' }),
    sendWebhooks: () => sendWebhooks(gate, { endpoints: [{ url: 'http://127.0.0.1:1/', secretEnv: 'X' }] }),
  }))
    await expect((async () => make())(), place).rejects.toEqual(refused(`${place}: gate`));
  expect(() => ours.gateTools(tools, { interruptOn, gate: {} as never })).toThrow(
    /gate must be what createGate\(\) gives/,
  );
});

test('a policy of another copy is refused, and so is a copy of one of ours', () => {
  for (const policy of [
    theirs.definePolicy([{ effect: 'deny', tools: ['del'] }]),
    { ...ours.definePolicy([{ effect: 'deny', tools: ['del'] }]) },
  ])
    expect(() => ours.gateTools(recordingTools().tools, { ...no, policy })).toThrow(
      refused('gateTools: policy is not the very object that definePolicy or loadPolicy gave, or'),
    );
});

test.each<[string, (tools: ReturnType<typeof recordingTools>['tools']) => object]>([
  [
    'gated, and not gated here',
    (tools) => ({ tools: theirs.gateTools(tools, { ...no, interruptOn }), interruptOn: 'none' }),
  ],
  [
    'asked about by its toolApproval',
    (tools) => ({ tools, interruptOn: 'none', toolApproval: theirs.toolApproval({ ...no, interruptOn }) }),
  ],
])('a tool that another copy has %s does not run, though the human says yes here', async (_, make) => {
  using _heard = listenToWarnings();
  const { tools, ran } = recordingTools();
  const options = { model: deleting(), prompt: 'x', onApprovalRequest: () => true, ...make(tools) };
  await collect(ours.streamWithEvents(options as never));
  expect(ran).toEqual([]);
});

test('a tool that another copy has marked is asked about here', async () => {
  const { tools, ran } = recordingTools();
  const marked = theirs.applyInterruptConfig(tools, interruptOn);
  const asked: string[] = [];
  const onApprovalRequest = ({ toolName }: { toolName: string }) => asked.push(toolName) < 0;
  await collect(ours.streamWithEvents({ model: deleting(), prompt: 'x', tools: marked, onApprovalRequest }));
  expect([ran, asked]).toEqual([[], ['del']]);
});

test.each<[string, (tools: ReturnType<typeof recordingTools>['tools']) => object]>([
  [
    'createTaskTool',
    (tools) => ({
      task: theirAgent.createTaskTool({ subagents: [{ name: 'a', description: 'a', model: deleting(), tools }] }),
    }),
  ],
  [
    'gateTools',
    (tools) => ({
      task: tool({
        inputSchema: z.object({}).loose(),
        execute: async (_, parent) => {
          const { del } = theirs.gateTools(tools, { parent });
          return (await del.execute?.({ path: '/a' }, parent as never)) as unknown;
        },
      }),
    }),
  ],
])('a part of a run by %s of another copy is refused, and the developer is told', async (_, make) => {
  using heard = listenToWarnings();
  const { tools, ran } = recordingTools();
  const turns = [calls(call('task', { description: 'x', subagent_type: 'a' }, 't1')), says('.')];
  const all = { ...tools, ...make(tools) };
  const events = await collect(
    ours.streamWithEvents({
      model: scripted(turns).model,
      prompt: 'x',
      tools: all,
      interruptOn: 'none',
      ...no,
    } as never),
  );
  expect(ran).toEqual([]);
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool-error' }));
  expect(heard.warnings.join()).toMatch(/parent is of another copy of countersign/);
});
