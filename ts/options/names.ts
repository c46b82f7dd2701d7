/** Names of options that are not known, without the tables of those that are: pages of a browser load this as well. */
import { InvalidConfigError } from '../errors/invalid-config-error.js';

export type Names = Readonly<Record<string, true>>;

/** The names that are not among these. @throws {InvalidConfigError} for what is no object */
export function unknownIn(names: Names, options: unknown, place: string): string[] {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const instead = options === undefined ? '' : `, not ${kindOf(options)}`;
    throw new InvalidConfigError({ message: `${place}: pass an object of options${instead}.` });
  }
  return Object.keys(options).filter((each) => !Object.hasOwn(names, each));
}

export const didYouMean = (name: string): string => `did you mean ${JSON.stringify(name)}?`;

/** @param hint what to do about the name */
export const refusal = (place: string, name: string, hint: string): InvalidConfigError =>
  new InvalidConfigError({ message: `${place} has no option ${JSON.stringify(name)}: ${hint}` });

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
