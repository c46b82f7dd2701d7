/** Steps that were done before this process continued the run, as far as their messages tell of them. */
import type { ModelMessage } from 'ai';
import type { MessagePart } from '../messages/messages.js';
import { partsOf } from '../messages/messages.js';
import type { KeptRun, StepMark } from './saved-run.js';
import type { SdkStep } from '../sdk/sdk.js';

/** One step per message of the assistant's that was added, with the results of its calls. */
export function stepsOf({ messages, marks, state }: KeptRun): SdkStep[] {
  const steps: SdkStep[] = [];
  for (let index = state.input; index < messages.length; index++) {
    const message = messages[index] as ModelMessage;
    if (message.role !== 'assistant') continue;
    let end = index + 1;
    while (messages[end]?.role === 'tool') end++;
    const own = messages.slice(index, end);
    const before = messages.slice(state.input, index);
    const said = state.sdk === 6 ? [...before, ...own] : own;
    steps.push(new SavedStep(steps.length, own, said, marks.get(index)) as unknown as SdkStep);
  }
  return steps;
}

/** As much of a `StepResult` as can be known. */
class SavedStep {
  readonly stepNumber: number;
  readonly content: MessagePart[];
  readonly finishReason: string;
  readonly rawFinishReason = undefined;
  readonly usage: unknown;
  readonly warnings: unknown[] = [];
  readonly request = {};
  readonly response: object;
  readonly providerMetadata: unknown;

  constructor(number: number, own: readonly ModelMessage[], said: readonly ModelMessage[], mark: StepMark | undefined) {
    this.stepNumber = number;
    this.content = contentOf(own);
    // A step that had not ended was about to wait for its calls.
    this.finishReason = mark?.finishReason ?? 'tool-calls';
    this.usage = mark?.usage ?? NO_USAGE;
    this.response = { id: '', modelId: '', timestamp: new Date(0), ...mark?.response, messages: [...said] };
    this.providerMetadata = mark?.providerMetadata;
  }

  get text(): string {
    return this.#of('text').reduce((all, { text }) => all + String(text), '');
  }
  get reasoning(): MessagePart[] {
    return this.#of('reasoning');
  }
  get reasoningText(): string | undefined {
    const parts = this.reasoning;
    return parts.length === 0 ? undefined : parts.map(({ text }) => String(text)).join('');
  }
  get files(): unknown[] {
    return this.#of('file').map(({ file }) => file);
  }
  get sources(): MessagePart[] {
    return [];
  }
  get toolCalls(): MessagePart[] {
    return this.#of('tool-call');
  }
  get staticToolCalls(): MessagePart[] {
    return this.toolCalls.filter(({ dynamic }) => dynamic !== true);
  }
  get dynamicToolCalls(): MessagePart[] {
    return this.toolCalls.filter(({ dynamic }) => dynamic === true);
  }
  get toolResults(): MessagePart[] {
    return this.#of('tool-result');
  }
  get staticToolResults(): MessagePart[] {
    return this.toolResults.filter(({ dynamic }) => dynamic !== true);
  }
  get dynamicToolResults(): MessagePart[] {
    return this.toolResults.filter(({ dynamic }) => dynamic === true);
  }

  #of(type: string): MessagePart[] {
    return this.content.filter((part) => part.type === type);
  }
}

function contentOf([assistant, ...results]: readonly ModelMessage[]): MessagePart[] {
  const content = assistant?.content;
  const said: MessagePart[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : partsOf(assistant ?? {});
  const inputs = new Map(said.flatMap((part) => (part.type === 'tool-call' ? [[part['toolCallId'], part]] : [])));
  return [...said, ...results.flatMap(partsOf)].flatMap((part): MessagePart[] => {
    const { providerOptions, ...rest } = part;
    const more = providerOptions === undefined ? {} : { providerMetadata: providerOptions };
    const call = inputs.get(part['toolCallId']);
    switch (part.type) {
      case 'tool-approval-response':
        return [];
      case 'tool-approval-request':
        return [{ ...rest, toolCall: call }];
      case 'tool-result':
        return [{ ...resultOf(part), input: call?.['input'], ...more }];
      case 'file':
        return [{ type: 'file', file: { base64: part['data'], mediaType: part['mediaType'] }, ...more }];
      default:
        return [{ ...rest, ...more }];
    }
  });
}

/** A result as a step has it, of one as the model got it. */
export function resultOf({ toolCallId, toolName, output, providerExecuted }: MessagePart): MessagePart {
  const { type, value, reason } = (output ?? {}) as { type?: string; value?: unknown; reason?: unknown };
  const call = { toolCallId, toolName, ...(providerExecuted === true ? { providerExecuted } : {}) };
  if (type === 'error-text' || type === 'error-json') return { type: 'tool-error', ...call, error: value };
  return { type: 'tool-result', ...call, output: type === 'execution-denied' ? { type, reason } : value };
}

const NO_USAGE = {
  inputTokens: undefined,
  outputTokens: undefined,
  totalTokens: undefined,
  inputTokenDetails: { noCacheTokens: undefined, cacheReadTokens: undefined, cacheWriteTokens: undefined },
  outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
};
