/** The run as a UI message stream, read with the SDK's own reader. */
import * as ai from 'ai';
import type { UIMessage, UIMessageChunk } from 'ai';
import { describe, expect, it } from 'vitest';
import type { AgentRun } from '../../index.js';
import { createGate } from '../../ts/index.js';
import { call, calls, collect, major, says, sleep, text } from '../support/model.js';
import { start } from '../support/play.js';
import { recordingTools } from '../support/tools.js';

interface ToolPart {
  type: string;
  state: string;
  toolCallId: string;
  input: unknown;
  output?: unknown;
  approval?: { id: string; approved?: boolean; reason?: string };
}

const toolParts = (message: UIMessage | undefined): ToolPart[] =>
  (message?.parts ?? []).filter(({ type }) => type.startsWith('tool-') || type === 'dynamic-tool') as never;

/** Every state that a chat shows, in order, and the message in the end. */
async function read(run: AgentRun, options: object = {}) {
  const states: string[] = [];
  let message: UIMessage | undefined;
  const stream = run.toUIMessageStream(options) as ReadableStream<UIMessageChunk>;
  for await (const snapshot of ai.readUIMessageStream({ stream })) {
    message = snapshot;
    for (const { toolCallId, state } of toolParts(snapshot)) {
      if (states.findLast((line) => line.startsWith(toolCallId)) !== `${toolCallId} ${state}`)
        states.push(`${toolCallId} ${state}`);
    }
  }
  return { states, message, text: (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])) };
}

const one = () => [[...text('I will.'), ...calls(call('del', { path: '/a' }, 'c1'))], says('Done.')];
const gated = (onApprovalRequest: unknown, more: object = {}) => {
  const { ran, tools } = recordingTools();
  return { ran, ...start({ turns: one(), tools, interruptOn: { del: true }, onApprovalRequest, ...more } as never) };
};
/** A step of the state machine that only AI SDK 7 has a part for. */
const responded = major === 7 ? ['c1 approval-responded'] : [];

