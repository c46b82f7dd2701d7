import type { Backend } from '../../../agent.js';
import type { ConfineSettings } from '../../../index.js';
import type { NativeNetwork } from '../../native.js';

/** How commands of an agent are confined. */
export interface Confinement {
  /** What a command may do, as things are when it starts. `beside`: what it reaches in addition is looked through as well. */
  readonly start: (beside?: readonly string[]) => Promise<ConfinedStart>;
  /** What the policies say of the network, as things are now: all of them count. */
  readonly networks: () => Promise<readonly NativeNetwork[]>;
  /** Also what a human approved. */
  readonly always: boolean;
}

/** What one command may do. */
export interface ConfinedStart {
  readonly settings: ConfineSettings;
  /** For when it has ended: puts aside the repositories that are new, since git would obey what stands in them. Says which. */
  readonly end: () => Promise<string[]>;
}

/** What the tools on a backend share. */
export interface ToolSettings {
  readonly backend: Backend;
  /** Results with more characters are cut in their middle. */
  readonly maxResultCharacters: number;
  /** How commands are confined; `undefined`: as the backend does it. */
  readonly confinement?: Confinement | undefined;
}
