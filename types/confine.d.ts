/** Confinement: commands that can do what was allowed, and nothing else. */
import type { ConfinementError } from './errors.js';

/**
 * What a confined command may do in addition to reading the system and its toolchains. Paths begin with `~/`, or are relative
 * to `cwd`.
 */
export interface ConfineSettings {
  /** Files and folders that it may change, make and remove. A missing one is left out. @default the `cwd` */
  write?: readonly string[];
  /** More that it may read: files and folders. */
  read?: readonly string[];
  /**
   * Those of `write` and `read` that must be reached without a symlink: a path with one is left out. On the way to the others, a
   * symlink in a place where the command may write is not followed.
   */
  exact?: readonly string[];
  /**
   * Files and folders that it may not even read, in what it may read. The usual secrets of toolchains and of the system are among
   * them in any case. Of those that are not there when it starts nothing is held, and the process is warned. Patterns are an error.
   */
  hide?: readonly string[];
  /**
   * Files and folders that it may read and not change, in what it may change. What git runs or obeys there is among them. As with
   * `hide`, of what is not there nothing is held: see `absent`.
   */
  protect?: readonly string[];
  /**
   * Files and folders that are not there, and that it must not make. Those that it makes get another name when it ends.
   * Patterns are an error here as well.
   */
  absent?: readonly string[];
  /**
   * `'none'`: no socket of an internet family. `'loopback'`: an empty network of its own. `{ proxy }`: that, and the port of
   * 127.0.0.1 on which your own proxy listens. A list: these hosts, and no others, through a proxy of the command's own
   * (`registry.npmjs.org`, `*.crates.io`, `example.com:8443`). `'ask'`: each host after a person said yes to it. The last two are
   * for backends and agents; {@link confine} takes the others. @default 'none'; of an agent: what its policies say
   */
  network?: 'none' | 'ask' | 'loopback' | readonly string[] | { proxy: number };
  /** Sockets with a path, such as those that tests make. Those that are there when it starts are hidden. @default false */
  localSockets?: boolean;
  /**
   * How much must be held for it to run. `'walls'`: writing, the network and other processes, as {@link ConfinementReport.open}
   * says. `'whole'`: everything. @default 'walls'
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
   * What the sandbox refused, by what the command said of it. It is read from the usual messages of programs, and told where the
   * path is one that this command was not given. A program that says nothing of a refusal is not noticed.
   */
  refusals(output: string): ConfinementRefusal[];
  /**
   * To be called when it has ended. What it made and must not have made is renamed to `NAME.unchecked`, or to a name like it
   * where that one is taken. That is a new `.git`, hooks and settings that git would obey, and what replaced a symlink that was
   * protected.
   *
   * @returns what was there
   * @throws ConfinementError (`ERR_CONFINEMENT`) where that fails for some, which it names. All others have other names by then
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
  /** What is to be known of an address that is not one of the internet: `this machine`, `a private network`; `null`: nothing. */
  where: string | null;
  /**
   * The host that had a yes before and leads here: to this address, or to this `url` there. Policies may still deny
   * that; a second question is not needed. `null`: no decision so far.
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
  /** Whether a command could be given just that; not what is hidden or protected, nor a pattern of hosts. */
  canBeGiven: boolean;
}

/**
 * A command that can do what is listed, and nothing else, on Linux by Landlock, seccomp and namespaces. It starts in a session
 * of its own, without a terminal; signals and its end are handed on, and all that it leaves is ended.
 *
 * What it made of {@link ConfineSettings.absent}, and of what git would obey and was not there, is put aside by
 * {@link ConfinedCommand.putAside}.
 *
 * Exit code 125, with a line that begins with `countersign-confine:`, says that nothing was run; a command can print that as
 * well.
 *
 * @param command a line for `sh -c`, or a program with its arguments
 * @throws ConfinementError (`ERR_CONFINEMENT`) where this system cannot hold it, InvalidConfigError (`ERR_INVALID_CONFIG`)
 */
export declare function confine(command: string | readonly string[], options?: ConfineOptions): ConfinedCommand;

/** Something that is not held. docs/confinement-hosts.md says what each one means. */
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

/** What this machine gives. */
export interface ConfinementReport {
  /** Whether {@link confine} confines here. */
  supported: boolean;
  /** Why it does not. */
  reason: string | null;
  /** By what. `seatbelt` is made by what its documents say, and was not run by those who made it. */
  by: 'landlock' | 'seatbelt' | null;
  /** The version of Landlock; 0: none. */
  landlock: number;
  /** Whether there are filters of system calls. */
  seccomp: boolean;
  /** Whether there are namespaces; they hold what Landlock does not. */
  namespaces: boolean;
  /** Why there are no namespaces. */
  noNamespaces: string | null;
  /** What a command that is confined here can do all the same. */
  open: readonly ConfinementHole[];
}

/** What this machine gives, found by trying it, once for each process. */
export declare function confinementReport(): ConfinementReport;
