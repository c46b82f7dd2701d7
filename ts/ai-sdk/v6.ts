import type { SdkVersion } from './sdk.js';

/** What is particular to AI SDK 6. */
export const v6: SdkVersion = {
  major: 6,
  onStep: ['onStepFinish'],
  onFinish: ['onFinish'],
  firstCallOnly: ['experimental_onStart'],
  onTurnEnd: [],
  // `response.messages` holds the whole call, results of approved tools first.
  responseMessages: (finish) => finish.response?.messages ?? [],
  // A step's messages are cumulative within its call.
  messagesSoFar: (steps, first) => steps.at(-1)?.response.messages ?? [...first],
  errorText: (error) => error.message,
  stepMessages: (before, step) => [...before, ...step.response.messages],
  finishEvent: (event, { steps, usage, messages }) => ({
    ...event,
    stepNumber: steps.length - 1,
    steps,
    totalUsage: usage,
    response: { ...event.response, messages },
  }),
  signaturePayload: ({ approvalId, toolCallId, toolName, digest }) =>
    `${approvalId}\n${toolCallId}\n${toolName}\n${digest}`,
  modelSpecification: 'v3',
  readsAhead: true,
  // The converter is a method of the result, and uses nothing of it but these two.
  toUIMessageStream: (_ai, first, tools, parts, options) => {
    if (first.toUIMessageStream === undefined) throw new TypeError('This streamText result has no toUIMessageStream.');
    return first.toUIMessageStream.call({ tools, fullStream: parts }, options as never);
  },
  hasRequestReason: false,
  hasResponsePart: false,
};
