/** The run as typed events. */
import type { ToolSet } from 'ai';
import type { AgentEvent } from '../../../index.js';
import { NotedError } from '../gating/follow.js';
import type { OwnEvent } from '../sdk/own-events.js';
import type { EventView, ShownRun } from './event-view.js';
import type { StreamPart } from '../sdk/sdk.js';
import type { UnheardError } from '../sdk/unheard.js';

/**
 * @param includeRaw also yield every part of the SDK as it is
 * @param unheard is told when somebody looks at an error
 */
export function eventView<TOOLS extends ToolSet>(
  run: () => Pick<ShownRun, 'denial'>,
  includeRaw: boolean,
  unheard?: UnheardError,
): EventView<AgentEvent<TOOLS>> {
  const calls: { toolCallId: string; toolName: string; args: unknown }[] = [];
  let stepNumber = 0;

  const ofPart = (part: StreamPart): AgentEvent | undefined => {
    switch (part.type) {
      case 'text-delta':
        return { type: 'text', text: part.text ?? '', id: part.id ?? '' };
      case 'reasoning-delta':
        return { type: 'reasoning', text: part.text ?? '', id: part.id ?? '' };
      case 'start-step':
        calls.length = 0;
        return { type: 'step-start', stepNumber: ++stepNumber };
      case 'finish-step':
        return {
          type: 'step-finish',
          stepNumber,
          finishReason: part.finishReason ?? 'other',
          usage: part.usage as never,
          toolCalls: calls.splice(0),
        };
      case 'tool-call': {
        const call = callOf(part);
        calls.push({ toolCallId: call.toolCallId, toolName: call.toolName, args: call.args });
        return { type: 'tool-call', ...call, ...(part.invalid === true ? { invalid: true } : {}) } as AgentEvent;
      }
      case 'tool-result': {
        const preliminary = part.preliminary === true ? { preliminary: true } : {};
        return {
          type: 'tool-result',
          ...callOf(part),
          result: part.output,
          isError: false,
          ...preliminary,
        } as AgentEvent;
      }
      case 'tool-error':
        return {
          type: 'tool-error',
          ...callOf(part),
          error: part.error instanceof NotedError ? part.error.original : part.error,
          isError: true,
        } as AgentEvent;
      case 'tool-output-denied': {
        const denial = run().denial(part.toolCallId ?? '');
        const reason = denial?.reason === undefined ? {} : { reason: denial.reason };
        return {
          type: 'tool-denied',
          toolCallId: part.toolCallId ?? '',
          toolName: part.toolName ?? '',
          args: denial?.args,
          ...reason,
        };
      }
      case 'error':
        return unheard?.event(part.error) ?? { type: 'error', error: part.error };
      default:
        return undefined;
    }
  };

  const ofOwn = (event: OwnEvent): AgentEvent | undefined => {
    switch (event.type) {
      case 'run-resumed':
        stepNumber = event.steps;
        return event;
      case 'told':
        return event.event;
      case 'call-edited':
      case 'call-open':
        return undefined;
      case 'call-ended':
        return ofPart(event.part);
      case 'call-responded':
        return ofPart({ ...event.call, type: 'tool-result', output: event.output });
      case 'run-aborted':
        return { type: 'abort', reason: event.reason, messages: event.messages };
      case 'run-done':
        return { ...event, type: 'done' };
      default:
        return event;
    }
  };

  return {
    part: ofPart as EventView<AgentEvent<TOOLS>>['part'],
    own: ofOwn as EventView<AgentEvent<TOOLS>>['own'],
    raw: includeRaw ? (part) => ({ type: 'raw-part', part }) as unknown as AgentEvent<TOOLS> : undefined,
  };
}

function callOf({ toolCallId = '', toolName = '', input, dynamic, providerExecuted }: StreamPart) {
  return {
    toolCallId,
    toolName,
    args: input,
    ...(dynamic === true ? { dynamic } : {}),
    ...(providerExecuted === true ? { providerExecuted } : {}),
  };
}
