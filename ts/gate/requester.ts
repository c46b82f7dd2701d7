import { InvalidConfigError } from '../errors/index.js';
import { isBlankName, isPersonName } from './person-name.js';

/** @throws {InvalidConfigError} */
export function checkRequester(place: string, requester: unknown): string | undefined {
  if (requester === undefined) return undefined;
  if (typeof requester === 'string' && requester.isWellFormed() && isPersonName(requester)) return requester;
  throw new InvalidConfigError({ message: `${place}: requester must be the name of a person.` });
}

/** A `by` among options; `undefined`: no name given. @throws {InvalidConfigError} */
export function checkBy(place: string, by: unknown): string | undefined {
  if (by === undefined || by === null) return undefined;
  if (typeof by === 'string' && !isBlankName(by)) return by;
  throw new InvalidConfigError({
    message: `${place}: by must be the name of a person: leave it out if nobody is known.`,
  });
}
