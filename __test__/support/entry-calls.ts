/** How each entry is called, with options that are right but for what a test adds: one table, by the names of `ts/options/entries.ts`. */
import { acpApprover, fromPermissionOutcome, toPermissionRequest } from '../../ts/protocols/acp.js';
import { fromElicitResult, mcpApprover, mcpTools, toElicitation } from '../../ts/protocols/mcp.js';
import {
  createBackendTools,
  createDeepAgent,
  createLocalBackend,
  createTaskTool,
  describeApprovals,
} from '../../ts/agent/index.js';
import type { ToolSet } from 'ai';
import type { Gate } from '../../index.js';
import { inboxHandler, serveInbox } from '../../ts/inbox/index.js';
import * as api from '../../ts/index.js';
import type { EntryName } from '../../ts/options/entries.js';
import { createActionLinks, newWebhookSecret, sendWebhooks, verifyWebhook } from '../../ts/webhooks/index.js';
import { collect, scripted } from './model.js';
import { recordingTools } from './tools.js';

export const { model } = scripted([]);
export const { tools } = recordingTools();
export const secret = newWebhookSecret();
export const id = 'no-such-request';
/** Both, with the getters of what is wrong. */
const over = <T extends object>(right: T, wrong: object): T =>
  Object.defineProperties({ ...right }, Object.getOwnPropertyDescriptors(wrong));
export const gate = () => api.createGate({ ledger: 'memory:' });
const lasting = () => api.createGate({ ledger: 'sqlite:' });
/** What is asked is cancelled at once, since nobody answers. */
function asked(ask: (gate: Gate) => Promise<unknown>): Promise<unknown> {
  const at = gate();
  return Promise.all([ask(at), at.close()]);
}
const request = { toolName: 'del', args: {} };
export const agent = (options: object = {}) => createDeepAgent(over({ model }, options));
export const aRun = () => api.streamWithEvents({ model, tools, prompt: 'go', interruptOn: 'all' });
const unsure = { answer: 'unsure', reason: '' } as const;
const note = { size: 0, hash: '', at: null };

