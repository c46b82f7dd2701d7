import type { SdkVersion, Step } from './sdk.js';

/** What is particular to AI SDK 7. */
export const v7: SdkVersion = {
  major: 7,
  onStep: ['onStepEnd', 'onStepFinish'],
  onFinish: ['onEnd', 'onFinish'],
  // A steering object is used up by one call.
  firstCallOnly: ['onStart', 'experimental_onStart', 'experimental_steering'],
  onTurnEnd: ['onLanguageModelCallEnd', 'experimental_onLanguageModelCallEnd'],
  // `response.messages` is the last step's only.
  responseMessages: (finish) => finish.responseMessages ?? [],
  messagesSoFar: (steps, first) => [...first, ...steps.flatMap((step) => step.response.messages)],
  errorText: (error) => error.toString(),
  stepMessages: (_before, step) => step.response.messages,
  finishEvent: (event, { steps, usage, messages }) => ({
    ...event,
    ...Object.fromEntries(
      ACCUMULATED.map((name) => [name, steps.flatMap((step) => (step[name] as unknown[] | undefined) ?? [])]),
    ),
    stepNumber: steps.length - 1,
    steps,
    usage,
    totalUsage: usage,
    responseMessages: messages,
  }),
  signaturePayload: ({ approvalId, toolCallId, toolName, digest }) =>
    JSON.stringify(['ai-sdk-tool-approval-v1', approvalId, toolCallId, toolName, digest]),
  modelSpecification: 'v4',
  readsAhead: false,
  toUIMessageStream: (ai, _first, tools, parts, options) => {
    if (ai.toUIMessageStream === undefined) throw new TypeError("This version of 'ai' has no toUIMessageStream.");
    return ai.toUIMessageStream({ ...options, stream: parts, tools } as never);
  },
  hasRequestReason: true,
  hasResponsePart: true,
};

/** Fields of the last event that hold something of every step. */
const ACCUMULATED = [
  'content',
  'files',
  'sources',
  'toolCalls',
  'staticToolCalls',
  'dynamicToolCalls',
  'toolResults',
  'staticToolResults',
  'dynamicToolResults',
  'warnings',
] as const satisfies readonly (keyof Step)[];
