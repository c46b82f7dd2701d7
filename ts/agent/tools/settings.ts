import type { Backend } from '../../../agent.js';

/** What the tools on a backend share. */
export interface ToolSettings {
  readonly backend: Backend;
  /** Results with more characters are cut in their middle. */
  readonly maxResultCharacters: number;
}