/** How each entry is called, with options that are right but for what `wrong` adds. */
export const CALLS: Record<EntryName, (wrong: object) => unknown> = {
  createGate: (wrong) => api.createGate(wrong),
  'createGate: encryption': (encryption) => api.createGate({ ledger: 'sqlite:', encryption }),
  'createGate: retention': (retention) => api.createGate({ retention }),
  'createGate: redact': (wrong) => api.createGate({ redact: over({ patterns: 'secrets' as const }, wrong) }),
  'createGate: telemetry': (telemetry) => api.createGate({ telemetry }),
  place: (place) => api.createGate({ place }),
  reviewer: (wrong) => api.createGate({ reviewer: over({ review: () => unsure }, wrong) }),
  'gate.request': (wrong) => asked((at) => at.request(over(request, wrong))),
  'gate.request: options': (wrong) => asked((at) => at.request(request, wrong)),
  'gate.decide': (wrong) => gate().decide(id, true, wrong),
  'gate.reject': (wrong) => gate().reject(id, wrong),
  'gate.decideAll': (wrong) => gate().decideAll([id], { type: 'skip' }, wrong),
  'gate.check': (wrong) => gate().check(over(request, wrong)),
  'gate.pending': (wrong) => gate().pending(wrong),
  'gate.history': (wrong) => gate().history(wrong),
  'gate.events': (wrong) => gate().events(wrong),
  'gate.audit.list': (wrong) => collect(lasting().audit.list(wrong)),
  'gate.audit.verify': (wrong) => lasting().audit.verify(wrong),
  'gate.audit.export': (wrong) => collect(lasting().audit.export(wrong)),
  applyInterruptConfig: (wrong) => api.applyInterruptConfig(tools, 'all', wrong),
  preview: (wrong) => api.preview(request, wrong),
  signAuditHead: (wrong) => api.signAuditHead(note, over({ privateKey: '' }, wrong)),
  definePolicy: (wrong) => api.definePolicy([], wrong),
  fsGlob: (wrong) => api.fsGlob('/**', wrong),
  parsePolicy: (wrong) => api.parsePolicy('version = 1', wrong),
  lintPolicy: (wrong) => api.lintPolicy('preset:read-only', wrong),
  importPolicy: (wrong) => api.importPolicy('codex', '', wrong),
  checkPolicy: (wrong) => api.checkPolicy('preset:read-only', over(request, wrong)),
  streamWithEvents: (wrong) =>
    api.streamWithEvents(over({ model, tools, prompt: 'go', interruptOn: 'all' }, wrong) as never),
  resume: (wrong) =>
    api.resume(over({ model, tools, gate: lasting(), runId: 'r', interruptOn: 'all' }, wrong) as never),
  listRuns: (wrong) => api.listRuns(lasting(), wrong),
  gateTools: (wrong) => api.gateTools(tools, over({ interruptOn: 'all' }, wrong)),
  toolApproval: (wrong) => api.toolApproval(over({ interruptOn: 'all' }, wrong)),
  verifyApprovals: (wrong) => api.verifyApprovals([], gate(), wrong),
  toUIMessageStream: (wrong) => aRun().toUIMessageStream(wrong),
  toUIMessageStreamResponse: (wrong) => aRun().toUIMessageStreamResponse(wrong),
  withApprovalDetails: (wrong) => api.withApprovalDetails(new ReadableStream(), gate(), over({ runId: 'r' }, wrong)),
  approvalDetails: (wrong) => api.approvalDetails(gate(), over({ runId: 'r' }, wrong)),
  withHeartbeat: (wrong) => api.withHeartbeat(new Response('x'), wrong),
  terminalApprover: (wrong) => api.terminalApprover(wrong),
  createDeepAgent: (wrong) => agent(wrong),
  'agent.streamWithEvents': (wrong) => agent().streamWithEvents(over({ prompt: 'go' }, wrong)),
  'agent.resume': (wrong) => agent({ gate: lasting() }).resume(over({ runId: 'r' }, wrong)),
  subagent: (wrong) => agent({ subagents: [over({ name: 'a', description: 'a' }, wrong)] }),
  createBackendTools: (wrong) => createBackendTools(wrong),
  createTaskTool: (wrong) => createTaskTool(over({ subagents: [{ name: 'a', description: 'a', model }] }, wrong)),
  'createTaskTool: subagent': (wrong) =>
    createTaskTool({ subagents: [over({ name: 'a', description: 'a', model }, wrong)] }),
  describeApprovals: (wrong) => describeApprovals(tools as ToolSet, over({ interruptOn: 'all' }, wrong)),
  createLocalBackend: (wrong) => createLocalBackend(wrong),
  confine: (wrong) => api.confine(':', wrong),
  'createLocalBackend: confine': (confine) => createLocalBackend({ confine }),
  'createDeepAgent: confine': (confine) => agent({ confine }),
  toPermissionRequest: (wrong) => toPermissionRequest({} as never, 's', wrong),
  fromPermissionOutcome: (wrong) => fromPermissionOutcome({}, {} as never, wrong),
  acpApprover: (wrong) => acpApprover({} as never, 's', wrong),
  toElicitation: (wrong) => toElicitation({} as never, wrong),
  fromElicitResult: (wrong) => fromElicitResult({}, {} as never, wrong),
  mcpApprover: (wrong) => mcpApprover({} as never, wrong),
  mcpTools: (wrong) => mcpTools({ tools: async () => ({}) }, over({ server: 'github' }, wrong)),
  inboxHandler: (wrong) => inboxHandler(gate(), over({ authenticate: () => null }, wrong)),
  rateLimit: (rateLimit) => inboxHandler(gate(), { authenticate: () => null, rateLimit }),
  serveInbox: (wrong) => serveInbox(gate(), wrong),
  sendWebhooks: (wrong) => sendWebhooks(gate(), over({ endpoints: [{ url: 'https://a.example', secret }] }, wrong)),
  endpoint: (wrong) => sendWebhooks(gate(), { endpoints: [over({ url: 'https://a.example', secret }, wrong)] }),
  verifyWebhook: (wrong) => verifyWebhook({ headers: {}, body: '' }, secret, wrong),
  createActionLinks: (wrong) => createActionLinks(gate(), over({ secret, url: 'https://a.example' }, wrong)),
  link: (wrong) =>
    createActionLinks(gate(), { secret, url: 'https://a.example' }).link(
      over({ approvalId: id, decision: 'approve' as const, by: 'ada' }, wrong),
    ),
};
