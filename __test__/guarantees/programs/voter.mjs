/**
 * Approves everything that waits, twice at once, in an order of its own, as one person.
 *
 *     voter.mjs <ledger> <name>
 */
import { createGate } from 'countersign';
import { randomOf, say } from './lib.mjs';

const [ledger, name] = process.argv.slice(2);
const random = randomOf(name);
const gate = createGate({ ledger, groups: { voters: [name] } });
const ids = (await gate.pending()).map(({ approvalId }) => approvalId);
say('ready', ids.length);
await new Promise((go) => process.stdin.once('data', go));

const said = [];
async function vote() {
  for (const id of ids.toSorted(() => random() - 0.5)) {
    try {
      const { status, votes } = await gate.approve(id, { by: name });
      said.push(`${status} ${id} ${votes.map(({ by }) => by).join()}`);
    } catch (error) {
      said.push(`${error.code} ${id}`);
    }
  }
}
await Promise.all([vote(), vote()]);
say(said.join('\n'));
await gate.close();
process.exit(0);
