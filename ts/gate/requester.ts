import { InvalidConfigError } from '../errors/index.js';

/** @throws {InvalidConfigError} */
export function checkRequester(place: string, requester: unknown): string | undefined {
  if (requester === undefined) return undefined;
  if (
    typeof requester === 'string' &&
    requester.trim() !== '' &&
    requester.isWellFormed() &&
    !requester.startsWith('group:')
  )
    return requester;
  throw new InvalidConfigError({ message: `${place}: requester must be the name of a person.` });
}
