/** Questions of the model: always put to a human, answered by no one else, and given to the model as Q and A. */
import { generateText, type ToolSet } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import type { Gate, Question, QuestionRequest, QuestionsAnswer } from '../../index.js';
import {
  createGate,
  DecisionNotAllowedError,
  gateTools,
  InvalidConfigError,
  InvalidDecisionError,
  streamWithEvents,
  toolApproval,
} from '../../ts/index.js';
import { PATIENTLY } from '../runtimes.js';
import { sample } from '../support/effort.js';
import { call, calls, collect, major, resultsIn, says, scripted, sleep } from '../support/model.js';
import { play, start, types, until, type PlayOptions } from '../support/play.js';
import { askUserTool, COLOUR, DATABASE, PARTS, QUESTIONS } from '../support/questions.js';
import { recordingTools } from '../support/tools.js';

const turns = (...questions: Question[]) => [calls(call('ask_user', { questions }, 'q1')), says('Done.')];
const tools = (): ToolSet => ({ ask_user: askUserTool() });

/** What the model was told of the call. */
const toldOf = (prompts: Parameters<typeof resultsIn>[0][]): unknown => resultsIn(prompts[1])['q1'];

/** Runs until the question is asked; `end` reads it to its end. */
async function asked(options: Partial<PlayOptions> & { gate: Gate }) {
  const { run, prompts } = start({ turns: turns(COLOUR), tools: tools(), ...options });
  const event = await until(run, 'question-asked');
  const end = async () => ({ events: await collect(run), told: toldOf(prompts) });
  return { run, event, end };
}

const valid: [string, Question[], QuestionsAnswer & { status: 'answered' }, string][] = [
  ['a text', [COLOUR], { status: 'answered', answers: ['blue'] }, 'Q: Which colour?\nA: blue'],
  ['an option', [DATABASE], { status: 'answered', answers: ['SQLite'] }, 'Q: Which database?\nA: SQLite'],
  ['other words', [DATABASE], { status: 'answered', answers: ['a file'] }, 'Q: Which database?\nA: a file'],
  ['labels', [PARTS], { status: 'answered', answers: [['UI', 'API']] }, 'Q: Which parts?\nA: UI, API'],
  ['no label', [PARTS], { status: 'answered', answers: [[]] }, 'Q: Which parts?\nA: (none)'],
  ['nothing', [PARTS], { status: 'answered', answers: [null] }, 'Q: Which parts?\nA: (left out)'],
  [
    'several',
    [COLOUR, DATABASE, PARTS],
    { status: 'answered', answers: ['red', 'SQLite', ['API']] },
    'Q: Which colour?\nA: red\n\nQ: Which database?\nA: SQLite\n\nQ: Which parts?\nA: API',
  ],
];

const invalid: [string, Question[], unknown][] = [
  ['no object', [COLOUR], 'blue'],
  ['no list', [COLOUR], { answers: 'blue' }],
  ['too few', [COLOUR, COLOUR], { answers: ['blue'] }],
  ['too many', [COLOUR], { answers: ['blue', 'red'] }],
  ['a required one left out', [COLOUR], { answers: [null] }],
  ['an empty text', [COLOUR], { answers: [''] }],
  ['blanks', [DATABASE], { answers: ['  '] }],
  ['a number', [COLOUR], { answers: [7] }],
  ['a list for a text', [COLOUR], { answers: [['blue']] }],
  ['a list for a choice', [DATABASE], { answers: [['SQLite']] }],
  ['a text for labels', [PARTS], { answers: ['API'] }],
  ['an unknown label', [PARTS], { answers: [['API', 'CLI']] }],
  ['a label twice', [PARTS], { answers: [['API', 'API']] }],
  ['no label though required', [{ ...PARTS, required: true }], { answers: [[]] }],
];

