import type { Logger } from '../../index.js';
import { messageOf } from '../errors/message-of.js';

/** Tells the logger. One that throws must not change what is told to others. */
export function say(
  logger: Logger | undefined,
  level: 'warn' | 'error',
  what: string,
  fields: Record<string, unknown>,
): void {
  try {
    logger?.[level]?.(`webhooks: ${what}`, fields);
  } catch {
    // Said above.
  }
}

/** The same of something that failed. */
export const sayFailed = (
  logger: Logger | undefined,
  what: string,
  error: unknown,
  fields: Record<string, unknown> = {},
): void => say(logger, 'error', what, { ...fields, reason: messageOf(error) });
