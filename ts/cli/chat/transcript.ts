/** What was said and done: the events of a run, as a human reads them. Nothing here reads or writes. */
import type { ModelMessage } from 'ai';
import type {
  AgentEvent,
  ApprovalResponseEvent,
  DecisionOutcome,
  QuestionAnsweredEvent,
  SubagentEvent,
  Todo,
  ToolActivityEvent,
} from '../../../index.js';
import { messageOf } from '../../errors/message-of.js';
import { plain } from '../../gate/in-a-line.js';
import { oneLine } from '../style.js';
import { fromOf } from './asks.js';
import { safeLong } from '../../terminal/safe-long.js';
import { safeEnd, titleOf } from './safe.js';
import type { ChatView, TranscriptEntry } from './view.js';

type ToolEntry = Extract<TranscriptEntry, { kind: 'tool' }>;
type EntryStatus = ToolEntry['status'];
type SubagentView = ChatView['subagents'][number];
type ShownEvent = AgentEvent | SubagentEvent['event'];

const MAIN: readonly string[] = ['main'];
const OVER: ReadonlySet<EntryStatus> = new Set(['succeeded', 'failed', 'denied', 'cancelled']);
/** What is kept of the output of a command while it runs, in characters. */
const MOST_OUTPUT = 20_000;

export class Transcript {
  #entries: TranscriptEntry[] = [];
  /** The text that is being said, by who says it. */
  readonly #saying = new Map<string, number>();
  /** Calls, by who made them. */
  readonly #calls = new Map<string, number>();
  /** The output of commands that run. */
  readonly #outputs = new Map<string, string>();
  /** Calls that were answered by a human instead of being run. */
  readonly #answered = new Set<string>();
  todos: readonly Todo[] = [];
  subagents: readonly SubagentView[] = [];

  get entries(): readonly TranscriptEntry[] {
    return this.#entries.slice();
  }

  user(text: string): void {
    this.#add({ kind: 'user', text: safeLong(text), isDone: true, origin: MAIN });
  }

  note(level: 'info' | 'warning' | 'error', text: string): void {
    this.#add({ kind: 'note', level, text: safeLong(text), isDone: true, origin: MAIN });
  }

