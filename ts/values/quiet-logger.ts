/** Functions of the user's that are told something: what becomes of them changes nothing that runs, and is told once. */
import type { Logger } from '../../index.js';
import { originOf } from '../errors/message-of.js';
import { warnOnce } from '../errors/warn-once.js';
import { isThenable } from './awaitable.js';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;

/** Those that were made here. */
const QUIET = new WeakSet<object>();

/** The logger, which neither throws nor leaves a rejection to the process, which would end by it. */
export function quietLogger(logger: Logger): Logger {
  if (QUIET.has(logger)) return logger;
  const quiet: Logger = {};
  for (const level of LEVELS)
    if (typeof logger[level] === 'function')
      quiet[level] = (message, fields) => quietly(`logger.${level}`, () => logger[level]?.(message, fields));
  QUIET.add(quiet);
  return quiet;
}

/** Calls a function and ignores its answer. @param name what it is called in messages */
export function quietly(name: string, call: () => unknown): void {
  const tell = (error: unknown): void =>
    warnOnce(
      `failed:${name}`,
      `${name} failed, and what it was told is lost: ${originOf(error)}. Nothing waits for it.`,
    );
  try {
    const answer = call();
    if (isThenable(answer)) void Promise.resolve(answer).then(undefined, tell);
  } catch (error) {
    tell(error);
  }
}
