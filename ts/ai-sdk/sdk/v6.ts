import type { SdkVersion } from './sdk-types.js';

/** What `streamText` and the `stream` of a `ToolLoopAgent` take. A test compares them with the types of the installed version. */
export const OPTION_NAMES = [
  '_internal abortSignal activeTools allowSystemInMessages experimental_activeTools experimental_context',
  'experimental_download experimental_include experimental_onStart experimental_onStepStart',
  'experimental_onToolCallFinish experimental_onToolCallStart experimental_output experimental_repairToolCall',
  'experimental_telemetry experimental_toolApprovalSecret experimental_transform frequencyPenalty headers',
  'includeRawChunks maxOutputTokens maxRetries messages model onAbort onChunk onError onFinish onStepFinish',
  'options output prepareStep presencePenalty prompt providerOptions seed stopSequences stopWhen system',
  'temperature timeout toolChoice tools topK topP',
] as const;

/** What is particular to AI SDK 6. */
export const v6: SdkVersion = {
  major: 6,
  optionNames: new Set(OPTION_NAMES.flatMap((line) => line.split(' '))),
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
  modelSpecifications: ['v3', 'v2'],
  providers: '@ai-sdk/openai@3, @ai-sdk/anthropic@3 or @ai-sdk/openai-compatible@2',
  readsAhead: true,
  // The converter is a method of the result, and uses nothing of it but these two.
  toUIMessageStream: (_ai, first, tools, parts, options) => {
    if (first.toUIMessageStream === undefined) throw new TypeError('This streamText result has no toUIMessageStream.');
    return first.toUIMessageStream.call({ tools, fullStream: parts }, options as never);
  },
  hasRequestReason: false,
  hasResponsePart: false,
};
