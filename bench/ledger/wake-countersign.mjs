// @ts-check
// Both sides of P8 on countersign: `node wake-countersign.mjs agent|human <ledger>`, which talk through who started them. The
// agent has a conversation at a time through `streamWithEvents` and says when its iterator was told; the human decides.

import { tool } from 'ai';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { conversationModel } from '../ai-sdk-model.mjs';
import { countersign } from '../app.mjs';
import { question, toolDescription, toolName, Witness } from '../conversation.mjs';
import { now, pause } from './wake-task.mjs';

const [role, ledger] = process.argv.slice(2);
const gate = countersign.createGate({ ledger: /** @type {'sqlite:'} */ (ledger) });
await gate.ready();
const tell = (/** @type {object} */ what) => process.send?.(what);

async function converse() {
  const witness = new Witness();
  const inputSchema = z.object({ path: z.string() });
  let told = 0;
  let text = '';
  for await (const event of countersign.streamWithEvents({
    model: conversationModel(witness),
    tools: {
      [toolName]: tool({ description: toolDescription, inputSchema, execute: async (args) => witness.toolRan(args) }),
    },
    messages: [{ role: 'user', content: question }],
    interruptOn: { [toolName]: true },
    gate,
  })) {
    if (event.type === 'approval-response') told = now();
    else if (event.type === 'step-start') text = '';
    else if (event.type === 'text') text += event.text;
    else if (event.type === 'approval-requested') {
      witness.asked(event.toolName, event.args);
      tell({ asked: event.approvalId });
    }
  }
  witness.finished(text);
  tell({ told });
}

process.on('message', async (/** @type {any} */ { round, id }) => {
  if (role === 'agent') return converse();
  await setTimeout(pause(round));
  const start = now();
  await gate.approve(id, { by: 'somebody' });
  tell({ start, done: now() });
});
process.once('disconnect', () => process.exit());
tell({ ready: true });