describe('every answer, from every source', () => {
  describe.each(sample(valid))('%s', (_, questions, answer, text) => {
    const output = { answers: answer.answers };
    const sources: [string, (gate: Gate | undefined) => Partial<PlayOptions>][] = [
      ['onQuestion', () => ({ onQuestion: async () => answer.answers })],
      ['gate.respond', (gate) => answeredOn(gate!, (id) => gate!.respond(id, output))],
      ['gate.decide', (gate) => answeredOn(gate!, (id) => gate!.decide(id, { type: 'respond', output }))],
    ];
    it.each(sources)('%s', async (source, optionsOf) => {
      const gate = source === 'onQuestion' ? undefined : createGate();
      const { events, of, prompts, run } = await play({
        turns: turns(...questions),
        tools: tools(),
        ...(gate === undefined ? {} : { gate }),
        ...optionsOf(gate),
      });
      expect(types(events).filter((type) => type !== 'step-finish')).toEqual([
        'step-start',
        'tool-call',
        'question-asked',
        'question-answered',
        'tool-result',
        'step-start',
        'text',
        'done',
      ]);
      expect(of('question-asked')).toMatchObject([
        { toolCallId: 'q1', toolName: 'ask_user', kind: 'question', questions, expiresAt: null },
      ]);
      expect(of('question-asked')[0]).not.toHaveProperty('args');
      expect(of('question-answered')).toMatchObject([{ toolCallId: 'q1', origin: ['main'], answer }]);
      expect(of('tool-result')).toMatchObject([{ toolCallId: 'q1', args: { questions }, result: answer }]);
      expect(toldOf(prompts)).toEqual({ type: 'text', value: text });
      const { steps } = await run.result;
      expect(steps[0]?.content).toContainEqual(expect.objectContaining({ type: 'tool-result', output: answer }));
    });

    it('gateTools', async () => {
      const { model, prompts } = scripted(turns(...questions));
      const onQuestion = vi.fn(async () => answer.answers);
      const gated = gateTools(tools(), { onQuestion });
      const { steps } = await generateText({ model, prompt: 'go', tools: gated, stopWhen } as never);
      expect(toldOf(prompts)).toEqual({ type: 'text', value: text });
      expect(JSON.stringify(steps[0]?.toolResults)).toContain(JSON.stringify(answer));
      expect(onQuestion).toHaveBeenCalledTimes(1);
    });
  });

  describe.each(sample(invalid))('not %s', (_, questions, output) => {
    it('gate.respond throws, and the question goes on waiting', async () => {
      const gate = createGate();
      const { event, end } = await asked({ gate, turns: turns(...questions) });
      await expect(gate.respond(event.approvalId, output)).rejects.toThrow(InvalidDecisionError);
      expect(await gate.pending()).toHaveLength(1);
      await gate.skip(event.approvalId);
      expect((await end()).told).toMatchObject({ type: 'text' });
    });

    it('onQuestion: the model is told that it could not be asked', async () => {
      const answers = (output as { answers?: unknown }).answers as never;
      const { of, prompts } = await play({ turns: turns(...questions), tools: tools(), onQuestion: () => answers });
      expect(of('question-answered')).toMatchObject([{ answer: { status: 'error' } }]);
      expect(toldOf(prompts)).toMatchObject({ value: expect.stringContaining('The answer was not taken') as unknown });
    });
  });
});

/** Answers on a gate as soon as it is asked. */
function answeredOn(gate: Gate, answer: (approvalId: string) => Promise<unknown>): Partial<PlayOptions> {
  void (async () => {
    for await (const event of gate.events()) if (event.type === 'requested') return answer(event.request.approvalId);
    return undefined;
  })();
  return {};
}

const stopWhen = ({ steps }: { steps: unknown[] }) => steps.length >= 5;