describe('what a chat shows', () => {
  it('an approved call', async () => {
    const { run, ran } = gated(() => sleep(5).then(() => true));
    const { states, message, text: said } = await read(run);
    expect(states.slice(states.indexOf('c1 approval-requested'))).toEqual([
      'c1 approval-requested',
      ...responded,
      'c1 output-available',
    ]);
    expect(toolParts(message)).toMatchObject([{ type: 'tool-del', input: { path: '/a' }, output: 'deleted /a' }]);
    expect(said).toEqual(['I will.', 'Done.']);
    expect(ran).toEqual(['del /a']);
  });

  it('a rejected call', async () => {
    const { run, ran } = gated(() => ({ type: 'reject', reason: 'no' }));
    const { states, message } = await read(run);
    expect(states.at(-1)).toBe('c1 output-denied');
    expect(toolParts(message)[0]?.approval).toMatchObject(major === 7 ? { approved: false, reason: 'no' } : {});
    expect(ran).toEqual([]);
  });

  it('an edited call: with the arguments that ran', async () => {
    const { run } = gated(() => ({ type: 'edit', args: { path: '/b' } }));
    const { states, message } = await read(run);
    expect(states.at(-1)).toBe('c1 output-available');
    expect(toolParts(message)).toMatchObject([{ input: { path: '/b' }, output: 'deleted /b' }]);
    expect(toolParts(message)).toHaveLength(1);
  });

  it('a call that a human answered', async () => {
    const { run } = gated(() => ({ type: 'respond', output: 'by hand' }));
    const { states, message } = await read(run);
    expect(states.at(-1)).toBe('c1 output-available');
    expect(toolParts(message)).toMatchObject([{ output: 'by hand' }]);
  });

  it('the request carries the id that the gate knows', async () => {
    const gate = createGate();
    const { run } = gated(undefined, { gate });
    const chunks: UIMessageChunk[] = [];
    for await (const chunk of run.toUIMessageStream() as unknown as AsyncIterable<UIMessageChunk>) {
      chunks.push(chunk);
      if (chunk.type !== 'tool-approval-request') continue;
      const [pending] = await gate.pending();
      expect(chunk).toMatchObject({ approvalId: pending?.approvalId, toolCallId: 'c1' });
      await gate.approve(chunk.approvalId);
    }
    expect(chunks.filter(({ type }) => type === 'tool-approval-request')).toHaveLength(1);
  });

  it('one start, one finish, whatever the number of rounds; parts of all of them', async () => {
    const { run } = gated(() => true, {
      turns: [...one().slice(0, 1), calls(call('del', { path: '/b' }, 'c2')), says('Done.')],
    });
    const chunks = await collect(run.toUIMessageStream() as unknown as AsyncIterable<UIMessageChunk>);
    const count = (type: string) => chunks.filter((chunk) => chunk.type === type).length;
    expect([count('start'), count('finish'), count('start-step'), count('finish-step')]).toEqual([1, 1, 3, 3]);
    expect(chunks.at(-1)?.type).toBe('finish');
    const ids = chunks.flatMap((chunk) => (chunk.type === 'text-start' ? [chunk.id] : []));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('a failing model', async () => {
    const { run } = gated(() => true, {
      turns: [
        () => {
          throw new Error('down');
        },
      ],
      maxRetries: 0,
    });
    const chunks = await collect(
      run.toUIMessageStream({
        onError: (error) => `told: ${(error as Error).message}`,
      }) as unknown as AsyncIterable<UIMessageChunk>,
    );
    expect(chunks).toContainEqual({ type: 'error', errorText: 'told: down' });
  });

  it('an abort', async () => {
    const stop = new AbortController();
    const { run } = gated(
      () => {
        setTimeout(() => stop.abort(), 10);
        return new Promise(() => {});
      },
      { abortSignal: stop.signal },
    );
    const chunks = await collect(run.toUIMessageStream() as unknown as AsyncIterable<UIMessageChunk>);
    expect(chunks.at(-1)?.type).toBe('abort');
  });
});

describe('options and errors', () => {
  it("takes the SDK's options: metadata, message id, onFinish", async () => {
    const { run } = gated(() => true);
    let finished: UIMessage[] = [];
    const originalMessages: UIMessage[] = [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }];
    const { message } = await read(run, {
      originalMessages,
      generateMessageId: () => 'answer-1',
      messageMetadata: ({ part }: { part: { type: string } }) =>
        part.type === 'finish' ? { model: 'scripted' } : undefined,
      onFinish: ({ messages }: { messages: UIMessage[] }) => void (finished = messages),
    });
    expect(message).toMatchObject({ id: 'answer-1', metadata: { model: 'scripted' } });
    expect(finished.map(({ id }) => id)).toEqual(['u1', 'answer-1']);
  });

  it('the result is there as well', async () => {
    const { run } = gated(() => true);
    await read(run);
    expect((await run.result).text).toBe('Done.');
  });

  it('is refused when the run is being iterated', async () => {
    const { run } = gated(() => true);
    await run.next();
    expect(() => run.toUIMessageStream()).toThrow(/iterated/);
    await run.return();
  });

  it('a client that goes away cancels what waits', async () => {
    const gate = createGate();
    const { run, ran } = gated(undefined, { gate });
    const reader = (run.toUIMessageStream() as ReadableStream<UIMessageChunk>).getReader();
    while ((await reader.read()).value?.type !== 'tool-approval-request');
    await reader.cancel();
    expect(await gate.pending()).toEqual([]);
    expect(ran).toEqual([]);
    await expect(run.result).rejects.toThrow(/left/);
  });
});

describe('as a response', () => {
  it('is the event stream that useChat reads', async () => {
    const { run } = gated(() => true);
    const response = run.toUIMessageStreamResponse({ status: 201, headers: { 'x-mine': '1' } });
    expect(response.status).toBe(201);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'x-vercel-ai-ui-message-stream': 'v1',
      'x-mine': '1',
    });
    const body = await response.text();
    const data = body
      .trimEnd()
      .split('\n\n')
      .map((line) => line.replace(/^data: /, ''));
    expect(data.at(-1)).toBe('[DONE]');
    expect(JSON.parse(data[0] ?? '')).toMatchObject({ type: 'start' });
  });

  it('is read by a chat of the SDK', async () => {
    const { run } = gated(() => sleep(5).then(() => true));
    const transport = new ai.DefaultChatTransport({ fetch: async () => run.toUIMessageStreamResponse() });
    class Chat extends ai.AbstractChat<UIMessage> {}
    const state = {
      status: 'ready' as const,
      error: undefined,
      messages: [] as UIMessage[],
      pushMessage(message: UIMessage) {
        this.messages = [...this.messages, message];
      },
      popMessage() {
        this.messages = this.messages.slice(0, -1);
      },
      replaceMessage(index: number, message: UIMessage) {
        this.messages = this.messages.with(index, structuredClone(message));
      },
      snapshot: <T>(value: T): T => structuredClone(value),
    };
    const chat = new Chat({ transport, state: state as never });
    await chat.sendMessage({ text: 'go' });
    expect(chat.error).toBeUndefined();
    expect(toolParts(chat.lastMessage)).toMatchObject([{ state: 'output-available', output: 'deleted /a' }]);
  });
});
