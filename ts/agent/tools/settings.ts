import type { Backend } from '../../../agent.js';
import type { ConfineSettings } from '../../../index.js';
import type { NativeNetwork } from '../../native.js';

/** How commands of an agent are confined. */
export interface Confinement {
  /** What a command may do, as things are when it starts. `beside`: what it reaches in addition is looked through as well. */
  readonly settings: (beside?: readonly string[]) => Promise<ConfineSettings>;
  /** What the policies say of the network, as things are now: all of them count. */
  readonly networks: () => Promise<readonly NativeNetwork[]>;
  /** Puts aside the repositories that were made since they were looked for: git would obey what stands in them. */
  readonly newRepositories: () => Promise<() => Promise<string[]>>;
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