describe('a human who does not answer', () => {
  const cases: [string, (gate: Gate, id: string) => Promise<unknown>, QuestionsAnswer][] = [
    ['reject', (gate, id) => gate.reject(id), { status: 'cancelled' }],
    ['reject with a reason', (gate, id) => gate.reject(id, 'guess'), { status: 'cancelled', reason: 'guess' }],
    ['skip', (gate, id) => gate.skip(id), { status: 'cancelled' }],
    ['skip with a reason', (gate, id) => gate.skip(id, 'later'), { status: 'cancelled', reason: 'later' }],
  ];
  it.each(cases)('%s', async (_, decide, answer) => {
    const gate = createGate();
    const { event, end } = await asked({ gate });
    await decide(gate, event.approvalId);
    const { events, told } = await end();
    expect(events.find(({ type }) => type === 'question-answered')).toMatchObject({ answer });
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({ result: answer });
    const { reason = 'The human did not answer' } = answer as { reason?: string };
    expect(told).toMatchObject({ type: 'text', value: expect.stringContaining(reason) as unknown });
  });

  it.each([
    ['null', () => null, { status: 'cancelled' }],
    [
      'a rejected promise',
      () => Promise.reject(new Error('gone')),
      { status: 'error', reason: 'Asking the human failed: gone' },
    ],
    [
      'a throw',
      () => {
        throw new Error('gone');
      },
      { status: 'error', reason: 'Asking the human failed: gone' },
    ],
  ])('onQuestion: %s', async (_, onQuestion, answer) => {
    const { of } = await play({ turns: turns(COLOUR), tools: tools(), onQuestion });
    expect(of('question-answered').map((event) => event.answer)).toEqual([answer]);
  });

  it('onQuestion: answers that change after they were given are not what the model reads', async () => {
    const answers = ['blue'];
    const onQuestion = () => {
      queueMicrotask(() => void (answers[0] = 'red'));
      return answers;
    };
    const { prompts } = await play({ turns: turns(COLOUR), tools: tools(), onQuestion });
    expect(answers).toEqual(['red']);
    expect(toldOf(prompts)).toMatchObject({ value: 'Q: Which colour?\nA: blue' });
  });

  it('reject with stop ends the turn', async () => {
    const gate = createGate();
    const { event, end } = await asked({ gate });
    await gate.reject(event.approvalId, { stop: true });
    const { events, told } = await end();
    expect(types(events).filter((type) => type !== 'step-finish')).toEqual([
      'question-answered',
      'tool-denied',
      'done',
    ]);
    expect(told).toBeUndefined();
  });
});

describe('answered by nobody else', () => {
  /** All that lets every call run. */
  const lenient: [string, () => Partial<PlayOptions>][] = [
    ['interruptOn: none', () => ({ gate: createGate(), interruptOn: 'none' })],
    ['interruptOn: false', () => ({ gate: createGate(), interruptOn: { ask_user: false } })],
    ['shouldApprove: false', () => ({ gate: createGate(), interruptOn: { ask_user: { shouldApprove: () => false } } })],
    ['a policy that allows', () => ({ gate: createGate({ policy: { version: 1, default: 'allow' } }) })],
    ['a policy of the run', () => ({ gate: createGate(), policy: { version: 1, default: 'allow' } })],
    ['the mode auto', () => ({ gate: createGate({ mode: 'auto' }) })],
    ['the mode plan', () => ({ gate: createGate({ mode: 'plan' }) })],
    ['a judge that allows', () => ({ gate: createGate({ judge: () => 'allow' }) })],
    ['a host judge that approves', () => ({ gate: createGate(), toolApproval: { ask_user: 'approved' } })],
    ['a timeout of the gate', () => ({ gate: createGate({ timeout: 20 }) })],
    ['a timeout of the run', () => ({ gate: createGate(), approvalTimeout: 20 })],
    ['a timeout of the entry', () => ({ gate: createGate(), interruptOn: { ask_user: { timeout: 20 } } })],
    [
      'decisions of the entry',
      () => ({ gate: createGate(), interruptOn: { ask_user: { allowedDecisions: ['approve'] } } }),
    ],
    ['an approval callback', () => ({ gate: createGate(), onApprovalRequest: () => true })],
  ];
  /** One more is asked and answered by a human: anyone else had time to answer. */
  async function another(options: Partial<PlayOptions> & { gate: Gate }): Promise<void> {
    const { event, end } = await asked(options);
    await options.gate.respond(event.approvalId, { answers: ['green'] });
    expect((await end()).told).toMatchObject({ value: expect.stringContaining('green') as unknown });
  }

  it.each(lenient)('not by %s', async (_, options) => {
    const more = options() as Partial<PlayOptions> & { gate: Gate };
    const { event, end } = await asked(more);
    expect(event).toMatchObject({ expiresAt: null, allowedDecisions: ['reject', 'respond', 'skip'] });
    expect(event.always).toEqual({ allow: null, deny: null });
    // What has no deadline waits longer than theirs, and while another is asked and answered.
    await sleep(40);
    await another(more);
    expect(await more.gate.pending()).toMatchObject([{ kind: 'question', args: { questions: [COLOUR] } }]);
    await more.gate.respond(event.approvalId, { answers: ['blue'] });
    expect((await end()).told).toEqual({ type: 'text', value: 'Q: Which colour?\nA: blue' });
  });

  it('not by a grant for all calls of the tool', async () => {
    const gate = createGate();
    await grantAll(gate);
    const { event, end } = await asked({ gate });
    await gate.respond(event.approvalId, { answers: ['blue'] });
    expect((await end()).told).toMatchObject({ value: expect.stringContaining('blue') as unknown });
  });

  it('not by a mode that is switched while it waits', async () => {
    const gate = createGate();
    const { event, end } = await asked({ gate });
    await gate.setMode('auto');
    await another({ gate });
    expect(await gate.pending()).toHaveLength(1);
    await gate.respond(event.approvalId, { answers: ['blue'] });
    await end();
  });

  it('an approval or an edit is refused, whoever gives it', async () => {
    const gate = createGate();
    const { event, end } = await asked({ gate });
    await expect(gate.approve(event.approvalId)).rejects.toThrow(DecisionNotAllowedError);
    await expect(gate.decide(event.approvalId, true)).rejects.toThrow(DecisionNotAllowedError);
    await expect(gate.edit(event.approvalId, { questions: [] })).rejects.toThrow(DecisionNotAllowedError);
    await expect(gate.reject(event.approvalId, { remember: 'session' })).rejects.toThrow(InvalidDecisionError);
    expect(await gate.pending()).toHaveLength(1);
    await gate.skip(event.approvalId);
    await end();
  });

  it('an approval callback is not asked', async () => {
    const onApprovalRequest = vi.fn(() => ({ type: 'respond', output: { answers: ['x'] } }) as const);
    const { of, prompts } = await play({ turns: turns(COLOUR), tools: tools(), interruptOn: 'all', onApprovalRequest });
    expect(onApprovalRequest).not.toHaveBeenCalled();
    // The model calls what it was not offered.
    expect(of('question-asked')).toEqual([]);
    expect(toldOf(prompts)).toMatchObject({ type: 'error-text' });
  });

  it('gateTools says so at once, with an approval callback too', () => {
    const gate = () => gateTools(tools(), { interruptOn: 'all', onApprovalRequest: () => true });
    expect(gate).toThrow(/nobody can answer the questions of the tool "ask_user": give onQuestion or a gate/);
  });

  it('in the mode deny-all-asks it is an error, with a callback too', async () => {
    const onQuestion = vi.fn(() => ['blue']);
    const gate = createGate({ mode: 'deny-all-asks' });
    const { of } = await play({ turns: turns(COLOUR), tools: tools(), gate, onQuestion });
    expect(onQuestion).not.toHaveBeenCalled();
    expect(of('question-asked')).toEqual([]);
  });
});