  /** @param origin who it comes from, where the event does not say */
  see(event: ShownEvent, origin: readonly string[] = MAIN): void {
    if (event.type === 'subagent-event') return this.see(event.event, event.origin);
    if (event.type !== 'text') this.#hush('origin' in event ? event.origin : origin);
    switch (event.type) {
      case 'run-resumed':
        this.#told(event.messages);
        if (event.drift.prompt || event.drift.tools.length > 0)
          this.note('warning', 'The agent has changed: calls that this affects need approval again.');
        return;
      case 'text':
        return this.#say(origin, event.text);
      case 'tool-call':
        this.#call(origin, event.toolCallId, event.toolName, event.args);
        return;
      case 'tool-result': {
        if (event.preliminary === true) return;
        const key = keyOf(origin, event.toolCallId);
        const output = this.#outputs.get(key) ?? plain(event.result);
        if (this.#answered.has(key)) return this.#end(origin, event, 'denied', `answered instead: ${output}`);
        return this.#end(origin, event, 'succeeded', output);
      }
      case 'tool-error':
        return this.#end(origin, event, 'failed', messageOf(event.error));
      case 'tool-denied':
        return this.#end(origin, event, 'denied', event.reason ?? '');
      case 'approval-requested':
        this.#call(event.origin, event.toolCallId, event.toolName, event.args);
        if (!event.isAutomatic) this.#status(event.origin, event.toolCallId, 'waits');
        return;
      case 'approval-response':
        return this.#response(event);
      case 'question-asked':
        this.#call(event.origin, event.toolCallId, event.toolName, { questions: event.questions });
        return this.#status(event.origin, event.toolCallId, 'waits');
      case 'question-answered':
        return this.#answer(event);
      case 'subagent-start':
        this.subagents = [
          ...this.subagents,
          { name: oneLine(event.name), task: safeLong(event.task), origin: event.origin.map(oneLine) },
        ];
        return;
      case 'subagent-finish':
        this.#hush(event.origin);
        this.subagents = this.subagents.filter(({ origin: each }) => !isSame(each, event.origin.map(oneLine)));
        return;
      case 'error':
        return this.note('error', `${from(origin)}${messageOf(event.error)}`);
      default:
        if ('toolCallId' in event && 'origin' in event) this.#activity(event as ToolActivityEvent);
    }
  }

  /** The run is over: nothing in it goes on any more. */
  close(status: 'failed' | 'cancelled' | 'waits'): void {
    this.#saying.forEach((at) => this.#change(at, { isDone: true }));
    this.#calls.forEach((at) => this.#change(at, { isDone: true, status }));
    this.#saying.clear();
    this.#calls.clear();
    this.#outputs.clear();
    this.#answered.clear();
    this.subagents = [];
  }

  forgetTodos(): void {
    this.todos = [];
  }

  #activity(event: ToolActivityEvent): void {
    const { origin, toolCallId } = event;
    const at = this.#calls.get(keyOf(origin, toolCallId));
    if (event.type === 'todos-changed') {
      // A plan of a subagent is its own.
      if (origin.length === 1)
        this.todos = event.todos.map(({ content, status }) => ({ content: oneLine(content), status }));
      return;
    }
    if (at === undefined) return;
    if (event.type === 'execute-output') {
      const key = keyOf(origin, toolCallId);
      const output = ((this.#outputs.get(key) ?? '') + event.text).slice(-MOST_OUTPUT);
      this.#outputs.set(key, output);
      this.#change(at, { status: 'runs', detail: safeEnd(output) });
    } else if (event.type === 'execute-finish') {
      this.#outputs.set(keyOf(origin, toolCallId), withEnd(this.#outputs.get(keyOf(origin, toolCallId)) ?? '', event));
    } else {
      this.#change(at, { status: 'runs' });
    }
  }

  #response({ origin, toolCallId, toolName, approved, decision, reason, decidedBy }: ApprovalResponseEvent): void {
    const key = keyOf(origin, toolCallId);
    if (decision.type === 'respond') this.#answered.add(key);
    if (decision.type === 'edit') this.#call(origin, toolCallId, toolName, decision.args);
    const at = this.#calls.get(key);
    if (at === undefined) return;
    // What was answered instead never runs.
    if (decision.type === 'respond') this.#change(at, { status: 'answered' });
    else if (approved) this.#change(at, { status: 'approved' });
    else
      this.#close(
        key,
        at,
        decision.type === 'cancelled' ? 'cancelled' : 'denied',
        reason ?? (decision.type === 'cancelled' ? SAID.cancelled : `${SAID[decision.type]} by ${decidedBy}`),
      );
    this.#begin(origin);
  }

