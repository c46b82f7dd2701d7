/**
 * Settings of the chat: flags over the project's file over the user's.
 *
 * - project: `.countersign/config.toml` of the nearest directory upward with `.countersign` or `.git`
 * - user: `countersign/config.toml` below `$XDG_CONFIG_HOME` or `~/.config`, on Windows below `%APPDATA%`
 *
 * ```toml
 * model = "gpt-5"                     # `creator/name` of the AI Gateway, or with base_url an id of that server
 * base_url = "http://localhost:11434/v1"
 * ledger = "sqlite:ledger.db"         # paths are relative to the folder of the file
 * policy = ["strict.toml"]            # one or several policy files, or "preset:developer"
 *
 * [tools]
 * need_approval = ["execute", "write_file", "edit_file"]
 *
 * [chat]
 * plain = false                       # lines instead of a screen
 * emoji = true
 * history = true                      # prompts are kept for the arrows of other sessions
 * ```
 *
 * A project's file comes with the project, so it may only tighten what is asked about: its `need_approval` is added to the
 * user's, its `policy` narrows, it cannot turn Auto-approve on, its ledger lies in the project and counts only where the user
 * names none, and its `base_url` is a server on this machine, which gets no key.
 */
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { BuiltinToolName } from '../../../agent.js';
import { DEFAULT_BUILTINS } from '../../agent/subagents.js';
import { CountersignError } from '../../errors/index.js';
import { messageOf } from '../../errors/message-of.js';
import { projectDirectory, readSettings, type NativeSetting } from '../../native.js';
import { readAtMost } from '../../values/read-at-most.js';
import { toldLedger } from '../../values/told-ledger.js';
import { nearestOf } from '../../options/nearest.js';
import { settingsFolder } from '../settings-folder.js';

/** Where somebody wrote it. */
interface SettingPlace {
  source: string;
  line: number;
  column: number;
}

/** A settings file cannot be read as it is. The message begins with the file, the line and the column. */
export class ConfigFileError extends CountersignError {
  declare readonly code: 'ERR_CONFIG_FILE';
  readonly source: string;
  readonly line: number;
  readonly column: number;

  constructor({ source, line, column }: SettingPlace, message: string, cause?: unknown) {
    super({ code: 'ERR_CONFIG_FILE', message: `${source}:${line}:${column}: ${message}`, cause });
    [this.source, this.line, this.column] = [source, line, column];
  }
}

/** What both files and the flags say together. */
export interface ChatConfig {
  model: string | undefined;
  baseUrl: string | undefined;
  /** Whether a key may be sent to {@link ChatConfig.baseUrl}: not where only a project names it. */
  sendsKey: boolean;
  /** What the user names: `sqlite:` and a path, `postgres://…`, or `memory:`; `undefined`: nothing. */
  ledger: string | undefined;
  /** What the project names, with an absolute path. */
  projectLedger: string | undefined;
  /** Tools that are asked about unless a rule allows the call; `*` is all of them. */
  needApproval: readonly string[];
  /** Files with absolute paths, and presets. */
  policies: readonly string[];
  /** Whether no settings and no flag say what is asked about. */
  isBare: boolean;
  /** Of the project: they only tighten. */
  narrowing: readonly string[];
  plain: boolean;
  emoji: boolean;
  /** Whether prompts are kept for other sessions: not where one of the files says no. */
  history: boolean;
  /** The project, absolute. */
  project: string;
  /** The user's folder of settings. */
  settings: string | undefined;
  /** The files that were read. */
  files: readonly string[];
}

/** The tools that the chat's agent has. */
export const TOOLS: readonly BuiltinToolName[] = [...DEFAULT_BUILTINS, 'task', 'ask_user'];

const NEED_APPROVAL: readonly string[] = ['execute', 'write_file', 'edit_file'];

export interface ConfigFlags {
  model?: string | undefined;
  'base-url'?: string | undefined;
  ledger?: string | undefined;
  policy?: readonly string[] | undefined;
  plain?: boolean | undefined;
}