describe('a denial', () => {
  const deny = { version: 1, default: 'allow', rule: [{ tools: ['ask_user'], effect: 'deny', reason: 'not now' }] };
  const cases: [string, () => Partial<PlayOptions>][] = [
    ['of the policy', () => ({ gate: createGate({ policy: deny as never }) })],
    ['of the policy of the run', () => ({ gate: createGate(), policy: deny as never })],
    ['of the judge', () => ({ gate: createGate({ judge: () => ({ effect: 'deny', reason: 'not now' }) }) })],
    ['of the host', () => ({ gate: createGate(), toolApproval: () => ({ type: 'denied', reason: 'not now' }) })],
  ];
  it.each(cases)('%s holds: nobody is asked', async (_, options) => {
    const onQuestion = vi.fn(() => ['blue']);
    const { of, prompts } = await play({ turns: turns(COLOUR), tools: tools(), onQuestion, ...options() });
    expect(onQuestion).not.toHaveBeenCalled();
    expect(of('question-asked')).toEqual([]);
    expect(of('approval-requested')).toMatchObject([{ kind: 'approval', isAutomatic: true }]);
    expect(of('tool-denied')).toMatchObject([{ toolCallId: 'q1' }]);
    expect(toldOf(prompts)).toMatchObject({
      type: 'execution-denied',
      reason: expect.stringContaining('not now') as unknown,
    });
  });

  it('of gateTools', async () => {
    const onQuestion = vi.fn(() => ['blue']);
    const { model, prompts } = scripted(turns(COLOUR));
    const gated = gateTools(tools(), { onQuestion, policy: deny as never });
    await generateText({ model, prompt: 'go', tools: gated, stopWhen } as never);
    expect(onQuestion).not.toHaveBeenCalled();
    expect(toldOf(prompts)).toMatchObject({ type: 'execution-denied' });
  });
});

