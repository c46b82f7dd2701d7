// @ts-check
/**
 * A gate stands between the run and the approver: the run waits, and the approver uses the gate from elsewhere in the process.
 * Neither knows of the other.
 *
 *     node examples/event-driven.mjs
 */
import { tool } from 'ai';
import { AlreadyDecidedError, createGate, streamWithEvents } from 'countersign';
import { z } from 'zod';
import { askOnTerminal } from './ask.mjs';
import { scriptedModel } from './model.mjs';

/** @import { Gate } from 'countersign' */

const tools = {
  send_mail: tool({
    description: 'Sends a mail',
    inputSchema: z.object({ to: z.string(), subject: z.string() }),
    execute: async ({ to, subject }) => `sent "${subject}" to ${to}`,
  }),
};

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [
    { tool: 'send_mail', args: { to: 'ada@example.com', subject: 'Lunch' } },
    { tool: 'send_mail', args: { to: 'everyone@example.com', subject: 'Lunch' } },
  ],
  (results) => `What became of the mails: ${results.join('; ')}.`,
);

// A request that nobody answers within 60,000 ms is `expired`, and its tool does not run.
const gate = createGate({ timeout: 60_000 });

/** It could as well be a web page or a chat bot: all it needs is the gate. @param {Gate} gate */
async function approver(gate) {
  for await (const event of gate.events()) {
    if (event.type !== 'requested') continue;
    const { approvalId } = event.request;
    const decision = await askOnTerminal(event.request);
    await gate.decide(approvalId, decision, { by: 'mia' });

    // The first decision stands. Somebody who comes second is told who was first.
    await gate.reject(approvalId, 'too late', { by: 'noah' }).catch((error) => {
      if (!AlreadyDecidedError.isInstance(error)) throw error;
      console.log(`noah is too late: ${error.winner.decidedBy} said ${error.winner.decision?.type}`);
    });
  }
}

const approving = approver(gate);

for await (const event of streamWithEvents({
  model,
  tools,
  prompt: 'Invite Ada to lunch.',
  interruptOn: { send_mail: true },
  gate,
})) {
  if (event.type === 'text') process.stdout.write(event.text);
  else if (event.type === 'approval-requested') console.log(`waiting for an approval of ${event.toolCallId}`);
  else if (event.type === 'tool-result') console.log('ran:', event.result);
  else if (event.type === 'tool-denied') console.log(`did not run: ${event.toolName} to ${JSON.stringify(event.args)}`);
}
console.log();

await gate.close(); // Ends `events()`, so that the approver goes home.
await approving;
