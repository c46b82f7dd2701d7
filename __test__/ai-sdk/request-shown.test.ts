/** What a request shows the human who decides: what matters of the call first, and no mention of rules without any. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tool, type ToolSet } from 'ai';
import type { ApprovalRequest } from '../../index.js';
import { createGate } from '../../ts/index.js';
import { call, calls, says } from '../support/model.js';
import { play } from '../support/play.js';
import { askUserTool, COLOUR } from '../support/questions.js';
import { recordingTools } from '../support/tools.js';

const anything = (): ToolSet[string] => tool({ inputSchema: z.record(z.string(), z.unknown()), execute: () => 'ok' });

/** The request of a call, as the callback gets it. */
async function requestOf(toolName: string, args: unknown, options: object = {}): Promise<ApprovalRequest> {
  const asked: ApprovalRequest[] = [];
  await play({
    turns: [calls(call(toolName, args, 'c1')), says('.')],
    tools: { [toolName]: anything() },
    interruptOn: 'all',
    ...options,
    onApprovalRequest: (request) => asked.push(request) > 100,
  });
  return asked[0]!;
}

describe('the sentence', () => {
  it.each([
    ['write_file', { content: 'root::0:0', file_path: '/etc/passwd' }, 'file_path: /etc/passwd, content: root::0:0'],
    ['send_payment', { amount: 9000, to: 'mallory' }, 'to: mallory, amount: 9000'],
    ['delete_user', { force: true, user: 'ada' }, 'user: ada, force: true'],
    ['http', { body: 'x', method: 'DELETE', url: 'https://a.b' }, 'url: https://a.b, method: DELETE, body: x'],
    ['deploy', { zone: 'eu', app: 'shop', replicas: 3 }, 'zone: eu, app: shop, replicas: 3'],
  ])('of %s names what it is about, then the rest as the call has it', async (toolName, args, said) => {
    const gate = createGate();
    const { description, approvalId } = await requestOf(toolName, args, { gate });
    expect(description).toBe(`Run tool "${toolName}"? ${said}`);
    // A later reader sees the same.
    expect((await gate.get(approvalId))?.description).toBe(description);
  });
});

describe('rows for a table', () => {
  it('are in the order of reading, on one line each, and safe', async () => {
    const { rows } = await requestOf('x', { note: 'a\nb\u202e', deep: { list: [1, 'two'] }, path: 'p', flag: 'true' });
    expect(rows).toEqual([
      { name: 'path', value: 'p' },
      { name: 'note', value: 'a\\u{000A}b\\u{202E}' },
      { name: 'deep', value: '{"list":[1,"two"]}' },
      { name: 'flag', value: '"true"' },
    ]);
  });

  it('are there for whoever looks at the gate, without what was taken out', async () => {
    const gate = createGate({ redact: [/hunter2/] });
    const { rows, approvalId } = await requestOf('login', { password: 'hunter2', user: 'ada' }, { gate });
    expect(rows).toEqual([
      { name: 'user', value: 'ada' },
      { name: 'password', value: 'hunter2' },
    ]);
    const kept = (await gate.get(approvalId))?.rows;
    expect(kept?.map(({ name }) => name)).toEqual(['user', 'password']);
    expect(JSON.stringify(kept)).not.toContain('hunter2');
  });
});

