/**
 * countersign/agent: a small deep agent on the AI SDK's own loop, whose every tool call passes the gate; and its parts, for
 * deep agents of your own.
 *
 * This file is the public API, written and reviewed by hand. A test keeps it equal to what the package exports.
 *
 * @packageDocumentation
 */
import type { LanguageModel, ModelMessage, Tool, ToolSet } from 'ai';
import type {
  AgentRun,
  ConfineSettings,
  ConfinementRefusal,
  CountersignError,
  Gate,
  InterruptOn,
  Logger,
  NetworkAnswer,
  NetworkTarget,
  PolicyInput,
  Question,
  QuestionsAnswer,
  RunOptions,
  RunResult,
  Todo,
} from './index.js';

// ---------------------------------------------------------------------------------------------------------------------
// The agent
// ---------------------------------------------------------------------------------------------------------------------

/** An agent that another one may start with its `task` tool. */
export interface Subagent {
  /** What the model calls it. */
  name: string;
  /** When to use it; the model that starts it reads this. */
  description: string;
  /** Your system prompt. The built-in instructions follow it. */
  systemPrompt?: string;
  /** The model that it runs with. @default that of the agent that starts it */
  model?: LanguageModel;
  /**
   * Your own tools, in addition to the built-in ones.
   *
   * @default those that were given to the agent that starts it
   */
  tools?: ToolSet;
  /** Which of the built-in tools it has. @default all but `task` and `ask_user` */
  builtinTools?: readonly Exclude<BuiltinToolName, 'ask_user'>[];
  /** Narrows what the agent that starts it must ask about: it can tighten, never widen. @default nothing more */
  interruptOn?: InterruptOn;
  /** A policy for its calls, in addition to that of the agent that starts it: it can tighten, never widen. */
  policy?: PolicyInput | readonly PolicyInput[];
  /** The number of steps after which it ends. @default 20 */
  maxSteps?: number;
  /** Subagents that it may start itself. If there are any, it gets a `task` tool. */
  subagents?: readonly Subagent[];
}

export interface DeepAgentOptions<TOOLS extends ToolSet = {}> {
  /** The model that it runs with, and its subagents without one of their own. */
  model: LanguageModel;
  /** Your own tools, in addition to the built-in ones; a tool with the same name replaces a built-in one. */
  tools?: TOOLS;
  /** Your system prompt. The built-in instructions follow it. */
  systemPrompt?: string;
  /** The agents that its `task` tool can start. */
  subagents?: readonly Subagent[];
  /**
   * Whether `task` can also start `general-purpose`, which has the system prompt and the tools of the agent itself, except `task`
   * and `ask_user`. A subagent with that name replaces it.
   *
   * @default true
   */
  generalPurposeAgent?: boolean;
  /** Which of the built-in tools it has. @default all, without `task` when there is nothing to start */
  builtinTools?: readonly BuiltinToolName[];
  /**
   * Tools that need approval, its own and built-in ones: `{ name: true | false | options }`, a list of names, `'all'` or
   * `'none'`.
   */
  interruptOn?: InterruptOn<NoInfer<TOOLS & BuiltinTools>>;
  /** What may run, what needs approval, what must not run, e.g. `'preset:developer'`. */
  policy?: PolicyInput | readonly PolicyInput[];
  /** A model or a function that is asked about each call before a human is, in each of its runs and their subagents. */
  reviewer?: RunOptions<ToolSet>['reviewer'];
  /**
   * Where the requests wait, so that others can answer them. Its `place.cwd` must be the backend's `root`: what is shown and judged
   * must be what is written.
   */
  gate?: Gate;
  /** The number of steps after which a run ends. @default 100 */
  maxSteps?: number;
  /** Where files are and commands run. @default `createLocalBackend()`: the current folder */
  backend?: Backend;
  /**
   * Whether the commands that no human approved run confined: see {@link LocalBackendOptions.confine}. What the policies deny and
   * protect below the root is out of their reach then, too. `always: true` confines approved commands as well.
   *
   * @default false: nothing is confined
   */
  confine?: true | (ConfineSettings & { always?: boolean });
  /** Whether the system prompt tells the model which tools must be approved: {@link describeApprovals}. @default true */
  describeApprovals?: boolean;
  /**
   * What happens to a call that is identical to one that a human rejected before in this run. `ask`: it is asked about again.
   * `answer`: it is rejected again with the same reason, without asking.
   *
   * @default 'answer'
   */
  repeatedRejections?: RunOptions<ToolSet>['repeatedRejections'];
  /** Results of tools with more characters are cut in their middle; the model is told how to read the rest. @default 20,000 */
  maxResultCharacters?: number;
  /** Gets one line for each step of a request of its runs, in addition to that of the gate. @default none */
  logger?: Logger;
}

