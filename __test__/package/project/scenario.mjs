/** One run with two gated tools, one call approved and one rejected, on whichever AI SDK is installed. */
import { tool } from 'ai';
import * as aiTest from 'ai/test';
import { z } from 'zod';

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
const finish = (unified) => ({ type: 'finish', finishReason: { unified, raw: unified }, usage });
export const call = (toolName, input) => ({
  type: 'tool-call',
  toolName,
  toolCallId: `call-${toolName}`,
  input: JSON.stringify(input),
});
export const says = (text) => [
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: text },
  { type: 'text-end', id: '1' },
];

/** A model that says these turns. */
export function modelOf(turns) {
  const left = turns.map((parts) => [
    ...parts,
    finish(parts.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop'),
  ]);
  const Mock = aiTest.MockLanguageModelV4 ?? aiTest.MockLanguageModelV3;
  return new Mock({
    doStream: async () => ({
      stream: aiTest.simulateReadableStream({ chunks: [{ type: 'stream-start', warnings: [] }, ...left.shift()] }),
    }),
  });
}

export async function scenario({ streamWithEvents }) {
  const ran = [];
  const run = streamWithEvents({
    model: modelOf([[call('send', { to: 'ada' }), call('wipe', { path: '/' })], says('done')]),
    prompt: 'go',
    tools: {
      send: tool({
        inputSchema: z.object({ to: z.string() }),
        execute: async (args) => {
          ran.push(['send', args]);
          return 'sent';
        },
      }),
      wipe: tool({
        inputSchema: z.object({ path: z.string() }),
        execute: async (args) => {
          ran.push(['wipe', args]);
          return 'wiped';
        },
      }),
    },
    interruptOn: { send: true, wipe: true },
    onApprovalRequest: (request) => (request.toolName === 'send' ? true : { type: 'reject', reason: 'too much' }),
  });
  const requested = [];
  const answered = [];
  for await (const event of run) {
    if (event.type === 'approval-requested') requested.push(event.toolName);
    if (event.type === 'approval-response') answered.push([event.toolName, event.approved, event.reason ?? null]);
  }
  const { text } = await run.result;
  console.log(JSON.stringify({ requested: requested.toSorted(), answered: answered.toSorted(), ran, text }));
}
