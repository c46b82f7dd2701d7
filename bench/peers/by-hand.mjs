// @ts-check
// What everything is compared with: the AI SDK's own two calls, written out by hand as its documentation shows them.

import { generateText, isStepCount, streamText, tool } from 'ai';
import { z } from 'zod';
import { conversationModel } from '../ai-sdk-model.mjs';
import { question, toolDescription, toolName, Witness } from '../conversation.mjs';

const inputSchema = z.object({ path: z.string() });

const toolsSeenBy = (/** @type {Witness} */ witness) => ({
  [toolName]: tool({
    description: toolDescription,
    inputSchema,
    needsApproval: true,
    execute: async (args) => witness.toolRan(args),
  }),
});

export async function run() {
  const witness = new Witness();
  const model = conversationModel(witness);
  const tools = toolsSeenBy(witness);
  /** @type {import('ai').ModelMessage[]} */
  const messages = [{ role: 'user', content: question }];

  const first = streamText({ model, tools, messages });
  /** @type {import('ai').ToolApprovalResponse[]} */
  const answers = [];
  for await (const part of first.fullStream) {
    if (part.type === 'tool-approval-request') {
      witness.asked(part.toolCall.toolName, part.toolCall.input);
      answers.push({ type: 'tool-approval-response', approvalId: part.approvalId, approved: true });
    }
  }
  messages.push(...(await first.responseMessages), { role: 'tool', content: answers });

  const second = streamText({ model, tools, messages });
  let text = '';
  for await (const part of second.fullStream) {
    if (part.type === 'text-delta') text += part.text;
  }
  messages.push(...(await second.responseMessages));
  witness.finished(text);
}

export async function runWithoutStreaming() {
  const witness = new Witness();
  const model = conversationModel(witness);
  const tools = toolsSeenBy(witness);
  /** @type {import('ai').ModelMessage[]} */
  const messages = [{ role: 'user', content: question }];

  const first = await generateText({ model, tools, messages });
  /** @type {import('ai').ToolApprovalResponse[]} */
  const answers = [];
  for (const part of first.content) {
    if (part.type === 'tool-approval-request') {
      witness.asked(part.toolCall.toolName, part.toolCall.input);
      answers.push({ type: 'tool-approval-response', approvalId: part.approvalId, approved: true });
    }
  }
  messages.push(...first.responseMessages, { role: 'tool', content: answers });

  const second = await generateText({ model, tools, messages });
  messages.push(...second.responseMessages);
  witness.finished(second.text);
}

/** The same conversation without asking: one call of two steps. */
export async function runUngated() {
  const witness = new Witness({ gated: false });
  const tools = { [toolName]: { ...toolsSeenBy(witness)[toolName], needsApproval: undefined } };
  let text = '';
  for await (const part of streamText({
    model: conversationModel(witness),
    tools,
    messages: [{ role: 'user', content: question }],
    stopWhen: isStepCount(2),
  }).fullStream) {
    if (part.type === 'start-step') text = '';
    else if (part.type === 'text-delta') text += part.text;
  }
  witness.finished(text);
}
