/** Confinement: commands that can do what was allowed, and nothing else. */
import type { ConfinementError } from './errors.js';

/**
 * What a confined command may do in addition to reading the system and its toolchains. Paths begin with `~/`, or are relative
 * to `cwd`.
 */
export interface ConfineSettings {
  /** Files and folders that it may change, make and remove. A missing one is left out. @default the `cwd` */
  write?: readonly string[];
  /** More files and folders that it may read. */
  read?: readonly string[];
  /**
   * Those of `write` and `read` that must be reached without a symlink: a path with one is left out. On the way to the others, a
   * symlink in a place where the command may write is not followed.
   */
  exact?: readonly string[];
  /**
   * Files and folders that it may not even read, inside those that it may read. The usual secrets of toolchains and of the system
   * are always hidden. A path that does not exist at the start is not protected, and causes a process warning. Patterns are an
   * error.
   */
  hide?: readonly string[];
  /**
   * Files and folders that it may read but not change, inside those that it may change. Files that git runs or obeys are always
   * protected. As with `hide`, a path that does not exist is not protected: see `absent`. A folder around a place of `write`
   * protects nothing in that place, and causes a process warning.
   */
  protect?: readonly string[];
  /**
   * Files and folders that do not exist, and that it must not make. If it makes one, that gets another name when the command
   * ends. A symlink on the way to one cannot be replaced. Patterns are an error.
   */
  absent?: readonly string[];
  /**
   * What it reaches. `'none'`: nothing, not even a socket. `'loopback'`: an empty network of its own. `{ proxy }`: that, and the
   * port of 127.0.0.1 on which your own proxy listens. A list: these hosts and no others, through a proxy of the command's own
   * (`registry.npmjs.org`, `*.crates.io`, `example.com:8443`). `'ask'`: each host that a person has said yes to. The last two are
   * for backends and agents; {@link confine} takes the others. @default 'none'; of an agent: what its policies say
   */
  network?: 'none' | 'ask' | 'loopback' | readonly string[] | { proxy: number };
  /**
   * Whether it may use sockets with a path, such as those that tests make. Sockets that exist at the start are hidden. @default
   * false
   */
  localSockets?: boolean;
  /**
   * How much the system must enforce, or the command does not run. `'walls'`: limits on writing, the network and other processes.
   * `'whole'`: everything, so that {@link ConfinementReport.open} is empty. @default 'walls'
   */
  demand?: 'walls' | 'whole';
}

export interface ConfineOptions extends ConfineSettings {
  /** Where it starts. @default process.cwd() */
  cwd?: string;
  /** The variables that it gets. @default those of this process that find programs and set languages: no keys */
  env?: Readonly<Record<string, string | undefined>>;
}

/** How to start a command so that it is confined: `spawn(file, args, { cwd, env })`. */
export interface ConfinedCommand {
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /**
   * What the sandbox refused, as far as the output shows it. It looks for the usual messages of programs, with a path or a host
   * that the command was not given. A program that prints no message is not noticed.
   */
  refusals(output: string): ConfinementRefusal[];
  /**
   * Call it when the command has ended. It renames files that the command must not have made to `NAME.unchecked`, or a similar
   * free name. These are a new `.git`, hooks and settings that git would obey, and replacements of protected symlinks.
   *
   * @returns what they were
   * @throws ConfinementError (`ERR_CONFINEMENT`) if some cannot be renamed: it names them. All others are renamed by then
   */
  putAside(): string[];
}

/** Where a command wants to connect to. */
export interface NetworkTarget {
  /** As rules with `urls` know it: `https://registry.npmjs.org/`. */
  url: string;
  /** A name in small letters, or an address. */
  host: string;
  port: number;
  /**
   * What kind of address it is, if it is not a public one: `this machine`, `a private network`; `null`: a public one, or a name.
   */
  where: string | null;
  /**
   * The host that was allowed before and leads to this address, or to this `url`. Policies may still deny it; a human need not be
   * asked again. `null`: no decision so far.
   */
  follows: string | null;
}

export interface NetworkAnswer {
  allowed: boolean;
  /** Why not, in a sentence that the command gets. */
  reason: string | null;
}

/** Something that the sandbox refused. */
export interface ConfinementRefusal {
  kind: 'read' | 'write' | 'network';
  /** An absolute path, or a host; `null`: the command did not say which. */
  target: string | null;
  /** In words, e.g. `writing /etc/hosts`. */
  text: string;
  /** Whether a command could be given exactly that. Not true of hidden or protected files, and of patterns of hosts. */
  canBeGiven: boolean;
}

/**
 * Prepares a command that can only do what is listed, on Linux by Landlock, seccomp and namespaces. It runs in its own session
 * without a terminal. Signals are passed on, and everything that it started ends with it.
 *
 * If it makes files of {@link ConfineSettings.absent}, or files that git would obey, {@link ConfinedCommand.putAside} renames
 * them.
 *
 * Exit code 125, with a line that begins with `countersign-confine:`, means that nothing was run. A command can also print such a
 * line.
 *
 * @param command a line for `sh -c`, or a program with its arguments
 * @throws ConfinementError (`ERR_CONFINEMENT`) where this system cannot confine it, InvalidConfigError (`ERR_INVALID_CONFIG`)
 */
export declare function confine(command: string | readonly string[], options?: ConfineOptions): ConfinedCommand;

/** Something that is not enforced. docs/confinement-hosts.md explains each. */
export type ConfinementHole =
  | 'hidden-files'
  | 'protected-files'
  | 'private-folders'
  | 'names'
  | 'metadata'
  | 'processes'
  | 'signals'
  | 'orphans'
  | 'proxy-port'
  | 'local-sockets';

/** What this machine can enforce. */
export interface ConfinementReport {
  /** Whether {@link confine} works here. */
  supported: boolean;
  /** Why not; `null`: it works. */
  reason: string | null;
  /** The mechanism. `seatbelt` is written from its documentation, and was never run. */
  by: 'landlock' | 'seatbelt' | null;
  /** The version of Landlock; 0: none. */
  landlock: number;
  /** Whether there are filters of system calls. */
  seccomp: boolean;
  /** Whether there are namespaces, which enforce what Landlock cannot. */
  namespaces: boolean;
  /** Why there are no namespaces. */
  noNamespaces: string | null;
  /** What a confined command can do here in spite of it. */
  open: readonly ConfinementHole[];
}

/** What this machine can enforce. It is tried out, once for each process. */
export declare function confinementReport(): ConfinementReport;