it('the step is that of the run, and the call has its id; without a loop of ours there is none', async () => {
  const { tools } = recordingTools();
  const gate = createGate();
  const { of, events } = await play({
    turns: [
      calls(call('read', { path: '/0' }, 'r0')),
      calls(call('del', { path: '/1' }, 'c1'), call('del', { path: '/2' }, 'c2')),
      calls(call('ask_user', { questions: [COLOUR] }, 'q1')),
      calls(call('del', { path: '/3' }, 'c3')),
      says('.'),
    ],
    tools: { ...tools, ask_user: askUserTool() },
    interruptOn: { del: true },
    gate,
    onApprovalRequest: () => true,
    onQuestion: () => ['red'],
  });
  const seen: [number, string][] = [];
  let step = 0;
  for (const event of events) {
    if (event.type === 'step-start') step = event.stepNumber;
    if (event.type === 'approval-requested' || event.type === 'question-asked') {
      expect(event.step).toBe(step);
      seen.push([event.step!, event.toolCallId]);
    }
  }
  expect(seen).toEqual([
    [2, 'c1'],
    [2, 'c2'],
    [3, 'q1'],
    [4, 'c3'],
  ]);
  expect((await gate.get(of('approval-requested')[2]!.approvalId))?.step).toBe(4);
  const asked = gate.request({ toolName: 'x', args: {} });
  expect((await gate.pending())[0]?.step).toBeNull();
  await gate.approve((await gate.pending())[0]!.approvalId);
  await asked;
});

describe('without a policy nothing speaks of rules', () => {
  it.each([
    ['execute', { command: 'echo hi && rm x' }],
    ['write_file', { file_path: 'a.txt', content: 'x' }],
    ['anything', { x: 1 }],
  ])('%s', async (toolName, args) => {
    for (const options of [{}, { gate: createGate() }, { gate: createGate({ mode: 'safe' }) }]) {
      const request = await requestOf(toolName, args, options);
      const { preview, description, verdict } = request;
      expect([preview, description].join('\n')).not.toMatch(/rule|asks │|\? asks|policy/);
      expect(verdict).toBeNull();
    }
  });

  it('with one, it says which', async () => {
    const policy = { version: 1, rule: [{ tools: '*', commands: ['echo'], effect: 'allow' }] };
    const { preview } = await requestOf('execute', { command: 'echo hi && rm x' }, { policy });
    expect(preview).toContain('is not covered by any rule');
  });
});

describe('what "always" would save', () => {
  const run = (command: string, id: string) => call('execute', { command }, id);
  const twice = () => [calls(run('rm notes.txt', 'c1')), calls(run('rm notes.txt', 'c2')), says('.')];
  const options = () => ({ turns: twice(), tools: { execute: anything() }, interruptOn: 'all' as const });

  it('is the same for the callback, for the event and for whoever reads it again', async () => {
    const asked: ApprovalRequest[] = [];
    const { of } = await play({ ...options(), onApprovalRequest: (request) => asked.push(request) > 0 });
    const [request] = asked;
    expect(request?.always.allow?.label).toMatch(/^Always allow exactly `rm notes.txt`/);
    expect(request?.always).toBe(request?.always);
    const [event] = of('approval-requested');
    expect(event?.always).toBe(request?.always);
    expect(JSON.parse(JSON.stringify(event))).toMatchObject({ always: request?.always, rows: request?.rows });
    expect({ ...structuredClone(request) }).toMatchObject({ always: request?.always });
  });

  it('is saved though the callback has not looked at it', async () => {
    let asked = 0;
    const onApprovalRequest = () => {
      asked++;
      return { type: 'approve', remember: 'run' } as const;
    };
    let ran = 0;
    const execute = tool({ inputSchema: z.object({ command: z.string() }), execute: () => ++ran });
    await play({ ...options(), tools: { execute }, onApprovalRequest });
    expect([asked, ran]).toEqual([1, 2]);
  });

  it('is saved as it was offered, whatever a callback does to its copy', async () => {
    const requests: ApprovalRequest[] = [];
    const onApprovalRequest = (request: ApprovalRequest) => {
      requests.push(request);
      request.always = { allow: null, deny: null };
      return { type: 'approve', remember: 'run' } as const;
    };
    await play({ ...options(), onApprovalRequest });
    // What a callback does to its copy changes nothing of what is offered.
    expect(requests).toHaveLength(1);
    expect(requests[0]?.always.allow).toBeNull();
  });
});
