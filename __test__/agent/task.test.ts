/** `task`: what an agent that starts another gets of it, and what it never gets. */
import { describe, expect, test } from 'vitest';
import { createAskUserTool, createTaskTool } from '../../ts/agent/index.js';
import { InvalidConfigError } from '../../ts/index.js';
import { call, calls, finish, resultsIn, says, scripted, type ModelTurn } from '../support/model.js';
import { play } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { callsOf } from './calls.js';

const { tools } = recordingTools();
const agent = (name: string, turns: ModelTurn[], more: object = {}) => {
  const { model, prompts } = scripted(turns);
  return { agent: { name, description: `Is ${name}.`, model, ...more }, prompts };
};

/** A main agent that starts one, and what it is told of it. */
async function started(turns: ModelTurn[], { more = {}, task = {}, run = {} }: Record<string, object> = {}) {
  const worker = agent('worker', turns, more);
  const played = await play({
    turns: [calls(call('task', { description: 'do it', subagent_type: 'worker' }, 't1')), says('Done.')],
    tools: { task: createTaskTool({ subagents: [worker.agent], ...task }) },
    ...run,
  });
  const [told] = Object.values(resultsIn(played.prompts[1])) as { type: string; value: string }[];
  return { ...played, worker: worker.prompts, told };
}

test('the report of the agent is the result', async () => {
  const { told, of, worker, run } = await started([says('The report.')], { more: { systemPrompt: 'Be brief.' } });
  expect(told).toEqual({ type: 'text', value: 'The report.' });
  expect(worker[0]).toMatchObject([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'do it' }] },
  ]);
  const from = { toolCallId: 't1', name: 'worker', origin: ['main', 'task:t1', 'worker'] };
  expect(of('subagent-start')).toEqual([{ type: 'subagent-start', task: 'do it', runId: `${run.runId}>t1`, ...from }]);
  expect(of('subagent-finish')).toMatchObject([{ status: 'done', result: 'The report.', ...from }]);
});

describe('never says that all is done when it is not:', () => {
  test.each<[string, ModelTurn[], object, RegExp]>([
    [
      'an agent without a word',
      [[finish()]],
      {},
      /worker ended after one step without a word\. Whether it did its task is/,
    ],
    ['one with blank words', [says(' \n')], {}, /ended after one step without a word/],
    [
      'one whose steps are used up',
      [calls(call('read', { path: 'a' }, 'k1'))],
      { tools, maxSteps: 1 },
      /ended after one step without a word: its steps were used up/,
    ],
    [
      'one whose answer was cut',
      [[...says('Half').slice(0, -1), finish('length')]],
      {},
      /^Half\n\[.*was too long and was cut/,
    ],
    [
      'one that was filtered',
      [[...says('Half').slice(0, -1), finish('content-filter')]],
      {},
      /^Half\n\[.*content filter/,
    ],
  ])('%s', async (_what, turns, more, said) => {
    const { told } = await started(turns, { more });
    expect(told?.value).toMatch(said);
  });

  test('one that fails is an error', async () => {
    const { told, of } = await started(
      [
        () => {
          throw new Error('no model today');
        },
      ],
      { more: {} },
    );
    expect(told?.type).toBe('error-text');
    expect(told?.value).toMatch(/The agent worker failed: .*no model today/);
    expect(of('tool-error')).toMatchObject([{ toolName: 'task', error: { code: 'ERR_SUBAGENT' } }]);
    expect(of('subagent-finish')).toMatchObject([{ status: 'failed' }]);
  });

  test('one that may not do what it wants reports that itself', async () => {
    const { told, worker } = await started(
      [calls(call('del', { path: 'a' }, 'k1')), ({ prompt }) => says(JSON.stringify(resultsIn(prompt as never)['k1']))],
      {
        more: { tools, interruptOn: { del: true } },
        run: { onApprovalRequest: () => ({ type: 'reject', reason: 'Not that.' }) },
      },
    );
    expect(told?.value).toContain('Not that.');
    expect(worker).toHaveLength(2);
  });
});

test('a long report is cut, and said to be', async () => {
  const { told } = await started([says('x'.repeat(500))], { task: { maxResultCharacters: 100 } });
  expect(told?.value).toMatch(/^x{50}\n\[… 400 characters are left out\. To have them.*\]\nx{50}$/);
});

test('an agent that there is not is refused, and the model is told which there are', async () => {
  const { agent: worker, prompts } = agent('worker', []);
  const task = createTaskTool({ subagents: [worker, agent('reader', []).agent] });
  const { of, prompts: main } = await play({
    turns: [calls(call('task', { description: 'x', subagent_type: 'wroker' }, 't1')), says('Done.')],
    tools: { task },
  });
  expect(of('tool-call')).toMatchObject([{ invalid: true }]);
  expect(JSON.stringify(main[1])).toContain('subagent_type must be one of worker, reader');
  // Also where the schema was not checked.
  const { run } = callsOf({ task });
  const unknown = { description: 'x', subagent_type: 'constructor' };
  await expect(run('task', unknown)).rejects.toThrow('There is no agent "constructor": name one of worker, reader.');
  expect(prompts).toEqual([]);
});

test('in another loop nothing runs', async () => {
  const { agent: worker, prompts } = agent('worker', [says('x')]);
  const { run } = callsOf({ task: createTaskTool({ subagents: [worker] }) });
  const start = run('task', { description: 'x', subagent_type: 'worker' }, { elsewhere: true });
  await expect(start).rejects.toBeInstanceOf(InvalidConfigError);
  expect(prompts).toEqual([]);
});

test('an abort of the run ends the agent', async () => {
  const abort = new AbortController();
  const { of, worker } = await started(
    [
      () => {
        abort.abort(new Error('enough'));
        return calls(call('read', { path: 'a' }, 'k1'));
      },
      says('went on'),
    ],
    { more: { tools }, run: { abortSignal: abort.signal } },
  );
  expect(worker).toHaveLength(1);
  expect(of('abort')).toHaveLength(1);
});

test('the loop knows it by its mark', () => {
  const task = createTaskTool({ subagents: [agent('worker', []).agent] });
  expect(Object.getOwnPropertyDescriptor(task, Symbol.for('countersign.task'))).toMatchObject({
    // The tools of each agent.
    value: [{}],
    enumerable: true,
  });
});

test.each([
  ['none', [], 'at least one'],
  ['one without a name', [agent(' ', []).agent], 'must have a name'],
  ['two of one name', [agent('a', []).agent, agent('a', []).agent], 'two subagents with the name "a"'],
  ['one that asks', [agent('a', [], { tools: { ask: createAskUserTool() } }).agent], 'puts questions to the human'],
])('%s is refused', (_what, subagents, why) => {
  expect(() => createTaskTool({ subagents })).toThrow(InvalidConfigError);
  expect(() => createTaskTool({ subagents })).toThrow(why);
});
