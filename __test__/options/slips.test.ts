/** A slip outside of the gate must not leave open what somebody meant to close. In each, the human would say no. */
import * as ai from 'ai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createAskUserTool, createDeepAgent, createLocalBackend, createTaskTool } from '../../ts/agent/index.js';
import * as api from '../../ts/index.js';
import { listenToWarnings } from '../support/warnings.js';
import { call, calls, collect, major, says, scripted, stepCount } from '../support/model.js';

const no = { onApprovalRequest: () => false };

/** Tools, a model that calls one of them, and what ran. */
function stage(more: object = {}) {
  const ran: string[] = [];
  const execute = async ({ path }: { path: string }) => {
    ran.push(path);
    return 'done';
  };
  const tools = { delete_file: { ...ai.tool({ inputSchema: z.object({ path: z.string() }), execute }), ...more } };
  const { model, prompts } = scripted([calls(call('delete_file', { path: '/a' }, 'c1')), says('Done.')]);
  return { ran, tools, model, prompts, of: { tools, model, prompt: 'go' } };
}

type Stage = ReturnType<typeof stage>;

async function generate({ of: { model, prompt } }: Stage, tools: unknown, more: object = {}): Promise<void> {
  await ai.generateText({ model, tools, prompt, stopWhen: stepCount(3), ...more } as never);
}

const run = async (options: object): Promise<void> => void (await collect(api.streamWithEvents(options as never)));

const SLIPS: [string, string, (stage: Stage) => Promise<void>][] = [
  ['streamWithEvents({ interuptOn })', '"interruptOn"', (s) => run({ ...s.of, ...no, interuptOn: ['delete_file'] })],
  [
    'streamWithEvents({ interrupt_on })',
    '"interruptOn"',
    (s) => run({ ...s.of, ...no, interrupt_on: ['delete_file'] }),
  ],
  ['streamWithEvents({ polcy })', '"policy"', (s) => run({ ...s.of, ...no, polcy: 'preset:read-only' })],
  ['streamWithEvents({ policies })', '"policy"', (s) => run({ ...s.of, ...no, policies: ['preset:read-only'] })],
  ['streamWithEvents({ onApproval })', '"onApprovalRequest"', (s) => run({ ...s.of, onApproval: () => false })],
  ['streamWithEvents({ approvals })', '"onApprovalRequest"', (s) => run({ ...s.of, approvals: () => false })],
  ['streamWithEvents({ canUseTool })', '"onApprovalRequest"', (s) => run({ ...s.of, canUseTool: () => false })],
  [
    'streamWithEvents({ disallowedTools })',
    '"policy"',
    (s) => run({ ...s.of, ...no, disallowedTools: ['delete_file'] }),
  ],
  [
    'streamWithEvents({ approvers }), which is said of a tool',
    "interruptOn: { NAME: { approvers: ['mia'] } }",
    (s) => run({ ...s.of, interruptOn: 'all', approvers: ['bob'], onApprovalRequest: () => true }),
  ],
  [
    'gateTools(tools, { quorum }), which is said of a tool',
    'quorum: 2 } }',
    async (s) => generate(s, api.gateTools(s.tools, { interruptOn: 'all', quorum: 2, ...no } as never)),
  ],
  ['streamWithEvents({ judge })', 'give it to createGate', (s) => run({ ...s.of, ...no, judge: () => 'deny' })],
  ['streamWithEvents({ needsApproval })', '"interruptOn"', (s) => run({ ...s.of, ...no, needsApproval: true })],
  [
    'gateTools(tools, { interuptOn })',
    '"interruptOn"',
    async (s) => generate(s, api.gateTools(s.tools, { ...no, interuptOn: ['delete_file'] } as never)),
  ],
  [
    'gateTools(tools, { delete_file: true }), as applyInterruptConfig takes it',
    'gateTools(tools, { interruptOn: { delete_file: true } })',
    async (s) => generate(s, api.gateTools(s.tools, { delete_file: true, ...no } as never)),
  ],
  [
    'createGate({ polcy })',
    '"policy"',
    (s) => run({ ...s.of, ...no, gate: api.createGate({ polcy: 'preset:read-only' } as never) }),
  ],
  [
    'toolApproval({ interuptOn })',
    '"interruptOn"',
    async (s) => generate(s, s.tools, { toolApproval: api.toolApproval({ ...no, interuptOn: 'all' } as never) }),
  ],
  ...[undefined, null].map((status): (typeof SLIPS)[number] => [
    `toolApproval of the AI SDK with ${status} for a tool`,
    `toolApproval["delete_file"] must be a function, or one of`,
    (s) => run({ ...s.of, ...no, toolApproval: { delete_file: status } }),
  ]),
  [
    'interruptOn: { tool: a function }',
    'write { shouldApprove: … }',
    (s) => run({ ...s.of, ...no, interruptOn: { delete_file: () => true } }),
  ],
];

