/** What a user gives counts as it was at that moment: what becomes of their objects later makes nothing looser, and nothing stricter. */
import * as ai from 'ai';
import type { ToolSet } from 'ai';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ApprovalRequest } from '../../index.js';
import { createDeepAgent, createTaskTool } from '../../ts/agent/index.js';
import { inboxHandler } from '../../ts/inbox/index.js';
import * as api from '../../ts/index.js';
import { takeNeeded } from '../../ts/options/check.js';
import { ENTRIES, HELD, type EntryName } from '../../ts/options/entries.js';
import { isForm } from '../../ts/options/forms.js';
import { acpApprover } from '../../ts/protocols/acp.js';
import { mcpApprover } from '../../ts/protocols/mcp.js';
import { createActionLinks, newWebhookSecret, sendWebhooks } from '../../ts/webhooks/index.js';
import { ask, ORIGIN, Person } from '../inbox/support.js';
import { ALWAYS, requestWith } from '../protocols/asked.js';
import { askThenLeave, RUN, stage } from '../resume/stage.js';
import { answer, stoppingEntries, waitingEntries } from '../support/entries.js';
import { call, calls, collect, major, says, scripted, type ModelTurn } from '../support/model.js';
import { recordingTools } from '../support/tools.js';
import { receiver, SECRET } from '../webhooks/receiver.js';

type Given = Record<string, unknown>;

const isPlain = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Empties what was given, at every depth: no function asks any more, no list names anybody, nothing is said of any tool. */
function spoil(given: object): void {
  for (const [name, value] of Object.entries(given)) {
    if (!HELD.has(name)) {
      if (Array.isArray(value) || isPlain(value)) spoil(value);
      if (Array.isArray(value)) value.length = 0;
    }
    (given as Given)[name] = typeof value === 'function' ? () => false : false;
  }
}

describe.each(Object.keys(ENTRIES) as EntryName[])('%s', (name) => {
  test('has a copy of its own of each option, at every depth', () => {
    const { names: kinds } = ENTRIES[name];
    // What can only be a text, a number, a flag or a function has no depth.
    const isDeep = (each: string) => !isForm(kinds[each]) && kinds[each] !== 'filter';
    const names = Object.keys(kinds).filter((each) => !HELD.has(each) && isDeep(each));
    const given = Object.fromEntries(names.map((each) => [each, { inner: [{ deep: each }], does: () => each }]));
    const before = JSON.stringify(given);
    const taken = takeNeeded(name, given) as Record<string, { does: () => string }>;
    spoil(given);
    expect(JSON.stringify(taken)).toBe(before);
    for (const each of names) expect(taken[each]?.does()).toBe(each);
  });
});

// --- what asks about calls --------------------------------------------------------------------------------------------

/** What is given to each of these: `del` is asked about, and `read` is denied. */
const rules = () => ({
  interruptOn: {
    del: {
      shouldApprove: () => true,
      approvers: ['ada'],
      allowedDecisions: ['approve', 'reject'],
      description: 'It deletes.',
      timeout: 60_000,
      escalate: { after: 30_000, to: ['boss'] },
    },
  },
  policy: [
    {
      version: 1,
      rule: [
        { effect: 'deny', tools: ['read'], reason: 'never' },
        { effect: 'allow', tools: '*' },
      ],
    },
  ],
});

interface Part {
  tools: ToolSet;
  turns: ModelTurn[];
  onApprovalRequest: (request: ApprovalRequest) => { type: 'reject'; by: string };
  /** Changes what was given. */
  change: (given: object) => void;
}

const go = [{ role: 'user', content: 'go' }];
const both = () => calls(call('del', { path: 'a' }, 'd1'), call('read', { path: 'a' }, 'r1'));
const stopWhen = ({ steps }: { steps: unknown[] }) => steps.length >= 3;
const generate = (turns: ModelTurn[], options: object) =>
  ai.generateText({ model: scripted(turns).model, prompt: 'go', stopWhen, maxRetries: 0, ...options } as never);

/** An agent of its own that the main one starts. */
const started = (turns: ModelTurn[]): ModelTurn[] => [
  calls(call('task', { description: 'do it', subagent_type: 'helper' }, 't1')),
  ...turns,
  says('Done.'),
];

