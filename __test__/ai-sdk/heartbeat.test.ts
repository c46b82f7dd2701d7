/** Responses that stay open while a human thinks: what is silent for long is closed by servers and proxies. */
import * as ai from 'ai';
import type { UIMessageChunk } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { createGate, InvalidConfigError, withHeartbeat } from '../../ts/index.js';
import { PATIENTLY } from '../runtimes.js';
import { call, calls, says } from '../support/model.js';
import { start } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { fakeClock } from '../support/fake-clock.js';

// In memory: the timers are those of the response alone.
const asking = (gate = createGate({ ledger: 'memory:' })) => {
  const { ran, tools } = recordingTools();
  const turns = [calls(call('del', { path: '/a' }, 'c1')), says('Done.')];
  return { gate, ran, ...start({ turns, tools, interruptOn: { del: true }, gate }) };
};

/** Reads a body as text, one read after another. */
function reader(body: ReadableStream<Uint8Array> | null) {
  const from = (body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  return {
    next: async () => {
      const { done, value } = await from.read();
      return done ? undefined : decoder.decode(value, { stream: true });
    },
    cancel: () => from.cancel(),
  };
}

/** Reads on to where nothing comes but the answer of a human. */
async function silent(next: () => Promise<string | undefined>): Promise<void> {
  for (let text = await next(); text?.includes('"finish-step"') === false;) text = await next();
}

describe('a response that waits', () => {
  it('is not silent for longer than five seconds, and ends as ever', async () => {
    const clock = fakeClock();
    const { run, gate, ran } = asking();
    const { next } = reader(run.toUIMessageStreamResponse().body);
    await silent(next);
    for (let beats = 0; beats < 3; beats++) {
      const beat = next();
      await clock.tickAsync(4_999);
      let isThere = false;
      void beat.then(() => (isThere = true));
      await Promise.resolve();
      expect(isThere).toBe(false);
      await clock.tickAsync(1);
      expect(await beat).toBe(': waiting\n\n');
    }
    const [request] = await gate.pending();
    await gate.approve(request?.approvalId ?? '');
    let rest = '';
    for (let piece = await next(); piece !== undefined; piece = await next()) rest += piece;
    expect(rest).toMatch(/data: \[DONE\]\n\n$/);
    expect(ran).toEqual(['del /a']);
  });

  it('is read by the AI SDK as if there were no comments', async () => {
    const { run, gate } = asking();
    const response = run.toUIMessageStreamResponse({ heartbeat: 1 });
    const chunks: UIMessageChunk[] = [];
    const fetched = { fetch: async () => response, api: 'http://localhost/' };
    const stream = await new ai.DefaultChatTransport(fetched).sendMessages({
      trigger: 'submit-message',
      chatId: 'chat',
      messageId: undefined,
      messages: [],
      abortSignal: undefined,
    });
    let beats = 0;
    const timer = setInterval(() => beats++, 1);
    for await (const chunk of stream as unknown as AsyncIterable<UIMessageChunk>) {
      chunks.push(chunk);
      if (chunk.type !== 'tool-approval-request') continue;
      await vi.waitUntil(() => beats > 20, PATIENTLY);
      await gate.approve(chunk.approvalId);
    }
    clearInterval(timer);
    expect(chunks.map(({ type }) => type)).toContain('tool-output-available');
    expect(chunks.at(-1)?.type).toBe('finish');
  });

  it('heartbeat: false sends none, and what is no time is refused', async () => {
    const clock = fakeClock();
    const { run, gate } = asking();
    const { next } = reader(run.toUIMessageStreamResponse({ heartbeat: false }).body);
    await silent(next);
    const following = next();
    await clock.tickAsync(60_000);
    const [request] = await gate.pending();
    await gate.reject(request?.approvalId ?? '');
    expect(await following).toMatch(/^data: /);
    for (const heartbeat of [0, -1, Number.NaN, '5s' as never])
      expect(() => asking().run.toUIMessageStreamResponse({ heartbeat })).toThrow(InvalidConfigError);
  });

  it('that is cancelled leaves the run, and no timer behind', async () => {
    const clock = fakeClock();
    const { run, gate } = asking();
    const { next, cancel } = reader(run.toUIMessageStreamResponse().body);
    await silent(next);
    const waiting = next();
    await cancel();
    expect(await waiting).toBeUndefined();
    expect(await gate.pending()).toEqual([]);
    expect(clock.countTimers()).toBe(0);
  });
});

describe('withHeartbeat', () => {
  it('leaves out the length, to which its comments come', () => {
    const given = new Response('data: a\n\n', {
      headers: { 'content-type': 'text/event-stream', 'content-length': '9' },
    });
    const { headers } = withHeartbeat(given);
    expect([...headers.keys()]).toEqual(['content-type']);
    expect(given.headers.get('content-length')).toBe('9');
  });

  const bytes = (text: string) => new TextEncoder().encode(text);
  const source = () => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
    return { body, controller: controller as unknown as ReadableStreamDefaultController<Uint8Array> };
  };

  it.each(['data: 1\n', 'data: 1\r\n', 'da', 'data: 1\n\ndata: 2\n'])(
    'never breaks an event in two: %j',
    async (begun) => {
      const clock = fakeClock();
      const { body, controller } = source();
      const { next } = reader(withHeartbeat(new Response(body)).body);
      controller.enqueue(bytes(begun));
      expect(await next()).toBe(begun);
      const rest = next();
      await clock.tickAsync(20_000);
      controller.enqueue(bytes('\n\n'));
      expect(await rest).toBe('\n\n');
      const beat = next();
      await clock.tickAsync(5_000);
      expect(await beat).toBe(': waiting\n\n');
    },
  );

  it.each(['data: 1\n\n', 'data: 1\r\n\r\n', 'data: 1\r\r'])('knows the end of an event: %j', async (event) => {
    const clock = fakeClock();
    const { body, controller } = source();
    const { next } = reader(withHeartbeat(new Response(body), { every: 10 }).body);
    for (const byte of bytes(event)) {
      controller.enqueue(Uint8Array.of(byte));
      await next();
    }
    const beat = next();
    await clock.tickAsync(10);
    expect(await beat).toBe(': waiting\n\n');
  });

  it('is not written full where it is to be silent for longer than a timer can be', async () => {
    const clock = fakeClock();
    const { next, cancel } = reader(withHeartbeat(new Response(new ReadableStream()), { every: 30 * 86_400_000 }).body);
    const first = next();
    let isWritten = false;
    void first.then(() => (isWritten = true));
    await clock.tickAsync(1_000);
    expect(isWritten).toBe(false);
    await cancel();
    await first;
  });

  it('keeps status and headers, and a response without a body', async () => {
    const given = new Response(source().body, {
      status: 201,
      headers: { 'x-a': 'b', 'content-type': 'text/event-stream' },
    });
    const { status, headers } = withHeartbeat(given);
    expect([status, headers.get('x-a'), headers.get('content-type')]).toEqual([201, 'b', 'text/event-stream']);
    const empty = new Response(null, { status: 204 });
    expect(withHeartbeat(empty)).toBe(empty);
    expect(() => withHeartbeat(empty, { every: 0 })).toThrow(InvalidConfigError);
  });

  it.each([{}, null, undefined, 'x', new ReadableStream(), { body: 'x', status: 200, headers: {} }])(
    'of what is no response (%o) says what is meant',
    (given) => {
      expect(() => withHeartbeat(given as never)).toThrow(
        expect.objectContaining({
          code: 'ERR_INVALID_CONFIG',
          message: expect.stringContaining('Response') as unknown,
        }),
      );
    },
  );

  it('hands an error of the stream on', async () => {
    const { body, controller } = source();
    const { next } = reader(withHeartbeat(new Response(body)).body);
    controller.error(new Error('broken'));
    await expect(next()).rejects.toThrow('broken');
  });
});
