/** What of the AI SDK is used here, and what its versions differ in. */
import type { ModelMessage, StepResult, ToolSet } from 'ai';

/** The module `ai` as far as it is used here. It is loaded at run time, so that importing this package stays cheap. */
export interface AiModule {
  streamText(options: never): StreamResult;
  asSchema(schema: unknown): {
    jsonSchema?: unknown;
    validate?: (value: unknown) => PromiseLike<ValidationResult> | ValidationResult;
  };
  ToolLoopAgent?: unknown;
  isStepCount?: unknown;
  stepCountIs?: unknown;
  gateway?: { languageModel(id: string): unknown };
  toUIMessageStream?: (options: never) => ReadableStream;
}

type ValidationResult = { success: true; value: unknown } | { success: false; error: unknown };

/** A result of `streamText`. `baseStream` is not public: it is used when it is there, see `openStream`. */
export interface StreamResult {
  readonly fullStream: ReadableStream<StreamPart>;
  readonly baseStream?: unknown;
  readonly output?: PromiseLike<unknown>;
  toUIMessageStream?: (this: unknown, options: never) => ReadableStream;
}

/** A part of the SDK's stream. Only what the loop looks at has a name. */
export interface StreamPart {
  type: string;
  id?: string;
  text?: string;
  toolCallId?: string;
  toolName?: string;
  input?: unknown;
  output?: unknown;
  error?: unknown;
  dynamic?: boolean;
  invalid?: boolean;
  preliminary?: boolean;
  providerExecuted?: boolean;
  approvalId?: string;
  isAutomatic?: boolean;
  signature?: string;
  toolCall?: StreamPart;
  finishReason?: string;
  usage?: unknown;
  reason?: unknown;
}

export type SdkStep = StepResult<ToolSet>;

/** Options of `streamText`, by name: what is not named here goes through as it is. */
export type CallOptions = Record<string, unknown>;

/** What one SDK version does differently. */
export interface SdkVersion {
  readonly major: 6 | 7;
  /** The options that a call of it takes. */
  readonly optionNames: ReadonlySet<string>;
  /** The callback options, first the ones that win. */
  readonly onStep: readonly string[];
  readonly onFinish: readonly string[];
  /** Options that belong to the start of the whole run. */
  readonly firstCallOnly: readonly string[];
  /** Callbacks that tell the end of a model call before its tools have run; none: the model itself must be watched. */
  readonly onTurnEnd: readonly string[];
  /** All messages of one `streamText` call, from the event of its last callback. */
  responseMessages(finish: FinishEvent): ModelMessage[];
  /**
   * The messages of a call so far, from the steps that have finished, as the SDK gave them. `first`: results of calls that
   * were approved before it, as far as the SDK told them.
   */
  messagesSoFar(steps: readonly SdkStep[], first: readonly ModelMessage[]): ModelMessage[];
  /** What the model reads of an error that a tool threw. */
  errorText(error: Error): string;
  /** What the `messages` of a step's response are over all rounds. */
  stepMessages(before: readonly ModelMessage[], step: SdkStep): ModelMessage[];
  /** The event of the last callback, over all rounds. */
  finishEvent(event: FinishEvent, whole: { steps: SdkStep[]; usage: unknown; messages: ModelMessage[] }): FinishEvent;
  /** What is signed for one approval. */
  signaturePayload(parts: { approvalId: string; toolCallId: string; toolName: string; digest: string }): string;
  /** Whether it reads a model to its end, however slow its own reader is. */
  readonly readsAhead: boolean;
  /** The versions of the specification of a language model that it takes, its own first. */
  readonly modelSpecifications: readonly ['v3' | 'v4', ...string[]];
  /** Releases of packages of providers that go with it, to name a few. */
  readonly providers: string;
  /** The UI chunks of a stream of parts. */
  toUIMessageStream(
    ai: AiModule,
    first: StreamResult,
    tools: ToolSet | undefined,
    parts: ReadableStream<StreamPart>,
    options: object,
  ): ReadableStream;
  /** Whether a request in the UI stream may say why it is made. */
  readonly hasRequestReason: boolean;
  /** Whether the UI stream knows the part that tells a decision. */
  readonly hasResponsePart: boolean;
}

export interface FinishEvent {
  steps: SdkStep[];
  totalUsage: unknown;
  response?: { messages?: ModelMessage[] };
  responseMessages?: ModelMessage[];
  [more: string]: unknown;
}
