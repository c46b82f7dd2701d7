/** What calls tell before they were read themselves: AI SDK 6 runs a call ahead of those who read its stream. */
import type { AgentEvent } from '../../../index.js';

interface HeldCall {
  event: AgentEvent;
  /** To be called when it need not be waited for any more. */
  release: () => void;
}

export class EarlyCalls {
  readonly #held = new Map<string, HeldCall[]>();
  #isOver = false;

  /** Keeps it until the call is read. @returns what resolves then: those that tell much wait for it */
  hold(toolCallId: string, event: AgentEvent): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    return new Promise((release) => {
      const held = this.#held.get(toolCallId) ?? [];
      this.#held.set(toolCallId, [...held, { event, release }]);
    });
  }

  /** The call was read: what it has told, in its order. */
  take(toolCallId: string): AgentEvent[] {
    const held = this.#held.get(toolCallId) ?? [];
    this.#held.delete(toolCallId);
    for (const { release } of held) release();
    return held.map(({ event }) => event);
  }

  /** The reader is gone. */
  close(): void {
    this.#isOver = true;
    for (const toolCallId of this.#held.keys()) this.take(toolCallId);
  }
}
