/** What a human reads of a run's events, and that none of it can do anything to a terminal. */
import { describe, expect, test } from 'vitest';
import type { AgentEvent, ApprovalRequest } from '../../index.js';
import { asAsked, WaitingAsks, fromOf } from '../../ts/cli/chat/asks.js';
import { readAnswer } from '../../ts/cli/chat/answers.js';
import { readQuestionAnswer } from '../../ts/terminal/answers.js';
import { lineOf } from '../../ts/cli/chat/json.js';
import { safeEnd, titleOf } from '../../ts/cli/chat/safe.js';
import { safeLong } from '../../ts/terminal/safe-long.js';
import { Transcript } from '../../ts/cli/chat/transcript.js';
import type { WaitingAsk, TranscriptEntry } from '../../ts/cli/chat/view.js';

const HOSTILE = '\u001b[2J\u202ekcab\u0000\u200b\r';
const CHILD = ['main', 'task:call_0', 'researcher'];

/** Events of fields that matter here. */
const play = (...events: object[]): Transcript => {
  const transcript = new Transcript();
  for (const event of events) transcript.see(event as AgentEvent);
  return transcript;
};

const call = (toolName: string, args: object, toolCallId = 'call_1') => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  args,
});
const tool = (transcript: Transcript, at = 0): TranscriptEntry & { kind: 'tool' } =>
  transcript.entries.filter((entry) => entry.kind === 'tool')[at] as TranscriptEntry & { kind: 'tool' };

describe('texts', () => {
  test('are one entry until something else happens', () => {
    const transcript = play({ type: 'text', text: ' Hel' }, { type: 'text', text: 'lo.\n' });
    expect(transcript.entries).toMatchObject([{ kind: 'text', text: 'Hello.\n', isDone: false }]);
    transcript.see(call('ls', {}) as never);
    expect(transcript.entries).toMatchObject([
      { text: 'Hello.', isDone: true },
      { kind: 'tool', isDone: false },
    ]);
  });

  test('of subagents at once do not mix', () => {
    const said = (origin: string[], text: string) => ({
      type: 'subagent-event',
      origin,
      event: { type: 'text', text, id: '1' },
    });
    const other = ['main', 'task:call_2', 'writer'];
    const { entries } = play(said(CHILD, 'a'), said(other, 'x'), said(CHILD, 'b'), said(other, 'y'));
    expect(entries.map((entry) => entry.kind === 'text' && [entry.origin.at(-1), entry.text])).toEqual([
      ['researcher', 'ab'],
      ['writer', 'xy'],
    ]);
  });
});

test('a call that was answered instead of run is not told as approved', () => {
  const response = { type: 'approval-response', toolCallId: 'call_1', toolName: 'write_file', origin: ['main'] };
  const made = play(
    { ...call('write_file', { file_path: 'k.txt', content: '1' }), origin: ['main'] },
    { ...response, approved: false, decision: { type: 'respond', output: 'done' }, decidedBy: 'mia' },
  );
  expect(tool(made)).toMatchObject({ status: 'answered', isDone: false });
});

test('tabs and line ends of other systems are what they are', () => {
  expect([safeLong('a\tb\r\nc\rd'), safeEnd('a\r\nb\tc')]).toEqual([
    expect.stringMatching(/^a {4}b\nc\\/),
    'a\nb    c',
  ]);
});

test('a text of a subagent is whole at the end of its step', () => {
  const said = { type: 'subagent-event', origin: CHILD, event: { type: 'text', text: 'so', id: '1' } };
  const transcript = play(said, said, { type: 'subagent-step', stepIndex: 0, toolCalls: [], origin: CHILD });
  expect(transcript.entries).toMatchObject([{ text: 'soso', isDone: true }]);
});

test('a call that was refused without a reason says by whom', () => {
  const response = {
    type: 'approval-response',
    origin: ['main'],
    toolCallId: 'call_1',
    approved: false,
    decidedBy: 'ada',
  };
  const transcript = play(call('ls', {}), { ...response, decision: { type: 'reject' } });
  expect(tool(transcript)).toMatchObject({ status: 'denied', detail: 'rejected by ada' });
});