describe('arguments that are no questions', () => {
  const bad: [string, () => ToolSet, unknown][] = [
    [
      'refused by the tool',
      () => ({
        ask_user: askUserTool(() => {
          throw new Error('ask one thing at a time');
        }),
      }),
      'ask one thing at a time',
    ],
    ['none', () => ({ ask_user: askUserTool(() => []) }), 'at least one question'],
    ['of another kind', () => ({ ask_user: askUserTool(() => [{ kind: 'date', question: 'When?' }]) }), 'kind'],
    ['without options', () => ({ ask_user: askUserTool(() => [{ ...DATABASE, options: [] }]) }), 'options'],
    [
      'with a label twice',
      () => ({ ask_user: askUserTool(() => [{ ...DATABASE, options: [{ label: 'a' }, { label: 'a' }] }]) }),
      'label',
    ],
    ['a promise', () => ({ ask_user: askUserTool(async () => [COLOUR]) }), 'at least one question'],
  ];
  it.each(sample(bad))('%s: an error of the tool, and nobody is asked', async (_, made, message) => {
    const onQuestion = vi.fn(() => ['blue']);
    const gate = createGate();
    const { of, events, prompts } = await play({ turns: turns(COLOUR), tools: made(), gate, onQuestion });
    expect(onQuestion).not.toHaveBeenCalled();
    expect(types(events)).not.toContain('question-asked');
    expect(types(events)).not.toContain('approval-requested');
    expect(of('tool-error')).toHaveLength(1);
    const told = expect.objectContaining({
      type: 'error-text',
      value: expect.stringContaining(message as string) as unknown,
    });
    expect(toldOf(prompts)).toEqual(told);
  });

  it.each(sample(bad))('%s, in gateTools', async (_, made, message) => {
    const onQuestion = vi.fn(() => ['blue']);
    const { model, prompts } = scripted(turns(COLOUR));
    await generateText({ model, prompt: 'go', tools: gateTools(made(), { onQuestion }), stopWhen } as never);
    expect(onQuestion).not.toHaveBeenCalled();
    expect(toldOf(prompts)).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining(message as string) as unknown,
    });
  });
});

describe('beside other calls', () => {
  const both = [
    calls(
      call('del', { path: '/1' }, 'c1'),
      call('ask_user', { questions: [COLOUR] }, 'q1'),
      call('read', { path: '/r' }, 'c2'),
    ),
    says('Done.'),
  ];
  it.each([
    ['the question first', ['q1', 'c1']],
    ['the call first', ['c1', 'q1']],
  ])('%s', async (_, order) => {
    const gate = createGate();
    const { ran, tools: others } = recordingTools();
    const { run, prompts } = start({
      turns: both,
      tools: { ...others, ...tools() },
      interruptOn: { del: true },
      gate,
    });
    const events = collect(run);
    await vi.waitFor(async () => expect(await gate.pending()).toHaveLength(2), PATIENTLY);
    for (const id of order) {
      const { approvalId } = (await gate.pending()).find(({ toolCallId }) => toolCallId === id)!;
      if (id === 'q1') await gate.respond(approvalId, { answers: ['blue'] });
      else await gate.approve(approvalId);
    }
    await events;
    expect(ran).toEqual(['read /r', 'del /1']);
    expect(resultsIn(prompts[1])).toEqual({
      c1: { type: 'text', value: 'deleted /1' },
      q1: { type: 'text', value: 'Q: Which colour?\nA: blue' },
      c2: { type: 'text', value: 'content of /r' },
    });
  });

  it('two with the same id are not asked', async () => {
    const gate = createGate();
    const { of } = await play({
      turns: [
        calls(call('ask_user', { questions: [COLOUR] }, 'q1'), call('ask_user', { questions: [DATABASE] }, 'q1')),
        says('Done.'),
      ],
      tools: tools(),
      gate,
    });
    expect(of('question-asked')).toEqual([]);
  });
});

describe('an abort', () => {
  it('cancels the question', async () => {
    const gate = createGate();
    const controller = new AbortController();
    const seen: boolean[] = [];
    const onQuestion = (_: QuestionRequest, { abortSignal }: { abortSignal: AbortSignal }) =>
      new Promise<never>(() => abortSignal.addEventListener('abort', () => seen.push(true)));
    const { event, end } = await asked({ gate, onQuestion, abortSignal: controller.signal });
    controller.abort();
    const { events } = await end();
    expect(types(events)).toContain('abort');
    expect(events.find(({ type }) => type === 'question-answered')).toMatchObject({ answer: { status: 'cancelled' } });
    expect(await gate.get(event.approvalId)).toMatchObject({ status: 'cancelled' });
    expect(seen).toEqual([true]);
  });

  it('of a call of gateTools withdraws it', async () => {
    const gate = createGate();
    const controller = new AbortController();
    const gated = gateTools(tools(), { gate });
    const { model } = scripted(turns(COLOUR));
    const options = { model, prompt: 'go', tools: gated, stopWhen, abortSignal: controller.signal };
    const ended = generateText(options as never).then(
      () => 'ended',
      () => 'aborted',
    );
    await vi.waitFor(async () => expect(await gate.pending()).toHaveLength(1), PATIENTLY);
    controller.abort();
    await ended;
    await vi.waitFor(async () => expect(await gate.pending()).toEqual([]), PATIENTLY);
  });
});

