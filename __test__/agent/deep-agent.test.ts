/** Runs of the whole agent with a scripted model. */
import { describe, expect, test } from 'vitest';
import type { AgentEvent, AgentRun } from '../../index.js';
import { createGate, InvalidConfigError } from '../../ts/index.js';
import { call, calls, resultsIn, says, text, type ModelTurn } from '../support/model.js';
import { of, types, until } from '../support/play.js';
import { eventsOf, stage } from './deep-stage.js';
import { sha256 } from './memory-backend.js';

describe('a run', () => {
  test('tells what it is given, does and says, in order', async () => {
    const { agent, backend } = stage(
      [
        [...text('First a '), ...text('plan.', '2'), ...calls(call('write_todos', { todos: [] }, 'c1'))],
        [...text('Now.'), ...calls(call('write_file', { file_path: 'a.txt', content: 'hi' }, 'c2'))],
        says('Done.'),
      ],
      { interruptOn: { write_file: true } },
    );
    const run = agent.streamWithEvents({ prompt: 'Write a.txt', onApprovalRequest: () => true });
    const events = await eventsOf(run);
    expect(types(events)).toEqual([
      'user-message',
      'step-start',
      'text',
      'text',
      'text-segment',
      'tool-call',
      'todos-changed',
      'tool-result',
      'step-finish',
      'step-start',
      'text',
      'text-segment',
      'tool-call',
      'approval-requested',
      'approval-response',
      'step-finish',
      'file-write-start',
      'file-written',
      'tool-result',
      'step-start',
      'text',
      'text-segment',
      'step-finish',
      'done',
    ]);
    expect(of(events)('user-message')).toEqual([{ type: 'user-message', content: 'Write a.txt' }]);
    expect(of(events)('text-segment').map((event) => event.text)).toEqual(['First a plan.', 'Now.', 'Done.']);
    expect(of(events)('file-written')).toEqual([
      {
        type: 'file-written',
        path: 'a.txt',
        created: true,
        bytes: 2,
        sha256: sha256('hi'),
        toolCallId: 'c2',
        origin: ['main'],
      },
    ]);
    expect(backend.files.get('a.txt')).toBe('hi');
    expect((await run.result).text).toBe('Done.');
  });

  test('of messages has their last as what it was given', async () => {
    const turns = [says('Hi.')];
    const parts = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ] as const;
    const first = await eventsOf(
      stage(turns).agent.streamWithEvents({ messages: [{ role: 'user', content: [...parts] }] }),
    );
    expect(of(first)('user-message')).toEqual([{ type: 'user-message', content: 'one\ntwo' }]);
    const messages = [
      { role: 'user' as const, content: 'one' },
      { role: 'assistant' as const, content: 'two' },
    ];
    const second = await eventsOf(stage(turns).agent.streamWithEvents({ messages }));
    expect(types(second)[0]).toBe('step-start');
  });

  test('that fails or is aborted still tells the text that it had', async () => {
    const abort = new AbortController();
    const { agent } = stage([[...text('I was about to'), { type: 'error', error: new Error('gone') }]]);
    const events = await eventsOf(agent.streamWithEvents({ prompt: 'x', abortSignal: abort.signal }));
    expect(types(events).filter((type) => ['text-segment', 'error'].includes(type))[0]).toBe('text-segment');
    expect(of(events)('text-segment')).toEqual([{ type: 'text-segment', text: 'I was about to' }]);
  });

  test('can be left, and nothing runs any more', async () => {
    const { agent, backend, prompts } = stage(
      [calls(call('write_file', { file_path: 'a.txt', content: 'x' }, 'c1')), says('Done.')],
      { interruptOn: { write_file: true }, gate: createGate({ ledger: 'memory:', place: { cwd: '/project' } }) },
    );
    for await (const event of agent.streamWithEvents({ prompt: 'x' })) if (event.type === 'approval-requested') break;
    expect(backend.calls).toEqual([]);
    expect(prompts).toHaveLength(1);
  });

  test('that waits can be left by others, and what waits is cancelled', async () => {
    const gate = createGate({ ledger: 'memory:', place: { cwd: '/project' } });
    const { agent } = stage([calls(call('execute', { command: 'x' }, 'c1'))], { interruptOn: ['execute'], gate });
    const run = agent.streamWithEvents({ prompt: 'x' });
    await until(run as AgentRun, 'approval-requested');
    const waiting = run.next();
    await run.return();
    await waiting;
    expect(await run.next()).toEqual({ value: undefined, done: true });
    expect(await gate.pending()).toEqual([]);
  });

  test('goes to its end when only its result is wanted', async () => {
    expect((await stage([says('Hi.')]).agent.generate({ prompt: 'x' })).text).toBe('Hi.');
    expect((await stage([says('Hi.')]).agent.streamWithEvents({ prompt: 'x' }).result).text).toBe('Hi.');
  });

  test('whose result is waited for beside is iterated by one only', async () => {
    const run = stage([says('Hi.')]).agent.streamWithEvents({ prompt: 'x' });
    const first = await run.next();
    const result = run.result.then(({ text: said }) => said);
    const events = [first.value as AgentEvent, ...(await eventsOf(run))];
    expect(types(events)).toEqual(['user-message', 'step-start', 'text', 'text-segment', 'step-finish', 'done']);
    expect(await result).toBe('Hi.');
  });

  test('is a stream for useChat as well', async () => {
    const { agent } = stage([says('Hi.')]);
    const response = agent.streamWithEvents({ prompt: 'x' }).toUIMessageStreamResponse();
    expect(await response.text()).toContain('"delta":"Hi."');
  });

  test.each([{}, { prompt: 'x', messages: [] }, { prompt: 1 }])('of %j is refused', (options) => {
    expect(() => stage([]).agent.streamWithEvents(options as never)).toThrow(InvalidConfigError);
  });

  test('cannot bring a configuration of its own', async () => {
    const { agent, backend } = stage(
      [calls(call('write_file', { file_path: 'a.txt', content: 'x' }, 'c1')), says('Done.')],
      { interruptOn: { write_file: true } },
    );
    for (const own of [{ interruptOn: 'none' }, { policy: undefined }, { gate: undefined }])
      await expect(agent.generate({ prompt: 'x', ...own } as never)).rejects.toMatchObject({
        code: 'ERR_INVALID_CONFIG',
        message: expect.stringContaining('give it to createDeepAgent') as unknown,
      });
    expect(backend.files.size).toBe(0);
  });

  test('has 100 steps', async () => {
    const step = (_: unknown, index: number): ModelTurn => calls(call('ls', {}, `c${index}`));
    const { agent, prompts } = stage(Array.from({ length: 101 }, step));
    await agent.generate({ prompt: 'x' });
    expect(prompts).toHaveLength(100);
  });

  test('a call that was rejected is not put to the human again', async () => {
    const again = (id: string) => calls(call('execute', { command: 'rm a' }, id));
    const { agent } = stage([again('c1'), again('c2'), says('Done.')], { interruptOn: ['execute'] });
    const asked: string[] = [];
    await agent.generate({
      prompt: 'x',
      onApprovalRequest: ({ toolCallId }) => {
        asked.push(toolCallId);
        return { type: 'reject', reason: 'no' };
      },
    });
    expect(asked).toEqual(['c1']);
  });

  test('puts questions to the human, and gives the model the answers', async () => {
    const question = { question: 'Which?', kind: 'multiple_choice', options: [{ label: 'red' }, { label: 'blue' }] };
    const { agent, prompts } = stage([calls(call('ask_user', { questions: [question] }, 'q1')), says('Done.')], {
      interruptOn: 'all',
    });
    const run = agent.streamWithEvents({ prompt: 'x', onApprovalRequest: () => false, onQuestion: () => ['blue'] });
    const events = await eventsOf(run);
    expect(of(events)('question-asked')).toMatchObject([{ questions: [question], origin: ['main'] }]);
    expect(of(events)('question-answered')).toMatchObject([{ answer: { status: 'answered', answers: ['blue'] } }]);
    expect(resultsIn(prompts[1])['q1']).toEqual({ type: 'text', value: 'Q: Which?\nA: blue' });
  });
});