describe('a call', () => {
  test.each([
    [{ type: 'tool-result', result: 'ok' }, 'succeeded', 'ok'],
    [{ type: 'tool-result', result: { a: 1 } }, 'succeeded', '{"a":1}'],
    [{ type: 'tool-error', error: new Error('broken') }, 'failed', 'broken'],
    [{ type: 'tool-denied', reason: 'no' }, 'denied', 'no'],
  ])('%j ends it', (end, status, detail) => {
    const transcript = play(call('execute', { command: 'x' }), { ...call('execute', {}), ...end });
    expect(tool(transcript)).toMatchObject({ title: 'x', status, detail, isDone: true });
  });

  test('shows the end of its output while it runs, and how it ended', () => {
    const of = { toolCallId: 'call_1', origin: ['main'] };
    const transcript = play(
      call('execute', { command: 'x' }),
      { type: 'execute-start', command: 'x', ...of },
      ...Array.from({ length: 30 }, (_, at) => ({ type: 'execute-output', text: `line ${at}\n`, ...of })),
    );
    expect(tool(transcript)).toMatchObject({
      status: 'runs',
      detail: expect.stringMatching(/^…\n[^]*line 29$/) as string,
    });
    transcript.see({ type: 'execute-finish', command: 'x', exitCode: 3, truncated: false, stopped: null, ...of });
    transcript.see({ ...call('execute', {}), type: 'tool-result', result: 'for the model' } as never);
    expect(tool(transcript).detail).toMatch(/line 29\n\(exit code 3\)$/);
  });

  test('of an id that was used before is another one', () => {
    const end = { ...call('ls', {}), type: 'tool-result', result: 'one' };
    const transcript = play(call('ls', { path: 'a' }), end, call('ls', { path: 'b' }), { ...end, result: 'two' });
    expect([tool(transcript).detail, tool(transcript, 1).detail]).toEqual(['one', 'two']);
  });

  test('that never ended is cancelled with its run', () => {
    const transcript = play(call('ls', {}), { type: 'text', text: 'so' });
    transcript.close('cancelled');
    expect(transcript.entries).toMatchObject([{ status: 'cancelled', isDone: true }, { isDone: true }]);
  });

  test('a changed entry is another object, and its place stays', () => {
    const transcript = play(call('ls', {}));
    const before = transcript.entries;
    transcript.see({ ...call('ls', {}), type: 'tool-result', result: 'x' } as never);
    expect(before).toMatchObject([{ id: 1, status: 'called' }]);
    expect(transcript.entries).toMatchObject([{ id: 1, status: 'succeeded' }]);
  });
});

test('plans, and subagents at work', () => {
  const plan = (origin: string[]) => ({
    type: 'todos-changed',
    todos: [{ content: `x${HOSTILE}`, status: 'pending' }],
    toolCallId: 'call_9',
    origin,
  });
  const start = {
    type: 'subagent-start',
    task: 'look',
    runId: 'r',
    toolCallId: 'call_0',
    name: 'researcher',
    origin: CHILD,
  };
  const transcript = play(plan(CHILD));
  expect(transcript.todos).toEqual([]);
  transcript.see(plan(['main']) as never);
  expect(transcript.todos).toMatchObject([{ status: 'pending' }]);
  transcript.see(start as never);
  expect(transcript.subagents).toEqual([{ name: 'researcher', task: 'look', origin: CHILD }]);
  transcript.see({ ...start, type: 'subagent-finish', status: 'done', result: '', usage: null } as never);
  expect(transcript.subagents).toEqual([]);
});

test('nothing that is shown can do anything', () => {
  const of = { toolCallId: 'call_1', origin: ['main', `task:${HOSTILE}`, HOSTILE] };
  const transcript = play(
    { type: 'text', text: HOSTILE },
    { type: 'text', text: HOSTILE },
    call(HOSTILE, { [HOSTILE]: HOSTILE }),
    { ...call(HOSTILE, {}), type: 'tool-error', error: new Error(HOSTILE) },
    call('execute', { command: HOSTILE }, 'call_2'),
    { type: 'execute-output', text: HOSTILE, ...of, toolCallId: 'call_2', origin: ['main'] },
    { type: 'subagent-start', task: HOSTILE, runId: 'r', name: HOSTILE, ...of },
    { type: 'todos-changed', todos: [{ content: HOSTILE, status: 'pending' }], ...of, origin: ['main'] },
    { type: 'subagent-event', ...of, name: HOSTILE, event: { type: 'text', text: 'x', id: '1' } },
    { type: 'error', error: new Error(HOSTILE) },
    { type: 'run-resumed', messages: [{ role: 'user', content: HOSTILE }], drift: { tools: [], prompt: false } },
  );
  transcript.user(HOSTILE);
  transcript.note('error', HOSTILE);
  const { entries, todos, subagents } = transcript;
  const shown = JSON.stringify([entries, todos, subagents]);
  for (const unseen of ['\u001b', '\\u001b', '\u202e', '\\u0000', '\u200b', '\\r']) expect(shown).not.toContain(unseen);
  expect(fromOf(of.origin)).not.toContain('\u001b');
});

