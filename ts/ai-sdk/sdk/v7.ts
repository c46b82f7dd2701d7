import type { SdkVersion, SdkStep } from './sdk-types.js';

/** What `streamText` and the `stream` of a `ToolLoopAgent` take. A test compares them with the types of the installed version. */
export const OPTION_NAMES = [
  '_internal abortSignal activeTools allowSystemInMessages experimental_download experimental_include',
  'experimental_onLanguageModelCallEnd experimental_onLanguageModelCallStart experimental_onStart',
  'experimental_onStepStart experimental_onToolCallFinish experimental_onToolCallStart',
  'experimental_refineToolInput experimental_repairToolCall experimental_sandbox experimental_steering',
  'experimental_telemetry experimental_toolApprovalSecret experimental_toolCallers experimental_transform',
  'frequencyPenalty headers include includeRawChunks instructions maxOutputTokens maxRetries messages model',
  'onAbort onChunk onEnd onError onFinish onLanguageModelCallEnd onLanguageModelCallStart onStart onStepEnd',
  'onStepError onStepFinish onStepStart onToolExecutionEnd onToolExecutionStart options output prepareStep',
  'presencePenalty prompt providerOptions reasoning repairToolCall runtimeContext seed stopSequences stopWhen',
  'streamRetries system telemetry temperature timeout toolApproval toolCallConcurrency toolChoice toolOrder',
  'tools toolsContext topK topP',
] as const;

/** What is particular to AI SDK 7. */
export const v7: SdkVersion = {
  major: 7,
  optionNames: new Set(OPTION_NAMES.flatMap((line) => line.split(' '))),
  onStep: ['onStepEnd', 'onStepFinish'],
  onFinish: ['onEnd', 'onFinish'],
  firstCallOnly: ['onStart', 'experimental_onStart'],
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
  modelSpecifications: ['v4', 'v3', 'v2'],
  providers: '@ai-sdk/openai@4, @ai-sdk/anthropic@4 or @ai-sdk/openai-compatible@3',
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
] as const satisfies readonly (keyof SdkStep)[];
