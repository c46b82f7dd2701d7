/**
 * The options of each entry: one table, by the name under which messages speak of the entry. A table that lacks an option of its
 * type, or has one too many, does not compile. `'restricts'` where it must have a value if it is there: see `checkGiven`.
 */
import type * as Acp from '../../acp.js';
import type * as Agent from '../../agent.js';
import type * as Inbox from '../../inbox.js';
import type * as Api from '../../index.js';
import type * as Mcp from '../../mcp.js';
import type * as Webhooks from '../../webhooks.js';
import type { OptionKind, OptionNames } from './names.js';

type NamesOf<OPTIONS> = OPTIONS extends unknown ? keyof OPTIONS : never;
type OptionTable<OPTIONS> = Readonly<Record<NamesOf<NonNullable<OPTIONS>>, OptionKind>>;

export interface EntryOptions {
  readonly names: OptionNames;
  /** What it is called with, for who gives something else. */
  readonly form?: string;
  /** Entries whose options people give to this one, the likeliest first. */
  readonly elsewhere?: readonly EntryName[];
  /** What to do instead, for names of others that have no counterpart here, and for what the AI SDK has and we cannot hand on. */
  readonly instead?: Readonly<Record<string, string>>;
  /** Options of the AI SDK that restrict, and that the entry carries out itself: what is nearly one of them was meant to be it. */
  readonly carriesOut?: readonly string[];
}

// --- what several have ------------------------------------------------------------------------------------------------

const UNKNOWN_TOOLS: OptionTable<Api.UnknownToolsOptions> = { unknownTools: true };

const RUN: OptionTable<Api.RunOptions<{}>> = {
  ...UNKNOWN_TOOLS,
  interruptOn: 'restricts',
  onApprovalRequest: true,
  onQuestion: true,
  askOrder: true,
  gate: 'restricts',
  policy: 'restricts',
  reviewer: true,
  hideDeniedTools: 'flag',
  approvalTimeout: true,
  runId: 'id',
  requester: true,
  origin: 'texts',
  parent: 'restricts',
  place: 'restricts',
  repeatedRejections: true,
  maxSteps: 'count',
  includeRawParts: 'flag',
  unanswered: true,
  logger: 'logger',
};

const DECIDE: OptionTable<Api.DecideOptions> = {
  by: true,
  groups: true,
  via: true,
  reason: true,
  remember: true,
  shown: true,
};

const CONFINE: OptionTable<Api.ConfineSettings> = {
  write: 'restricts',
  read: 'texts',
  exact: 'restricts',
  hide: 'restricts',
  protect: 'restricts',
  absent: 'restricts',
  network: 'restricts',
  localSockets: 'flag',
  demand: 'restricts',
};

const PROTOCOL: OptionTable<Acp.AcpOptions> = { remember: 'restricts or null', by: true, groups: true };

/** Those that the AI SDK has today. What is not among them is handed on. */
const UI_STREAM: OptionTable<Parameters<Api.AgentRun['toUIMessageStream']>[0]> = {
  originalMessages: true,
  generateMessageId: 'function',
  onStepEnd: 'function',
  onStepFinish: 'function',
  onEnd: 'function',
  onFinish: 'function',
  messageMetadata: 'function',
  sendReasoning: 'flag',
  sendSources: 'flag',
  sendFinish: 'flag',
  sendStart: 'flag',
  redactToolErrors: 'flag',
  onError: 'function',
};

/** What the AI SDK has and a run cannot have. */
const NOT_OF_A_RUN = {
  signal: 'give it as abortSignal: { abortSignal: controller.signal }.',
  experimental_steering:
    'a steering object serves one generation of the AI SDK, and a run goes on in another one after each approval, so that messages would be lost. Abort the run, and begin another one with the message.',
};

const NO_AGENTS = {
  streamWithEvents: 'what runs by itself is not a subagent: write { name, description, model, tools }.',
};

const OF_THE_SDK = ['toolApproval'];

const PROMPT_CACHING =
  'it is an option of the provider: give the model to wrapLanguageModel with defaultSettingsMiddleware.';

// --- the tables -------------------------------------------------------------------------------------------------------

