import type { Backend } from '../../../agent.js';
import type { ConfineSettings } from '../../../index.js';

/** A command that is to run confined. */
export interface ConfinedCall {
  command: string;
  /** A human has approved it as it is. */
  isApproved: boolean;
  abortSignal?: AbortSignal | undefined;
}

/** How commands of an agent are confined. */
export interface Confinement {
  /** What a command may do, as things are when it starts. Where not all can be hidden that is to be, a human is asked first. */
  readonly settings: (call: ConfinedCall) => Promise<ConfineSettings>;
  /** Also what a human approved. */
  readonly always: boolean;
}

/** What the tools on a backend share. */
export interface ToolSettings {
  readonly backend: Backend;
  /** Results with more characters are cut in their middle. */
  readonly maxResultCharacters: number;
  /** How commands are confined; `undefined`: as the backend does it. */
  readonly confinement?: Confinement | undefined;
}
