/** `use-chat-route.mjs` as a server, driven by its own client and by browsers that do not play fair. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DefaultChatTransport, isToolUIPart, readUIMessageStream, type UIMessage } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { exec, PATIENTLY } from '../runtimes.js';
import { isThorough } from '../support/effort.js';

const root = join(import.meta.dirname, '../..');

let server: ChildProcess;
let url: string;
/** A message that asks for an approval. */
let message: UIMessage;
/** What the server has printed since the last test. */
let printed = '';

beforeAll(async () => {
  server = spawn(process.execPath, ['examples/use-chat-route.mjs'], {
    cwd: root,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  server.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await vi.waitFor(() => expect(printed).toContain('listening on'), PATIENTLY);
  url = /http:\S+/.exec(printed)![0];
  message = (await askedChat()).asked;
});

afterAll(async () => {
  if (server.exitCode !== null) return;
  server.kill();
  await once(server, 'exit');
});

beforeEach(() => {
  printed = '';
});

const RAN = 'ran book_flight LIS OSL\n';
/** What the server prints about an answer to a call of another chat. */
const FORGED = 'refused call_1: Nobody was asked about this call here.\n';
/**
 * What was printed so far. The server is given something else to print: what it prints only then is behind all that it printed
 * before.
 */
async function settled(): Promise<string> {
  const count = () => printed.split(FORGED).length;
  const before = count();
  await send('/api/chat', `nobody-${++chats}`, [user(), answer(message, true)]);
  await vi.waitFor(() => expect(count()).toBeGreaterThan(before), PATIENTLY);
  expect(printed.endsWith(FORGED)).toBe(true);
  printed = printed.slice(0, -FORGED.length);
  return printed;
}

describe.each(isThorough ? ['stop', 'live'] : ['live'])('the client of the examples, %s', (mode) => {
  test.each([
    { answer: 'approve', state: 'output-available', said: 'The flight: booked LIS to OSL.', ran: RAN },
    { answer: 'reject', state: 'output-denied', said: 'The flight: not run (not today).', ran: '' },
  ])('$answer', async ({ answer, state, said, ran }) => {
    const args = ['examples/use-chat-client.mjs', url, mode];
    const done = await exec(process.execPath, args, { cwd: root, env: { COUNTERSIGN_AUTO: answer } });
    expect(done.stderr).toBe('');
    expect(done.code).toBe(0);
    expect(done.stdout).toContain('from: LIS');
    expect(done.stdout).toContain(`tool-book_flight: ${state}\n${said}`);
    expect(await settled()).toBe(ran);
  });
});

/** One request of a browser, and the assistant's message that came of it. */
async function send(api: string, chatId: string, messages: UIMessage[]): Promise<UIMessage> {
  const last = messages.at(-1);
  const stream = await new DefaultChatTransport({ api: `${url}${api}` }).sendMessages({
    chatId,
    messages,
    trigger: 'submit-message',
    messageId: undefined,
    abortSignal: undefined,
  });
  let message: UIMessage | undefined;
  const start = last?.role === 'assistant' ? { message: structuredClone(last) } : {};
  for await (const each of readUIMessageStream({ stream, ...start })) message = each;
  return message!;
}

const user = (): UIMessage => ({ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Book it.' }] });

/** The message with every open request answered. */
function answer(
  message: UIMessage,
  approved: boolean,
  change: (input: object) => object = (input) => input,
): UIMessage {
  const parts = message.parts.map((part) => {
    if (!isToolUIPart(part) || part.state !== 'approval-requested') return part;
    const approval = { ...part.approval, approved };
    return { ...part, state: 'approval-responded', input: change(part.input as object), approval };
  });
  return { ...message, parts } as UIMessage;
}

const toolState = (message: UIMessage) => message.parts.find(isToolUIPart)?.state;
const textOf = (message: UIMessage) =>
  message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join();

let chats = 0;
async function askedChat() {
  const id = `chat-${++chats}-of-test`;
  const asked = await send('/api/chat', id, [user()]);
  expect(toolState(asked)).toBe('approval-requested');
  return { id, asked };
}

describe('answers in the messages', () => {
  test('an approval runs the tool once, however often it is sent', async () => {
    const { id, asked } = await askedChat();
    const approved = [user(), answer(asked, true)];
    const first = await send('/api/chat', id, approved);
    expect(toolState(first)).toBe('output-available');
    const again = await send('/api/chat', id, approved);
    expect(toolState(again)).toBe('output-denied');
    expect(await settled()).toBe(`${RAN}refused call_1: This request is over (succeeded): an answer counts once.\n`);
  });

  test('two at the same moment run it once', async () => {
    const { id, asked } = await askedChat();
    const approved = [user(), answer(asked, true)];
    await Promise.all([1, 2, 3].map(() => send('/api/chat', id, approved).catch(() => {})));
    expect((await settled()).split(RAN).length - 1).toBe(1);
  });

  test('a rejection cannot be turned into an approval', async () => {
    const { id, asked } = await askedChat();
    expect(textOf(await send('/api/chat', id, [user(), answer(asked, false)]))).toContain('not run');
    expect(toolState(await send('/api/chat', id, [user(), answer(asked, true)]))).toBe('output-denied');
    expect(await settled()).toContain('refused call_1: This request is over (rejected)');
    expect(printed).not.toContain(RAN);
  });

  test('other arguments than those asked about do not run', async () => {
    const { id, asked } = await askedChat();
    const swapped = answer(asked, true, (input) => ({ ...input, to: 'JFK' }));
    expect(toolState(await send('/api/chat', id, [user(), swapped]))).toBe('output-denied');
    expect(await settled()).toBe('refused call_1: The call in the conversation is not the one that was asked about.\n');
  });

  test('an approval of a call that nobody was asked about does not run', async () => {
    const { asked } = await askedChat();
    const answered = await send('/api/chat', 'another-chat', [user(), answer(asked, true)]);
    expect(toolState(answered)).toBe('output-denied');
    expect(await settled()).toBe('refused call_1: Nobody was asked about this call here.\n');
  });
});

describe('a response that stays open', () => {
  const decide = async (body: object) => {
    const response = await fetch(`${url}/api/decide`, { method: 'POST', body: JSON.stringify(body) });
    return {
      status: response.status,
      code: response.status === 409 ? ((await response.json()) as { code: string }).code : '',
    };
  };

  /** What the model said, from the stream's pieces. */
  const spoken = (events: string) =>
    [...events.matchAll(/"delta":("(?:[^"\\]|\\.)*")/g)].map(([, piece]) => JSON.parse(piece!) as string).join('');

  async function open(id: string, signal?: AbortSignal) {
    const body = JSON.stringify({ id, messages: [user()] });
    const response = await fetch(`${url}/api/live`, { method: 'POST', body, ...(signal ? { signal } : {}) });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const until = async (wanted: string) => {
      while (!text.includes(wanted)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`ended without ${wanted}: ${text}`);
        text += value;
      }
      return text;
    };
    const approvalId = /"approvalId":"([^"]+)"/.exec(await until('approvalId'))![1]!;
    return { approvalId, until };
  }

  test('the first decision wins, and the response goes on', async () => {
    const { approvalId, until } = await open('live-1');
    expect(await settled()).toBe('');
    expect(await decide({ approvalId, approved: true })).toEqual({ status: 204, code: '' });
    expect(await decide({ approvalId, approved: false })).toEqual({ status: 409, code: 'ERR_ALREADY_DECIDED' });
    expect(spoken(await until('[DONE]'))).toBe('The flight: booked LIS to OSL.');
    expect(await settled()).toBe(RAN);
  });

  test('what is no decision changes nothing', async () => {
    const { approvalId, until } = await open('live-2');
    expect((await decide({ approvalId, approved: 'yes' })).code).toBe('ERR_INVALID_DECISION');
    expect((await decide({ approvalId: 'nobody', approved: true })).code).toBe('ERR_UNKNOWN_APPROVAL');
    expect(await settled()).toBe('');
    expect((await decide({ approvalId, approved: false, reason: 'too far' })).status).toBe(204);
    expect(spoken(await until('[DONE]'))).toBe('The flight: not run (too far).');
    expect(await settled()).toBe('');
  });

  test('a browser that leaves takes its request with it', async () => {
    const leaving = new AbortController();
    const { approvalId } = await open('live-3', leaving.signal);
    leaving.abort();
    await vi.waitFor(async () => {
      expect(await (await fetch(`${url}/api/pending?chat=live-3`)).json()).toEqual([]);
    }, PATIENTLY);
    expect((await decide({ approvalId, approved: true })).code).toBe('ERR_ALREADY_DECIDED');
    expect(await settled()).toBe('');
  });
});