const TABLES = {
  createGate: {
    form: "{ ledger: 'sqlite:approvals.db' }",
    names: {
      ledger: true,
      encryption: 'restricts',
      retention: 'restricts by parts',
      timeout: true,
      maxArgumentBytes: 'count',
      keepDecided: true,
      policy: 'restricts',
      policyFiles: 'restricts',
      place: 'restricts',
      judge: 'restricts',
      reviewer: true,
      groups: true,
      authorize: 'restricts',
      mode: 'restricts',
      logger: 'logger',
      redact: 'restricts by parts',
      telemetry: true,
    } satisfies OptionTable<Api.GateOptions>,
    elsewhere: ['streamWithEvents'],
  },
  'createGate: encryption': { names: { keyEnv: true } satisfies OptionTable<Api.GateOptions['encryption']> },
  'createGate: retention': {
    names: { contents: 'restricts', records: 'restricts' } satisfies OptionTable<Api.LedgerRetention>,
  },
  'createGate: redact': {
    names: { patterns: 'restricts by parts', using: 'restricts' } satisfies OptionTable<
      Exclude<Api.RedactOptions, string | readonly unknown[] | Function>
    >,
  },
  'createGate: telemetry': {
    names: { tracer: true, meter: true, recordArguments: true } satisfies OptionTable<Api.TelemetryOptions>,
  },
  reviewer: {
    form: "{ model, criteria: '…' }",
    names: {
      model: true,
      review: true,
      criteria: true,
      mayApprove: 'flag',
      timeout: true,
      conversation: 'flag',
    } satisfies OptionTable<Api.CallReviewer>,
    elsewhere: ['createGate', 'streamWithEvents'],
  },
  place: {
    names: { cwd: 'restricts', project: 'restricts', home: 'restricts' } satisfies OptionTable<Api.PolicyPlace>,
  },
  'gate.request': {
    names: {
      toolName: true,
      args: true,
      toolCallId: true,
      runId: true,
      origin: 'texts',
      description: 'text',
      allowedDecisions: 'restricts',
      timeout: true,
      remind: true,
      requester: true,
      approvers: 'restricts',
      quorum: 'restricts',
      excludeRequester: 'restricts',
      escalate: 'restricts',
    } satisfies OptionTable<Api.GateRequest>,
    elsewhere: ['createGate'],
  },
  'gate.request: options': {
    names: { abortSignal: 'signal' } satisfies OptionTable<Parameters<Api.Gate['request']>[1]>,
  },
  'gate.decide': { names: DECIDE },
  'gate.reject': { names: { ...DECIDE, stop: true } },
  'gate.decideAll': {
    names: { by: true, groups: true, via: true, seen: true } satisfies OptionTable<Api.BatchOptions>,
  },
  'gate.check': {
    names: { toolName: 'text', args: true, runId: 'text' } satisfies OptionTable<Parameters<Api.Gate['check']>[0]>,
  },
  'gate.pending': { names: { runId: 'filter' } satisfies OptionTable<Parameters<Api.Gate['pending']>[0]> },
  'gate.history': {
    names: { runId: 'filter', toolName: 'filter', before: true, limit: true } satisfies OptionTable<
      Parameters<Api.Gate['history']>[0]
    >,
  },
  'gate.events': { names: { signal: 'signal' } satisfies OptionTable<Parameters<Api.Gate['events']>[0]> },
  'gate.audit.list': {
    names: { after: true, since: 'number', kind: 'filter', runId: 'filter', limit: true } satisfies OptionTable<
      Parameters<Api.Audit['list']>[0]
    >,
  },
  'gate.audit.verify': { names: { head: 'restricts' } satisfies OptionTable<Parameters<Api.Audit['verify']>[0]> },
  'gate.audit.export': { names: { from: true } satisfies OptionTable<Parameters<Api.Audit['export']>[0]> },
  applyInterruptConfig: { names: UNKNOWN_TOOLS, elsewhere: ['gateTools'] },
  preview: { names: { width: 'number' } satisfies OptionTable<Parameters<typeof Api.preview>[1]> },
  signAuditHead: {
    names: { privateKey: 'text', origin: 'text' } satisfies OptionTable<Parameters<typeof Api.signAuditHead>[1]>,
  },
  definePolicy: {
    names: { name: 'text', match: true, tools: true, default: true } satisfies OptionTable<
      Parameters<typeof Api.definePolicy>[1]
    >,
  },
  fsGlob: { names: { access: 'restricts' } satisfies OptionTable<Parameters<typeof Api.fsGlob>[1]> },
  parsePolicy: { names: { format: true, name: 'text' } satisfies OptionTable<Parameters<typeof Api.parsePolicy>[1]> },
  lintPolicy: { names: { toolNames: 'texts' } satisfies OptionTable<Parameters<typeof Api.lintPolicy>[1]> },
  importPolicy: { names: { name: 'text' } satisfies OptionTable<Parameters<typeof Api.importPolicy>[2]> },
  checkPolicy: {
    names: { toolName: 'text', args: true, annotations: true, confined: true } satisfies OptionTable<
      Parameters<typeof Api.checkPolicy>[1]
    >,
  },
  // What is not ours here goes to the AI SDK.
  streamWithEvents: {
    form: "{ model, tools, prompt, interruptOn: ['NAME'] }",
    names: { ...RUN, agent: true },
    elsewhere: ['createGate', 'createDeepAgent'],
    instead: NOT_OF_A_RUN,
    carriesOut: OF_THE_SDK,
  },
  resume: {
    names: { ...RUN, agent: true },
    elsewhere: ['createGate', 'createDeepAgent'],
    instead: NOT_OF_A_RUN,
    carriesOut: OF_THE_SDK,
  },
  listRuns: { names: { open: 'flag', limit: true } satisfies OptionTable<Parameters<typeof Api.listRuns>[1]> },
  gateTools: {
    form: "tools, { interruptOn: ['NAME'], onApprovalRequest }",
    names: {
      ...UNKNOWN_TOOLS,
      interruptOn: 'restricts',
      gate: 'restricts',
      policy: 'restricts',
      reviewer: true,
      onApprovalRequest: true,
      onQuestion: true,
      askOrder: true,
      repeatedRejections: true,
      parent: 'restricts',
      place: 'restricts',
      approvalTimeout: true,
      runId: 'id',
      requester: true,
      origin: 'texts',
      mode: 'restricts',
      logger: 'logger',
    } satisfies OptionTable<Api.GateToolsOptions>,
    elsewhere: ['createGate', 'streamWithEvents'],
  },
  toolApproval: {
    form: "{ interruptOn: ['NAME'], onApprovalRequest }",
    names: {
      ...UNKNOWN_TOOLS,
      interruptOn: 'restricts',
      gate: 'restricts',
      policy: 'restricts',
      onApprovalRequest: true,
      askOrder: true,
      approvalTimeout: true,
      runId: 'id',
      origin: 'texts',
      logger: 'logger',
    } satisfies OptionTable<Api.ToolApprovalOptions>,
    elsewhere: ['createGate', 'gateTools', 'streamWithEvents'],
    instead: { toolCall: 'the AI SDK has called it: write toolApproval: toolApproval({ interruptOn }).' },
  },
  verifyApprovals: {
    names: {
      runId: 'filter',
      by: true,
      onRefused: 'function',
      unanswered: true,
      toolApprovalSecret: true,
    } satisfies OptionTable<Api.VerifyApprovalsOptions>,
    elsewhere: ['createGate', 'gateTools'],
  },
  toUIMessageStream: { names: UI_STREAM, elsewhere: ['toUIMessageStreamResponse', 'streamWithEvents'] },
  toUIMessageStreamResponse: {
    names: { ...UI_STREAM, headers: true, status: true, statusText: 'text', heartbeat: true } satisfies OptionTable<
      Parameters<Api.AgentRun['toUIMessageStreamResponse']>[0]
    >,
    elsewhere: ['streamWithEvents'],
    instead: {
      consumeSseStream: 'read a branch of the body of the response yourself: response.body.tee() gives two.',
    },
  },
  withApprovalDetails: {
    names: { runId: 'filter' } satisfies OptionTable<Parameters<typeof Api.withApprovalDetails>[2]>,
  },
  approvalDetails: { names: { runId: 'filter' } satisfies OptionTable<Parameters<typeof Api.approvalDetails>[1]> },
  withHeartbeat: { names: { every: true } satisfies OptionTable<Parameters<typeof Api.withHeartbeat>[1]> },
  terminalApprover: {
    names: { input: true, output: true, notify: true } satisfies OptionTable<
      Parameters<typeof Api.terminalApprover>[0]
    >,
  },
  createDeepAgent: {
    form: '{ model }',
    names: {
      model: true,
      tools: true,
      systemPrompt: 'text',
      subagents: true,
      generalPurposeAgent: 'restricts',
      builtinTools: 'restricts',
      interruptOn: 'restricts',
      policy: 'restricts',
      reviewer: true,
      gate: 'restricts',
      maxSteps: 'count',
      backend: 'restricts',
      confine: 'restricts',
      describeApprovals: true,
      repeatedRejections: true,
      maxResultCharacters: true,
      logger: 'logger',
    } satisfies OptionTable<Agent.DeepAgentOptions>,
    elsewhere: ['agent.streamWithEvents', 'createGate', 'createLocalBackend'],
    instead: {
      summarization: 'shorten the messages that you give to a run.',
      state: 'plans belong to a run, and files to the backend; give the messages of a run to the next one.',
      enablePromptCaching: PROMPT_CACHING,
      promptCaching: PROMPT_CACHING,
      middleware: 'give the model to wrapLanguageModel.',
      unknownTools: 'name tools that the agent has.',
    },
  },
  'agent.streamWithEvents': {
    form: '{ prompt }',
    names: {
      prompt: true,
      messages: true,
      abortSignal: 'signal',
      onApprovalRequest: true,
      onQuestion: true,
      askOrder: true,
      approvalTimeout: true,
      runId: 'id',
      requester: true,
      includeRawParts: 'flag',
      maxSteps: 'count',
    } satisfies OptionTable<Agent.DeepAgentRunOptions<{}>>,
    elsewhere: ['createDeepAgent', 'createGate', 'streamWithEvents'],
    instead: { state: 'give the messages of the run before: { messages }.' },
  },
  'agent.resume': {
    form: '{ runId }',
    names: {
      abortSignal: 'signal',
      onApprovalRequest: true,
      onQuestion: true,
      askOrder: true,
      approvalTimeout: true,
      runId: true,
      requester: true,
      includeRawParts: 'flag',
      maxSteps: 'count',
    } satisfies OptionTable<Parameters<Agent.DeepAgent['resume']>[0]>,
    elsewhere: ['createDeepAgent', 'createGate', 'streamWithEvents'],
    instead: {
      prompt: 'leave it out: the ledger has the conversation.',
      messages: 'leave it out: the ledger has the conversation.',
    },
  },
  subagent: {
    names: {
      name: true,
      description: true,
      systemPrompt: 'text',
      model: true,
      tools: 'restricts or null',
      builtinTools: 'restricts',
      interruptOn: 'restricts',
      policy: 'restricts',
      maxSteps: 'count',
      subagents: true,
    } satisfies OptionTable<Agent.Subagent>,
    elsewhere: ['createDeepAgent', 'agent.streamWithEvents', 'createGate'],
    instead: {
      ...NO_AGENTS,
      prompt: 'did you mean "systemPrompt"? What a subagent is to do, the agent that starts it says each time.',
    },
  },
  createBackendTools: {
    names: { backend: 'restricts', maxResultCharacters: true } satisfies OptionTable<
      Parameters<typeof Agent.createBackendTools>[0]
    >,
    elsewhere: ['createLocalBackend'],
  },
  createTaskTool: {
    form: '{ subagents: [{ name, description, model, tools }] }',
    names: { subagents: true, description: 'text', maxResultCharacters: true } satisfies OptionTable<
      Parameters<typeof Agent.createTaskTool>[0]
    >,
    elsewhere: [
      'createTaskTool: subagent',
      'streamWithEvents',
      'createGate',
      'createDeepAgent',
      'agent.streamWithEvents',
      'createLocalBackend',
    ],
  },
  'createTaskTool: subagent': {
    names: {
      name: true,
      description: 'text',
      model: true,
      systemPrompt: 'text',
      tools: true,
      interruptOn: 'restricts',
      policy: 'restricts',
      maxSteps: 'count',
    } satisfies OptionTable<Agent.TaskAgent>,
    elsewhere: ['createTaskTool', 'streamWithEvents', 'createGate', 'createDeepAgent', 'createLocalBackend'],
    instead: NO_AGENTS,
  },
  describeApprovals: {
    names: { interruptOn: 'restricts', policy: 'restricts', gate: 'restricts' } satisfies OptionTable<
      Parameters<typeof Agent.describeApprovals>[1]
    >,
  },
  confine: { names: { ...CONFINE, cwd: 'restricts', env: true } satisfies OptionTable<Api.ConfineOptions> },
  'createLocalBackend: confine': { names: CONFINE },
  'createDeepAgent: confine': {
    names: { ...CONFINE, always: 'restricts' } satisfies OptionTable<Exclude<Agent.DeepAgentOptions['confine'], true>>,
  },
  createLocalBackend: {
    form: '{ root }',
    names: {
      confine: 'restricts',
      root: 'restricts',
      commandTimeout: true,
      maxOutputBytes: true,
      maxFileBytes: true,
      env: true,
    } satisfies OptionTable<Agent.LocalBackendOptions>,
  },
  toPermissionRequest: { names: PROTOCOL },
  fromPermissionOutcome: { names: PROTOCOL },
  acpApprover: { names: PROTOCOL, elsewhere: ['streamWithEvents', 'createGate'] },
  toElicitation: { names: PROTOCOL },
  fromElicitResult: { names: PROTOCOL },
  mcpApprover: { names: PROTOCOL, elsewhere: ['streamWithEvents', 'createGate'] },
  mcpTools: { names: { server: true } satisfies OptionTable<Parameters<typeof Mcp.mcpTools>[1]> },
  inboxHandler: {
    names: {
      authenticate: true,
      basePath: true,
      allowedOrigins: true,
      rateLimit: true,
      address: true,
      secret: true,
      maxBodyBytes: true,
      remember: 'restricts',
      undo: 'number',
      assets: 'text',
      logger: 'logger',
    } satisfies OptionTable<Inbox.InboxOptions>,
    elsewhere: ['serveInbox', 'createGate'],
  },
  rateLimit: {
    names: { perPerson: true, perAddress: true } satisfies OptionTable<Exclude<Inbox.InboxOptions['rateLimit'], false>>,
  },
  serveInbox: {
    names: {
      port: true,
      by: true,
      groups: true,
      assets: 'text',
      logger: 'logger',
      remember: 'restricts',
      undo: 'number',
    } satisfies OptionTable<Inbox.ServeInboxOptions>,
    elsewhere: ['inboxHandler', 'createGate'],
  },
  sendWebhooks: {
    names: {
      endpoints: true,
      include: true,
      attempts: true,
      firstDelay: true,
      maxDelay: true,
      timeout: true,
      maxBodyBytes: true,
      takeOverAfter: true,
      logger: 'logger',
      fetch: 'function',
    } satisfies OptionTable<Webhooks.SendWebhooksOptions>,
    elsewhere: ['endpoint', 'createGate'],
  },
  endpoint: {
    names: {
      url: true,
      secret: true,
      secretEnv: true,
      events: 'restricts by parts',
      headers: true,
      name: true,
    } satisfies OptionTable<Webhooks.WebhookEndpoint>,
    elsewhere: ['sendWebhooks'],
  },
  verifyWebhook: {
    names: { tolerance: 'number', maxBodyBytes: 'number' } satisfies OptionTable<
      Parameters<typeof Webhooks.verifyWebhook>[2]
    >,
  },
  createActionLinks: {
    names: {
      secret: true,
      secretEnv: true,
      url: true,
      expiresIn: true,
      logger: 'logger',
    } satisfies OptionTable<Webhooks.ActionLinksOptions>,
    elsewhere: ['link'],
  },
  link: {
    names: { approvalId: true, decision: true, by: true, groups: true } satisfies OptionTable<Webhooks.ActionLink>,
    elsewhere: ['createActionLinks'],
  },
} as const;

export type EntryName = keyof typeof TABLES;

export const ENTRIES: Readonly<Record<EntryName, EntryOptions>> = TABLES;

/**
 * Options that are not copied where they are given. They do something or are somebody's (a model, a gate, a logger), they are told apart
 * by which object they are, or what gets them makes its own copy at once.
 */
export const HELD: ReadonlySet<string> = new Set<NamesOf<ObjectsOf<typeof TABLES>>>([
  'agent',
  'args',
  'backend',
  'env',
  'gate',
  'input',
  'logger',
  'messages',
  'meter',
  'model',
  'originalMessages',
  'output',
  'parent',
  'remember',
  'reviewer',
  'subagents',
  'telemetry',
  'tools',
  'tracer',
]);

type ObjectsOf<TABLE extends Record<string, EntryOptions>> = TABLE[keyof TABLE]['names'];
