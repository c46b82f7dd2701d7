/** Prompts, asks and decisions of the chat. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AgentRun } from '../../index.js';
import { createAgent } from '../../ts/cli/chat/agent.js';
import { scratch } from '../policy/support.js';
import { call, calls, resultsIn, says } from '../support/model.js';
import { asked, idle, stage, told, until } from './chat-support.js';

const write = (path: string, content: string, id = 'call_1') => call('write_file', { file_path: path, content }, id);

describe('a prompt', () => {
  test('is answered, and the next one knows of it', async () => {
    const { chat, prompts } = await stage([says('Hello.'), says('Again.')]);
    await chat.submit('hi');
    await chat.submit('once more');
    expect(told(chat.view)).toEqual(['user: hi', 'text: Hello.', 'user: once more', 'text: Again.']);
    expect(chat.view.entries.every(({ isDone }) => isDone)).toBe(true);
    expect(prompts[1]!.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(chat.lastRun).toBe('done');
  });

  test('that is entered while a run goes on waits for its turn', async () => {
    const { chat } = await stage([calls(write('a.txt', 'A')), says('One.'), says('Two.')]);
    const first = chat.submit('one');
    const { request } = await asked(chat);
    const second = chat.submit('two');
    expect(told(chat.view).at(-1)).toBe('note: Queued: two');
    await chat.decide(request.approvalId, { type: 'approve' });
    await first;
    await second;
    expect(told(chat.view).slice(-4)).toEqual(['note: Queued: two', 'text: One.', 'user: two', 'text: Two.']);
  });

  test('that fails leaves a chat that goes on', async () => {
    const { chat } = await stage([]);
    await chat.submit('hi');
    expect(chat.lastRun).toBe('failed');
    expect(told(chat.view).at(-1)).toMatch(/^note: .*no turn/);
    expect(chat.view.isBusy).toBe(false);
  });
});

describe('an ask', () => {
  test('of questions that somebody else answered says who', async () => {
    const questions = [{ kind: 'text', question: 'Where?' }];
    const { chat, gate } = await stage([calls(call('ask_user', { questions }, 'q')), says('Done.')]);
    void chat.submit('go');
    const { approvalId } = (await asked(chat)).request;
    await gate.respond(approvalId, { answers: ['here'] }, { by: 'mia' });
    const view = await idle(chat);
    expect(view.decided).toMatchObject({ [approvalId]: 'answered by mia' });
  });

  test('approved, the tool runs', async () => {
    const { chat, gate, folder } = await stage([calls(write('a.txt', 'A')), says('Done.')]);
    void chat.submit('go');
    const ask = await asked(chat);
    expect(ask).toMatchObject({ kind: 'approval', index: 1, of: 1, from: '', isHarmless: true, warnings: [] });
    expect(ask.request.expiresAt).toBeNull();
    expect(existsSync(join(folder, 'a.txt'))).toBe(false);
    expect(told(chat.view).at(-1)).toBe('write_file a.txt: waits');
    await chat.decide(ask.request.approvalId, { type: 'approve' });
    const view = await idle(chat);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('A');
    // A person at this terminal, as in `countersign approve`: not a program at its gate.
    expect(await gate.get(ask.request.approvalId)).toMatchObject({ via: 'terminal' });
    expect(told(view).slice(-2)).toEqual(['write_file a.txt: succeeded', 'text: Done.']);
    expect(view.asks).toEqual([]);
  });

  test('rejected, the model is told why and nothing runs', async () => {
    const { chat, folder, prompts } = await stage([calls(write('a.txt', 'A')), says('Fine.')]);
    void chat.submit('go');
    const { request } = await asked(chat);
    await chat.decide(request.approvalId, { type: 'reject', reason: 'use b.txt' });
    await idle(chat);
    expect(existsSync(join(folder, 'a.txt'))).toBe(false);
    expect(JSON.stringify(resultsIn(prompts[1]))).toContain('use b.txt');
    const entry = chat.view.entries.find(({ kind }) => kind === 'tool');
    expect(entry).toMatchObject({ status: 'denied', detail: 'use b.txt', isDone: true });
  });

  test('edited, what runs is what was written; answered, nothing runs', async () => {
    const { chat, folder } = await stage([
      calls(write('a.txt', 'A', 'call_1'), write('b.txt', 'B', 'call_2')),
      says('Done.'),
    ]);
    void chat.submit('go');
    await asked(chat, 2);
    const [one, two] = chat.view.asks.map(({ request }) => request.approvalId);
    await chat.decide(one!, { type: 'edit', args: { file_path: 'c.txt', content: 'C' } });
    await chat.decide(two!, { type: 'respond', output: 'pretend' });
    await idle(chat);
    expect(['a', 'b', 'c'].filter((name) => existsSync(join(folder, `${name}.txt`)))).toEqual(['c']);
    expect(told(chat.view).filter((line) => line.startsWith('write_file'))).toEqual([
      'write_file c.txt: succeeded',
      'write_file b.txt: denied',
    ]);
  });

  test('that is not allowed goes on waiting, with a note', async () => {
    const { chat } = await stage([calls(write('a.txt', 'A')), says('Done.')]);
    void chat.submit('go');
    const { request } = await asked(chat);
    await chat.decide(request.approvalId, { type: 'edit', args: { file_path: 3 } });
    expect(chat.view.asks).toHaveLength(1);
    expect(chat.view.entries.at(-1)).toMatchObject({ kind: 'note', level: 'error' });
    await chat.decide(request.approvalId, { type: 'reject' });
    await idle(chat);
  });

  test('three at once are counted, and none is lost', async () => {
    const three = ['1', '2', '3'].map((id) => write(`${id}.txt`, id, `call_${id}`));
    const { chat, folder } = await stage([calls(...three), says('Done.')]);
    void chat.submit('go');
    await asked(chat, 3);
    expect(chat.view.asks.map(({ index, of }) => [index, of])).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    await chat.decide(chat.view.asks[0]!.request.approvalId, { type: 'approve' });
    await until(chat, ({ asks }) => asks.length === 2);
    expect(chat.view.asks.map(({ index, of }) => [index, of])).toEqual([
      [2, 3],
      [3, 3],
    ]);
    for (const { request } of chat.view.asks) await chat.decide(request.approvalId, { type: 'approve' });
    await idle(chat);
    expect(['1', '2', '3'].map((id) => readFileSync(join(folder, `${id}.txt`), 'utf8'))).toEqual(['1', '2', '3']);
  });

  test('says why it asks, with the rule and its place', async () => {
    const policy = {
      version: 1,
      rule: [{ tools: 'execute', commands: ['echo'], effect: 'ask', reason: 'echo is loud' }],
    } as const;
    const { chat } = await stage([calls(call('execute', { command: 'echo hi' }, 'call_1')), says('Done.')], {
      gate: { policy },
    });
    void chat.submit('go');
    const ask = await asked(chat);
    expect(ask).toMatchObject({ why: expect.stringContaining('echo is loud') as string });
    expect(ask).toMatchObject({ why: expect.stringContaining('policy option') as string });
    await chat.decide(ask.request.approvalId, { type: 'approve' });
    await idle(chat);
    expect(chat.view.entries.find(({ kind }) => kind === 'tool')).toMatchObject({ detail: 'hi' });
  });

  test('for ever in this session: the next such call is not asked about', async () => {
    const echo = (id: string) => calls(call('execute', { command: 'git status' }, id));
    const { chat } = await stage([echo('call_1'), echo('call_2'), says('Done.')]);
    void chat.submit('go');
    const ask = await asked(chat);
    expect(ask.kind === 'approval' && ask.always?.label).toBeTruthy();
    await chat.always(ask.request.approvalId, 'session');
    await idle(chat);
    expect(chat.lastRun).toBe('done');
    await chat.submit('/grants');
    expect(told(chat.view).at(-1)).toMatch(/allow {2}session/);
  });
});

describe('a question', () => {
  const options = [{ label: 'Red' }, { label: 'Bl\u200bue' }];
  const questions = [{ kind: 'multi_select', question: 'Which?', options }];
  const turns = () => [calls(call('ask_user', { questions }, 'q'), write('a.txt', 'A')), says('Fine.')];
  const toldOf = (prompts: Parameters<typeof resultsIn>[0][]) => JSON.stringify(resultsIn(prompts[1])['q']);

  test('is answered by a human and by nothing else', async () => {
    const { chat, gate, prompts, folder } = await stage(turns());
    void chat.submit('go');
    await asked(chat, 2);
    await chat.approveAll();
    expect(gate.mode).toBe('auto');
    await expect.poll(() => chat.view.asks.map(({ kind }) => kind)).toEqual(['question']);
    const ask = chat.view.asks[0]!;
    expect(ask).toMatchObject({ questions: [{ options: [{ label: 'Red' }, { label: 'Bl\\u{200B}ue' }] }] });
    await chat.answer(ask.request.approvalId, [['Green']]);
    expect(chat.view.asks).toHaveLength(1);
    await chat.decide(ask.request.approvalId, { type: 'approve' });
    expect(chat.view.asks).toHaveLength(1);
    await chat.answer(ask.request.approvalId, [['Bl\\u{200B}ue']]);
    await idle(chat);
    expect(toldOf(prompts)).toContain('Bl\u200bue');
    expect(existsSync(join(folder, 'a.txt'))).toBe(true);
    expect(told(chat.view)).toContain('ask_user Which?: succeeded');
  });

  test('need not be answered', async () => {
    const { chat, prompts } = await stage(turns());
    void chat.submit('go');
    await asked(chat, 2);
    for (const { kind, request } of chat.view.asks) {
      if (kind === 'question') await chat.answer(request.approvalId, null);
      else await chat.decide(request.approvalId, { type: 'reject' });
    }
    await idle(chat);
    expect(toldOf(prompts)).toContain('did not answer');
    expect(told(chat.view)).toContain('ask_user Which?: denied');
  });
});

describe('Ctrl+C', () => {
  test('cancels the run with everything that waits, then it is over', async () => {
    const { chat, gate, folder } = await stage([calls(write('a.txt', 'A')), says('Done.')]);
    const submitted = chat.submit('go');
    await asked(chat);
    const queued = chat.submit('more');
    expect(chat.interrupt()).toBe(true);
    await submitted;
    await queued;
    expect(await gate.pending()).toEqual([]);
    expect(chat.view).toMatchObject({ asks: [], isBusy: false });
    expect(chat.lastRun).toBe('cancelled');
    expect(told(chat.view)).toContain('write_file a.txt: cancelled');
    expect(chat.isOver).toBe(false);
    // Nothing runs: the program says whether this leaves.
    expect(chat.interrupt()).toBe(false);
    expect(chat.isOver).toBe(false);
    chat.leave();
    expect(chat.isOver).toBe(true);
    expect(existsSync(join(folder, 'a.txt'))).toBe(false);
  });
});

test('what all is approved with waits no more, though the run has yet to say so', async () => {
  const folder = scratch();
  let tell = (): void => {};
  const isTold = new Promise<void>((resolve) => (tell = resolve));
  /** A run whose reader hears late that a request is decided. */
  const late = (run: AgentRun): AgentRun =>
    new Proxy(run, {
      get: (of, name) =>
        name === Symbol.asyncIterator
          ? async function* () {
              for await (const event of of) {
                if (event.type === 'approval-response') await isTold;
                yield event;
              }
            }
          : (Reflect.get(of, name, of) as unknown),
    });
  const { chat } = await stage([calls(write('a.txt', 'A'), write('b.txt', 'B', 'call_2')), says('Fine.')], {
    folder,
    options: {
      createAgent: (parts) => {
        const agent = createAgent({ ...parts, folder, policy: [] });
        return { streamWithEvents: (options) => late(agent.streamWithEvents(options)), resume: agent.resume };
      },
    },
  });
  onTestFinished(() => tell());
  void chat.submit('go');
  await asked(chat, 2);
  await chat.approveAll();
  // The next line of a script would be taken for an answer to what is decided.
  expect(chat.view.asks).toEqual([]);
  tell();
  await idle(chat);
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('B');
});