describe('long texts', () => {
  test('lose nothing, also where a character is cut in two', () => {
    for (const text of ['x'.repeat(50_000), `${'y'.repeat(999)}😀${'z'.repeat(3_000)}`, '😀'.repeat(3_000)])
      expect(safeLong(text)).toBe(text);
    expect(safeLong(`${'a'.repeat(999)}${HOSTILE}`.repeat(5))).not.toContain('\u001b');
  });

  test('a lone half of a character does not stop it', () => {
    expect(safeLong(`${'\ud83d'.repeat(2_500)}x`).endsWith('x')).toBe(true);
  });

  test('of outputs are shown from their end', () => {
    expect(safeEnd('one\ntwo\n')).toBe('one\ntwo');
    expect(safeEnd('x\n'.repeat(100)).split('\n')).toHaveLength(13);
    expect(safeEnd('y'.repeat(1_000_000)).length).toBeLessThan(2_000);
  });

  test('titles say the telling part', () => {
    expect(titleOf('execute', { command: 'a\nb' })).toBe('a ⏎ b');
    expect(titleOf('grep', { pattern: 'x', path: 'src' })).toBe('x in src');
    expect(titleOf('task', { description: 'look', subagent_type: 'researcher' })).toBe('researcher: look');
    expect(titleOf('other', { a: 1, b: 'c' })).toBe('a=1 b=c');
    expect(titleOf('other', { body: 'x\ny', count: 1n, name: 'it' })).toBe('count=1 name=it body=x ⏎ y');
    for (const args of [null, undefined, 3, [], { command: { toJSON: null } }, { __proto__: null }])
      expect(typeof titleOf('execute', args)).toBe('string');
  });
});

const request = (more: object = {}): ApprovalRequest =>
  ({
    kind: 'approval',
    approvalId: '1',
    toolCallId: 'call_1',
    step: 1,
    rows: [],
    toolName: 'execute',
    args: { command: 'x' },
    origin: ['main'],
    description: 'execute: it asks',
    verdict: null,
    flags: [],
    allowedDecisions: ['approve', 'edit', 'reject', 'respond', 'skip'],
    always: { allow: null, deny: null },
    contents: 'kept',
    needs: [],
    requester: null,
    votes: [],
    escalatedAt: null,
    startedBefore: false,
    preview: '',
    ...more,
  }) as unknown as ApprovalRequest;

const askOf = (more: object = {}): WaitingAsk => {
  const asks = new WaitingAsks();
  asks.add(request(more));
  return asks.view()[0]!;
};

