import type { Logger } from '../../index.js';
import { CountersignError } from '../errors/countersign-error.js';
import { messageOf, originOf } from '../errors/message-of.js';
import { warnSeldom } from '../errors/warn-once.js';
import { oneLine } from '../gate/in-a-line.js';

/**
 * Tells the logger. Without a logger it warns the process, once for each endpoint and kind of trouble, and again after a while.
 * Failures here have no other witness. A logger that throws must not change what is told to others.
 */
export function say(
  logger: Logger | undefined,
  level: 'warn' | 'error',
  what: string,
  fields: Record<string, unknown>,
): void {
  try {
    if (logger === undefined) return warnProcess(what, fields);
    logger[level]?.(`webhooks: ${what}`, fields);
  } catch {
    // Said above.
  }
}

function warnProcess(what: string, { endpoint, reason }: Record<string, unknown>): void {
  const [place, why] = [endpoint, reason].map((each) => (typeof each === 'string' ? `: ${oneLine(each)}` : ''));
  warnSeldom(
    `webhooks:${what}:${String(endpoint)}`,
    `webhooks: ${what}${place}${why}. Give sendWebhooks or createActionLinks a logger to hear of each; \`countersign webhooks\` lists what waits in a ledger.`,
  );
}

/** The same of something that failed. What somebody else says in an error may quote what they were given: the process is not told it. */
export const sayFailed = (
  logger: Logger | undefined,
  what: string,
  error: unknown,
  fields: Record<string, unknown> = {},
): void => {
  const isTold = logger !== undefined || CountersignError.isInstance(error);
  say(logger, 'error', what, { ...fields, reason: isTold ? messageOf(error) : originOf(error) });
};
