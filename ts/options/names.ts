/** Names of options that are not known, without the tables of those that are: pages of a browser load this as well. */
import { InvalidConfigError } from '../errors/invalid-config-error.js';

/** `restricts`: without this option more may run, more people may decide, or more is kept in the clear. */
export type OptionNames = Readonly<Record<string, true | 'restricts'>>;

/** The names that are not among these. @throws {InvalidConfigError} for what is no object */
export function unknownIn(names: OptionNames, options: unknown, place: string): string[] {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const instead = options === undefined ? '' : `, not ${kindOf(options)}`;
    throw new InvalidConfigError({ message: `${place}: pass an object of options${instead}.` });
  }
  return Object.keys(options).filter((each) => !Object.hasOwn(names, each));
}

/**
 * What restricts may be left out, and not be there with nothing in it: what was read from a misspelt place would open, without a
 * word, what it was to restrict.
 *
 * @throws {InvalidConfigError}
 */
export function checkGiven(names: OptionNames, options: unknown, place: string): void {
  for (const [name, value] of Object.entries(options as object))
    if (value === undefined && Object.hasOwn(names, name) && names[name] === 'restricts')
      throw new InvalidConfigError({
        message: `${place}: ${name} is undefined, and without it less would be refused: give it a value, or leave it out.`,
      });
}

export const didYouMean = (name: string): string => `did you mean ${JSON.stringify(name)}?`;

/** @param hint what to do about the name */
export const refusal = (place: string, name: string, hint: string): InvalidConfigError =>
  new InvalidConfigError({ message: `${place} has no option ${JSON.stringify(name)}: ${hint}` });

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
