/** The files of this machine below one folder, and commands that start there. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Backend, BackendCall, CommandResult, LocalBackendOptions } from '../../../agent.js';
import type { ConfineSettings } from '../../../index.js';
import { checkSettings, confined, tightened, warnOfUnheld } from '../../confine/confine.js';
import { BackendError } from '../../errors/backend-error.js';
import { InvalidConfigError } from '../../errors/index.js';
import { messageOf } from '../../errors/message-of.js';
import { checkText } from '../../gate/check-arguments.js';
import { checkPositive } from '../../gate/check-positive.js';
import { NativeFiles, type FileOperations } from '../../native.js';
import { takeNeeded, takeOptions } from '../../options/check.js';
import { checkRecord } from '../../options/names.js';
import { environmentOf } from './environment.js';
import { runCommand } from './run-command.js';

/** How many entries, paths or lines there are unless a call says otherwise. */
const MOST = 1_000;

/** See `agent.d.ts`. */
export function createLocalBackend(all: LocalBackendOptions = {}): Backend {
  const options = takeOptions('createLocalBackend', all);
  const positive = (name: 'commandTimeout' | 'maxOutputBytes' | 'maxFileBytes', fallback: number) =>
    checkPositive(`createLocalBackend's \`${name}\``, options[name] === undefined ? fallback : options[name]);
  // It would be the folder that the program was started in.
  if (options.root === '') throw new InvalidConfigError({ message: "createLocalBackend's `root` must not be empty." });
  const root = resolve(checkText('createLocalBackend: root', options.root ?? process.cwd()));
  const commandTimeout = positive('commandTimeout', 120_000);
  const maxOutputBytes = Math.ceil(positive('maxOutputBytes', 65_536));
  const files = openFiles(root, positive('maxFileBytes', 8_388_608));
  // What the user gives is read now: what becomes of the object later is not ours.
  // Node gives the environment of the process a prototype of its own.
  if (options.env !== process.env) checkRecord(options.env, 'createLocalBackend', 'env');
  const given = options.env === undefined ? undefined : { ...options.env };

  const { confine: own } = options;
  const settings = own === undefined || own === true ? own && {} : takeNeeded('createLocalBackend: confine', own);
  if (settings !== undefined) checkConfinement('createLocalBackend', settings, root);

  async function call<NAME extends keyof FileOperations>(
    operation: NAME,
    takes: FileOperations[NAME]['takes'],
    { abortSignal }: BackendCall,
  ): Promise<FileOperations[NAME]['answers']> {
    for (const value of Object.values(takes)) {
      if (typeof value === 'string' && !value.isWellFormed()) throw notText(takes.path);
    }
    return files.call(operation, takes, abortSignal);
  }

  const backend: Backend = {
    root,
    canConfine: settings === undefined ? true : 'always',
    readFile: (path, options = {}) =>
      call('read', { path, offset: count(options.offset, 1), limit: count(options.limit, undefined) }, options),
    writeFile: (path, content, options = {}) =>
      call('write', { path, content, expected: options.expected, target: options.target }, options),
    editFile: (path, { oldString, newString, replaceAll }, options = {}) =>
      call(
        'edit',
        { path, oldString, newString, replaceAll, expected: options.expected, target: options.target },
        options,
      ),
    list: (path, options = {}) => call('list', { path, limit: count(options.limit, MOST) }, options),
    glob: (pattern, options = {}) =>
      call('glob', { pattern, path: options.path ?? '', limit: count(options.limit, MOST) }, options),
    grep: (pattern, options = {}) =>
      call(
        'grep',
        {
          pattern,
          path: options.path ?? '',
          glob: options.glob ?? null,
          ignoreCase: options.ignoreCase ?? false,
          limit: count(options.limit, MOST),
        },
        options,
      ),
    execute: async (command, options): Promise<CommandResult> => {
      const { timeout, abortSignal, onOutput, confine = false, connect } = options ?? {};
      if (connect !== undefined && typeof connect !== 'function')
        throw new InvalidConfigError({
          message: 'execute: connect must be a function: (target) => ({ allowed, reason }).',
        });
      // What was there when it was made may have been moved away.
      if (settings !== undefined) warnOfUnheld({ settings, place: 'createLocalBackend', cwd: root, env: {} });
      return runCommand(checkText('execute: the command', command), {
        cwd: root,
        env: environmentOf(given, process.env),
        timeout: timeout !== undefined && timeout > 0 ? Math.min(timeout, commandTimeout) : commandTimeout,
        maxOutputBytes,
        abortSignal,
        onOutput,
        connect,
        // Its own confinement holds for every command, even where less is asked for.
        confine: tightened(settings, confine === false ? undefined : confine, 'execute: confine'),
      });
    },
  };
  PLACES.set(backend.execute, { root, home: environmentOf(given, process.env)['HOME'] ?? homedir() });
  return backend;
}

/** Where the commands run of each `execute` that a local backend has, and the home that they have. */
const PLACES = new WeakMap<object, { root: string; home: string }>();

/**
 * The folder in which this function runs commands, held to the `confine` that it is called with. `undefined`: it belongs to no
 * local backend, and may ignore `confine`.
 */
export const confinesIn = (execute: Backend['execute']): string | undefined => PLACES.get(execute)?.root;

/** What `~` is to the commands of this function. */
export const homeIn = (execute: Backend['execute']): string => PLACES.get(execute)?.home ?? homedir();

/** What cannot be held is known before anything is to run. @throws {ConfinementError}, {InvalidConfigError} */
export function checkConfinement(place: string, settings: ConfineSettings, cwd: string): void {
  checkSettings(settings, place);
  confined(':', { cwd, env: {}, settings, place, status: null });
  warnOfUnheld({ settings, place, cwd, env: {} });
}

function openFiles(root: string, maxFileBytes: number): NativeFiles {
  try {
    return new NativeFiles({ root, maxFileBytes });
  } catch (cause) {
    const message = `createLocalBackend's \`root\` must be a folder that can be opened: ${messageOf(cause)}`;
    throw new InvalidConfigError({ message, cause });
  }
}

/** A whole number that fits; what is not one is the fallback. */
function count<F>(value: number | undefined, fallback: F): number | F {
  if (value === undefined || Number.isNaN(value)) return fallback;
  return Math.min(Math.max(Math.trunc(value), 0), Number.MAX_SAFE_INTEGER);
}

function notText(path: string): BackendError {
  const message = 'A text has half a character in it (a lone surrogate): write it again.';
  return new BackendError({ code: 'ERR_NOT_TEXT', message, path });
}