describe('nothing runs, and the error says what was meant', () => {
  test.each(SLIPS)('%s', async (_, hint, play) => {
    const played = stage();
    await expect((async () => play(played))()).rejects.toMatchObject({
      code: 'ERR_INVALID_CONFIG',
      message: expect.stringContaining(hint) as unknown,
    });
    expect(played.ran).toEqual([]);
    expect(played.prompts).toHaveLength(0);
  });

  test.each([
    'requiresApproval',
    'needsApprovl',
    'needs_approval',
    'requireApproval',
    'approvalRequired',
    'shouldApprove',
    'needsPermission',
  ])('a tool with %s', async (slip) => {
    const played = stage({ [slip]: true });
    const refused = {
      code: 'ERR_INVALID_CONFIG',
      message: expect.stringContaining(`the tool "delete_file" has "${slip}", which asks nobody`) as unknown,
    };
    await expect(run({ ...played.of, ...no })).rejects.toMatchObject(refused);
    expect(() => api.gateTools(played.tools, no)).toThrow(expect.objectContaining(refused));
    expect(() => api.applyInterruptConfig(played.tools, 'all')).toThrow(expect.objectContaining(refused));
    expect(() => createDeepAgent({ model: played.model, tools: played.tools })).toThrow(
      expect.objectContaining(refused),
    );
    expect(played.ran).toEqual([]);
  });

  test.each([false, undefined, 0])('but not a tool on which it is %j', async (value) => {
    const played = stage({ requiresApproval: value });
    await run({ ...played.of, interruptOn: 'none' });
    expect(played.ran).toEqual(['/a']);
  });
});

describe('an option of a run that would gate a tool somewhere else is refused', () => {
  const TOOL = 'interruptOn: { delete_file: true }';
  const policy = 'did you mean "policy"?';
  const asks = 'did you mean "interruptOn"?';
  const NAMES: [string, unknown, string][] = [
    ['delete_file', true, TOOL],
    ['delete_file', { shouldApprove: () => true }, TOOL],
    ['delete_file', 'deny', TOOL],
    ['deleteFile', true, TOOL],
    ['delet_file', true, TOOL],
    ['deny', ['delete_file'], policy],
    ['denied', ['delete_file'], policy],
    ['deniedTools', ['delete_file'], policy],
    ['allow', ['other'], policy],
    ['allowed_tools', ['other'], policy],
    ['blockedTools', ['delete_file'], policy],
    ['blocklist', ['delete_file'], policy],
    ['forbid', ['delete_file'], policy],
    ['rule', [], policy],
    ['rules', [{ effect: 'deny', tools: '*' }], policy],
    ['default', 'deny', policy],
    ['permission', 'ask', policy],
    ['ask', ['delete_file'], asks],
    ['gated', ['delete_file'], asks],
    ['dangerousTools', ['delete_file'], asks],
    ['sensitiveTools', ['delete_file'], asks],
    ['requireApproval', true, asks],
    ['requireConfirmation', true, asks],
    ['needsApprovalFor', ['delete_file'], asks],
    ['toolsRequiringReview', ['delete_file'], 'the options are'],
    ['askBeforeTools', ['delete_file'], 'the options are'],
    ['toolRulesByName', {}, 'the options are'],
    ['excludeTools', ['delete_*'], 'the options are'],
    ['disabledTools', ['file'], 'the options are'],
    ['toolFilter', () => false, 'the options are'],
    ['canRunTool', () => false, 'the options are'],
    ['beforeToolCall', () => false, 'the options are'],
    ['checkToolCall', () => false, 'the options are'],
    ['toolsToHide', [], 'the options are'],
    ['interceptTools', { '*': true }, 'the options are'],
    ['validateFunctionCalls', true, 'the options are'],
    ['allowedCommands', ['ls'], 'the options are'],
    ['hold', 'delete_file,read_file', TOOL],
    ['hold', ['read_file; delete_file'], TOOL],
    ['pauseBefore', '*', TOOL],
    ['withhold', 'delete_*', TOOL],
    ['withhold', ['*_f*e'], TOOL],
    ['watch', /delete/, TOOL],
    ['watch', { names: [/^DELETE/i] }, TOOL],
  ];
  const WAYS: Record<string, (stage: Stage, option: object) => Promise<void>> = {
    streamWithEvents: (s, option) => run({ ...s.of, ...no, ...option }),
    'streamWithEvents of an agent': ({ of: { prompt, ...settings } }, option) =>
      run({ agent: new ai.ToolLoopAgent(settings as never), prompt, ...no, ...option }),
    'settings of an agent': ({ of: { prompt, ...settings } }, option) =>
      run({ agent: new ai.ToolLoopAgent({ ...settings, ...option } as never), prompt, ...no }),
    resume: async (s, option) => {
      const gate = api.createGate({ ledger: 'sqlite:' });
      onTestFinished(() => gate.close());
      await collect(api.resume({ ...s.of, prompt: undefined, ...no, gate, runId: 'r', ...option } as never));
    },
  };

  test.each(Object.keys(WAYS).flatMap((way) => NAMES.map((each) => [way, ...each] as const)))(
    '%s: %s: %j',
    async (way, name, value, hint) => {
      const played = stage();
      await expect((async () => WAYS[way]!(played, { [name]: value }))()).rejects.toMatchObject({
        code: 'ERR_INVALID_CONFIG',
        message: expect.stringContaining(way === 'settings of an agent' && hint !== TOOL ? name : hint) as unknown,
      });
      expect(played.ran).toEqual([]);
      expect(played.prompts).toHaveLength(0);
    },
  );

  test('what nobody knows and no tool is called is warned of, and handed on', async () => {
    using heard = listenToWarnings();
    const played = stage();
    const unknown = {
      brandNew: 1,
      toolCallStreaming: true,
      parallelToolCalls: false,
      onToolCall: () => {},
      note: 'do not delete_file, ever',
      greeting: 'delete_file is a tool, *',
      pattern: 'write_*',
      other: /write/,
      screenshotTool: 'x',
      toolGateway: 'x',
    };
    await run({ ...played.of, ...no, interruptOn: 'all', ...unknown });
    for (const name of Object.keys(unknown)) expect(heard.warnings.join()).toContain(`"${name}"`);
  });
});

