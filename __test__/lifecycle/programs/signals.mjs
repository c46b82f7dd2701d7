/** SIGINT while a human is asked. */
import { createGate, streamWithEvents } from 'countersign';
import { calls, del, say, says, scripted } from './lib.mjs';

const stop = new AbortController();
const gate = createGate();
if (process.argv[2] === 'handled') {
  process.once('SIGINT', () => {
    say('stopping');
    process.exitCode = 3;
    stop.abort(new Error('SIGINT'));
  });
}
const run = streamWithEvents({
  model: scripted(calls('/a'), says('.')),
  tools: { del },
  prompt: 'go',
  interruptOn: 'all',
  gate,
  abortSignal: stop.signal,
});
for await (const { type, decision } of run) {
  if (type === 'approval-requested') say('asked');
  if (type === 'approval-response') say(decision.type);
  if (type === 'abort') say('aborted', (await gate.pending()).length);
}
say('end');
