/**
 * One turn of a chat on a server: it verifies the answers in the messages it gets, and lets the model go on.
 *
 *     chat.mjs <ledger> <file of what ran>      the messages on one line of standard input
 */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import * as ai from 'ai';
import { createGate, gateTools, verifyApprovals } from 'countersign';
import { calls, say, says, scripted } from './lib.mjs';

const [ledger, ran] = process.argv.slice(2);
const del = ai.tool({
  inputSchema: ai.jsonSchema({ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }),
  execute: async ({ path }) => {
    appendFileSync(ran, `del ${path}\n`);
    return `deleted ${path}`;
  },
});
const gate = createGate({ ledger });
await gate.ready();
say('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const messages = JSON.parse(line);
  const isFirst = messages.length === 1;
  const { doStream, ...model } = scripted(isFirst ? calls('/a') : says('.'));
  const tools = gateTools({ del }, { gate, mode: 'stop', interruptOn: 'all', runId: 'chat' });
  try {
    const result = ai.streamText({
      model: { ...model, doStream },
      messages: await verifyApprovals(messages, gate, { runId: 'chat' }),
      tools,
      maxRetries: 0,
      onError: ({ error }) => say('failed', error?.message),
    });
    await result.consumeStream();
    const { messages: added } = await result.response;
    say('messages', JSON.stringify([...messages, ...added]));
  } catch (error) {
    say('threw', error.code, error.message);
  }
  break;
}
await gate.close();
process.exit(0);