  #answer({ origin, toolCallId, answer }: QuestionAnsweredEvent): void {
    const key = keyOf(origin, toolCallId);
    const at = this.#calls.get(key);
    if (at === undefined) return;
    if (answer.status === 'answered') this.#close(key, at, 'succeeded', answer.answers.map(answerText).join('\n'));
    else this.#close(key, at, answer.status === 'error' ? 'failed' : 'denied', answer.reason ?? 'not answered');
    this.#begin(origin);
  }

  /** What was approved runs when none of the calls that came with it waits. */
  #begin(origin: readonly string[]): void {
    const isOpen = (at: number, status: EntryStatus): boolean => {
      const entry = this.#entries[at];
      const isOurs = entry?.kind === 'tool' && isSame(entry.origin, origin.map(oneLine));
      return isOurs && !entry.isDone && entry.status === status;
    };
    const calls = [...this.#calls.values()];
    if (calls.some((at) => isOpen(at, 'waits'))) return;
    for (const at of calls) if (isOpen(at, 'approved')) this.#change(at, { status: 'runs' });
  }

  /** A call is there once, whichever event told of it first; later ones know its arguments as they are now. */
  #call(origin: readonly string[], toolCallId: string, toolName: string, args: unknown): void {
    const key = keyOf(origin, toolCallId);
    const title = titleOf(toolName, args);
    const known = this.#calls.get(key);
    // Some servers number the calls of each answer anew.
    if (known !== undefined && this.#entries[known]?.isDone === false) return this.#change(known, { title });
    const call = {
      kind: 'tool',
      toolCallId,
      toolName: oneLine(toolName),
      title,
      status: 'called',
      detail: '',
    } as const;
    this.#calls.set(key, this.#add({ ...call, isDone: false, origin }));
  }

  #status(origin: readonly string[], toolCallId: string, status: EntryStatus): void {
    const at = this.#calls.get(keyOf(origin, toolCallId));
    if (at !== undefined) this.#change(at, { status });
  }

  #end(
    origin: readonly string[],
    call: { toolCallId: string; toolName: string; args: unknown },
    status: EntryStatus,
    said: string,
  ): void {
    const key = keyOf(origin, call.toolCallId);
    const at = this.#calls.get(key);
    if (at !== undefined) this.#close(key, at, status, said);
  }

  #close(key: string, at: number, status: EntryStatus, said: string): void {
    const before = this.#entries[at] as ToolEntry;
    if (!OVER.has(before.status)) this.#change(at, { isDone: true, status, detail: safeEnd(said) });
    this.#outputs.delete(key);
  }

  #say(origin: readonly string[], text: string): void {
    const key = JSON.stringify(origin);
    const at = this.#saying.get(key);
    if (at === undefined) {
      if (text.trim() === '') return;
      this.#saying.set(key, this.#add({ kind: 'text', text: safeLong(text.trimStart()), isDone: false, origin }));
    } else {
      const before = this.#entries[at] as Extract<TranscriptEntry, { kind: 'text' }>;
      this.#change(at, { text: before.text + safeLong(text) });
    }
  }

  /** What this one was saying is whole. */
  #hush(origin: readonly string[]): void {
    const key = JSON.stringify(origin);
    const at = this.#saying.get(key);
    if (at === undefined) return;
    this.#saying.delete(key);
    const { text } = this.#entries[at] as Extract<TranscriptEntry, { kind: 'text' }>;
    this.#change(at, { text: text.trimEnd(), isDone: true });
  }

  /** A conversation of before. */
  #told(messages: readonly ModelMessage[]): void {
    for (const { role, content } of messages) {
      const text = textOf(content);
      if (role === 'user' && text !== '') this.user(text);
      if (role === 'assistant' && text !== '')
        this.#add({ kind: 'text', text: safeLong(text.trim()), isDone: true, origin: MAIN });
    }
  }

  #add(entry: WithoutNumber<TranscriptEntry>): number {
    this.#entries.push({
      id: this.#entries.length + 1,
      ...entry,
      origin: entry.origin.map(oneLine),
    } as TranscriptEntry);
    return this.#entries.length - 1;
  }

  #change(at: number, change: Partial<ToolEntry> | { text: string; isDone?: boolean }): void {
    const before = this.#entries[at];
    if (before !== undefined && !before.isDone) this.#entries[at] = { ...before, ...change } as TranscriptEntry;
  }
}

type WithoutNumber<T> = T extends unknown ? Omit<T, 'id'> : never;

/** What became of a request, before the name of the one who decided. */
export const SAID: Readonly<Record<DecisionOutcome['type'], string>> = {
  approve: 'approved',
  edit: 'edited',
  reject: 'rejected',
  respond: 'answered',
  skip: 'skipped',
  expired: 'ended',
  cancelled: 'cancelled',
};

const answerText = (answer: string | readonly string[] | null): string =>
  answer === null ? '(left out)' : typeof answer === 'string' ? answer : answer.join(', ');

const keyOf = (origin: readonly string[], toolCallId: string): string => JSON.stringify([origin, toolCallId]);

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

function from(origin: readonly string[]): string {
  const name = fromOf(origin);
  return name === '' ? '' : `${name}: `;
}

function withEnd(
  output: string,
  { exitCode, stopped }: Extract<ToolActivityEvent, { type: 'execute-finish' }>,
): string {
  const end =
    stopped === 'timeout'
      ? '(it took too long and was stopped)'
      : stopped === 'aborted'
        ? '(it was stopped)'
        : exitCode === 0
          ? ''
          : `(exit code ${exitCode ?? 'none: a signal ended it'})`;
  return [output.trimEnd(), end].filter((text) => text !== '').join('\n');
}

function textOf(content: ModelMessage['content']): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