/** What is passed with one run. */
export type DeepAgentRunOptions<TOOLS extends ToolSet> = Pick<
  RunOptions<TOOLS>,
  'onApprovalRequest' | 'onQuestion' | 'askOrder' | 'approvalTimeout' | 'runId' | 'requester' | 'includeRawParts'
> & {
  /** Aborts the run: what waits is cancelled, and nothing runs any more. */
  abortSignal?: AbortSignal;
  /** The number of steps after which this run ends. @default that of the agent */
  maxSteps?: number;
} & ({ prompt: string; messages?: undefined } | { messages: ModelMessage[]; prompt?: undefined });

/** A deep agent: its tools, and its runs. */
export interface DeepAgent<TOOLS extends ToolSet = {}> {
  /**
   * The built-in tools and yours, gated by the `interruptOn`, `policy` and `gate` of the agent, for another loop such as
   * `streamText`. What the agent asks about is asked there at its gate; without a gate it does not run.
   */
  readonly tools: BuiltinTools & TOOLS;
  /** The whole system prompt; a run without anyone to answer questions leaves out the part about them. */
  readonly systemPrompt: string;
  /** One run as an async iterator of events, as `streamWithEvents` of `countersign` gives it. */
  streamWithEvents(options: DeepAgentRunOptions<BuiltinTools & TOOLS>): AgentRun<BuiltinTools & TOOLS>;
  /** One run to its end. */
  generate(options: DeepAgentRunOptions<BuiltinTools & TOOLS>): Promise<RunResult<BuiltinTools & TOOLS>>;
  /** Continues a run that its process did not bring to its end, its subagents included: see `resume` of `countersign`. */
  resume(
    options: Omit<DeepAgentRunOptions<BuiltinTools & TOOLS>, 'prompt' | 'messages' | 'runId'> & { runId: string },
  ): AgentRun<BuiltinTools & TOOLS>;
}

/**
 * An agent that plans, reads and writes files, runs commands and starts subagents, on the AI SDK's own loop.
 *
 * Nothing is asked about unless `interruptOn`, a `policy` or the gate says so.
 *
 * @throws InvalidConfigError (`ERR_INVALID_CONFIG`), UnknownToolError (`ERR_UNKNOWN_TOOL`), PolicyError (`ERR_POLICY_…`)
 */
export declare function createDeepAgent<TOOLS extends ToolSet = {}>(options: DeepAgentOptions<TOOLS>): DeepAgent<TOOLS>;

// ---------------------------------------------------------------------------------------------------------------------
// Its tools
// ---------------------------------------------------------------------------------------------------------------------

/** The built-in tools. */
export type BuiltinTools = BackendTools & {
  write_todos: Tool<{ todos: Todo[] }, string>;
  task: Tool<{ description: string; subagent_type: string }, string>;
  ask_user: Tool<{ questions: Question[] }, QuestionsAnswer>;
};

export type BuiltinToolName = keyof BuiltinTools;

/** The tools on a {@link Backend}. */
export type BackendTools = {
  ls: Tool<{ path?: string }, string>;
  read_file: Tool<{ file_path: string; offset?: number; limit?: number }, string>;
  /**
   * `description` of this tool, of `edit_file` and of `execute`: why the agent makes the call, see
   * `ApprovalRequest.agentReason`.
   */
  write_file: Tool<{ file_path: string; content: string; description?: string }, string>;
  edit_file: Tool<
    { file_path: string; old_string: string; new_string: string; replace_all?: boolean; description?: string },
    string
  >;
  glob: Tool<{ pattern: string; path?: string }, string>;
  grep: Tool<{ pattern: string; path?: string; glob?: string; ignore_case?: boolean }, string>;
  /**
   * `timeout` in ms. `reach`: what a confined command needs in addition to what all may do; a human is always asked about it,
   * and the command runs confined with only that added. Only where the agent has `confine`.
   */
  execute: Tool<
    {
      command: string;
      timeout?: number;
      reach?: { write?: string[]; read?: string[]; network?: string[] };
      description?: string;
    },
    string
  >;
};

/** `ls`, `read_file`, `write_file`, `edit_file`, `glob`, `grep` and `execute`, for any agent. */
export declare function createBackendTools(options?: {
  /** @default createLocalBackend() */
  backend?: Backend;
  /** @default 20,000 */
  maxResultCharacters?: number;
}): BackendTools;

/** Keeps the plan of a run; each run has its own. */
export declare function createTodosTool(): BuiltinTools['write_todos'];

/**
 * A `task` tool that starts other agents, for any agent whose loop is {@link streamWithEvents} or whose tools are gated with
 * `gateTools`. What a subagent asks is asked through its parent, with its origin, and what it may do is what its parent
 * may do, narrowed.
 *
 * Called by another loop it fails, and nothing runs. A subagent that fails is an error of the call (`ERR_SUBAGENT`, with the
 * cause); one that ends without a word, or before its end, gives a result that says so.
 *
 * @throws InvalidConfigError (`ERR_INVALID_CONFIG`)
 */
