/**
 * Another SQLite opens, reads and closes the ledger in the very process whose gate writes to it: again and again, at every
 * point of a step. When it closes the file the system lets go of the locks that SQLite has on it in this process.
 *
 *     second.mjs <ledger> <name> <how many requests>
 */
import { DatabaseSync } from 'node:sqlite';
import { createGate } from 'countersign';
import { say } from './lib.mjs';

const [path, name, count] = process.argv.slice(2);
const gate = createGate({ ledger: `sqlite:${path}` });
await gate.ready();
let writing = true;
let looks = 0;

/** SQLITE_BUSY, in the last byte of each code that says more: another process has the file now. */
const isBusy = (error) => (error.errcode & 0xff) === 5;

/** Reads and closes. What cannot be read now has been opened and closed all the same, which is what the locks are lost by. */
function look() {
  const other = new DatabaseSync(path, { readOnly: looks % 2 === 0 });
  try {
    other.prepare('SELECT count(*) FROM approval').get();
    looks++;
  } catch (error) {
    if (!isBusy(error)) throw error;
  } finally {
    other.close();
  }
}

const reading = (async () => {
  // oxlint-disable-next-line no-unmodified-loop-condition -- the requests below end it
  while (writing || looks <= 10) {
    look();
    await new Promise((turn) => setImmediate(turn));
  }
})();
const asked = gate.events();
const telling = (async () => {
  let told = 0;
  for await (const event of asked) {
    if (event.type !== 'requested' || event.request.runId !== name) continue;
    say('asked', event.request.approvalId, event.request.toolCallId);
    if (++told === Number(count)) break;
  }
})();
for (let number = 0; number < Number(count); number++) {
  const asking = gate.request({ runId: name, toolCallId: `${name}.${number}`, toolName: 't', args: { number } });
  // Nobody answers: they wait until the gate is closed.
  asking.catch((error) => error.code === 'ERR_GATE_CLOSED' || say('failed', error.code, error.message));
  if (number % 4 === 3) await gate.pending({ runId: name });
}
await telling;
writing = false;
await reading;
say('looks', looks);
await gate.close();
process.exit(0);