describe('secrets in questions', () => {
  it('are not kept, and the human who is here still sees them', async () => {
    const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
    const question: Question = {
      ...PARTS,
      question: `Is ${secret} right?`,
      options: [{ label: secret }, { label: 'b' }],
    };
    const gate = createGate({ redact: 'secrets' });
    const { event, end } = await asked({ gate, turns: turns(question) });
    expect(event.questions).toEqual([question]);
    const [kept] = await gate.pending();
    expect(JSON.stringify(kept)).not.toContain(secret);
    expect(kept).toMatchObject({ kind: 'question', contents: 'redacted' });
    await gate.respond(event.approvalId, { answers: [[secret]] });
    const { told, events } = await end();
    expect(told).toEqual({ type: 'text', value: `Q: Is ${secret} right?\nA: ${secret}` });
    expect(events.find(({ type }) => type === 'question-answered')).toMatchObject({ answer: { answers: [[secret]] } });
  });

  it('an answer by what was kept of a label is right, too', async () => {
    const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
    const question: Question = { ...PARTS, options: [{ label: secret }, { label: 'b' }] };
    const gate = createGate({ redact: 'secrets' });
    const { event, end } = await asked({ gate, turns: turns(question) });
    const [{ args }] = (await gate.pending()) as unknown as [{ args: { questions: [typeof PARTS] } }];
    const { label } = args.questions[0].options[0];
    expect(label).not.toBe(secret);
    await gate.respond(event.approvalId, { answers: [[label]] });
    expect((await end()).told).toMatchObject({ value: expect.stringContaining(label) as unknown });
  });

  it('a wrong label is found by the loop, which asks again', async () => {
    const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
    const gate = createGate({ redact: 'secrets' });
    const { run, event, end } = await asked({ gate, turns: turns({ ...PARTS, question: `${secret}?` }) });
    await gate.respond(event.approvalId, { answers: [['CLI']] });
    const again = await until(run, 'question-asked');
    expect(again.approvalId).not.toBe(event.approvalId);
    await gate.respond(again.approvalId, { answers: [['UI']] });
    expect((await end()).told).toEqual({ type: 'text', value: `Q: ${secret}?\nA: UI` });
  });

  it('a wrong label of a callback is no reason to ask it for ever', async () => {
    const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
    const onQuestion = vi.fn(() => [['CLI']]);
    const question = { ...PARTS, question: `${secret}?` };
    const gate = createGate({ redact: 'secrets' });
    const { of } = await play({ turns: turns(question), tools: tools(), gate, onQuestion });
    expect(onQuestion).toHaveBeenCalledTimes(1);
    expect(of('question-answered')).toMatchObject([{ answer: { status: 'error' } }]);
  });

  it('questions of which nothing can be kept are still answered by whoever is here', async () => {
    const gate = createGate({ redact: () => 'nothing of it' });
    const { event, end } = await asked({ gate });
    expect((await gate.pending())[0]).toMatchObject({ kind: 'question', args: 'nothing of it' });
    await gate.respond(event.approvalId, { answers: ['blue'] });
    expect((await end()).told).toEqual({ type: 'text', value: 'Q: Which colour?\nA: blue' });
  });
});

