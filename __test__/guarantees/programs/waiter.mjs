/**
 * A run that deletes a file once a human says so, which writes a line into another; or the continuation of one.
 *
 *     waiter.mjs <ledger> <run id> <file of what ran> start|resume [timeout in ms] [ms that the tool takes]
 */
import { appendFileSync } from 'node:fs';
import * as ai from 'ai';
import { createGate, resume, streamWithEvents } from 'countersign';
import { calls, say, says, scripted, sleep } from './lib.mjs';

const [ledger, runId, ran, how, timeout = '60000', takes = '0'] = process.argv.slice(2);
const del = ai.tool({
  inputSchema: ai.jsonSchema({ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }),
  execute: async ({ path }) => {
    appendFileSync(ran, `del ${path}\n`);
    say('running', path);
    await sleep(Number(takes));
    return `deleted ${path}`;
  },
});
const gate = createGate({ ledger });
const options = { tools: { del }, interruptOn: 'all', gate, runId, approvalTimeout: Number(timeout) };
const run =
  how === 'resume'
    ? resume({ ...options, model: scripted(says('.')) })
    : streamWithEvents({ ...options, model: scripted(calls('/a'), says('.')), prompt: 'go' });
try {
  for await (const event of run) {
    if (event.type === 'approval-requested') say('asked', event.approvalId);
    else if (event.type === 'approval-response') say('answered', event.decision.type, event.decision.reason ?? '');
    else if (event.type === 'error') say('error', event.error.code, event.error.message);
    else if (event.type === 'tool-error') say('failed', event.error?.code ?? '', event.error?.message ?? event.error);
    else say('event', event.type);
  }
  say('end');
} catch (error) {
  say('threw', error.code, error.message);
}
await gate.close().catch((error) => say('not closed', error.code, error.message));