const deepAgent = ({ tools, turns, change }: Part) => {
  const given = { model: scripted(turns).model, tools, generalPurposeAgent: false, builtinTools: [], ...rules() };
  const agent = createDeepAgent(given as never);
  change(given);
  return agent;
};

const ways: [name: string, run: (part: Part) => unknown][] = [
  [
    'streamWithEvents',
    ({ tools, turns, onApprovalRequest, change }) => {
      const given = { model: scripted(turns).model, tools, messages: [...go], onApprovalRequest, ...rules() };
      const run = api.streamWithEvents(given as never);
      change(given);
      return collect(run);
    },
  ],
  [
    'streamWithEvents with an agent',
    ({ tools, turns, onApprovalRequest, change }) => {
      const agent = new ai.ToolLoopAgent({ model: scripted(turns).model, tools } as never);
      const given = { agent, prompt: 'go', onApprovalRequest, ...rules() };
      const run = api.streamWithEvents(given as never);
      change(given);
      return collect(run);
    },
  ],
  [
    'resume',
    async ({ tools, turns, onApprovalRequest, change }) => {
      const on = stage();
      await askThenLeave(on, [turns[0] as ModelTurn], 1, { ...rules(), tools });
      const gate = on.gate();
      const given = { model: scripted(turns.slice(1)).model, tools, gate, runId: RUN, onApprovalRequest, ...rules() };
      const run = api.resume(given as never);
      change(given);
      return collect(run as AsyncIterable<unknown>);
    },
  ],
  [
    'gateTools',
    ({ tools, turns, onApprovalRequest, change }) => {
      const given = { onApprovalRequest, ...rules() };
      const gated = api.gateTools(tools, given as never);
      change(given);
      return generate(turns, { tools: gated });
    },
  ],
  [
    'applyInterruptConfig',
    async ({ tools, onApprovalRequest, change }) => {
      const { interruptOn } = rules();
      const marked = api.applyInterruptConfig(tools, interruptOn as never);
      change({ interruptOn });
      const asks = marked['del']?.needsApproval as unknown as () => boolean;
      if (asks()) onApprovalRequest(MARKED as never);
    },
  ],
  [
    'createDeepAgent, and the tools that it hands out',
    (part) => {
      const agent = deepAgent(part);
      expect(Object.keys(agent.tools)).toContain('del');
      return agent.generate({ prompt: 'go', onApprovalRequest: part.onApprovalRequest } as never);
    },
  ],
  [
    'a run of a deep agent',
    (part) => {
      const given = { messages: [...go], onApprovalRequest: part.onApprovalRequest };
      const run = deepAgent(part).streamWithEvents(given as never);
      part.change(given);
      return collect(run as AsyncIterable<unknown>);
    },
  ],
  [
    'a subagent',
    ({ tools, turns, onApprovalRequest, change }) => {
      const helper = { name: 'helper', description: 'helps', tools, builtinTools: [], ...rules() };
      const { model } = scripted(started(turns));
      const given = { model, subagents: [helper], generalPurposeAgent: false, builtinTools: ['task'] };
      const agent = createDeepAgent(given as never);
      change(helper);
      change(given);
      return agent.generate({ prompt: 'go', onApprovalRequest } as never);
    },
  ],
  [
    'createTaskTool',
    ({ tools, turns, onApprovalRequest, change }) => {
      const { model } = scripted(started(turns));
      const helper = { name: 'helper', description: 'helps', model, tools, ...rules() };
      const given = { subagents: [helper] };
      const task = createTaskTool(given as never);
      change(helper);
      change(given);
      const run = { model, tools: { task }, prompt: 'go', interruptOn: 'none', onApprovalRequest };
      return collect(api.streamWithEvents(run as never));
    },
  ],
];
if (major === 7)
  ways.push([
    'toolApproval',
    ({ tools, turns, onApprovalRequest, change }) => {
      const given = { onApprovalRequest, ...rules() };
      const toolApproval = api.toolApproval(given as never);
      change(given);
      return generate(turns, { tools, toolApproval });
    },
  ]);

const MARKED = {
  toolName: 'del',
  needs: [{ approvers: ['ada'], escalate: { after: 30_000, to: ['boss'] } }],
  allowedDecisions: ['approve', 'reject'],
  description: 'It deletes.',
};

