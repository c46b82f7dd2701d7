/** Every exported function, and every method of what they make, with a wrong value in each place: each refusal has a code of ours. */
import type { ToolSet } from 'ai';
import { describe, expect, test } from 'vitest';
import type { ApprovalRequest, Gate } from '../../index.js';
import * as acp from '../../ts/protocols/acp.js';
import * as mcp from '../../ts/protocols/mcp.js';
import * as agents from '../../ts/agent/index.js';
import * as inbox from '../../ts/inbox/index.js';
import * as api from '../../ts/index.js';
import * as webhooks from '../../ts/webhooks/index.js';
import { requestWith } from '../protocols/asked.js';
import { sample } from '../support/effort.js';
import { scripted } from '../support/model.js';
import { recordingTools } from '../support/tools.js';
import { VALUES } from './wrong-values.js';

const tools = recordingTools().tools as ToolSet;
const { model } = scripted([]);
const made = () => api.createGate({ ledger: 'sqlite:' });
const secret = webhooks.newWebhookSecret();
const url = 'https://a.example';
const id = 'nobody';
const policy = 'preset:read-only' as const;
const call = { toolName: 'del', args: {} };
const run = () => api.streamWithEvents({ model, tools, prompt: 'x', interruptOn: 'all' });
const agent = (gate?: Gate) => agents.createDeepAgent({ model, ...(gate === undefined ? {} : { gate }) });
const head = { size: 0, hash: '', at: null };
const connection = { requestPermission: async () => ({}) };
const server = { elicitInput: async () => ({}) };

type Called = readonly [call: (...given: never[]) => unknown, ...right: unknown[]];

/** Each with arguments that are right, as far as they can be. */
const FUNCTIONS: Record<string, (request: ApprovalRequest) => Called> = {
  anyOfKind: () => [api.anyOfKind, 'command', 'read'],
  applyInterruptConfig: () => [api.applyInterruptConfig, tools, 'all', {}],
  approvalDetails: () => [api.approvalDetails, made(), { runId: 'r' }],
  checkPolicy: () => [api.checkPolicy, policy, call, {}],
  confine: () => [api.confine, 'ls', {}],
  confinementReport: () => [api.confinementReport],
  createGate: () => [api.createGate, {}],
  definePolicy: () => [api.definePolicy, [], {}],
  explainPolicy: () => [api.explainPolicy, policy, call, {}],
  fsGlob: () => [api.fsGlob, '/**', {}],
  gateTools: () => [api.gateTools, tools, { interruptOn: 'all' }],
  hasApprovalTools: () => [api.hasApprovalTools, 'all'],
  importPolicy: () => [api.importPolicy, 'codex', '', {}],
  isCallOfRun: () => [api.isCallOfRun, {}],
  isExecutionDenied: () => [api.isExecutionDenied, {}],
  lintPolicy: () => [api.lintPolicy, policy, {}],
  listRuns: () => [api.listRuns, made(), {}],
  loadPolicy: () => [api.loadPolicy, '/nowhere.toml'],
  parsePolicy: () => [api.parsePolicy, 'version = 1', {}],
  preview: () => [api.preview, call, {}],
  replayPolicy: () => [api.replayPolicy, [call], policy, {}],
  resume: () => [api.resume, { model, tools, gate: made(), runId: 'r', interruptOn: 'all' }],
  safeText: () => [api.safeText, 'a'],
  shellGlob: () => [api.shellGlob, 'a', 'b'],
  signAuditHead: () => [api.signAuditHead, head, { privateKey: '' }],
  streamWithEvents: () => [api.streamWithEvents, { model, tools, prompt: 'x', interruptOn: 'all' }],
  terminalApprover: () => [api.terminalApprover, {}],
  toolApproval: () => [api.toolApproval, { interruptOn: 'all' }],
  turnEnded: () => [api.turnEnded, { steps: [] }],
  urlPattern: () => [api.urlPattern, 'a', 'b'],
  verifyApprovals: () => [api.verifyApprovals, [], made(), {}],
  verifyAuditHead: () => [api.verifyAuditHead, 'note', 'key'],
  withApprovalDetails: () => [api.withApprovalDetails, new ReadableStream(), made(), { runId: 'r' }],
  withHeartbeat: () => [api.withHeartbeat, new Response('x'), {}],
  createAskUserTool: () => [agents.createAskUserTool],
  createBackendTools: () => [agents.createBackendTools, {}],
  createDeepAgent: () => [agents.createDeepAgent, { model }],
  createLocalBackend: () => [agents.createLocalBackend, {}],
  createTaskTool: () => [agents.createTaskTool, { subagents: [{ name: 'a', description: 'a', model }] }],
  createTodosTool: () => [agents.createTodosTool],
  describeApprovals: () => [agents.describeApprovals, tools, { interruptOn: 'all' }],
  inboxHandler: () => [inbox.inboxHandler, made(), { authenticate: () => null }],
  serveInbox: () => [inbox.serveInbox, made(), {}],
  toNodeListener: () => [inbox.toNodeListener, async () => new Response()],
  acpApprover: () => [acp.acpApprover, connection, 'session', {}],
  fromPermissionOutcome: (request) => [acp.fromPermissionOutcome, {}, request, {}],
  toPermissionRequest: (request) => [acp.toPermissionRequest, request, 'session', {}],
  fromElicitResult: (request) => [mcp.fromElicitResult, {}, request, {}],
  mcpApprover: () => [mcp.mcpApprover, server, {}],
  mcpQuestioner: () => [mcp.mcpQuestioner, server],
  mcpTools: () => [mcp.mcpTools, { tools: async () => ({}) }, { server: 'github' }],
  toElicitation: (request) => [mcp.toElicitation, request, {}],
  createActionLinks: () => [webhooks.createActionLinks, made(), { secret, url }],
  newWebhookSecret: () => [webhooks.newWebhookSecret],
  sendWebhooks: () => [webhooks.sendWebhooks, made(), { endpoints: [{ url, secret }] }],
  verifyWebhook: () => [webhooks.verifyWebhook, { headers: {}, body: '' }, secret, {}],
};