describe('what stands in the wrong place says where it belongs', () => {
  const model = scripted([]).model;
  const agent = () => createDeepAgent({ model });
  const cases: [string, string, () => unknown][] = [
    [
      'interruptOn of a run',
      'give it to createDeepAgent',
      () => agent().streamWithEvents({ prompt: 'x', interruptOn: 'all' } as never),
    ],
    [
      'policy of a run',
      'give it to createDeepAgent',
      () => agent().streamWithEvents({ prompt: 'x', policy: 'preset:read-only' } as never),
    ],
    [
      'interuptOn of a run',
      'did you mean "interruptOn"? Give it to createDeepAgent',
      () => agent().streamWithEvents({ prompt: 'x', interuptOn: 'all' } as never),
    ],
    ['prompt of resume', 'the ledger has the conversation', () => agent().resume({ runId: 'r', prompt: 'x' } as never)],
    [
      'interruptOn of resume',
      'give it to createDeepAgent',
      () => agent().resume({ runId: 'r', interruptOn: 'all' } as never),
    ],
    [
      'onApprovalRequest of an agent',
      'give it to agent.streamWithEvents',
      () => createDeepAgent({ model, ...no } as never),
    ],
    [
      'interuptOn of an agent',
      'did you mean "interruptOn"?',
      () => createDeepAgent({ model, interuptOn: { execute: true } } as never),
    ],
    [
      'interuptOn of a subagent',
      'the subagent "a" has no option "interuptOn": did you mean "interruptOn"?',
      () => createDeepAgent({ model, subagents: [{ name: 'a', description: 'a', interuptOn: 'all' }] } as never),
    ],
    ['root of an agent', 'give it to createLocalBackend', () => createDeepAgent({ model, root: '/' } as never)],
    ['interruptOn of a gate', 'give it to streamWithEvents', () => api.createGate({ interruptOn: 'all' } as never)],
    ['ledger of gateTools', 'give it to createGate', () => api.gateTools({}, { ledger: 'sqlite:a.db' } as never)],
  ];

  test.each(cases)('%s', async (_, message, make) => {
    await expect((async () => make())()).rejects.toMatchObject({
      code: 'ERR_INVALID_CONFIG',
      message: expect.stringContaining(message) as unknown,
    });
  });

  test('generate is a run too', async () => {
    await expect(agent().generate({ prompt: 'x', policy: 'preset:read-only' } as never)).rejects.toMatchObject({
      message: expect.stringContaining('agent.generate has no option "policy": give it to createDeepAgent') as unknown,
    });
  });
});

