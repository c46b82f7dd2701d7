/** A run of a deep agent: that of the loop, with what it was given to do and its text in whole pieces. */
import type { InferUIMessageChunk, ToolSet, UIMessage, UIMessageStreamOptions } from 'ai';
import type { AgentEvent, AgentRun, RunResult } from '../../index.js';
import { bindMethods } from '../values/bind-methods.js';

/** What ends a piece of text. */
const ENDS: ReadonlySet<AgentEvent['type']> = new Set(['tool-call', 'step-finish', 'error', 'abort', 'done']);

export class DeepRun<TOOLS extends ToolSet> implements AgentRun<TOOLS> {
  readonly #run: AgentRun<TOOLS>;
  readonly #prompt: string | undefined;
  #events: AsyncGenerator<AgentEvent<TOOLS>, undefined> | undefined;

  /** @param prompt what the run was given to do, where that is new */
  constructor(run: AgentRun<TOOLS>, prompt: string | undefined) {
    this.#run = run;
    this.#prompt = prompt;
    bindMethods(this);
  }

  get runId(): string {
    return this.#run.runId;
  }

  get result(): Promise<RunResult<TOOLS>> {
    return this.#run.result;
  }

  next(): Promise<IteratorResult<AgentEvent<TOOLS>, undefined>> {
    this.#events ??= withTexts(this.#run, this.#prompt);
    return this.#events.next();
  }

  async return(): Promise<IteratorResult<AgentEvent<TOOLS>, undefined>> {
    // First the run: the generator may be waiting for something that only its end ends.
    await this.#run.return();
    await this.#events?.return(undefined);
    return { value: undefined, done: true };
  }

  async throw(error?: unknown): Promise<IteratorResult<AgentEvent<TOOLS>, undefined>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    // It knows whether its events are gone.
    this.#run[Symbol.asyncIterator]();
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  suspend(): Promise<void> {
    return this.#run.suspend();
  }

  toUIMessageStream<UI_MESSAGE extends UIMessage = UIMessage>(
    options?: UIMessageStreamOptions<UI_MESSAGE>,
  ): ReadableStream<InferUIMessageChunk<UI_MESSAGE>> {
    return this.#run.toUIMessageStream(options);
  }

  toUIMessageStreamResponse<UI_MESSAGE extends UIMessage = UIMessage>(
    options?: UIMessageStreamOptions<UI_MESSAGE> & ResponseInit,
  ): Response {
    return this.#run.toUIMessageStreamResponse(options);
  }
}

async function* withTexts<TOOLS extends ToolSet>(
  run: AgentRun<TOOLS>,
  prompt: string | undefined,
): AsyncGenerator<AgentEvent<TOOLS>, undefined> {
  let text = '';
  // The run begins with the first event that is asked for, whichever that is: from here on nothing else may iterate it.
  let next = run.next();
  next.catch(() => {});
  if (prompt !== undefined) yield { type: 'user-message', content: prompt };
  for (;;) {
    const { value: event, done } = await next;
    if (done === true) return undefined;
    if (text !== '' && ENDS.has(event.type)) {
      yield { type: 'text-segment', text };
      text = '';
    }
    if (event.type === 'text') text += event.text;
    yield event;
    next = run.next();
  }
}
