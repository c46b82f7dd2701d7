/** How the person is called, of the command line. */
import { InvalidConfigError } from '../errors/index.js';
import { notifyWay, type NotifyWay } from '../terminal/call-person.js';
import { UsageError } from './exit.js';

export const NOTIFY = { notify: { type: 'string' } } as const;

/** @throws {UsageError} */
export function readNotify(given: string | undefined): NotifyWay {
  try {
    return notifyWay(given, '--notify');
  } catch (error) {
    throw InvalidConfigError.isInstance(error) ? new UsageError(error.message) : error;
  }
}