describe('what belongs to a tool, a decision or a time says so, wherever it is given', () => {
  const { model } = scripted([]);
  const { tools } = stage();
  const ENTRIES: [string, (option: object) => unknown][] = [
    ['createGate', (option) => api.createGate(option)],
    ['streamWithEvents', (option) => api.streamWithEvents({ model, tools, prompt: 'x', ...option } as never)],
    ['gateTools', (option) => api.gateTools(tools, { ...no, ...option })],
    ['createDeepAgent', (option) => createDeepAgent({ model, ...option })],
    ['agent.streamWithEvents', (option) => createDeepAgent({ model }).streamWithEvents({ prompt: 'x', ...option })],
    ['createTaskTool', (option) => createTaskTool({ subagents: [{ name: 'a', description: 'a', model }], ...option })],
  ];
  const OPTIONS: [string, unknown, RegExp][] = [
    ['approvers', ['bob'], /said of a tool: interruptOn: \{ NAME: \{ approvers: \['mia'\] \} \}/],
    ['quorum', 2, /said of a tool: .*quorum: 2/],
    ['excludeRequester', true, /said of a tool: .*excludeRequester: true/],
    ['escalate', { after: 5, to: ['bob'] }, /said of a tool: .*escalate: \{ after: 60_000, to: \['bo'\] \}/],
    ['allowed_decisions', ['approve'], /did you mean "allowedDecisions"\? It is said of a tool/],
    ['remember', 'run', /said with a decision: .*remember: 'run'/],
    ['by', 'bob', /said with a decision: .*by: 'mia'/],
    ['expiresIn', 60_000, /did you mean "(?:approvalTimeout|timeout)"/],
    ['ttl', 60_000, /did you mean "(?:approvalTimeout|timeout)"/],
  ];
  const cases = ENTRIES.flatMap(([entry, make]) =>
    OPTIONS.map(([name, ...rest]) => [entry, name, make, ...rest] as const),
  );

  test.each(cases)('%s: %s', (entry, name, make, value, hint) => {
    expect(() => make({ [name]: value })).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_CONFIG', message: expect.stringMatching(hint) as unknown }),
    );
    expect(() => make({ [name]: value })).toThrow(`${entry} has no option "${name}"`);
  });

  test('what the AI SDK, or the entry itself, means by such a name is taken', () => {
    expect(() => api.createGate({ timeout: 5 })).not.toThrow();
    expect(() => api.streamWithEvents({ model, tools, prompt: 'x', timeout: 5, ...no } as never)).not.toThrow();
  });
});

describe('an entry of interruptOn says where an option belongs that it has not', () => {
  const OPTIONS: [string, unknown, RegExp][] = [
    ['expiresIn', 5, /did you mean "timeout"/],
    ['deadline', 5, /did you mean "timeout"/],
    ['approval_timeout', 5, /did you mean "timeout"/],
    ['remember', 'run', /said with a decision/],
    ['when', () => true, /did you mean "shouldApprove"/],
    ['needsApproval', true, /did you mean "shouldApprove"/],
    ['message', 'x', /did you mean "description"/],
    ['allow_edit', true, /did you mean "allowedDecisions"/],
    ['reviewers', ['bob'], /did you mean "approvers"/],
    ['minApprovals', 2, /did you mean "quorum"/],
    ['commands', ['rm'], /policy: \{ version: 1/],
    ['onApprovalRequest', () => false, /beside interruptOn/],
    ['judge', () => 'deny', /gate: createGate/],
    ['flavour', 'x', /the options are shouldApprove/],
  ];

  test.each(OPTIONS)('%s', (name, value, hint) => {
    const interruptOn = { delete_file: { [name]: value } } as never;
    for (const make of [
      () => api.gateTools(stage().tools, { ...no, interruptOn }),
      () => api.applyInterruptConfig(stage().tools, interruptOn),
      () => api.hasApprovalTools(interruptOn),
    ])
      expect(make).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_CONFIG', message: expect.stringMatching(hint) as unknown }),
      );
  });
});

describe('options that people bring along to createTaskTool', () => {
  const subagents = [{ name: 'a', description: 'a', model: scripted([]).model }];
  const OF_EACH = /said of each subagent: createTaskTool\(\{ subagents: \[\{ name, description, (?:\w+): … \}\] \}\)/;

  test.each<[string, RegExp]>([
    ...['model', 'systemPrompt', 'tools', 'interruptOn', 'policy', 'maxSteps', 'instructions'].map(
      (name): [string, RegExp] => [name, OF_EACH],
    ),
    ['gate', /give it to streamWithEvents/],
    ['onApprovalRequest', /give it to streamWithEvents/],
    ['ledger', /give it to createGate/],
    ['backend', /give it to createDeepAgent/],
    ['confine', /give it to createDeepAgent/],
    ['generalPurposeAgent', /give it to createDeepAgent/],
    ['builtinTools', /give it to createDeepAgent/],
    ['prompt', /give it to agent.streamWithEvents/],
    ['root', /give it to createLocalBackend/],
  ])('%s', (name, hint) => {
    expect(() => createTaskTool({ subagents, [name]: {} } as never)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_CONFIG', message: expect.stringMatching(hint) as unknown }),
    );
  });

  test('and to its subagents', () => {
    const make = (more: object) => createTaskTool({ subagents: [{ ...subagents[0], ...more } as never] });
    expect(() => make({ builtinTools: 'none' })).toThrow(/has no option "builtinTools": give it to createDeepAgent/);
    expect(() => make({ gate: {} })).toThrow(/has no option "gate": give it to streamWithEvents/);
    expect(() => make({ root: '/' })).toThrow(/give it to createLocalBackend/);
  });
});

