/** The user types instead of answering: a call waits for an approval, or has no result yet, and the conversation goes on. */
import * as ai from 'ai';
import type { ModelMessage, UIMessage } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import type { AgentRun, Gate, RefusedApproval, RunOptions } from '../../index.js';
import { createGate, gateTools, streamWithEvents, verifyApprovals } from '../../ts/index.js';
import { call, calls, collect, resultsIn, says, scripted, type ModelTurn } from '../support/model.js';
import { until } from '../support/play.js';
import { asks, chat, denial, kinds, RUN, two, user } from '../support/stopped-chat.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';
import { isWhole } from '../support/effort.js';

describe.each(kinds)('with %s', (kind) => {
  it('the request is cancelled at the gate, the model is told, and the turn goes on', async () => {
    const { gate, ran, errors, post, says: types } = chat(kind);
    await post(types('go'), asks());
    const [request] = await gate.pending();
    const { prompt } = await post(types('never mind'), says('As you like.'));
    expect(errors).toEqual([]);
    expect(resultsIn(prompt)).toEqual({ c1: denial(/did not answer .* did not run/) });
    expect(await gate.pending()).toEqual([]);
    expect(await gate.get(request?.approvalId ?? '')).toMatchObject({ status: 'cancelled', via: 'messages' });
    expect(ran).toEqual([]);
  });

  it('and later turns, of a client that still shows the question, say the same and ask nobody', async () => {
    const { gate, ran, errors, post, says: types } = chat(kind);
    await post(types('go'), asks());
    await post(types('never mind'), says('As you like.'));
    const { prompt } = await post(types('and now?'), says('Nothing.'));
    expect(errors).toEqual([]);
    expect(resultsIn(prompt)).toEqual({ c1: denial(/did not answer .* did not run/) });
    expect(await gate.history()).toHaveLength(1);
    expect(ran).toEqual([]);
  });

  it('the model may call again, and is asked about anew', async () => {
    const { gate, errors, post, says: types } = chat(kind);
    await post(types('go'), asks());
    await post(types('well, do it'), calls(call('del', { path: '/a' }, 'c2')));
    expect(errors).toEqual([]);
    expect(await gate.pending()).toMatchObject([{ toolCallId: 'c2' }]);
  });

  it("unanswered: 'keep': the request stays, and the turn goes on all the same", async () => {
    const { gate, ran, errors, post, says: types } = chat(kind);
    const keep = { unanswered: 'keep' };
    await post(types('go'), asks());
    const { prompt } = await post(types('while we wait'), says('Yes.'), keep);
    expect(errors).toEqual([]);
    expect(resultsIn(prompt)).toEqual({ c1: denial(/Nobody has answered yet/) });
    const [request] = await gate.pending();
    expect(request).toMatchObject({ toolCallId: 'c1' });
    await gate.approve(request?.approvalId ?? '');
    const later = await post(types('and?'), says('Yes.'), keep);
    expect(resultsIn(later.prompt)).toEqual({ c1: denial(/approved when the conversation had gone on/) });
    expect(await gate.get(request?.approvalId ?? '')).toMatchObject({ status: 'cancelled' });
    expect(ran).toEqual([]);
  });

  it('what was rejected elsewhere meanwhile has the reason of that', async () => {
    const { gate, post, says: types } = chat(kind);
    await post(types('go'), asks());
    const [request] = await gate.pending();
    await gate.reject(request?.approvalId ?? '', 'not today');
    const { prompt } = await post(types('hm'), says('Yes.'));
    expect(resultsIn(prompt)).toEqual({ c1: denial(/^not today$/) });
  });

  it.each(['cancel', 'keep'])(
    'a no to one of two questions is taken, with its reason (unanswered: %s)',
    async (unanswered) => {
      const { gate, ran, errors, post, answer, says: types } = chat(kind);
      await post(types('go'), two());
      answer('c1', { approved: false, reason: 'it is the payroll' });
      const { prompt } = await post(types('what is b?'), says('A file.'), { unanswered, by: 'ada' });
      expect(errors).toEqual([]);
      const other = unanswered === 'keep' ? /Nobody has answered yet/ : /did not answer .* did not run/;
      expect(resultsIn(prompt)).toEqual({ c1: denial(/^it is the payroll$/), c2: denial(other) });
      const records = await gate.history();
      expect(records.find(({ toolCallId }) => toolCallId === 'c1')).toMatchObject({
        status: 'rejected',
        decidedBy: 'ada',
        via: 'messages',
        decision: { reason: 'it is the payroll' },
      });
      expect(ran).toEqual([]);
    },
  );

  it.runIf(kind === 'model messages')('of two answers that contradict each other the no is taken', async () => {
    const { gate, ran, post, answer, says: types } = chat(kind);
    await post(types('go'), two());
    for (const approved of [true, false]) answer('c1', { approved, reason: `${approved}` });
    for (const approved of [false, true]) answer('c2', { approved, reason: `${approved}` });
    const { prompt } = await post(types('what is b?'), says('A file.'));
    expect(resultsIn(prompt)).toEqual({ c1: denial(/^false$/), c2: denial(/^false$/) });
    expect((await gate.history()).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(ran).toEqual([]);
  });

  it('a yes to one of two questions runs nothing any more, and the record says so', async () => {
    const { gate, ran, errors, post, answer, says: types } = chat(kind);
    await post(types('go'), two());
    answer('c1', { approved: true });
    const { prompt } = await post(types('what is b?'), says('A file.'));
    expect(errors).toEqual([]);
    expect(resultsIn(prompt)).toEqual({
      c1: denial(/approved when the conversation had gone on/),
      c2: denial(/did not answer .* did not run/),
    });
    expect((await gate.history()).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(ran).toEqual([]);
  });

  it.each(kind === 'toolApproval' ? ['approve'] : ['approve', 'edit'])(
    'a no after somebody else’s %s is a no: the model is told it, and is not told to call again',
    async (first) => {
      const { gate, ran, post, answer, says: types } = chat(kind);
      await post(types('go'), two());
      const asked = await gate.pending();
      for (const { approvalId } of asked)
        await (first === 'edit' ? gate.edit(approvalId, { path: '/c' }) : gate.approve(approvalId, { by: 'noah' }));
      answer('c1', { approved: false, reason: 'it is the payroll' });
      answer('c2', { approved: false });
      const { prompt } = await post(types('what is b?'), says('A file.'));
      expect(resultsIn(prompt)).toEqual({
        c1: denial(/^it is the payroll$/),
        c2: denial(/^The user rejected this call/),
      });
      const ended = (await gate.history()).map(({ toolCallId, status, decision }) => [
        toolCallId,
        status,
        decision?.reason,
      ]);
      expect(ended.toSorted()).toEqual([
        ['c1', 'cancelled', 'it is the payroll'],
        ['c2', 'cancelled', 'The user rejected this call in the chat.'],
      ]);
      expect(ran).toEqual([]);
    },
  );

  it.each(['cancel', 'keep'])(
    'a no of somebody who may not decide is told, as it is where the user writes nothing behind it (unanswered: %s)',
    async (unanswered) => {
      const told: object[] = [];
      for (const isBehind of [false, true]) {
        const { gate, post, answer, says: types, messages } = chat(kind, createGate({ authorize: () => false }));
        await post(types('go'), asks());
        answer('c1', { approved: false, reason: 'never' });
        const refused: RefusedApproval[] = [];
        const onRefused = (one: RefusedApproval) => void refused.push(one);
        const sent = isBehind ? types('well?') : messages();
        const { prompt } = await post(sent, says('A file.'), { unanswered, onRefused });
        expect(resultsIn(prompt)).toEqual({ c1: denial(/^never$/) });
        const [request] = [...(await gate.pending()), ...(await gate.history())];
        const record = await gate.get(request?.approvalId ?? '');
        told.push({ status: record?.status, decision: record?.decision, refused: refused.map(({ reason }) => reason) });
      }
      const decision = unanswered === 'keep' ? null : { type: 'cancelled', reason: 'never' };
      const status = unanswered === 'keep' ? 'pending' : 'cancelled';
      expect(told[0]).toEqual({ status, decision, refused: [expect.stringMatching(/may not|not allowed|authoriz/i)] });
      expect(told[1]).toEqual(told[0]);
    },
  );

  it('a yes that comes with another message is told, and runs nothing later', async () => {
    const { gate, ran, post, answer, says: types } = chat(kind);
    await post(types('go'), asks());
    answer('c1', { approved: true });
    const refused: RefusedApproval[] = [];
    await post(types('well?'), says('A file.'), { onRefused: (one: RefusedApproval) => void refused.push(one) });
    expect(refused).toMatchObject([{ toolCallId: 'c1', reason: expect.stringMatching(/had gone on/) as string }]);
    expect(await gate.history()).toMatchObject([{ status: 'cancelled' }]);
    expect(ran).toEqual([]);
  });

  it('the request of another call under the same id is left alone', async () => {
    const { gate, post, says: types } = chat(kind);
    await post(types('go'), asks());
    await gate.reject((await gate.pending())[0]?.approvalId ?? '', 'no');
    // Another conversation, which the server tells apart by nothing.
    const { tools } = recordingTools();
    const others = gateTools(tools, { interruptOn: { del: true }, gate, mode: 'stop', runId: 'chat-2' });
    const { model } = scripted([calls(call('del', { path: '/b' }, 'c1'))]);
    await ai.generateText({ model, prompt: 'go', tools: others });
    await post(types('hm'), says('Yes.'), { runId: undefined });
    expect(await gate.pending()).toMatchObject([{ runId: 'chat-2', args: { path: '/b' } }]);
  });
});

describe.each(kinds)('messages that go on without an answer of the user, with %s', (kind) => {
  const after = (text: string) =>
    kind === 'model messages'
      ? { role: 'assistant' as const, content: text }
      : ({ id: 'after', role: 'assistant', parts: [{ type: 'text', text }] } as UIMessage);
  type Conversation = ReturnType<ReturnType<typeof chat>['messages']>;
  const told = () => {
    const refused: RefusedApproval[] = [];
    return { refused, onRefused: (each: RefusedApproval) => void refused.push(each) };
  };

  it.each([false, true])(
    'the same again, without an answer: the call is denied, and told (with more behind it: %s)',
    async (more) => {
      const { gate, ran, errors, post, says: types, messages } = chat(kind);
      const { refused, onRefused } = told();
      await post(types('go'), two());
      const sent = [...messages(), ...(more ? [after('Well.')] : [])] as Conversation;
      const { prompt } = await post(sent, says('As you like.'), { onRefused });
      expect(errors).toEqual([]);
      expect(resultsIn(prompt)).toEqual({
        c1: denial(/did not answer .* did not run/),
        c2: denial(/did not answer .* did not run/),
      });
      expect((await gate.history()).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
      expect(refused.map(({ toolCallId }) => toolCallId)).toEqual(more ? [] : ['c1', 'c2']);
      expect(ran).toEqual([]);
    },
  );

  it("the same again, unanswered: 'keep': the request stays", async () => {
    const { gate, errors, post, says: types, messages } = chat(kind);
    await post(types('go'), asks());
    const { prompt } = await post(messages(), says('As you like.'), { unanswered: 'keep' });
    expect(errors).toEqual([]);
    expect(resultsIn(prompt)).toEqual({ c1: denial(/Nobody has answered yet/) });
    expect(await gate.pending()).toHaveLength(1);
  });

  it.each([true, false])(
    'an answer with a message of the assistant behind it: nothing runs, and it is told (%s)',
    async (approved) => {
      const { gate, ran, errors, post, answer, says: types, messages } = chat(kind);
      const { refused, onRefused } = told();
      await post(types('go'), asks());
      answer('c1', { approved, reason: 'so I say' });
      const { prompt } = await post([...messages(), after('Well.')] as Conversation, says('Ok.'), { onRefused });
      expect(errors).toEqual([]);
      expect(resultsIn(prompt)).toEqual({
        c1: denial(approved ? /approved when the conversation had gone on/ : /^so I say$/),
      });
      expect(refused).toHaveLength(approved ? 1 : 0);
      expect((await gate.history()).map(({ status }) => status)).toEqual([approved ? 'cancelled' : 'rejected']);
      expect(ran).toEqual([]);
    },
  );

  it.runIf(kind !== 'model messages')('a yes with another step behind it in its message runs nothing', async () => {
    const { gate, ran, errors, post, answer, says: types, messages } = chat(kind);
    await post(types('go'), asks());
    answer('c1', { approved: true });
    const sent = structuredClone(messages()) as UIMessage[];
    sent.at(-1)?.parts.push({ type: 'step-start' }, { type: 'text', text: '…' });
    const { prompt } = await post(sent, says('Ok.'));
    expect(errors).toEqual([]);
    expect(resultsIn(prompt)).toEqual({ c1: denial(/approved when the conversation had gone on/) });
    expect((await gate.history()).map(({ status }) => status)).toEqual(['cancelled']);
    expect(ran).toEqual([]);
  });

  it.runIf(kind !== 'model messages')('a yes with nothing of the model behind it runs the call', async () => {
    const behind = [
      [{ type: 'data-x', data: 1 }],
      [{ type: 'step-start' }],
      [{ type: 'text', text: 'as you wish' }],
    ] as UIMessage['parts'][];
    for (const parts of behind) {
      const { ran, errors, post, answer, says: types, messages } = chat(kind);
      await post(types('go'), asks());
      answer('c1', { approved: true });
      const sent = structuredClone(messages()) as UIMessage[];
      sent.at(-1)?.parts.push(...parts);
      await post(sent, says('Ok.'));
      expect([ran, errors]).toEqual([['del /a'], []]);
    }
  });
});

describe.each(kinds)('an answer that says neither yes nor no, with %s', (kind) => {
  it.each(['yes', undefined, 1])('(%j) is no rejection of the user, and is told', async (approved) => {
    const { gate, ran, errors, post, answer, says: types, messages } = chat(kind);
    const refused: RefusedApproval[] = [];
    await post(types('go'), asks());
    answer('c1', { approved: approved as never });
    const { prompt } = await post(messages(), says('Ok.'), {
      onRefused: (each: RefusedApproval) => refused.push(each),
    });
    expect(errors).toEqual([]);
    expect(resultsIn(prompt)).toEqual({ c1: denial(/neither yes nor no/) });
    expect(refused).toMatchObject([
      { toolCallId: 'c1', reason: expect.stringMatching(/neither yes nor no/) as string },
    ]);
    expect((await gate.history()).map(({ status }) => status)).toEqual(['cancelled']);
    expect(ran).toEqual([]);
  });
});

describe.each(kinds.filter((kind) => kind !== 'model messages'))(
  'a yes that the AI SDK would not follow, with %s',
  (kind) => {
    it.each([
      ['in a part of what the provider runs', { providerExecuted: true }, 'assistant'],
      ['in a part that only nearly says so', { providerExecuted: 1 }, 'assistant'],
      ['in a message of the user', {}, 'user'],
    ])('approves nothing, and is told as refused: %s', async (_, part, role) => {
      const { gate, ran, post, answer, says: types, messages } = chat(kind);
      await post(types('go'), asks());
      const [request] = await gate.pending();
      answer('c1', { approved: true });
      const sent = structuredClone(messages()) as UIMessage[];
      const last = sent.at(-1) as UIMessage;
      Object.assign(last, { role });
      for (const each of last.parts) if ('toolCallId' in each) Object.assign(each, part);
      const refused: RefusedApproval[] = [];
      await post(sent, says('Hm.'), { onRefused: (one: RefusedApproval) => refused.push(one) });
      expect(refused).toMatchObject([{ toolCallId: 'c1', reason: expect.stringMatching(/is not the one/) as string }]);
      expect(await gate.get(request?.approvalId ?? '')).toMatchObject({ status: 'pending' });
      expect(ran).toEqual([]);
    });
  },
);

describe.each(kinds.filter((kind) => kind !== 'model messages'))('an answer whose id is no text, with %s', (kind) => {
  it.each([{ id: null }, { id: 5 }, { id: undefined }])('counts as one with an invented id: %s', async (given) => {
    const { gate, ran, errors, post, answer, says: types, messages } = chat(kind);
    await post(types('go'), asks());
    answer('c1', { approved: true, ...given } as never);
    await post(messages(), says('Done.'));
    expect([ran, errors]).toEqual([['del /a'], []]);
    expect((await gate.history()).map(({ status }) => status)).toEqual(['succeeded']);
  });
});

describe.each(kinds)('a route that passes another runId, with %s', (kind) => {
  it.each([
    ['none to verifyApprovals', {}],
    ['another one to it', { runId: 'chat-2' }],
  ])('is warned once: %s', async (_, options) => {
    using heard = listenToWarnings();
    const { gate, ran, post, answer, says: types, messages } = chat(kind);
    await post(types('go'), asks());
    answer('c1', { approved: true });
    const sent = messages();
    for (let time = 0; time < 2; time++) await verifyApprovals<UIMessage | ModelMessage>(sent, gate, options);
    expect(heard.warnings).toEqual([
      expect.stringMatching(
        /^verifyApprovals: an answer to a call of "del" did not count, .* Pass one and the same runId/,
      ),
    ]);
    await post(sent, says('Done.'));
    expect([ran, heard.warnings.length]).toEqual([['del /a'], 1]);
  });
});

it('a run under the runId of its chat asks about a call with the id of a rejected one that is gone', async () => {
  const gate = createGate({ ledger: 'memory:' });
  const { ran, tools } = recordingTools();
  const asked: string[] = [];
  const turn = (prompt: ModelMessage[]) =>
    collect(
      streamWithEvents({
        model: scripted([asks(), says('Done.')]).model,
        tools,
        prompt,
        gate,
        runId: RUN,
        interruptOn: { del: true },
        onApprovalRequest: ({ toolCallId }) => asked.push(toolCallId) > 1,
      }),
    );
  const go: ModelMessage = { role: 'user', content: 'go' };
  await turn([go]);
  await turn([go]);
  expect([ran, asked]).toEqual([['del /a'], ['c1', 'c1']]);
});

it('a route that passes another runId to gateTools in the second request is warned', async () => {
  using heard = listenToWarnings();
  const gate = createGate();
  const { ran, tools } = recordingTools();
  const turn = (runId: string, messages: ModelMessage[], turns: ModelTurn[]) =>
    ai.generateText({
      model: scripted(turns).model,
      messages,
      tools: gateTools(tools, { interruptOn: { del: true }, gate, mode: 'stop', runId }),
    });
  const { response } = await turn('chat-1', [{ role: 'user', content: 'go' }], [asks()]);
  const parts = response.messages.flatMap(({ content }) => content as unknown as { approvalId?: string }[]);
  const approvalId = parts.find((part) => part.approvalId !== undefined)?.approvalId ?? '';
  const yes = { type: 'tool-approval-response', approvalId, approved: true } as const;
  const sent: ModelMessage[] = [
    { role: 'user', content: 'go' },
    ...response.messages,
    { role: 'tool', content: [yes] },
  ];
  const verified = await verifyApprovals(sent, gate, { runId: 'chat-1' });
  await turn('chat-2', verified, [says('Done.')]);
  expect(ran).toEqual([]);
  expect(heard.warnings).toEqual([expect.stringMatching(/^gateTools: an answer to a call of "del" did not count/)]);
});

describe('what waits for its answer rightly', () => {
  it('is left alone: the request of another conversation, whose ids a client has written into its own', async () => {
    const gate = createGate();
    const { tools } = recordingTools();
    const others = gateTools(tools, { interruptOn: { del: true }, gate, mode: 'stop', runId: 'chat-2' });
    await ai.generateText({ model: scripted([asks()]).model, prompt: 'go', tools: others });
    const [request] = await gate.pending();
    const approval = { id: request?.approvalId ?? '' };
    const part = { type: 'tool-del', toolCallId: 'c1', state: 'approval-requested', input: { path: '/a' }, approval };
    const forged = [user('go'), { id: 'a1', role: 'assistant', parts: [part] }, user('hm')] as UIMessage[];
    await verifyApprovals(forged, gate, { runId: RUN });
    expect(await gate.pending()).toMatchObject([{ runId: 'chat-2' }]);
    await verifyApprovals(forged, gate, { runId: 'chat-2' });
    expect(await gate.pending()).toEqual([]);
  });

  it.runIf(isWhole).each([
    ['calls that are left', 'approval-requested', 'output-denied', [user('hm')]],
    ['answers', 'approval-responded', 'approval-responded', []],
  ])('thousands of forged %s are looked up, and what else is due comes round meanwhile', async (_, was, is, behind) => {
    const gate = createGate();
    const parts = Array.from({ length: 4_000 }, (_, index) => ({
      type: 'tool-del',
      toolCallId: `c${index}`,
      state: was,
      input: {},
      approval: { id: `q${index}`, ...(was === 'approval-responded' ? { approved: true } : {}) },
    }));
    // The clock of this test: each look at the time is a moment later.
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1));
    let turns = 0;
    const turn = (): void => void (turns++ >= 0 && (next = setImmediate(turn)));
    let next = setImmediate(turn);
    const forged = [user('go'), { id: 'a1', role: 'assistant', parts }, ...behind] as UIMessage[];
    const verified = await verifyApprovals(forged, gate, { runId: RUN }).finally(() => {
      clearImmediate(next);
      clock.mockRestore();
    });
    expect(turns).toBeGreaterThan(10);
    const given = verified[1]?.parts as { state?: string; approval?: { approved?: boolean } }[];
    expect(given.every(({ state, approval }) => state === is && approval?.approved === false)).toBe(true);
  });

  it('messages in which every call has its result are the very same', async () => {
    const history: ModelMessage[] = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'del', input: {} }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'del', output: { type: 'text', value: '' } }],
      },
      { role: 'user', content: 'and?' },
    ];
    const verified = await verifyApprovals(history, createGate());
    expect(verified.map((message, index) => message === history[index])).toEqual([true, true, true, true]);
  });

  it('an option that is none is an error', async () => {
    await expect(verifyApprovals([], createGate(), { unanswered: 'drop' as never })).rejects.toMatchObject({
      code: 'ERR_INVALID_CONFIG',
    });
    expect(() => streamWithEvents({ model: 'x', prompt: 'go', unanswered: 'drop' } as never)).toThrow(
      /unanswered must be 'cancel' or 'keep'/,
    );
  });
});

