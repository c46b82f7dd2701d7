/**
 * The messages of a step that is still going on, made from its parts the way the SDK makes them at its end. They stand in
 * for the SDK's own until it gives them: a human may be asked about one call while another still runs.
 */
import type { ModelMessage, ToolSet } from 'ai';
import { errorTextOf } from '../sdk/error-text.js';
import type { MessagePart } from '../messages/messages.js';
import type { SdkVersion, StreamPart } from '../sdk/sdk.js';
import { modelOutput } from '../messages/history.js';
import { ownTool } from '../tools/tools.js';
import { isSame } from '../../values/same.js';

/** A part of the step's content: text and reasoning grow while they are said. */
interface GrowingPart extends MessagePart {
  providerMetadata?: unknown;
}

const RESULTS: ReadonlySet<string> = new Set(['tool-result', 'tool-error']);

export class StepSoFar {
  #content: GrowingPart[] = [];
  readonly #growing = new Map<string, GrowingPart>();

  /** Takes a part of the SDK's stream in, as it came. */
  add(part: StreamPart & { providerMetadata?: unknown; file?: unknown; kind?: unknown }): void {
    const { type, id = '', providerMetadata } = part;
    switch (type) {
      case 'start-step':
        this.#content = [];
        this.#growing.clear();
        return;
      case 'text-start':
      case 'reasoning-start': {
        const said = { type: type.slice(0, -'-start'.length), text: '', providerMetadata };
        this.#growing.set(`${said.type}:${id}`, said);
        this.#content.push(said);
        return;
      }
      case 'text-delta':
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end': {
        const said = this.#growing.get(`${type.slice(0, type.indexOf('-'))}:${id}`);
        if (said === undefined) return;
        if (type.endsWith('-delta')) said['text'] = String(said['text']) + (part.text ?? '');
        said.providerMetadata = providerMetadata ?? said.providerMetadata;
        return;
      }
      case 'file':
      case 'reasoning-file':
      case 'custom':
      case 'tool-call':
      case 'tool-approval-request':
      case 'tool-error':
        this.#content.push({ ...part });
        return;
      case 'tool-result':
        if (part.preliminary !== true) this.#content.push({ ...part });
    }
  }

  /** Whether this call has a result. */
  hasResult(toolCallId: string): boolean {
    return this.#content.some((part) => RESULTS.has(part.type) && part['toolCallId'] === toolCallId);
  }

  /** Whether the SDK wants this call to be asked about. */
  isAskedAbout(toolCallId: string): boolean {
    return this.#content.some(
      (part) =>
        part.type === 'tool-approval-request' &&
        (part['toolCall'] as StreamPart | undefined)?.toolCallId === toolCallId,
    );
  }

  async messages(tools: ToolSet, version: SdkVersion): Promise<ModelMessage[]> {
    const said: MessagePart[] = [];
    const results: MessagePart[] = [];
    // It may go on meanwhile.
    const content = [...this.#content];
    for (const part of content) {
      if (RESULTS.has(part.type)) {
        const message = await resultMessage(part, tools, version);
        if (part['providerExecuted'] === true) said.push(message);
        else results.push(message);
      } else said.push(...messageParts(part));
    }
    const order = new Map(said.flatMap((part) => (part.type === 'tool-call' ? [part['toolCallId']] : [])).entries());
    const place = new Map([...order].toReversed().map(([index, toolCallId]) => [toolCallId, index]));
    results.sort((left, right) => placeOf(place, left) - placeOf(place, right));
    const messages: object[] = [];
    if (said.length > 0) messages.push({ role: 'assistant', content: said });
    if (results.length > 0) messages.push({ role: 'tool', content: results });
    return messages as ModelMessage[];
  }
}

function placeOf(places: ReadonlyMap<unknown, number>, part: MessagePart): number {
  return places.get(part['toolCallId']) ?? Number.MAX_SAFE_INTEGER;
}

function messageParts(part: GrowingPart): MessagePart[] {
  const { type, providerMetadata } = part;
  const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  switch (type) {
    case 'text':
    case 'reasoning':
      if (type === 'text' && part['text'] === '' && providerMetadata === undefined) return [];
      return [{ type, text: part['text'], ...options }];
    case 'file':
    case 'reasoning-file': {
      const { base64, mediaType } = part['file'] as { base64: string; mediaType: string };
      return [{ type, data: base64, mediaType, ...options }];
    }
    case 'custom':
      return [{ type, kind: part['kind'], ...options }];
    case 'tool-call': {
      const { toolCallId, toolName, input, invalid, providerExecuted } = part;
      return [
        {
          type,
          toolCallId,
          toolName,
          input: invalid === true && typeof input !== 'object' ? {} : input,
          ...(providerExecuted === undefined ? {} : { providerExecuted }),
          ...options,
        },
      ];
    }
    case 'tool-approval-request': {
      const { approvalId, reason, isAutomatic, signature } = part;
      const call = part['toolCall'] as StreamPart;
      const raw = rawInput(call);
      return [
        {
          type,
          approvalId,
          toolCallId: call.toolCallId,
          ...(reason == null ? {} : { reason }),
          ...(isAutomatic === undefined ? {} : { isAutomatic }),
          ...(signature == null ? {} : { signature }),
          ...(raw === undefined || isSame(raw.value, call.input) ? {} : { inputSchemaInput: raw.value }),
        },
      ];
    }
    default:
      return [];
  }
}

async function resultMessage(part: GrowingPart, tools: ToolSet, version: SdkVersion): Promise<MessagePart> {
  const { toolCallId, toolName, providerMetadata } = part;
  return {
    type: 'tool-result',
    toolCallId,
    toolName,
    output: await outputOf(part, tools, version),
    ...(providerMetadata == null ? {} : { providerOptions: providerMetadata }),
  };
}

async function outputOf(part: GrowingPart, tools: ToolSet, version: SdkVersion): Promise<unknown> {
  const { type, toolCallId, toolName, input, output, error, providerExecuted } = part;
  if (type === 'tool-error')
    return providerExecuted === true
      ? { type: 'error-json', value: JSON.parse(JSON.stringify(error ?? null) ?? 'null') as unknown }
      : { type: 'error-text', value: errorTextOf(error, version) };
  const tool = ownTool(tools, String(toolName));
  if (tool?.toModelOutput === undefined) return modelOutput(output);
  return tool.toModelOutput({ toolCallId, input, output } as never);
}

/** What the model wrote, where the tool's schema made something else of it. The SDK keeps it on a symbol of its own. */
function rawInput(call: StreamPart): { value: unknown } | undefined {
  const symbol = Object.getOwnPropertySymbols(call).find(({ description }) => description === RAW_INPUT);
  return symbol === undefined ? undefined : { value: (call as unknown as Record<symbol, unknown>)[symbol] };
}

const RAW_INPUT = 'ai-sdk-tool-call-input-schema-input';