describe('options that people bring along to createDeepAgent', () => {
  const model = scripted([]).model;

  test.each([
    ['summarization', 'shorten the messages'],
    ['enablePromptCaching', 'wrapLanguageModel'],
    ['includeGeneralPurposeAgent', 'did you mean "generalPurposeAgent"?'],
    ['toolResultEvictionLimit', 'did you mean "maxResultCharacters"?'],
    ['state', 'give the messages of a run to the next one'],
    ['instructions', 'did you mean "systemPrompt"?'],
    ['checkpointer', 'did you mean "ledger"? Give it to createGate'],
  ])('%s is not passed over', (name, message) => {
    expect(() => createDeepAgent({ model, [name]: true } as never)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_CONFIG', message: expect.stringContaining(message) as unknown }),
    );
  });

  test('maxSteps of one run ends that run', async () => {
    const turn = () => calls(call('ls', {}, crypto.randomUUID()));
    const endless = scripted(Array.from({ length: 10 }, turn));
    const agent = createDeepAgent({ model: endless.model, interruptOn: 'none', maxSteps: 9 });
    const { steps } = await agent.generate({ prompt: 'x', maxSteps: 2 });
    expect(steps).toHaveLength(2);
    expect((await agent.generate({ prompt: 'x', maxSteps: 3 })).steps).toHaveLength(3);
  });

  test.each([0, 1.5, '2'])('maxSteps of one run that is %j is refused', (maxSteps) => {
    const agent = createDeepAgent({ model });
    expect(() => agent.streamWithEvents({ prompt: 'x', maxSteps } as never)).toThrow(/maxSteps must be a whole number/);
  });
});

describe('what restricts and is there with nothing in it', () => {
  test.each([
    [
      'streamWithEvents',
      (tools: object, options: Record<string, unknown>): Promise<void> => run({ tools, prompt: 'go', ...options }),
    ],
    [
      'gateTools',
      async (tools: object, { model, ...options }: Record<string, unknown>): Promise<void> =>
        void (await ai.generateText({
          model,
          prompt: 'go',
          tools: api.gateTools(tools as never, options as never),
          stopWhen: stepCount(3),
        } as never)),
    ],
  ] as const)('a parent read from the first argument of execute starts no run of its own: %s', async (_, start) => {
    const { ran, tools, model } = stage();
    const task = ai.tool({
      inputSchema: z.looseObject({}),
      execute: async ({ options }: { options?: object }) =>
        start(tools, { model, parent: options, interruptOn: { other: true }, unknownTools: 'ignore' }),
    });
    const events = await collect(
      api.streamWithEvents({
        model: scripted([calls(call('task', {}, 't1')), says('.')]).model,
        prompt: 'go',
        tools: { task, ...tools },
        interruptOn: { '*': true, task: false },
        onApprovalRequest: () => false,
      } as never),
    );
    expect(ran).toEqual([]);
    expect(JSON.stringify(events)).toContain('parent is undefined');
  });

  test.each([[{ patterns: undefined }], [{}], [[]], [{ patterns: [] }], [{ using: undefined }]])(
    'redact: %j is refused, and keeps no secret',
    (redact) => {
      expect(() => api.createGate({ redact } as never)).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_CONFIG' }),
      );
    },
  );

  const SHAPES: [string, (shape: never) => unknown, unknown[]][] = [
    [
      'subagents',
      (subagents) => createDeepAgent({ model: stage().model, subagents }),
      [Promise.resolve([]), {}, new Set()],
    ],
    [
      'subagents of a subagent',
      (subagents) => createDeepAgent({ model: stage().model, subagents: [{ name: 'a', description: 'a', subagents }] }),
      [Promise.resolve([]), {}],
    ],
    ['subagents of createTaskTool', (subagents) => createTaskTool({ subagents }), [Promise.resolve([]), {}, null]],
    [
      'rules of definePolicy',
      (rules) => api.definePolicy(rules),
      [new Set(), {}, null, undefined, Promise.resolve([])],
    ],
    ['groups', (groups) => api.createGate({ groups }), [Promise.resolve({}), new Map([['ops', ['ada']]])]],
    ['backend', (backend) => createDeepAgent({ model: stage().model, backend }), ['x', {}, Promise.resolve({})]],
    [
      'generalPurposeAgent',
      (generalPurposeAgent) => createDeepAgent({ model: stage().model, generalPurposeAgent }),
      ['false', 0],
    ],
    [
      'describeApprovals',
      (describeApprovals) => createDeepAgent({ model: stage().model, describeApprovals }),
      ['x', null],
    ],
    ['env', (env) => createLocalBackend({ env }), [Promise.resolve({}), new Map()]],
    [
      'what a response is made of',
      (given) => api.streamWithEvents(stage().of as never).toUIMessageStreamResponse(given),
      [null, Promise.resolve({})],
    ],
  ];
  test.each(SHAPES)('%s of another shape is refused, and not taken in part', (_, use, shapes) => {
    for (const shape of shapes)
      expect(() => use(shape as never), String(shape)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_CONFIG' }));
  });

  test('tools of a subagent are not those of the agent above where they are undefined', () => {
    const subagents = [{ name: 'a', description: 'a', tools: undefined }];
    expect(() => createDeepAgent({ model: stage().model, subagents } as never)).toThrow(/tools is undefined/);
  });
});

