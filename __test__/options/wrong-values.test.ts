/**
 * Every option of every entry with every kind of wrong value. What is not refused stands here, option by option, so that an
 * unchecked option fails a test instead of opening a tool; and each refusal has a code of this package.
 */
import { describe, expect, test } from 'vitest';
import { ENTRIES, type EntryName } from '../../ts/options/entries.js';
import { isForm } from '../../ts/options/forms.js';
import type { OptionForm, OptionKind } from '../../ts/options/names.js';
import { sample } from '../support/effort.js';
import { CALLS } from '../support/entry-calls.js';
import { broken, VALUES } from './wrong-values.js';

type Label = string;

const OF_FORM: Record<OptionForm, readonly Label[]> = {
  text: ["''", 'text'],
  id: ['text'],
  texts: ['[]', '[text]'],
  flag: ['true', 'false'],
  function: ['function'],
  signal: [],
  number: ['5'],
  count: ['5'],
};

const TEXT = OF_FORM.text;
const FLAG = OF_FORM.flag;
const NUMBER = OF_FORM.number;
const FUNCTION = OF_FORM.function;
const TEXTS = OF_FORM.texts;
const ANY = Object.keys(VALUES).filter((label) => label !== 'undefined' && label !== 'proxy');
const DATA = ANY.filter((label) => label !== 'function' && label !== 'symbol');

/** What an option may be beside left out, by its name, or by that of its entry as well. None here: nothing of the above. */
const MAY_BE: Record<string, readonly Label[]> = {
  // Of the AI SDK, which looks at it when the run begins.
  model: ANY,
  originalMessages: ['[]', '[text]', '[null]'],
  prompt: TEXT,
  'toUIMessageStreamResponse.headers': ['[]', '{}', '{ a: 1 }', 'function'],
  'toUIMessageStreamResponse.heartbeat': ['null', '5', 'false'],
  // Data of any shape is shown to a human.
  args: DATA,
  // Nothing, said on purpose.
  policy: ['[]'],
  interruptOn: ['[]', '[text]', '{}'],
  builtinTools: ['[]'],
  tools: ['{}'],
  'definePolicy.tools': ['{}'],
  'definePolicy.default': ['null'],
  place: ['{}'],
  'resume.place': [],
  'resume.runId': ['text'],
  'agent.resume.runId': ['text'],
  'createDeepAgent.subagents': ['[]'],
  'link.approvalId': TEXT,
  'link.by': ['text'],
  encryption: ['{}'],
  telemetry: ['true', 'false', '{}'],
  rateLimit: ['false', '{}'],
  allowedOrigins: ['[]'],
  'inboxHandler.remember': ['[]'],
  'serveInbox.remember': ['[]'],
  'subagent.subagents': ['[]'],
  'gate.decideAll.seen': ['[]', '[text]'],
  excludeRequester: ['false'],
  recordArguments: ['false'],
  unknownTools: ['null'],
  annotations: ['{}', '{ a: 1 }'],
  env: ['{}', '{ a: 1 }'],
  'endpoint.headers': ['{}', '{ a: 1 }'],
  // Names, and lists of them.
  toolName: TEXT,
  toolCallId: ['null', ...TEXT],
  'gate.request.runId': ['null', ...TEXT],
  'gate.check.runId': TEXT,
  before: ['null', ...TEXT],
  requester: ['text'],
  approvers: ['[text]'],
  by: ['null', 'text'],
  'serveInbox.by': ['text'],
  groups: TEXTS,
  'createGate.groups': ['{}'],
  reason: ['null', ...TEXT],
  'subagent.description': ['text'],
  'subagent.name': ['text'],
  'createTaskTool: subagent.name': ['text'],
  'endpoint.name': ['null', 'text'],
  keyEnv: ['null', 'text'],
  toolApprovalSecret: ['text'],
  basePath: ["''"],
  // Functions.
  judge: FUNCTION,
  authorize: FUNCTION,
  redact: FUNCTION,
  using: FUNCTION,
  onApprovalRequest: FUNCTION,
  onQuestion: FUNCTION,
  authenticate: FUNCTION,
  address: FUNCTION,
  // On or off.
  policyFiles: FLAG,
  generalPurposeAgent: FLAG,
  describeApprovals: FLAG,
  stop: FLAG,
  // What a command may do.
  confine: ['true', '{}'],
  ...Object.fromEntries(['write', 'exact', 'hide', 'protect', 'absent'].map((name) => [name, TEXTS])),
  // Beside a function there is no model.
  'reviewer.model': [],
  'reviewer.review': FUNCTION,
  criteria: TEXT,
  'confine.env': ['{}'],
  'confine.cwd': [], // It must be a folder that is there.
  'createDeepAgent: confine.always': FLAG,
  // Numbers with bounds of their own.
  timeout: NUMBER,
  'gate.request.timeout': ['null', ...NUMBER],
  ...Object.fromEntries(
    [
      'after',
      'approvalTimeout',
      'attempts',
      'commandTimeout',
      'contents',
      'every',
      'expiresIn',
      'firstDelay',
      'from',
      'keepDecided',
      'limit',
      'maxArgumentBytes',
      'maxBodyBytes',
      'maxDelay',
      'maxFileBytes',
      'maxOutputBytes',
      'maxResultCharacters',
      'perAddress',
      'perPerson',
      'port',
      'quorum',
      'records',
      'remind',
      'takeOverAfter',
    ].map((name) => [name, NUMBER]),
  ),
};