describe('a call without a result and without a request, as an abort leaves it', () => {
  it.each(['ui', 'model'])('%s messages: the model is told, and nothing fails', async (form) => {
    const gate = createGate();
    const { tools } = recordingTools();
    const part = { type: 'tool-del', toolCallId: 'c1', state: 'input-available', input: { path: '/a' } };
    const ui = [user('go'), { id: 'a1', role: 'assistant', parts: [{ type: 'step-start' }, part] }, user('hm')];
    const content = [{ type: 'tool-call', toolCallId: 'c1', toolName: 'del', input: { path: '/a' } }];
    const plain = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content },
      { role: 'user', content: 'hm' },
    ];
    const verified = await verifyApprovals((form === 'ui' ? ui : plain) as UIMessage[], gate);
    const messages = form === 'ui' ? await ai.convertToModelMessages(verified) : (verified as never);
    const { model, prompts } = scripted([says('Yes.')]);
    await ai.generateText({ model, messages, tools });
    expect(resultsIn(prompts[0])).toEqual({ c1: denial(/went on before this call had a result/) });
  });
});

describe('streamWithEvents, whose response stays open', () => {
  const options = (gate: Gate, more: object = {}): RunOptions<ai.ToolSet> & { tools: ai.ToolSet } => ({
    tools: recordingTools().tools,
    interruptOn: { del: true },
    gate,
    ...more,
  });
  /** A response that is never closed by its client: it holds what it has read, and sends something else. */
  async function abandoned(gate: Gate) {
    const run = streamWithEvents({ model: scripted([asks()]).model, prompt: 'go', ...options(gate) } as never);
    const stream = run.toUIMessageStream() as ReadableStream<ai.UIMessageChunk>;
    let message: UIMessage | undefined;
    const snapshots = ai.readUIMessageStream({ stream })[Symbol.asyncIterator]();
    while (!JSON.stringify(message ?? null).includes('approval-requested')) message = (await snapshots.next()).value;
    return { run, messages: [user('go'), structuredClone(message) as UIMessage] };
  }

  it('messages in which a call waits for an answer run, the model is told, and the request is over', async () => {
    const gate = createGate();
    const first = streamWithEvents({ model: scripted([asks()]).model, prompt: 'go', ...options(gate) } as never);
    const { approvalId, toolCallId, toolName, args } = await until(first, 'approval-requested');
    const messages = [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId, toolName, input: args },
          { type: 'tool-approval-request', approvalId, toolCallId },
        ],
      },
      { role: 'user', content: 'never mind' },
    ];
    const { model, prompts } = scripted([says('As you like.')]);
    const run = streamWithEvents({ model, messages, ...options(gate) } as never) as AgentRun;
    const { messages: whole, responseMessages } = await run.result;
    expect(resultsIn(prompts[0])).toEqual({ c1: denial(/did not answer .* did not run/) });
    expect(await gate.get(approvalId)).toMatchObject({ status: 'cancelled', via: 'messages' });
    expect(whole.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant']);
    expect(responseMessages).toHaveLength(1);
    await first.return();
  });

  it("unanswered: 'keep': the request of the other run stays", async () => {
    const gate = createGate();
    const first = streamWithEvents({ model: scripted([asks()]).model, prompt: 'go', ...options(gate) } as never);
    const { approvalId } = await until(first, 'approval-requested');
    const content = [
      { type: 'tool-call', toolCallId: 'c1', toolName: 'del', input: { path: '/a' } },
      { type: 'tool-approval-request', approvalId, toolCallId: 'c1' },
    ];
    const messages = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content },
      { role: 'user', content: 'hm' },
    ];
    const { model, prompts } = scripted([says('Yes.')]);
    await (streamWithEvents({ model, messages, ...options(gate, { unanswered: 'keep' }) } as never) as AgentRun).result;
    expect(resultsIn(prompts[0])).toEqual({ c1: denial(/Nobody has answered yet/) });
    expect(await gate.pending()).toMatchObject([{ approvalId }]);
    await first.return();
  });

  it.each(['that of the gate', 'another'])(
    "unanswered: 'keep' of verifyApprovals: a call that an open response waits for runs on no later yes (the id in the messages: %s)",
    async (id) => {
      const gate = createGate();
      const { ran, tools } = recordingTools();
      const { model } = scripted([asks(), says('Done.')]);
      const first = streamWithEvents({ model, tools, prompt: 'go', gate, runId: 'r', interruptOn: 'all' });
      const { approvalId } = await until(first, 'approval-requested');
      const approval = { id: id === 'another' ? 'x' : approvalId };
      const part = { type: 'tool-del', toolCallId: 'c1', state: 'approval-requested', input: { path: '/a' }, approval };
      const messages = [user('go'), { id: 'a', role: 'assistant', parts: [part] } as never, user('hm')];
      await verifyApprovals(messages, gate, { runId: 'r', unanswered: 'keep' });
      await gate.approve(approvalId).catch(() => {});
      await collect(first);
      expect(ran).toEqual([]);
      expect(await gate.get(approvalId)).toMatchObject({ status: 'cancelled' });
    },
  );

  // AI SDK 7 takes an unanswered call out when it converts UI messages: before that the gate hears of it.
  it('by UI messages, as a page sends them, through verifyApprovals', async () => {
    const gate = createGate();
    const { run: first, messages } = await abandoned(gate);
    const verified = await verifyApprovals([...messages, user('never mind')], gate);
    expect(await gate.pending()).toEqual([]);
    const sent = await ai.convertToModelMessages(verified);
    const { model, prompts } = scripted([says('As you like.')]);
    const run = streamWithEvents({ model, messages: sent, ...options(gate) } as never);
    expect((await collect(run)).map(({ type }) => type)).toContain('done');
    expect(resultsIn(prompts[0])).toEqual({ c1: denial(/did not answer .* did not run/) });
    await first.return();
  });

  it('an agent whose hook makes the messages', async () => {
    const gate = createGate();
    const content = [{ type: 'tool-call', toolCallId: 'c1', toolName: 'del', input: { path: '/a' } }];
    const messages = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content },
      { role: 'user', content: 'hm' },
    ];
    const { model, prompts } = scripted([says('Yes.')]);
    const agent = new ai.ToolLoopAgent({
      model,
      tools: recordingTools().tools,
      prepareCall: (given) => ({ ...given, prompt: undefined, messages }) as never,
    });
    await streamWithEvents({ agent, prompt: 'x', interruptOn: { del: true }, gate } as never).result;
    expect(resultsIn(prompts[0])).toEqual({ c1: denial(/went on before this call had a result/) });
  });
});