describe("what is the SDK's", () => {
  test('goes there', async () => {
    const played = stage();
    using heard = listenToWarnings();
    await run({
      ...played.of,
      interruptOn: 'none',
      temperature: 0.5,
      maxOutputTokens: 9,
      onChunk: () => {},
      _internal: {},
    });
    expect(played.ran).toEqual(['/a']);
    expect(heard.warnings).toEqual([]);
  });

  test('what neither it nor we know is one warning', async () => {
    using heard = listenToWarnings();
    for (let time = 0; time < 2; time++)
      await run({ ...stage().of, interruptOn: 'none', temprature: 0.5, frobnicate: undefined });
    expect(heard.warnings).toEqual([
      `streamWithEvents: neither countersign nor AI SDK ${major} knows the option "temprature": did you mean "temperature"?`,
    ]);
  });

  test('what only the other version knows is one, too', async () => {
    using heard = listenToWarnings();
    const [theirs] = major === 6 ? ['instructions'] : ['experimental_context'];
    await run({ ...stage().of, interruptOn: 'none', [theirs]: 'x' });
    expect(heard.warnings).toEqual([expect.stringContaining(`AI SDK ${major} knows the option "${theirs}"`)]);
  });

  test('an agent takes its own: options of a call', async () => {
    const { tools, model, ran } = stage();
    using heard = listenToWarnings();
    const agent = new ai.ToolLoopAgent({ model, tools });
    await run({ agent, prompt: 'go', interruptOn: 'none', options: { tier: 1 } });
    expect([ran, heard.warnings]).toEqual([['/a'], []]);
    await expect(run({ agent, prompt: 'go', interuptOn: 'all' })).rejects.toMatchObject({ code: 'ERR_INVALID_CONFIG' });
  });
});

