/**
 * Asks, decides what anybody asks, and executes, without end. Each acknowledgement of the ledger is printed on a line, at once.
 *
 *     worker.mjs <ledger> <name> <file of what ran>
 */
import { appendFileSync } from 'node:fs';
import * as ai from 'ai';
import { AlreadyDecidedError, createGate, gateTools } from 'countersign';
import { randomOf, say, sleep } from './lib.mjs';

const [ledger, name, ran] = process.argv.slice(2);
const random = randomOf(name);
const gate = createGate({ ledger });
await gate.ready();
say('open');

const write = ai.tool({
  inputSchema: ai.jsonSchema({ type: 'object' }),
  execute: async ({ line }) => {
    appendFileSync(ran, `${line}\n`);
    return line;
  },
});

/** Asks for one execution after the other; anybody may answer. */
async function ask(task) {
  for (let number = 0; ; number++) {
    const line = `${name}.${task}.${number}`;
    const onApprovalRequest = ({ approvalId }) => {
      say('asked', approvalId, line);
      return new Promise(() => {});
    };
    const tools = gateTools({ write }, { gate, interruptOn: 'all', runId: name, onApprovalRequest });
    const result = await tools.write.execute({ line }, { toolCallId: line, messages: [] });
    if (result === line) say('done', line);
    else if (result?.type !== 'execution-denied') say('odd', JSON.stringify(result));
  }
}

/** Decides all that waits, of any process. */
async function decide(by) {
  for (;;) {
    for (const { approvalId } of await gate.pending()) {
      try {
        const approves = random() < 0.8;
        const { decision } = await (approves ? gate.approve(approvalId, { by }) : gate.reject(approvalId, { by }));
        say('decided', approvalId, by, decision.type);
      } catch (error) {
        if (!AlreadyDecidedError.isInstance(error)) throw error;
        say('lost', approvalId, error.winner.decidedBy, error.winner.decision.type);
      }
    }
    await sleep(1);
  }
}

await Promise.all([ask(0), ask(1), decide(`${name}.a`), decide(`${name}.b`)]);
