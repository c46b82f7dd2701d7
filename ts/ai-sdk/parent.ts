/** What a run hands to those that are a part of it. */
import type { AgentEvent } from '../../index.js';

export interface Parent {
  readonly runId: string;
  readonly origin: readonly string[];
  /** Events of a part of it, to be yielded among its own. */
  tell(event: AgentEvent): void;
}