describe('where nothing at all is gated', () => {
  const nothing = (place: string) => expect.stringContaining(`${place}: nothing is gated`) as unknown;

  test('a run warns once', async () => {
    using heard = listenToWarnings();
    for (let time = 0; time < 2; time++) await run(stage().of);
    expect(heard.warnings).toEqual([nothing('streamWithEvents')]);
  });

  test('so does a gate that has nothing to say', async () => {
    using heard = listenToWarnings();
    await using gate = api.createGate({ ledger: 'memory:' });
    await run({ ...stage().of, gate });
    expect(heard.warnings).toEqual([nothing('streamWithEvents')]);
  });

  test('so does gateTools', async () => {
    using heard = listenToWarnings();
    for (let time = 0; time < 2; time++) api.gateTools(stage().tools, { ...no, interruptOn: { delete_file: false } });
    expect(heard.warnings).toEqual([nothing('gateTools')]);
  });

  test('so does applyInterruptConfig', () => {
    using heard = listenToWarnings();
    const { tools } = stage();
    api.applyInterruptConfig(tools, {});
    api.applyInterruptConfig(tools, 'none');
    expect(heard.warnings).toEqual([nothing('applyInterruptConfig')]);
  });

  test('each set of tools is told of once, and no other one stays silent for it', async () => {
    using heard = listenToWarnings();
    const { of } = stage();
    const others = {
      ...(of as { tools: object }).tools,
      other: (of as { tools: Record<string, object> }).tools['delete_file'],
    };
    for (let time = 0; time < 2; time++)
      for (const tools of [of.tools, others]) await run({ ...stage().of, tools, interruptOn: {} });
    expect(heard.warnings).toEqual([nothing('streamWithEvents'), nothing('streamWithEvents')]);
  });

  test.runIf(major === 7)('so does toolApproval', async () => {
    using heard = listenToWarnings();
    const played = stage();
    await generate(played, played.tools, { toolApproval: api.toolApproval({ ...no }) });
    expect(heard.warnings).toEqual([nothing('toolApproval')]);
  });

  const subagent = (inner: object, main: object) => {
    const { tools } = stage().of;
    const model = scripted([calls(call('delete_file', { path: '/a' }, 'c1')), says('Done.')]).model;
    const task = createTaskTool({ subagents: [{ name: 'a', description: 'a', model, tools, ...inner }] });
    const turns = [calls(call('task', { description: 'x', subagent_type: 'a' }, 't1')), says('.')];
    return run({ model: scripted(turns).model, prompt: 'go', tools: { task }, ...no, ...main });
  };

  test('so does a subagent of a run that has nothing but subagents', async () => {
    using heard = listenToWarnings();
    await subagent({}, {});
    expect(heard.warnings).toEqual([nothing('streamWithEvents')]);
  });

  test.each([
    ['itself', { interruptOn: { delete_file: true } }, {}],
    ['the run that starts it', {}, { interruptOn: { task: true }, onApprovalRequest: () => true }],
    ['nobody, as the run says', {}, { interruptOn: 'none' }],
  ])('but not a subagent that is gated by %s', async (_, inner, main) => {
    using heard = listenToWarnings();
    await subagent(inner, main);
    expect(heard.warnings).toEqual([]);
  });

  const meant: [string, (s: Stage) => object][] = [
    ["interruptOn: 'none'", () => ({ interruptOn: 'none' })],
    ['a policy', () => ({ policy: 'preset:developer' })],
    ['a gate with a policy', () => ({ gate: api.createGate({ ledger: 'memory:', policy: 'preset:developer' }) })],
    ['a mode that asks', () => ({ gate: api.createGate({ ledger: 'memory:', mode: 'plan' }) })],
    ['tools without execute', () => ({ tools: { delete_file: { inputSchema: z.object({ path: z.string() }) } } })],
    ['no tools', () => ({ tools: undefined })],
    [
      "a tool's own needsApproval",
      (s) => ({ tools: { delete_file: { ...s.tools.delete_file, needsApproval: true } } }),
    ],
    ['a toolApproval of the SDK', () => ({ toolApproval: { delete_file: 'denied' } })],
  ];

  test.each(meant)('but not with %s', (_, options) => {
    using heard = listenToWarnings();
    const played = stage();
    api.streamWithEvents({ ...played.of, ...no, ...options(played) } as never);
    expect(heard.warnings).toEqual([]);
  });
});