describe('where it cannot be', () => {
  it('in a part of another run', () => {
    const { model } = scripted([]);
    const parent = { toolCallId: 'c1' };
    expect(() => streamWithEvents({ model, prompt: 'go', tools: tools(), parent } as never)).toThrow(
      InvalidConfigError,
    );
    expect(() => gateTools(tools(), { parent })).toThrow(InvalidConfigError);
  });

  it("in gateTools with the mode 'stop'", () => {
    expect(() => gateTools(tools(), { gate: createGate(), mode: 'stop' })).toThrow(InvalidConfigError);
  });

  it('onQuestion must be a function', () => {
    const { model } = scripted([]);
    expect(() => streamWithEvents({ model, prompt: 'go', onQuestion: true } as never)).toThrow(InvalidConfigError);
  });

  it.runIf(major === 7)('behind toolApproval, which knows no answers', async () => {
    const { model, prompts } = scripted(turns(COLOUR));
    const gate = createGate();
    const approval = toolApproval({ gate, onApprovalRequest: () => true });
    await generateText({ model, prompt: 'go', tools: tools(), toolApproval: approval, stopWhen } as never);
    expect(toldOf(prompts)).toMatchObject({ type: 'execution-denied' });
    expect(await gate.pending()).toEqual([]);
  });
});

describe('what is shown', () => {
  it('a page on which the questions can be read, made safe', async () => {
    const gate = createGate();
    const nasty: Question = { kind: 'text', question: 'Ok?\u001b[2J\u202e' };
    const { event, end } = await asked({ gate, turns: turns(DATABASE, nasty) });
    expect(event.preview).toContain('Which database? (one of these, or other words)');
    expect(event.preview).toContain('PostgreSQL: for many machines');
    for (const control of ['\u001b', '\u202e']) expect(event.preview).not.toContain(control);
    expect(event.flags).toEqual(expect.arrayContaining(['bidi']));
    expect(event.description).toBe('The agent asks: Which database? (and 1 more)');
    await gate.skip(event.approvalId);
    await end();
  });

  it('changing what is shown changes nothing', async () => {
    const onQuestion = (request: QuestionRequest) => {
      (request.args.questions[0] as { question: string }).question = 'Forged?';
      return ['blue'];
    };
    const { prompts, of } = await play({ turns: turns(COLOUR), tools: tools(), onQuestion });
    expect(toldOf(prompts)).toEqual({ type: 'text', value: 'Q: Which colour?\nA: blue' });
    expect(of('question-asked')[0]?.questions).toEqual([COLOUR]);
  });

  it('in a UI stream: a call without an output, then its output', async () => {
    const { run } = start({ turns: turns(COLOUR), tools: tools(), onQuestion: () => ['blue'] });
    const chunks = await collect(run.toUIMessageStream() as unknown as AsyncIterable<{ type: string }>);
    expect(types(chunks)).not.toContain('tool-approval-request');
    const output = { status: 'answered', answers: ['blue'] };
    expect(chunks).toContainEqual(expect.objectContaining({ type: 'tool-output-available', toolCallId: 'q1', output }));
  });
});

it('an answer that was given where nobody checks is asked for again', async () => {
  const gate = createGate();
  const { localGate } = await import('../../ts/gate/gate.js');
  const { run, event, end } = await asked({ gate });
  // As another version, or another program, would write it.
  const native = localGate(gate, 'test').runs as unknown as { decide: (...args: unknown[]) => unknown };
  await native.decide(event.approvalId, { type: 'respond', output: 'blue' }, { by: 'somebody', via: 'gate' });
  await gate.reject('x').catch(() => {});
  const again = await until(run, 'question-asked');
  expect(again).toMatchObject({ questions: [COLOUR], expiresAt: null, kind: 'question' });
  expect(again.description).toMatch(
    /^Asked again: The answer did not fit the questions: .* The agent asks: Which colour\?$/,
  );
  await gate.respond(again.approvalId, { answers: ['red'] });
  expect((await end()).told).toEqual({ type: 'text', value: 'Q: Which colour?\nA: red' });
});

/** A grant that answers every call of the tool. */
async function grantAll(gate: Gate): Promise<void> {
  const { localGate } = await import('../../ts/gate/gate.js');
  await localGate(gate, 'test')
    .control.keeperOf('session', undefined)
    .grant({
      effect: 'allow',
      scope: 'session',
      runId: null,
      project: null,
      label: 'any question',
      rules: [{ tools: ['ask_user'], effect: 'allow' }],
      by: 'test',
      createdAt: Date.now(),
      expiresAt: null,
    } as never);
  expect(await gate.grants.list()).toHaveLength(1);
}

it('the tool keeps its other properties', () => {
  const gated = gateTools(tools(), { onQuestion: () => null });
  expect(Object.hasOwn(gated['ask_user'] as object, QUESTIONS)).toBe(true);
  expect((gated['ask_user'] as { description?: string }).description).toBe('Asks the human');
});
