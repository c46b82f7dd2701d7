/** Programs with one mistake each: the compiler must say which it is, and not that nothing fits. */
import { beforeAll, expect, test } from 'vitest';
import { compile } from '../support/compiler.js';
import { sample } from '../support/effort.js';

const HEAD = `import { tool, ToolLoopAgent, type LanguageModel } from 'ai';
import * as cs from 'countersign';
import { createDeepAgent } from 'countersign/agent';
import { z } from 'zod';

declare const model: LanguageModel;
const tools = { delete_file: tool({ inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => path }) };
const agent = new ToolLoopAgent({ model, tools });
const gate = cs.createGate();
export { agent, createDeepAgent, gate, model, tools };
`;

/** What is wrong, and what the compiler must say of it. */
const MISTAKES: [what: string, code: string, said: RegExp][] = [
  ...['streamWithEvents({ model, tools,', 'streamWithEvents({ agent,'].flatMap((begin): typeof MISTAKES => [
    [`${begin} a misspelt option`, `cs.${begin} prompt: 'x', interuptOn: { delete_file: true } });`, /'interuptOn'/],
    [`${begin} a misspelt tool`, `cs.${begin} prompt: 'x', interruptOn: { deletefile: true } });`, /'deletefile'/],
    [
      `${begin} an answer in words`,
      `cs.${begin} prompt: 'x', onApprovalRequest: () => 'yes' });`,
      /Type '"yes"' is not assignable to type '.*ApprovalAnswer/,
    ],
    [
      `${begin} a callback that answers nothing`,
      `cs.${begin} prompt: 'x', onApprovalRequest: () => {} });`,
      /Type 'void' is not assignable to type '.*ApprovalAnswer/,
    ],
    [
      `${begin} a function for the options of a tool`,
      `cs.${begin} prompt: 'x', interruptOn: { delete_file: () => true } });`,
      /Type '\(\) => boolean' is not assignable to type 'boolean \| InterruptOptions/,
    ],
    [
      `${begin} a wrong order`,
      `cs.${begin} prompt: 'x', askOrder: 'both' });`,
      /"both".*is not assignable to.*"at-once"/,
    ],
  ]),
  ['a list of tools', `cs.streamWithEvents({ model, tools: [], prompt: 'x' });`, /not assignable to type 'ToolSet'/],
  ['no model', `cs.streamWithEvents({ tools, prompt: 'x' });`, /Property 'model' is missing/],
  [
    'prompt and messages',
    `cs.streamWithEvents({ model, tools, prompt: 'x', messages: [] });`,
    /Types of property 'messages' are incompatible/,
  ],
  ['an agent that is none', `cs.streamWithEvents({ agent: {}, prompt: 'x' });`, /'\{\}' is not assignable to/],
  [
    'an agent and tools',
    `cs.streamWithEvents({ agent, tools, prompt: 'x' });`,
    /Types of property 'tools' are incompatible/,
  ],
  ['an agent and a model', `cs.streamWithEvents({ agent, model, prompt: 'x' });`, /Types of property 'model'|'model'/],
  ['resume: a misspelt option', `cs.resume({ gate, runId: 'r', model, tools, interuptOn: 'all' });`, /'interuptOn'/],
  ['resume: no gate', `cs.resume({ runId: 'r', model, tools });`, /Property 'gate' is missing/],
  [
    'resume: a prompt',
    `cs.resume({ gate, runId: 'r', model, tools, prompt: 'x' });`,
    /'string' is not assignable to type 'undefined'/,
  ],
  [
    'resume with an agent: a misspelt tool',
    `cs.resume({ gate, runId: 'r', agent, interruptOn: { deletefile: true } });`,
    /'deletefile'/,
  ],
  ['gateTools: a misspelt option', `cs.gateTools(tools, { interuptOn: 'all' });`, /'interuptOn'/],
  ['createGate: a misspelt option', `cs.createGate({ polcy: 'preset:read-only' });`, /'polcy'/],
  ['createDeepAgent: a misspelt option', `createDeepAgent({ model, interuptOn: 'all' });`, /'interuptOn'/],
  [
    'a run of it: a misspelt option',
    `createDeepAgent({ model }).streamWithEvents({ prompt: 'x', onAproval: 1 });`,
    /'onAproval'/,
  ],
];

/** What must go on being right, with the types of callbacks inferred. */
const RIGHT = `
const answers = cs.terminalApprover();
const a: cs.AgentRun<typeof tools> = cs.streamWithEvents({
  model, tools, prompt: 'x',
  interruptOn: { delete_file: { shouldApprove: ({ path }) => path !== '' } },
  onApprovalRequest: ({ args }) => args.path === 'x',
  onQuestion: answers,
});
const b: cs.AgentRun<typeof tools> = cs.streamWithEvents({
  agent, prompt: 'x', interruptOn: { delete_file: true }, onApprovalRequest: ({ args }) => args.path === 'x',
});
const c: cs.AgentRun<typeof tools> = cs.resume({
  gate, runId: 'r', model, tools, interruptOn: 'all', onApprovalRequest: ({ args }) => args.path === 'x',
});
const d: cs.AgentRun<typeof tools> = cs.resume({
  gate, runId: 'r', agent, onApprovalRequest: ({ args }) => args.path === 'x',
});
cs.streamWithEvents({ model, prompt: 'x', onApprovalRequest: answers });
cs.streamWithEvents({ agent, prompt: 'x', onApprovalRequest: answers, askOrder: 'at-once' });
cs.gateTools(tools, { interruptOn: 'all', onApprovalRequest: answers, onQuestion: answers });
createDeepAgent({ model }).streamWithEvents({ prompt: 'x', onApprovalRequest: answers, onQuestion: answers });
export { a, b, c, d };
`;

/** The compiler takes half a second to put one of them into words. */
const tried = sample(MISTAKES, 4);

let said: string[];

beforeAll(async () => {
  const wrong = tried.map(([, code], index) => [`m${index}.ts`, `${HEAD}\n${code}\n`] as const);
  const options = { rootDir: '../..', noErrorTruncation: true };
  said = (await compile('mistakes', new Map([...wrong, ['right.ts', `${HEAD}${RIGHT}`]]), options)).complaints;
});

const saidOf = (name: string): string => said.filter((each) => each.startsWith(`${name}.ts(`)).join('\n');

test.each(tried.map(([what, code, expected], index) => [what, { index, code, expected }] as const))(
  '%s is named',
  (_, { index, expected }) => {
    expect(saidOf(`m${index}`)).toMatch(expected);
    expect(saidOf(`m${index}`)).not.toContain("parameter of type 'never'");
  },
);

test('what is right compiles', () => {
  expect(saidOf('right')).toBe('');
});
