/** Checked by `tsc`: what a reviewer may be, what it is given, and what a callback may answer. */
import { tool, type LanguageModel } from 'ai';
import { z } from 'zod';
import type { ApprovalRequest, CallReview, PolicyDocument, ReviewOpinion } from '../../index.js';
import { createDeepAgent } from '../../agent.js';
import { createGate, gateTools, streamWithEvents } from '../../index.js';

declare const model: LanguageModel;
const tools = { del: tool({ inputSchema: z.object({ path: z.string() }), execute: async () => 'done' }) };

// Each entry takes it, and infers what it is called with.
createGate({ reviewer: { model, criteria: 'x', mayApprove: true, timeout: 5_000, conversation: true } });
createGate({ reviewer: { review: ({ toolName }) => ({ answer: 'approve', reason: toolName }) } });
streamWithEvents({
  model,
  tools,
  prompt: 'go',
  reviewer: {
    review: async ({ args, verdict, prompt, messages }, { abortSignal }): Promise<ReviewOpinion> => {
      const known: [unknown, string | undefined, string | null, number, boolean] = [
        args,
        verdict?.reason,
        prompt,
        messages.length,
        abortSignal.aborted,
      ];
      return { answer: 'unsure', reason: String(known) };
    },
  },
  // "Not me".
  onApprovalRequest: ({ toolName, args, review }) => {
    const path: string = toolName === 'del' ? args.path : '';
    const said: CallReview['answer'] | undefined = review?.answer;
    return said === undefined || path === '' ? 'pass' : { type: 'reject', reason: review?.reason ?? '' };
  },
});
gateTools(tools, {
  reviewer: { model, criteria: 'x' },
  onApprovalRequest: async ({ review }) => (review === null ? true : 'pass'),
});
createDeepAgent({ model, reviewer: { model, criteria: 'x' } });
export const marked: PolicyDocument = { version: 1, rule: [{ tools: 'del', effect: 'ask', reviewer: true }] };
export const reason = ({ review }: ApprovalRequest): string => (review === null ? '' : review.reason);

// @ts-expect-error a model needs criteria
createGate({ reviewer: { model } });
// @ts-expect-error one or the other
createGate({ reviewer: { model, criteria: 'x', review: () => ({ answer: 'unsure', reason: '' }) } });
// @ts-expect-error neither
createGate({ reviewer: { mayApprove: true } });
// @ts-expect-error an unknown answer
createGate({ reviewer: { review: () => ({ answer: 'yes', reason: '' }) } });
// @ts-expect-error no reason
createGate({ reviewer: { review: () => ({ answer: 'approve' }) } });
// @ts-expect-error a word that a callback does not know
gateTools(tools, { onApprovalRequest: () => 'skip' });
// @ts-expect-error runs of an agent have that of the agent
void createDeepAgent({ model }).generate({ prompt: 'go', reviewer: { model, criteria: 'x' } });