export declare function createTaskTool(options: {
  subagents: readonly TaskAgent[];
  /** @default a sentence for each subagent */
  description?: string;
  /** Results with more characters are cut in their middle. @default 20,000 */
  maxResultCharacters?: number;
}): BuiltinTools['task'];

/** An agent that {@link createTaskTool} starts: all that its run needs. */
export interface TaskAgent {
  /** What the model calls it. */
  name: string;
  /** When to use it; the model that starts it reads this. */
  description: string;
  /** The model that it runs with. */
  model: LanguageModel;
  /** Its instructions. */
  systemPrompt?: string;
  /** Its tools. */
  tools?: ToolSet;
  /** Narrows what the agent that starts it must ask about: it can tighten, never widen. */
  interruptOn?: InterruptOn;
  /** A policy for its calls, in addition to that of the agent that starts it: it can tighten, never widen. */
  policy?: PolicyInput | readonly PolicyInput[];
  /** The number of steps after which it ends. @default 20 */
  maxSteps?: number;
}

/**
 * An `ask_user` tool: the model puts questions to the human. The loop of `streamWithEvents` knows it: its calls are questions,
 * which only a human answers, and never a mode, a grant or time. A run with neither `onQuestion` nor a gate does not offer it
 * to the model. For main agents: a subagent that has it is an error.
 */
export declare function createAskUserTool(): BuiltinTools['ask_user'];

/**
 * What a system prompt should say about the tools that need approval. It names them, says that a human may take their time, and
 * that a rejected call must not be made again unchanged. Empty when nothing is asked about.
 */
export declare function describeApprovals<TOOLS extends ToolSet>(
  tools: TOOLS,
  options: { interruptOn?: InterruptOn<NoInfer<TOOLS>>; policy?: unknown; gate?: Gate },
): string;

// ---------------------------------------------------------------------------------------------------------------------
// Where files are and commands run
// ---------------------------------------------------------------------------------------------------------------------

/** How a call was approved, for the check at the moment of writing. */
export interface BackendCall {
  abortSignal?: AbortSignal;
  /**
   * SHA-256 (hex) that the content of the file must have before it is changed; `null`: it must not exist. `undefined`: any
   * content.
   */
  expected?: string | null;
  /**
   * The file that the path must lead to: absolute, every symlink followed, as in `FileChange.target`. A backend whose files
   * are not those of this machine may ignore it. `undefined`: wherever it leads.
   */
  target?: string;
}

/** One entry of a folder. */
export interface DirectoryEntry {
  /** Relative to the root, with `/`. */
  path: string;
  type: 'file' | 'directory' | 'symlink' | 'other';
  /** Bytes; of files only. */
  size?: number;
}

/**
 * Files below one root, and commands. Paths are relative to the root, or absolute and below it. An aborted call fails with the
 * signal's reason and has changed nothing.
 */
export interface Backend {
  /** Absolute. */
  readonly root: string;
  /** Whether its `execute` can confine a command; `'always'`: it confines each, even where less is asked for. */
  readonly canConfine?: true | 'always';
  /** UTF-8 text, with its line ends. Lines are counted from 1. `limit`: all lines unless given. */
  readFile(
    path: string,
    options?: BackendCall & { offset?: number; limit?: number },
  ): Promise<{ text: string; firstLine: number; lines: number; totalLines: number; sha256: string }>;
  /**
   * Makes or replaces a file, atomically, with the folders on the way; the file's permissions stay.
   *
   * @returns SHA-256 (hex) of what was written
   */
  writeFile(
    path: string,
    content: string,
    options?: BackendCall,
  ): Promise<{ created: boolean; bytes: number; sha256: string }>;
  /** Replaces text that is in the file exactly once, or each time with `replaceAll`. */
  editFile(
    path: string,
    change: { oldString: string; newString: string; replaceAll: boolean },
    options?: BackendCall,
  ): Promise<{ replaced: number; sha256: string }>;
  /** What is in a folder, hidden names too, sorted. `limit`: 1,000 unless given. */
  list(
    path: string,
    options?: BackendCall & { limit?: number },
  ): Promise<{ entries: DirectoryEntry[]; truncated: boolean }>;
  /**
   * Files below `path` that a glob matches, those that changed last first: `*` stays in a folder, `**` is any number of them.
   * What `.gitignore` names is left out, and so are hidden names that the glob does not begin with their dot, and symlinks.
   * `limit`: 1,000 unless given.
   */
  glob(
    pattern: string,
    options?: BackendCall & { path?: string; limit?: number },
  ): Promise<{ paths: string[]; truncated: boolean }>;
  /**
   * Lines that a regular expression (Rust's `regex`) matches, in a file or in those below a folder that {@link glob} would
   * find and that are text. `glob` without a `/` is of names in any folder. Of a long line there is what is around the match.
   * `limit`: 1,000 lines unless given.
   *
   * @returns `files`: how many files the matches are in
   */
  grep(
    pattern: string,
    options?: BackendCall & { path?: string; glob?: string; ignoreCase?: boolean; limit?: number },
  ): Promise<{ matches: { path: string; line: number; text: string }[]; files: number; truncated: boolean }>;
  /**
   * Runs a command line with `sh -c` in the root, with nothing to read. What it started is killed when it ends, is aborted or
   * takes too long, unless it left the process group (`setsid`). Aborted while it runs, it is not a failure: see `stopped`.
   *
   * `confine`: what it may do; `false`: anything. `undefined`: as the backend was made. One that cannot must not run it. One that
   * confines always takes `hide`, `protect`, `absent` and `demand` in addition to its own settings, and nothing else.
   *
   * `connect`: decides about each host, where `confine.network` is `'ask'` or a list. Time that it takes is not the command's.
   * Without it only what is listed is reached.
   */
  execute(
    command: string,
    options?: BackendCall & {
      timeout?: number;
      onOutput?: (text: string) => void;
      confine?: ConfineSettings | false;
      connect?: (
        target: NetworkTarget & { listed: boolean },
        options: { abortSignal: AbortSignal },
      ) => Promise<NetworkAnswer>;
    },
  ): Promise<CommandResult>;
}

