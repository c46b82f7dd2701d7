/**
 * Decides all that waits, again and again, in an order of its own, until it is told to end. Most is approved. Where a human is
 * asked again, because it is unknown how far an execution came, it says no.
 *
 *     decider.mjs <ledger> <name>
 */
import { AlreadyDecidedError, createGate } from 'countersign';
import { randomOf, say, sleep } from './lib.mjs';

const [ledger, name] = process.argv.slice(2);
const random = randomOf(name);
const gate = createGate({ ledger });
await gate.ready();
say('ready');

const ending = new AbortController();
process.stdin.once('data', () => ending.abort());

/** What any of the deciders would say of this: so that each request has one right answer, and the races have many runners. */
const approves = ({ args, description }) => !description.startsWith('Asked again') && !args.path.endsWith('7.2');

async function decide(request) {
  const { approvalId } = request;
  try {
    const { decision } = await gate[approves(request) ? 'approve' : 'reject'](approvalId, { by: name });
    say('won', approvalId, name, decision.type);
  } catch (error) {
    if (AlreadyDecidedError.isInstance(error))
      return say('lost', approvalId, error.winner.decidedBy, error.winner.decision.type);
    // Without an answer the outcome is unknown, so it asks again.
    say('trouble', error.code, approvalId);
  }
}

while (!ending.signal.aborted) {
  try {
    const waiting = (await gate.pending()).toSorted(() => random() - 0.5);
    for (const request of waiting.slice(0, 20)) await decide(request);
    if (waiting.length === 0) await sleep(10);
  } catch (error) {
    say('trouble', error.code);
    await sleep(100);
  }
}
await gate.close();
say('finished');
process.exit(0);