describe('where nobody can be asked', () => {
  const nobody = (place: string) => expect.stringContaining(`${place}: nobody can be asked`) as unknown;

  test('a run that gates warns once, when it is made', async () => {
    using heard = listenToWarnings();
    for (let time = 0; time < 2; time++) await run({ ...stage().of, interruptOn: 'all' });
    expect(heard.warnings).toEqual([nobody('streamWithEvents')]);
  });

  test('so does one that has only a policy, when it asks', async () => {
    using heard = listenToWarnings();
    await run({ ...stage().of, policy: { version: 1, default: 'deny' } });
    expect(heard.warnings).toEqual([]);
    await run({ ...stage().of, policy: { version: 1, default: 'ask' } });
    expect(heard.warnings).toEqual([nobody('streamWithEvents')]);
  });

  test('so does one whose callback is undefined: the call is rejected, and does not run', async () => {
    using heard = listenToWarnings();
    const played = stage();
    await run({ ...played.of, interruptOn: 'all', onApprovalRequest: undefined });
    expect(heard.warnings).toEqual([nobody('streamWithEvents')]);
    expect(played.ran).toEqual([]);
  });

  test('so does gateTools', async () => {
    using heard = listenToWarnings();
    for (let time = 0; time < 2; time++) api.gateTools(stage().tools, { interruptOn: 'all' });
    expect(heard.warnings).toEqual([nobody('gateTools')]);
  });

  test.runIf(major === 7)('so does toolApproval', async () => {
    using heard = listenToWarnings();
    const played = stage();
    await generate(played, played.tools, { toolApproval: api.toolApproval({ interruptOn: 'all' }) });
    expect(heard.warnings).toEqual([nobody('toolApproval')]);
  });

  test('one that has a tool for questions says so', async () => {
    using heard = listenToWarnings();
    const { of, tools } = stage();
    const more = { ...of, tools: { ...tools, ask_user: createAskUserTool() }, interruptOn: 'all' as const };
    await run({ ...more, onApprovalRequest: () => true });
    expect(heard.warnings).toEqual([
      expect.stringMatching(/nobody can answer the questions of "ask_user".*onQuestion/),
    ]);
  });

  test('but not where the mode says that nobody is asked, nor beside the error of gateTools', async () => {
    using heard = listenToWarnings();
    await using gate = api.createGate({ ledger: 'memory:', mode: 'deny-all-asks' });
    const { of, tools } = stage();
    const asking = { ...tools, ask_user: createAskUserTool() };
    await run({ ...of, tools: asking, gate, interruptOn: 'all', onQuestion: () => ({ answers: [] }) });
    api.gateTools(asking, { gate, interruptOn: 'all' });
    expect(() => api.gateTools(asking, { interruptOn: 'all', onApprovalRequest: () => true })).toThrow(
      /nobody can answer the questions of the tool "ask_user"/,
    );
    expect(heard.warnings).toEqual([]);
  });

  test('a part of a run warns of nothing when it is made: the run has', async () => {
    using heard = listenToWarnings();
    const { tools } = stage();
    const execute = async (_: object, parent: object) => {
      api.gateTools(tools, { parent, interruptOn: 'all' } as never);
      return 'done';
    };
    const task = Object.assign(ai.tool({ inputSchema: z.object({}), execute }), {
      [Symbol.for('countersign.task')]: true,
    });
    const { model } = scripted([calls(call('task', {}, 't1')), says('.')]);
    await run({ model, prompt: 'go', tools: { ...tools, task }, interruptOn: { delete_file: true } });
    expect(heard.warnings).toEqual([nobody('streamWithEvents')]);
  });

  test('a deep agent has ask_user always, so that nobody who gave no onQuestion is warned', async () => {
    using heard = listenToWarnings();
    const { model, tools } = stage();
    const agent = createDeepAgent({ model, tools, interruptOn: 'all' });
    await collect(agent.streamWithEvents({ prompt: 'go', ...no }));
    expect(heard.warnings).toEqual([]);
  });

  test('whoever can be asked, or says that nobody is to be, is warned of nothing', async () => {
    using heard = listenToWarnings();
    await run({ ...stage().of, interruptOn: 'all', onApprovalRequest: () => true });
    await run({ ...stage().of, interruptOn: 'all', onApprovalRequest: () => false });
    await using gate = api.createGate({ ledger: 'memory:' });
    api.gateTools(stage().tools, { interruptOn: 'all', gate });
    expect(heard.warnings).toEqual([]);
  });
});

test('the prompt of a subagent is its systemPrompt', () => {
  const subagent = { name: 'kid', description: 'x', prompt: 'x' };
  const make = () => createDeepAgent({ model: 'openai/gpt-5', interruptOn: 'none', subagents: [subagent as never] });
  expect(make).toThrow('did you mean "systemPrompt"?');
});

test.each([
  [{ model: Promise.resolve({}), prompt: 'go' }, 'model is a promise: await it'],
  [{ model: 'openai/gpt-5', messages: Promise.resolve([]) }, 'messages is a promise: await it'],
])('what was not awaited says so: %j', async (options, said) => {
  const refused = { code: 'ERR_INVALID_CONFIG', message: expect.stringContaining(said) as unknown };
  await expect(
    Promise.resolve().then(() => api.streamWithEvents({ ...options, interruptOn: 'none' } as never).result),
  ).rejects.toMatchObject(refused);
});

test.each(Object.entries({ null: null, 'an object': {}, number: 5, 'empty text': '', list: [], function: () => {} }))(
  'what is no model says so, and not what the AI SDK makes of it: %s',
  async (_, model) => {
    const refused = {
      code: 'ERR_INVALID_CONFIG',
      message: expect.stringContaining('model must be what a provider of the AI SDK gives') as unknown,
    };
    const options = { model, prompt: 'go', interruptOn: 'none' } as never;
    await expect(api.streamWithEvents(options).result).rejects.toMatchObject(refused);
    const agent = createDeepAgent({ model: model as never, interruptOn: 'none' });
    await expect(agent.generate({ prompt: 'go' })).rejects.toMatchObject(refused);
  },
);

test.each([[undefined], [null], [5], [['ls']]])('a command that is %j is not run as its text', async (command) => {
  await expect(createLocalBackend({ root: '/tmp' }).execute?.(command as never)).rejects.toMatchObject({
    code: 'ERR_INVALID_CONFIG',
  });
});
