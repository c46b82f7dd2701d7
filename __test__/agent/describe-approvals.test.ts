/** What the model is told of approvals. */
import { tool, type ToolSet } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createAskUserTool, describeApprovals } from '../../ts/agent/index.js';
import { createGate } from '../../ts/index.js';
import { recordingTools } from '../support/tools.js';

const inputSchema = z.object({});
const tools: ToolSet = {
  ...recordingTools().tools,
  deploy: tool({ inputSchema, needsApproval: true }),
  fetch: tool({ inputSchema, needsApproval: () => false }),
  ls: tool({ inputSchema, needsApproval: false }),
  ask_user: createAskUserTool(),
} as ToolSet;
const { del, read } = tools as { del: ToolSet[string]; read: ToolSet[string] };

test('it names what is asked about, and says what to do', () => {
  expect(describeApprovals({ del, read }, { interruptOn: { del: true } })).toMatchInlineSnapshot(`
    "Every call of del needs the approval of a human before it runs.
    The human may take their time, and may run a call with other arguments: its result says so.
    A rejected call did not run. Never make it again unchanged, and do not reach for the same end by other means:
    take the reason into account. Without one, go on without the call, or say what you need it for and stop."
  `);
});

const ALWAYS = (names: string) => `Every call of ${names} needs the approval of a human before it runs.`;
const SOME = (names: string) => `Some calls of ${names} need the approval of a human.`;
const RULES = 'Rules say which calls of all tools need the approval of a human, and which may not run at all.';

test.each([
  [{}, [ALWAYS('deploy'), SOME('fetch')]],
  [{ interruptOn: 'all' }, [ALWAYS('del, read, deploy'), SOME('fetch')]],
  [{ interruptOn: { del: { shouldApprove: () => true }, deploy: false } }, [SOME('del, fetch')]],
  [{ policy: 'preset:developer' }, [ALWAYS('deploy'), SOME('fetch'), RULES]],
  [{ gate: createGate({ ledger: 'memory:', policy: 'preset:read-only' }) }, [ALWAYS('deploy'), SOME('fetch'), RULES]],
  [{ gate: createGate({ ledger: 'memory:', judge: () => 'ask' }) }, [ALWAYS('deploy'), SOME('fetch'), RULES]],
  [{ gate: createGate({ ledger: 'memory:' }) }, [ALWAYS('deploy'), SOME('fetch')]],
] as const)('%j', (options, said) => {
  const note = describeApprovals(tools, options as never);
  expect(note.split('\n').slice(0, -3)).toEqual(said);
});

test.each([
  [{}, {}],
  [{ del, read }, {}],
  [{ del, read }, { interruptOn: 'none' }],
  [{ del, read }, { interruptOn: { del: false } }],
  [{ ask_user: createAskUserTool() }, { interruptOn: 'all' }],
  [{ ls: tools['ls'] }, {}],
])('nothing is said where nothing is asked about', (some, options) => {
  expect(describeApprovals(some as ToolSet, options as never)).toBe('');
});