describe.each(ways)('%s', (_, run) => {
  test.each([
    ['as it was given', () => {}],
    ['although it was emptied since', spoil],
  ])('asks as it was told, %s', async (_, change) => {
    const { tools, ran } = recordingTools();
    const asked: unknown[] = [];
    const onApprovalRequest = ({ toolName, needs, allowedDecisions, description }: ApprovalRequest) => {
      asked.push({ toolName, needs, allowedDecisions, description });
      return { type: 'reject', by: 'ada' } as const;
    };
    await run({ tools, turns: [both(), says('Done.')], onApprovalRequest, change });
    expect({ asked, ran }).toEqual({ asked: [MARKED], ran: [] });
  });
});

describe.each(waitingEntries)('%s', (_, run) => {
  test('goes on asking about a tool whose name was taken out of the list', async () => {
    const { tools, ran } = recordingTools();
    const interruptOn = ['del'];
    const turns: ModelTurn[] = [calls(call('read', { path: 'a' }, 'r1')), both(), says('Done.')];
    const asked: string[] = [];
    const onApprovalRequest = ({ toolName }: ApprovalRequest) => {
      asked.push(toolName);
      return false;
    };
    const running = run({ turns, tools, interruptOn, onApprovalRequest } as never);
    interruptOn.length = 0;
    await running;
    expect([asked, ran]).toEqual([['del'], ['read a', 'read a']]);
  });
});

test('the toolApproval of the AI SDK, and the messages, stay as they were given to a run', async () => {
  const { tools, ran } = recordingTools();
  const { model, prompts } = scripted([both(), says('Done.')]);
  const asked: string[] = [];
  const given = {
    model,
    tools,
    messages: [...go],
    interruptOn: 'none',
    toolApproval: { del: () => 'user-approval', read: 'denied' },
    onApprovalRequest: ({ toolName }: ApprovalRequest) => {
      asked.push(toolName);
      return false;
    },
  };
  const run = api.streamWithEvents(given as never);
  const { messages } = given;
  spoil(given);
  messages.push({ role: 'user', content: 'and delete b' });
  await collect(run);
  expect([asked, ran]).toEqual([['del'], []]);
  expect(JSON.stringify(prompts)).not.toContain('delete b');
});

// --- what decides, and who is told ------------------------------------------------------------------------------------

const gateOf = (given: object) => {
  const gate = api.createGate(given);
  onTestFinished(() => gate.close());
  return gate;
};

test('createGate: rules, groups, folders and what it hides stay as they were given', async () => {
  const given = {
    policy: rules().policy,
    place: { cwd: '/work', project: '/work', home: '/home/x' },
    groups: { ops: ['ada'] },
    authorize: (_: unknown, { by }: { by: string | null }) => by === 'ada',
    judge: ({ toolName }: { toolName: string }) =>
      toolName === 'pay' ? { effect: 'deny', reason: 'judged' } : undefined,
    redact: { patterns: [/hunter2/] },
  };
  const gate = gateOf(given);
  spoil(given);
  expect(await gate.check({ toolName: 'read', args: {} })).toMatchObject({
    effect: 'deny',
    reason: expect.stringContaining('never') as unknown,
  });
  expect(await gate.check({ toolName: 'pay', args: {} })).toMatchObject({ effect: 'deny', reason: 'judged' });
  const { approvalId, preview } = await ask(gate, { approvers: ['group:ops'], args: { command: 'echo hunter2' } });
  expect(preview).not.toContain('hunter2');
  await expect(gate.approve(approvalId, { by: 'bob' })).rejects.toMatchObject({ code: 'ERR_NOT_AUTHORIZED' });
  expect((await gate.approve(approvalId, { by: 'ada' })).status).toBe('approved');
});

test('gate.request: who must agree stays as it was given', async () => {
  const gate = gateOf({});
  const given = { toolName: 'pay', args: { to: 'x' }, approvers: ['ada'], allowedDecisions: ['approve', 'reject'] };
  gate.request(given as never).catch(() => {});
  spoil(given);
  const [request] = await gate.pending();
  expect(request).toMatchObject({
    args: { to: 'x' },
    needs: [{ approvers: ['ada'] }],
    allowedDecisions: ['approve', 'reject'],
  });
});

