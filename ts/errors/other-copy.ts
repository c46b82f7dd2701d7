import { InvalidConfigError } from './invalid-config-error.js';

/**
 * What another copy of this package made: what it holds cannot be read here.
 *
 * @param what it is, and where it was given
 */
export const otherCopy = (what: string): InvalidConfigError =>
  new InvalidConfigError({
    message: `${what} is of another copy of countersign: this process has loaded two. Take both from one: npm ls countersign shows those that are installed, and a bundle must leave the package out of itself.`,
  });