export interface CommandResult {
  /** Both streams, in the order in which they were written; the middle of a long one is left out. */
  output: string;
  /** `null`: a signal ended it. */
  exitCode: number | null;
  signal: string | null;
  /** Whether some of the output was left out. */
  truncated: boolean;
  /** Bytes of the whole output. */
  bytes: number;
  /** Why it was stopped; `null`: it ended on its own. */
  stopped: 'timeout' | 'aborted' | null;
  /** Whether it ran confined. */
  confined?: boolean;
  /** What the sandbox refused, as far as the command said so. */
  refused?: readonly ConfinementRefusal[];
}

export interface LocalBackendOptions {
  /** The folder that it works in. No path of its file tools leads out of it. @default process.cwd() */
  root?: string;
  /** How long a command may take unless its call says less, in ms. @default 120,000 */
  commandTimeout?: number;
  /** How much of a command's output is kept, in bytes. @default 65,536 */
  maxOutputBytes?: number;
  /** The largest file that is read or edited, in bytes. @default 8,388,608: what a diff is shown of */
  maxFileBytes?: number;
  /**
   * Commands run confined: they write only in the root and in folders of their own, read the system and its toolchains, and reach
   * no network. `true`: just that. docs/confinement-hosts.md says what holds where. @default nothing is confined
   *
   * Where this system cannot hold it, the call throws ConfinementError (`ERR_CONFINEMENT`).
   */
  confine?: true | ConfineSettings;
  /**
   * Variables that commands see. @default PATH, HOME, USER, TZ, TERM, TMPDIR and SystemRoot: no keys
   *
   * countersign adds these, unless you set the same names: LC_ALL=C.UTF-8, no pager and no editor. For git there are in any
   * case `safe.bareRepository=explicit` and no `core.fsmonitor`, so that no folder of the project names a program that runs.
   */
  env?: Readonly<Record<string, string | undefined>>;
}

/**
 * The files of this machine below one folder, off the JavaScript thread. No path leads out of the folder, not even through a
 * symlink that changes meanwhile. Commands start in the folder but, being commands, can go anywhere: an approval, a policy or
 * your own sandbox limits those.
 *
 * @throws InvalidConfigError (`ERR_INVALID_CONFIG`) when there is no such folder
 */
export declare function createLocalBackend(options?: LocalBackendOptions): Backend;

/** What can be wrong with a file. */
export type BackendErrorCode =
  | 'ERR_OUTSIDE_ROOT'
  | 'ERR_NO_SUCH_FILE'
  | 'ERR_NOT_A_FILE'
  | 'ERR_NOT_A_DIRECTORY'
  | 'ERR_FILE_CHANGED'
  | 'ERR_FILE_TOO_LARGE'
  | 'ERR_NOT_TEXT'
  | 'ERR_NO_MATCH'
  | 'ERR_PATTERN'
  | 'ERR_FILE_PERMISSION'
  | 'ERR_FILE_IO';

/** A file cannot be read or written as asked; nothing was changed. The message says what to do. */
export declare class BackendError extends CountersignError {
  readonly code: BackendErrorCode;
  readonly path: string;
  constructor(options: { code: BackendErrorCode; message: string; path: string; cause?: unknown });
  static isInstance(error: unknown): error is BackendError;
}
