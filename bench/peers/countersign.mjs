// @ts-check
// This package: one run, one iterator.

import { generateText, isStepCount, tool } from 'ai';
import { z } from 'zod';
import { conversationModel } from '../ai-sdk-model.mjs';
import { countersign } from '../app.mjs';
import { question, toolDescription, toolName, Witness } from '../conversation.mjs';

const { createGate, gateTools, streamWithEvents } = countersign;
const inputSchema = z.object({ path: z.string() });

const toolsSeenBy = (/** @type {Witness} */ witness) => ({
  [toolName]: tool({ description: toolDescription, inputSchema, execute: async (args) => witness.toolRan(args) }),
});

/** The run, with who answers. */
const started = (
  /** @type {Witness} */ witness,
  /** @type {Pick<Parameters<typeof streamWithEvents>[0], 'gate' | 'onApprovalRequest'>} */ answering,
) =>
  streamWithEvents({
    model: conversationModel(witness),
    tools: toolsSeenBy(witness),
    messages: [{ role: 'user', content: question }],
    interruptOn: { [toolName]: true },
    ...answering,
  });

/** The answer is given by a callback, as in a script. */
export async function run() {
  const witness = new Witness();
  let text = '';
  const run = started(witness, {
    onApprovalRequest: (request) => {
      witness.asked(request.toolName, request.args);
      return true;
    },
  });
  for await (const event of run) {
    if (event.type === 'step-start') text = '';
    else if (event.type === 'text') text += event.text;
  }
  witness.finished(text);
}

/** The answer is given through the gate, as by a server: one more native call, and one more wait. */
const gate = createGate();
export async function runThroughGate() {
  const witness = new Witness();
  let text = '';
  for await (const event of started(witness, { gate })) {
    if (event.type === 'step-start') text = '';
    else if (event.type === 'text') text += event.text;
    else if (event.type === 'approval-requested') {
      witness.asked(event.toolName, event.args);
      await gate.approve(event.approvalId);
    }
  }
  witness.finished(text);
}

/** Without streaming there is no iterator: the tools are gated inside the AI SDK's own `generateText`. */
export async function runWithoutStreaming() {
  const witness = new Witness();
  const result = await generateText({
    model: conversationModel(witness),
    tools: gateTools(toolsSeenBy(witness), {
      interruptOn: { [toolName]: true },
      onApprovalRequest: (request) => {
        witness.asked(request.toolName, request.args);
        return true;
      },
    }),
    messages: [{ role: 'user', content: question }],
    stopWhen: isStepCount(2),
  });
  witness.finished(result.text);
}
