/**
 * A ledger on a disk that gets full and is freed again; the disk is at /mnt.
 *
 *     full.mjs
 */
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import * as ai from 'ai';
import { createGate, gateTools } from 'countersign';
import { say, sleep } from './lib.mjs';

const ledger = 'sqlite:/mnt/approvals.db';
const gate = createGate({ ledger });
await gate.ready();

// What waits when the disk gets full.
let ran = 0;
const del = ai.tool({ inputSchema: ai.jsonSchema({ type: 'object' }), execute: () => (ran++, 'deleted') });
const tools = gateTools({ del }, { gate, interruptOn: 'all', runId: 'run' });
const running = tools.del.execute({}, { toolCallId: 'c1', messages: [] });
let waiting;
while (waiting === undefined) [waiting] = await gate.pending({ runId: 'run' });

/** Requests until one fails, with what they were acknowledged as. */
const acknowledged = [];
async function fill(size) {
  for (let number = 0; number < 2_000; number++) {
    const id = await new Promise((resolve) => {
      const onApprovalRequest = ({ approvalId }) => (resolve(approvalId), new Promise(() => {}));
      const one = gateTools({ del }, { gate, interruptOn: 'all', runId: 'fill', onApprovalRequest });
      const toolCallId = `${size}.${number}`;
      const call = one.del.execute({ text: 'x'.repeat(size) }, { toolCallId, messages: [] });
      call.then((result) => resolve(result), resolve);
    });
    if (typeof id !== 'string') return id.reason ?? id.message;
    acknowledged.push(id);
  }
  return 'never';
}
const { bavail, bsize } = statfsSync('/mnt');
writeFileSync('/mnt/ballast', Buffer.alloc(Math.max(0, bavail * bsize - 600_000)));
say('full', await fill(20_000));
say('full', await fill(10));
say('acknowledged', acknowledged.length);

const refused = (error) => `${error.code} ${error.message}`;
say('approved', await gate.approve(waiting.approvalId).then(() => 'yes', refused));
say('asked', await gate.request({ toolName: 't', args: { text: 'x'.repeat(20_000) } }).then(() => 'yes', refused));
// While the disk is full: what is there can be read, and nothing has run.
const there = async (from) => (await Promise.all(acknowledged.map((id) => from.get(id)))).filter(Boolean).length;
say('there', await there(gate), ran);
say(
  'opened',
  await createGate({ ledger })
    .ready()
    .then(() => 'yes', refused),
);

rmSync('/mnt/ballast');
await sleep(10);
say('approved', await gate.approve(waiting.approvalId).then(() => 'yes', refused));
say('ran', await running, ran);
const again = createGate({ ledger });
say('there', await there(again), ran);
say('verified', (await again.audit.verify()).ok);
process.exit(0);