/** @throws ConfigFileError (`ERR_CONFIG_FILE`) */
export async function readConfig(
  folder: string,
  flags: ConfigFlags,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ChatConfig> {
  const project = projectDirectory(folder);
  const settings = settingsFolder(environment);
  const userFile = settings === undefined ? undefined : join(settings, 'config.toml');
  const user = userFile === undefined ? undefined : await readConfigFile(userFile, undefined);
  const own = await readConfigFile(join(project, '.countersign', 'config.toml'), project);
  const baseUrl = flags['base-url'] ?? own?.base_url ?? user?.base_url;
  return {
    model: flags.model ?? own?.model ?? user?.model,
    baseUrl: baseUrl || undefined,
    sendsKey: flags['base-url'] !== undefined || own?.base_url === undefined || own.base_url === user?.base_url,
    // A project must not take the record of what it had done away from where the user wants it.
    ledger: flags.ledger ?? user?.ledger ?? (environment['COUNTERSIGN_LEDGER'] || undefined),
    projectLedger: own?.ledger,
    needApproval: [...new Set([...(user?.need_approval ?? NEED_APPROVAL), ...(own?.need_approval ?? [])])],
    policies: [...(user?.policy ?? []), ...(flags.policy ?? []).map((name) => policyName(name, folder))],
    isBare: [flags.policy, user?.policy, user?.need_approval, own?.policy, own?.need_approval].every(
      (each) => each === undefined,
    ),
    narrowing: own?.policy ?? [],
    plain: flags.plain ?? own?.plain ?? user?.plain ?? false,
    emoji: own?.emoji ?? user?.emoji ?? true,
    history: own?.history !== false && user?.history !== false,
    project,
    settings,
    files: [user, own].flatMap((each) => (each === undefined ? [] : [each.file])),
  };
}

interface FileConfig {
  file: string;
  model?: string;
  base_url?: string;
  ledger?: string;
  policy?: readonly string[];
  need_approval?: readonly string[];
  plain?: boolean;
  emoji?: boolean;
  history?: boolean;
}

/** More are no settings, in bytes. */
const MOST = 1 << 20;

/** @param project the project that the file comes with; `undefined`: it is the user's */
async function readConfigFile(file: string, project: string | undefined): Promise<FileConfig | undefined> {
  let text: string;
  try {
    text = new TextDecoder().decode(await readAtMost(file, MOST));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ConfigFileError({ source: file, line: 1, column: 1 }, `it cannot be read: ${messageOf(error)}`, error);
  }
  const read = readSettings(text);
  if ('problem' in read) throw new ConfigFileError({ source: file, ...read.problem }, read.problem.message);
  const config: Record<string, unknown> = { file };
  for (const setting of read.settings) {
    const { path, value } = setting;
    const refuse = (message: string): never => {
      throw new ConfigFileError({ source: file, line: setting.line, column: setting.column }, message);
    };
    const name = path.join('.');
    const key = Object.hasOwn(KEYS, name) ? KEYS[name] : undefined;
    if (key === undefined) return refuse(unknown(setting));
    config[path.at(-1)!] = key(value, { name, folder: dirname(file), project, refuse });
  }
  return config as unknown as FileConfig;
}

interface SettingContext {
  name: string;
  /** Where the file is. */
  folder: string;
  project: string | undefined;
  refuse(message: string): never;
}

type SettingReader = (value: unknown, about: SettingContext) => unknown;

const text: SettingReader = (value, { name, refuse }) =>
  typeof value === 'string' && value.trim() !== '' ? value : refuse(`${name} must be a text, not ${kindOf(value)}`);

const flag: SettingReader = (value, { name, refuse }) =>
  typeof value === 'boolean' ? value : refuse(`${name} must be true or false, not ${kindOf(value)}`);

function texts(value: unknown, { name, refuse }: SettingContext): string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  return refuse(`${name} must be a list of texts, not ${kindOf(value)}`);
}

const KEYS: Readonly<Record<string, SettingReader>> = {
  model: text,
  base_url: (value, about) => {
    const url = text(value, about) as string;
    if (!isServer(url))
      return about.refuse(`${about.name} must be an http or https address, not ${JSON.stringify(url)}`);
    if (about.project !== undefined && !isHere(url))
      return about.refuse(
        `a project's ${about.name} must be a server on this machine: name another one with --base-url, or in your own file`,
      );
    return url;
  },
  ledger: (value, about) => {
    const ledger = text(value, about) as string;
    if (ledger === 'memory:') return ledger;
    // What everybody shares is named by who uses it, not by what came with a project.
    if (/^postgres(ql)?:\/\//.test(ledger) && about.project === undefined) return ledger;
    const path = ledger.startsWith('sqlite:') ? ledger.slice('sqlite:'.length) : '';
    if (path === '' || path.includes('\0'))
      return about.refuse(
        `${about.name} must be sqlite:PATH or memory:${about.project === undefined ? ' or postgres://…' : ''}, not ${toldLedger(ledger)}`,
      );
    const file = resolve(about.folder, path);
    if (about.project !== undefined && !isInside(about.project, file))
      return about.refuse(`a project's ${about.name} must lie in the project`);
    return `sqlite:${file}`;
  },
  policy: (value, about) =>
    (typeof value === 'string' ? [value] : texts(value, about)).map((name) => policyName(name, about.folder)),
  'tools.need_approval': (value, about) => {
    const names = texts(value, about);
    const wrong = names.find((name) => name !== '*' && !(TOOLS as readonly string[]).includes(name));
    // A name without a tool would ask about nothing.
    return wrong === undefined ? names : about.refuse(`there is no tool ${hinted(wrong, TOOLS)}`);
  },
  'chat.plain': flag,
  'chat.emoji': flag,
  'chat.history': flag,
};

function unknown({ path }: NativeSetting): string {
  const name = path.join('.');
  if (Object.keys(KEYS).some((key) => key.startsWith(`${name}.`))) return `${name} must be a table`;
  return `there is no setting ${hinted(name, Object.keys(KEYS))}`;
}

function hinted(name: string, known: readonly string[]): string {
  const meant = nearestOf(name, known);
  return `${JSON.stringify(name)}${meant === undefined ? `: there are ${known.join(', ')}` : `: did you mean ${meant}?`}`;
}

const policyName = (name: string, folder: string): string =>
  name.startsWith('preset:') ? name : resolve(folder, name);

const kindOf = (value: unknown): string =>
  value === null ? 'a date or a table' : Array.isArray(value) ? 'a list' : JSON.stringify(value);

export const isServer = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url);

const isHere = (url: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname.toLowerCase());

function isInside(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path !== '' && path.split(/[\\/]/)[0] !== '..' && !isAbsolute(path);
}