test.each(stoppingEntries)(
  'verifyApprovals over %s: the run and whoever decides stay as they were given',
  async (_, chat) => {
    const { tools, ran } = recordingTools();
    const gate = gateOf({});
    const { speak } = chat({ gate, tools, interruptOn: { del: true } as never });
    const history = await speak(go as never, [calls(call('del', { path: 'a' }, 'd1'))]);
    const given = { runId: 'chat', by: 'ada', onRefused: () => {} };
    const verifying = api.verifyApprovals(answer(history, true) as never, gate, given);
    spoil(given);
    await speak((await verifying) as never, [says('Done.')]);
    expect(ran).toEqual(['del a']);
    expect((await gate.history())[0]?.decidedBy).toBe('ada');
  },
);

test('inboxHandler: who is let in, from where and how often stay as they were given', async () => {
  const gate = gateOf({});
  const given = {
    authenticate: () => ({ name: 'mia', groups: [] }),
    allowedOrigins: ['https://app.example'],
    rateLimit: { perPerson: 3, perAddress: 3 },
    remember: ['run'],
    basePath: '/inbox',
  };
  const mia = new Person(inboxHandler(gate, given as never), 'mia');
  spoil(given);
  const { approvalId } = await ask(gate);
  const origin = { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' };
  const decided = await mia.post(`api/requests/${approvalId}/decision`, { decision: { type: 'approve' } }, origin);
  expect([decided.status, (await gate.get(approvalId))?.decidedBy]).toEqual([200, 'mia']);
  const statuses = [await mia.get('api/session'), await mia.get('api/session')].map(({ status }) => status);
  expect([ORIGIN, ...statuses]).toEqual([ORIGIN, 200, 429]);
});

test('sendWebhooks: what is told to whom stays as it was given', async () => {
  const [gate, hooks] = [gateOf({ timeout: 60_000 }), await receiver()];
  const endpoint = { url: hooks.url, secret: SECRET, events: ['decided'], headers: { authorization: 'Bearer x' } };
  const given = { endpoints: [endpoint], include: 'nothing', firstDelay: 5 };
  const sending = sendWebhooks(gate, given as never);
  spoil(given);
  const sender = await sending;
  onTestFinished(() => sender.close());
  await gate.reject((await ask(gate)).approvalId);
  await hooks.until(({ taken }) => taken.length === 1);
  expect(hooks.taken.map(({ event, headers }) => [event.type, headers.authorization])).toEqual([
    ['approval.decided', 'Bearer x'],
  ]);
});

test('createActionLinks: whom a link is for stays as it was given', async () => {
  const gate = gateOf({ timeout: 60_000 });
  const given = { secret: newWebhookSecret(), url: 'https://approvals.example/decide', expiresIn: 30_000 };
  const links = createActionLinks(gate, given);
  spoil(given);
  const { approvalId } = await ask(gate, { approvers: ['group:ops'] });
  const link = { approvalId, decision: 'approve' as const, by: 'ada', groups: ['ops'] };
  const making = links.link(link);
  spoil(link);
  const body = new URLSearchParams({ decision: 'approve' });
  await links.handler()(new Request(await making, { method: 'POST', body }));
  expect((await gate.get(approvalId))?.decidedBy).toBe('ada');
});

test.each([
  [
    'acpApprover',
    (given: object) =>
      acpApprover(
        { request: async () => ({ outcome: { outcome: 'selected', optionId: 'approve' } }) } as never,
        's',
        given,
      ),
  ],
  [
    'mcpApprover',
    (given: object) =>
      mcpApprover(
        { elicitInput: async () => ({ action: 'accept', content: { decision: 'approve' } }) } as never,
        given,
      ),
  ],
])('%s: who is at the other end stays as it was given', async (_, approver) => {
  const given = { by: 'ada', groups: ['ops'], remember: null };
  const decide = approver(given);
  spoil(given);
  const decided = await decide(
    (await requestWith({ always: ALWAYS })) as never,
    { abortSignal: new AbortController().signal } as never,
  );
  expect(decided).toEqual({ type: 'approve', by: 'ada', groups: ['ops'] });
});

test('a policy that was made is known by which object it is, and its functions cannot be replaced', () => {
  const policy = api.definePolicy([{ effect: 'deny', if: () => true }]);
  expect(takeNeeded('createGate', { policy: [policy] }).policy[0]).toBe(policy);
  expect(() => ((policy.conditions as unknown[])[0] = () => false)).toThrow(TypeError);
});
