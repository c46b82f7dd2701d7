/**
 * Decides everything that waits, four times at once, each in an order of its own: half of them approve, half reject.
 *
 *     racer.mjs <ledger> <name>
 */
import { AlreadyDecidedError, createGate } from 'countersign';
import { randomOf, say } from './lib.mjs';

const [ledger, name] = process.argv.slice(2);
const random = randomOf(name);
const gate = createGate({ ledger });
const ids = (await gate.pending()).map(({ approvalId }) => approvalId);
say('ready', ids.length);
await new Promise((go) => process.stdin.once('data', go));

const shuffled = (list) =>
  list
    .map((value) => [random(), value])
    .toSorted(([left], [right]) => left - right)
    .map(([, value]) => value);

async function race(number) {
  const by = `${name}.${number}`;
  for (const id of shuffled(ids)) {
    try {
      const record = await (number % 2 === 0 ? gate.approve(id, { by }) : gate.reject(id, { by }));
      said.push(`won ${id} ${record.decidedBy} ${record.decision.type}`);
    } catch (error) {
      const { winner } = error;
      if (AlreadyDecidedError.isInstance(error)) said.push(`lost ${id} ${winner.decidedBy} ${winner.decision.type}`);
      else said.push(`odd ${id} ${error.code} ${error.message}`);
    }
  }
}

const said = [];
await Promise.all([0, 1, 2, 3].map(race));
say(said.join('\n'));
await gate.close();
process.exit(0);