const method = <T extends object>(of: T, name: keyof T): ((...given: never[]) => unknown) =>
  ((...given: never[]) => (of[name] as (...given: never[]) => unknown)(...given)) as never;

const METHODS: Record<string, () => Called> = {
  ...Object.fromEntries(
    Object.entries({
      get: [id],
      approve: [id, {}],
      reject: [id, {}, {}],
      edit: [id, {}, {}],
      respond: [id, 'x', {}],
      skip: [id, {}],
      decide: [id, true, {}],
      pending: [{}],
      history: [{}],
      events: [{}],
      check: [call],
      setMode: ['safe'],
    } satisfies Partial<Record<keyof Gate, unknown[]>>).map(([name, right]) => [
      `gate.${name}`,
      (): Called => [method(made(), name as keyof Gate), ...right],
    ]),
  ),
  'gate.request': () => {
    const gate = made();
    return [(...given) => Promise.race([method(gate, 'request')(...given), gate.close()]), { ...call }, {}];
  },
  'gate.grants.revoke': () => [method(made().grants, 'revoke'), id],
  'gate.audit.list': () => [async (...given) => void (await method(made().audit, 'list')(...given)), {}],
  'gate.audit.verify': () => [method(made().audit, 'verify'), {}],
  'run.toUIMessageStream': () => [method(run(), 'toUIMessageStream'), {}],
  'run.toUIMessageStreamResponse': () => [method(run(), 'toUIMessageStreamResponse'), {}],
  'agent.streamWithEvents': () => [method(agent(), 'streamWithEvents'), { prompt: 'x' }],
  'agent.generate': () => [method(agent(), 'generate'), { prompt: 'x' }],
  'agent.resume': () => [method(agent(made()), 'resume'), { runId: 'r' }],
  'links.link': () => [
    method(webhooks.createActionLinks(made(), { secret, url }), 'link'),
    { approvalId: id, decision: 'approve', by: 'ada' },
  ],
};

let turn = 0;

/** In `npm test` some of the values in each place, and over many places each. */
async function codesOf(make: () => Called): Promise<string[]> {
  const wrong: string[] = [];
  const places = make().length - 1;
  for (let place = 0; place < places; place++) {
    for (const [label, value] of sample(Object.entries(VALUES), 2, turn++)) {
      const [called, ...right] = make();
      right[place] = value();
      try {
        const given = (await called(...(right as never[]))) as
          | { result?: Promise<unknown>; close?: () => unknown }
          | undefined;
        given?.result?.catch(() => {});
        if (typeof given?.close === 'function') await given.close();
      } catch (error) {
        const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
        if (!/^ERR_(?!INTERNAL|INVALID_ARG_)/.test(String(code)))
          wrong.push(`argument ${place + 1} is ${label}: ${String(code)} ${String(message)}`);
      }
    }
  }
  return wrong;
}

test('each exported function is tried', () => {
  const all = Object.entries({ ...api, ...agents, ...inbox, ...acp, ...mcp, ...webhooks });
  const functions = all.filter(([, each]) => typeof each === 'function' && !/^class\b/.test(String(each)));
  expect(functions.map(([name]) => name).toSorted()).toEqual(Object.keys(FUNCTIONS).toSorted());
});

describe('a wrong argument is refused with a code', () => {
  test.each(Object.keys(FUNCTIONS))('%s', async (name) => {
    const request = await requestWith();
    expect(await codesOf(() => FUNCTIONS[name]!(request))).toEqual([]);
  });

  test.each(Object.keys(METHODS))('%s', async (name) => {
    expect(await codesOf(METHODS[name]!)).toEqual([]);
  });
});