describe('an ask', () => {
  test('says from whom it is, and what looks deceptive', () => {
    const origin = ['main', 'task:call_1', 'writer', 'task:call_2', 'researcher'];
    expect(askOf({ origin, flags: ['bidi', 'long'], contents: 'redacted' })).toMatchObject({
      from: 'researcher, started by writer',
      warnings: [expect.stringContaining('direction'), expect.stringContaining('secrets')] as string[],
    });
  });

  test('says who must agree, and how far that is', () => {
    const needs = [{ approvers: ['ada', 'group:ops'], quorum: 2, excludeRequester: true }];
    const asks = new WaitingAsks();
    asks.add(request({ approvalId: 'a', needs, requester: 'eve\u202e' }));
    const why = () => asks.view().map((ask) => (ask.kind === 'approval' ? ask.why : ''));
    expect(why()).toEqual([expect.stringContaining('0 of 2 approvals, needs 2 of: ada, group:ops, not eve')]);
    expect(why()[0]).not.toContain('\u202e');
    asks.update('a', [{ by: 'ada', via: 'gate', at: 1 }]);
    expect(why()).toEqual([expect.stringContaining('1 of 2 approvals (ada), needs')]);
  });

  test('is harmless where that is proven and nothing stands out, by no name', () => {
    for (const [more, isHarmless] of [
      [{ toolName: 'execute', proven: 'reads' }, true],
      [{ toolName: 'edit_file', proven: 'changes' }, true],
      [{ toolName: 'read_file', proven: null }, false],
      [{ toolName: 'execute', proven: 'reads', flags: ['bidi'] }, false],
      [{ toolName: 'execute', proven: 'reads', contents: 'redacted' }, false],
      [{ toolName: 'delete_file', proven: 'reads' }, false],
    ] as const)
      expect(askOf(more)).toMatchObject({ isHarmless });
  });

  test('those of others are counted on their own', () => {
    const asks = new WaitingAsks();
    asks.add(request({ approvalId: 'a' }));
    asks.add(request({ approvalId: 'b', origin: CHILD }));
    asks.add(request({ approvalId: 'c' }));
    asks.add(request({ approvalId: 'c' }));
    expect(asks.view().map(({ index, of }) => [index, of])).toEqual([
      [1, 2],
      [1, 1],
      [2, 2],
    ]);
    for (const id of ['a', 'c']) asks.remove(id);
    asks.add(request({ approvalId: 'd' }));
    expect(asks.view().at(-1)).toMatchObject({ index: 1, of: 1 });
  });

  test.each([
    ['y', 'approve'],
    ['yes', 'approve'],
    [' y ', 'approve'],
    ['n', 'reject'],
    ['no', 'reject'],
    ['A', 'all'],
    ['a', 'reject'],
    ['', 'say'],
    ['  ', 'say'],
    ['?', 'say'],
    ['d', 'say'],
    ['s', 'say'],
    ['e', 'say'],
    ['e {', 'say'],
    ['e {}', 'edit'],
    ['r x', 'respond'],
    ['y y', 'reject'],
    ['ye', 'reject'],
    ['Yes', 'approve'],
    ['YES', 'approve'],
    ['ok', 'approve'],
    ['No', 'reject'],
    ['yes but only the tests', 'reject'],
    ['okey-dokey', 'reject'],
    ['ｙ', 'reject'],
    ['/quit', 'say'],
  ])('%j is %s', (line, type) => {
    expect(readAnswer(line, askOf() as never).type).toBe(type);
  });
});

describe('a question', () => {
  const options = [{ label: 'Red' }, { label: `Bl${HOSTILE}ue` }];
  const questions = [
    { kind: 'multiple_choice', question: 'Which?', options },
    { kind: 'multi_select', question: 'Which ones?', options, required: false },
    { kind: 'text', question: `Why${HOSTILE}?` },
  ];
  const ask = askOf({ kind: 'question', toolName: 'ask_user', args: { questions } }) as WaitingAsk & {
    kind: 'question';
  };

  test('is safe to show, and its answers are those of the call', () => {
    expect(JSON.stringify(ask.questions)).not.toMatch(/\\u001b|\u202e/);
    const [, shown] = (ask.questions[0] as { options: readonly { label: string }[] }).options;
    expect(asAsked(ask.request, [shown!.label, ['Red', shown!.label], 'so'])).toEqual([
      options[1]!.label,
      ['Red', options[1]!.label],
      'so',
    ]);
    expect(asAsked(ask.request, ['other words', null, ''])).toEqual(['other words', null, '']);
  });

  test('is answered by numbers, labels and other words', () => {
    const read = (line: string, at: number) => readQuestionAnswer(line, ask.questions[at]!);
    expect(read('1', 0)).toEqual({ type: 'answer', answer: 'Red' });
    expect(read('red', 0)).toEqual({ type: 'answer', answer: 'Red' });
    expect(read('green', 0)).toEqual({ type: 'answer', answer: 'green' });
    expect(read('', 0).type).toBe('say');
    expect(read('1, red', 1)).toEqual({ type: 'answer', answer: ['Red'] });
    expect(read('1, 9', 1).type).toBe('say');
    expect(read('', 1)).toEqual({ type: 'answer', answer: null });
    expect(read('/no', 2)).toEqual({ type: 'none' });
  });

  test('no questions at all are shown as none', () => {
    for (const args of [null, {}, { questions: 3 }])
      expect(askOf({ kind: 'question', args })).toMatchObject({ questions: [] });
  });
});

test('an event is one line of JSON, whatever is in it', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  for (const result of [
    1n,
    new Error('x'),
    HOSTILE,
    circle,
    {
      toJSON: () => {
        throw new Error('no');
      },
    },
  ]) {
    const line = lineOf({ type: 'tool-result', result } as unknown as AgentEvent);
    expect(JSON.parse(line)).toMatchObject({ type: 'tool-result' });
    for (const unseen of ['\u001b', '\u202e', '\n']) expect(line).not.toContain(unseen);
  }
});
