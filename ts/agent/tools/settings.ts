import type { Backend } from '../../../agent.js';
import type { ConfinedWrites, ConfineSettings } from '../../../index.js';
import type { NativeConfinedRun, NativeNetwork } from '../../native.js';

/** A command that is to run confined. */
export interface ConfinedCall {
  command: string;
  /** A human has approved it as it is, or is still asked by the tool that starts it, and told what is open. */
  isApproved: boolean;
  /** What its verdict rests on: it is held to no more than this. It does not run where one of these cannot be enforced. */
  confinedTo?: ConfinedWrites | undefined;
  abortSignal?: AbortSignal | undefined;
}

/** How commands of an agent are confined. */
export interface Confinement {
  /**
   * What a command may do, as things are when it starts. Where not all can be hidden that is to be, a human is asked first, unless one
   * has approved the call. `beside`: what it reaches in addition is looked through as well.
   *
   * @throws {ConfinementError} where it must not run so
   */
  readonly start: (call: ConfinedCall, beside?: readonly string[]) => Promise<ConfinedStart>;
  /** Where a command may write that no human approves; `undefined`: it is not sure, as things are now, that it is held to that. */
  readonly run: () => NativeConfinedRun | undefined;
  /** Whether a file or a folder may be protected by its name, or by where it lies. */
  readonly isProtected: (access: 'read' | 'write', path: string) => Promise<boolean>;
  /** What the policies say of the network, as things are now: all of them count. */
  readonly networks: () => Promise<readonly NativeNetwork[]>;
  /** Also what a human approved. */
  readonly always: boolean;
}

/** What a human is told of a command for which not all could be looked at. */
export const NOT_ALL_LOOKED_AT =
  'There are too many files to look at all of them, so that it may read and change some that the policies protect.';

/** What the model and the developer are told when it has ended. */
export const NOT_ALL_LOOKED_AT_AFTER =
  'The command left too many files, or closed folders, to look at all of them: a new repository that git would obey may be among them. A human must look before anybody uses git there.';

/** What one command may do. */
export interface ConfinedStart {
  readonly settings: ConfineSettings;
  /** Whether all could be looked at that is to be hidden and protected. */
  readonly isWhole: boolean;
  /**
   * To be called right before it begins. The answer is for when it has ended, and must be called: it puts aside the repositories that are
   * new, since git would obey what stands in them.
   */
  readonly begin: () => () => Promise<ConfinedEnd>;
}

/** What was put aside, and what the model and the developer are told of what could not be. */
export interface ConfinedEnd {
  readonly made: readonly string[];
  readonly told: string | null;
}

/** What the tools on a backend share. */
export interface ToolSettings {
  readonly backend: Backend;
  /** Results with more characters are cut in their middle. */
  readonly maxResultCharacters: number;
  /** How commands are confined; `undefined`: as the backend does it. */
  readonly confinement?: Confinement | undefined;
}
