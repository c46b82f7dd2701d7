// @ts-check
/**
 * A chat in the browser whose tools wait for the person who chats: the server. The page is `app.tsx`.
 *
 *     node examples/react-app/server.mjs       (PORT=3000 unless set)
 */
import {
  convertToModelMessages,
  createUIMessageStream,
  createUIMessageStreamResponse,
  stepCountIs,
  streamText,
  tool,
} from 'ai';
import { createGate, gateTools, verifyApprovals, withApprovalDetails } from 'countersign';
import { z } from 'zod';
import { listen } from '../listen.mjs';
import { scriptedModel } from '../model.mjs';
import { buildPage } from './page.mjs';

/** @import { UIMessage } from 'ai' */

export const tools = {
  book_flight: tool({
    description: 'Books a flight',
    inputSchema: z.object({ from: z.string(), to: z.string() }),
    execute: async ({ from, to }) => {
      console.log(`ran book_flight ${from} ${to}`);
      return `booked ${from} to ${to}`;
    },
  }),
  send_email: tool({
    description: 'Sends an e-mail',
    inputSchema: z.object({ to: z.string(), text: z.string() }),
    execute: async ({ to, text }) => {
      console.log(`ran send_email ${to} ${text}`);
      return `told ${to}`;
    },
  }),
};

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  ...Array.from({ length: 20 }, () => [
    // "Book Lisbon to Oslo, tell Ada we are coming"
    (/** @type {string[]} */ _, /** @type {string} */ prompt) => {
      const [, from, to] = /(\S+) to ([^\s,]+)/.exec(prompt) ?? [];
      const [, whom, text] = /tell (\S+) (.+)/.exec(prompt) ?? [];
      const calls = [
        ...(from && to ? [{ tool: 'book_flight', args: { from, to } }] : []),
        ...(whom && text ? [{ tool: 'send_email', args: { to: whom, text } }] : []),
      ];
      return calls.length > 0 ? calls : 'Say for example: Book Lisbon to Oslo, tell Ada we are coming.';
    },
    (/** @type {string[]} */ results) => `Well: ${results.slice(-2).join(', ')}.`,
  ]).flat(),
);

const gate = createGate({ timeout: Number(process.env.APPROVAL_TIMEOUT ?? 300_000) });

/** The chats, by id. In an application: a database, and each chat belongs to somebody. @type {Map<string, UIMessage[]>} */
const chats = new Map();

/**
 * A turn ends where a human is asked. The answer comes back in the messages of the next request, and the client holds them: so
 * each answer is checked against the gate before the AI SDK sees it.
 *
 * @param {Request} request
 */
async function chat(request) {
  /** @type {{ id: string, messages: UIMessage[] }} */
  const { id, messages } = await request.json();
  const verified = await verifyApprovals(messages, gate, {
    runId: id,
    by: 'the user who is logged in',
    onRefused: ({ toolCallId, reason }) => console.log(`refused ${toolCallId}: ${reason}`),
  });
  chats.set(id, verified);
  const gated = gateTools(tools, {
    interruptOn: { book_flight: true, send_email: true },
    gate,
    mode: 'stop',
    runId: id,
  });
  const result = streamText({
    model,
    tools: gated,
    messages: await convertToModelMessages(verified, { tools: gated }),
    stopWhen: stepCountIs(5),
    abortSignal: request.signal,
  });
  return createUIMessageStreamResponse({
    stream: createUIMessageStream({
      originalMessages: verified,
      execute: ({ writer }) => {
        const chunks = result.toUIMessageStream({ originalMessages: verified });
        // Inside, so that the details are kept with the messages.
        writer.merge(withApprovalDetails(chunks, gate, { runId: id }));
      },
      onFinish: ({ messages: all }) => void chats.set(id, all),
    }),
  });
}

/** A chat as it stands, for a page that is opened again. @param {Request} request */
async function messagesOf(request) {
  return Response.json(chats.get(new URL(request.url).searchParams.get('id') ?? '') ?? []);
}

listen({ 'POST /api/chat': chat, 'GET /api/chat': messagesOf, ...(await buildPage()) });
