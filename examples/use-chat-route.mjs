// @ts-check
/**
 * The server behind `useChat`, twice: with a turn that ends at the approval, and with a response that stays open.
 *
 *     node examples/use-chat-route.mjs                          (PORT=3000 unless set)
 *     node examples/use-chat-client.mjs http://localhost:3000   (in place of a browser; `live` behind it for the second)
 */
import { convertToModelMessages, stepCountIs, streamText, tool } from 'ai';
import { CountersignError, createGate, gateTools, streamWithEvents, verifyApprovals } from 'countersign';
import { z } from 'zod';
import { listen } from './listen.mjs';
import { scriptedModel } from './model.mjs';

/** @import { UIMessage } from 'ai' */
/** @import { InterruptOn } from 'countersign' */

const tools = {
  book_flight: tool({
    description: 'Books a flight',
    inputSchema: z.object({ from: z.string(), to: z.string() }),
    execute: async ({ from, to }) => {
      console.log(`ran book_flight ${from} ${to}`);
      return `booked ${from} to ${to}`;
    },
  }),
};

/** @type {InterruptOn<typeof tools>} */
const interruptOn = { book_flight: true };

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [{ tool: 'book_flight', args: { from: 'LIS', to: 'OSL' } }],
  (results) => `The flight: ${results.at(-1)}.`,
);

// One for the whole server: it knows what was asked, so any client may send the answer.
const gate = createGate();

/**
 * The turn ends at the approval. The answer comes back in the messages of the next request, and the client holds them: so
 * each answer is checked against the gate before the AI SDK sees it.
 *
 * @param {Request} request
 */
async function chat(request) {
  // In an application: check that the chat belongs to the user who is logged in.
  /** @type {{ id: string, messages: UIMessage[] }} */
  const { id, messages } = await request.json();
  const verified = await verifyApprovals(messages, gate, {
    runId: id,
    by: 'the user who is logged in',
    onRefused: ({ toolCallId, reason }) => console.log(`refused ${toolCallId}: ${reason}`),
  });
  const gated = gateTools(tools, { interruptOn, gate, mode: 'stop', runId: id });
  const result = streamText({
    model,
    tools: gated,
    messages: await convertToModelMessages(verified, { tools: gated }),
    stopWhen: stepCountIs(5),
    abortSignal: request.signal,
  });
  return result.toUIMessageStreamResponse({ originalMessages: verified });
}

/**
 * The response stays open until the human has decided, through a request of its own: see {@link decide}. Closing the page cancels
 * the request.
 *
 * @param {Request} request
 */
async function live(request) {
  /** @type {{ id: string, messages: UIMessage[] }} */
  const { id, messages } = await request.json();
  return streamWithEvents({
    model,
    tools,
    messages: await convertToModelMessages(messages, { tools }),
    interruptOn,
    gate,
    runId: id,
    abortSignal: request.signal,
  }).toUIMessageStreamResponse({ originalMessages: messages });
}

/** @param {Request} request */
async function decide(request) {
  const { approvalId, approved, reason } = await request.json();
  try {
    await gate.decide(approvalId, { approved, reason }, { by: 'the user who is logged in' });
    return new Response(null, { status: 204 });
  } catch (error) {
    // Decided before, expired, unknown, malformed: in each case nothing has changed.
    if (!CountersignError.isInstance(error)) throw error;
    return Response.json({ code: error.code, message: error.message }, { status: 409 });
  }
}

/** What waits in a chat, with the text that is safe to show. @param {Request} request */
async function pending(request) {
  const runId = new URL(request.url).searchParams.get('chat') ?? '';
  const requests = await gate.pending({ runId });
  return Response.json(requests.map(({ toolCallId, preview, flags }) => ({ toolCallId, preview, flags })));
}

listen({
  'POST /api/chat': chat,
  'POST /api/live': live,
  'POST /api/decide': decide,
  'GET /api/pending': pending,
});