/** Without these the entry cannot be called. */
const NEEDED = new Set([
  'gate.request.toolName',
  'gate.check.toolName',
  'checkPolicy.toolName',
  'signAuditHead.privateKey',
  'agent.streamWithEvents.prompt',
  'resume.gate',
  'resume.runId',
  'agent.resume.runId',
  'createDeepAgent.model',
  'reviewer.review',
  'subagent.name',
  'subagent.description',
  'createTaskTool: subagent.name',
  'createTaskTool.subagents',
  'mcpTools.server',
  'inboxHandler.authenticate',
  'sendWebhooks.endpoints',
  'endpoint.url',
  'endpoint.secret',
  'createActionLinks.secret',
  'createActionLinks.url',
  'link.approvalId',
  'link.decision',
  'link.by',
]);

/** These name who decides. An invalid name is refused there with the request. */
const OF_PROTOCOLS = /^(?:to|from)(?:Permission|Elicit)|(?:acp|mcp)Approver$/;

const isOptional = (kind: OptionKind | undefined): boolean =>
  kind !== 'filter' && (typeof kind !== 'string' || !kind.startsWith('restricts'));

const accepted = (name: EntryName, option: string): readonly Label[] => {
  const kind = ENTRIES[name].names[option];
  const left = NEEDED.has(`${name}.${option}`) || !isOptional(kind) ? [] : ['undefined'];
  if (kind === 'filter') return option === 'kind' ? [] : TEXT;
  if (isForm(kind) && !(`${name}.${option}` in MAY_BE)) return [...left, ...OF_FORM[kind]];
  if (OF_PROTOCOLS.test(name)) return [];
  return [...left, ...(MAY_BE[`${name}.${option}`] ?? MAY_BE[option] ?? [])];
};

/** `undefined`: it was taken. */
async function refusal(call: () => unknown): Promise<unknown> {
  try {
    const made = (await call()) as { close?: () => unknown; result?: Promise<unknown> } | undefined;
    made?.result?.catch(() => {});
    if (typeof made?.close === 'function') await made.close();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Refused for another reason than the value: the call names something that does not exist. */
const ELSEWHERE = new Set(['ERR_UNKNOWN_APPROVAL', 'ERR_LEDGER_KEY', 'ERR_AUDIT_HEAD', 'ERR_WEBHOOK_SIGNATURE']);

/** Those and one that cannot even be read, as options of this name. */
function given(option: string): [Label, object][] {
  const getter = Object.defineProperty({}, option, { enumerable: true, get: broken });
  const values = Object.entries(VALUES).map(([label, make]): [Label, object] => [label, { [option]: make() }]);
  return [...values, ['getter', getter]];
}

/** Of each option `npm test` tries a few of them, and of a few options each. */
let turn = 0;

describe.each(Object.keys(ENTRIES) as EntryName[])('%s', (name) => {
  const options = Object.keys(ENTRIES[name].names).map((option) => [option, turn++] as const);

  test.each(options)('a wrong %s opens nothing, and is refused with a code', async (option, turn) => {
    const taken: Label[] = [];
    const tried = sample(given(option), 2, turn);
    for (const [label, wrong] of tried) {
      const error = (await refusal(() => CALLS[name](wrong))) as { code?: unknown; message?: unknown } | undefined;
      if (error === undefined || ELSEWHERE.has(error.code as string)) taken.push(label);
      else expect(error.code, `${label}: ${String(error.message)}`).toMatch(/^ERR_(?!INTERNAL|INVALID_ARG_)/);
    }
    const expected = tried.map(([label]) => label).filter((label) => accepted(name, option).includes(label));
    expect(taken).toEqual(expected);
  });
});
