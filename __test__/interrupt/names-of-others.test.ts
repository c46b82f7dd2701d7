/** Names that other agents have for tools: who comes from them means ours, and would leave it open. */
import { tool, type ToolSet } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createDeepAgent } from '../../ts/agent/index.js';
import { applyInterruptConfig, gateTools, streamWithEvents } from '../../ts/index.js';
import { scripted } from '../support/model.js';
import { listenToWarnings } from '../support/warnings.js';

const no = { onApprovalRequest: () => false } as const;
const { model } = scripted([]);
const execute = async () => 'ran';
const setOf = (...names: string[]): ToolSet =>
  Object.fromEntries(names.map((name) => [name, tool({ inputSchema: z.object({}), execute })]));
const ours = setOf('execute', 'write_file', 'edit_file', 'read_file', 'task', 'write_todos', 'ask_user');

const NAMES: [string, string][] = [
  // Claude Code.
  ['Bash', 'execute'],
  ['Write', 'write_file'],
  ['Edit', 'edit_file'],
  ['Read', 'read_file'],
  ['Task', 'task'],
  ['TodoWrite', 'write_todos'],
  // Codex.
  ['shell', 'execute'],
  ['apply_patch', 'edit_file'],
  // Gemini.
  ['run_shell_command', 'execute'],
  ['replace', 'edit_file'],
];

describe.each(NAMES)('%s', (name, meant) => {
  const refused = expect.objectContaining({
    code: 'ERR_UNKNOWN_TOOL',
    toolName: name,
    nearest: meant,
    message: expect.stringContaining(`did you mean "${meant}"?`) as unknown,
  });
  const policy = { version: 1, rule: [{ effect: 'deny', tools: [name] }] } as const;

  test('in interruptOn', () => {
    const interruptOn = { [name]: true } as never;
    expect(() => gateTools(ours, { ...no, interruptOn })).toThrow(refused);
    expect(() => applyInterruptConfig(ours, interruptOn)).toThrow(refused);
    expect(() => streamWithEvents({ model, tools: ours, prompt: 'x', ...no, interruptOn })).toThrow(refused);
    expect(() => createDeepAgent({ model, interruptOn })).toThrow(refused);
  });

  test('in a policy', () => {
    expect(() => gateTools(ours, { ...no, policy })).toThrow(refused);
    expect(() => createDeepAgent({ model, policy })).toThrow(refused);
  });

  test('in toolApproval of the AI SDK', () => {
    const toolApproval = { [name]: 'denied' };
    expect(() => streamWithEvents({ model, tools: ours, prompt: 'x', ...no, toolApproval } as never)).toThrow(refused);
  });

  test('but not where that tool is not there, nor where it is named as well', () => {
    using _ = listenToWarnings();
    expect(() => gateTools(setOf('deploy'), { ...no, interruptOn: { [name]: true } })).not.toThrow();
    expect(() => gateTools(ours, { ...no, interruptOn: { [name]: true, [meant]: true } as never })).not.toThrow();
    expect(() =>
      gateTools(ours, { ...no, interruptOn: { [name]: true } as never, unknownTools: 'warn' }),
    ).not.toThrow();
    const both = { version: 1, rule: [{ effect: 'deny', tools: [name, meant] }] } as const;
    expect(() => gateTools(ours, { ...no, policy: both })).not.toThrow();
  });
});

test('a rule for some commands in interruptOn says where such a rule belongs', () => {
  expect(() => gateTools(ours, { ...no, interruptOn: { 'Bash(rm:*)': true } as never })).toThrow(
    /patterns are not read.*Which commands, files or addresses of a tool are asked about is said by a policy/,
  );
});
