/**
 * What a run that is a part of another tells its parent. What a human is asked, and what tools tell, passes as it is; what
 * the run says and does is wrapped, so that readers do not take it for the main agent's.
 */
import type { AgentEvent, SubagentEvent, SubagentFinishEvent } from '../../../index.js';
import type { Awaitable } from '../../values/awaitable.js';
import { messageOf } from '../../errors/message-of.js';
import { messagesOf } from './conversation.js';
import type { ShownRun } from './event-view.js';
import { eventView } from './events.js';
import { partsOf } from '../messages/messages.js';
import type { OwnEvent } from '../sdk/own-events.js';
import type { ParentRun } from '../tools/parent-run.js';
import type { CallOptions, StreamPart } from '../sdk/sdk.js';

const WRAPPED: ReadonlySet<string> = new Set([
  'text',
  'reasoning',
  'tool-call',
  'tool-result',
  'tool-error',
  'tool-denied',
  'error',
] satisfies SubagentEvent['event']['type'][]);

export class ChildReport {
  readonly #parent: ParentRun;
  readonly #runId: string;
  readonly #from: { toolCallId: string; name: string; origin: readonly string[] };
  readonly #view;
  #steps = 0;
  #isFinished = false;

  constructor(parent: ParentRun, run: ShownRun, origin: readonly string[]) {
    this.#parent = parent;
    this.#runId = run.runId;
    this.#from = { toolCallId: parent.toolCallId, name: origin.at(-1) ?? '', origin };
    this.#view = eventView(() => run, false);
  }

  started(call: CallOptions): void {
    void this.#parent.tell({ type: 'subagent-start', task: taskOf(call), runId: this.#runId, ...this.#from });
  }

  /** To be waited for: an unread parent holds its parts back. */
  part(part: StreamPart): Awaitable<void> {
    const event = this.#view.part(part);
    if (event?.type === 'step-finish') {
      const { toolCalls } = event;
      return this.#parent.tell({ type: 'subagent-step', stepIndex: this.#steps++, toolCalls, ...this.#from });
    }
    return event === undefined ? undefined : this.#tell(event);
  }

  own(event: OwnEvent): void {
    switch (event.type) {
      case 'run-done':
        return this.#finished('done', event.text, event.usage);
      case 'run-aborted':
        return this.#finished('cancelled', messageOf(event.reason), null);
      default: {
        const shown = this.#view.own(event);
        if (shown !== undefined) void this.#tell(shown);
      }
    }
  }

  failed(error: unknown): void {
    this.#finished('failed', messageOf(error), null);
  }

  #finished(status: SubagentFinishEvent['status'], result: string, usage: SubagentFinishEvent['usage']): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    void this.#parent.tell({ type: 'subagent-finish', status, result, usage, ...this.#from });
  }

  #tell(event: AgentEvent): Awaitable<void> {
    if (WRAPPED.has(event.type)) {
      return this.#parent.tell({ type: 'subagent-event', event: event as SubagentEvent['event'], ...this.#from });
    }
    // Of its own life as a run, only what was told above is of interest to others.
    return OWN_LIFE.has(event.type) ? undefined : this.#parent.tell(event);
  }
}

const OWN_LIFE: ReadonlySet<string> = new Set([
  'run-resumed',
  'step-start',
  'step-finish',
  'abort',
  'done',
  'raw-part',
] satisfies AgentEvent['type'][]);

/** What a run was given to do. */
function taskOf(call: CallOptions): string {
  const last = messagesOf(call).findLast(({ role }) => role === 'user');
  if (last === undefined) return '';
  if (typeof last.content === 'string') return last.content;
  return partsOf(last)
    .flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n');
}
