/**
 * The names of options. A name that an entry does not know is an error: ignored, it would leave a tool open that somebody meant
 * to gate. So is one that restricts and has no value.
 */
import { ALSO_CALLED } from './also-called.js';
import { ENTRIES, type EntryOptions, type EntryName } from './entries.js';
import { checkGiven, didYouMean, refusal, unknownIn } from './names.js';
import { fold, nearestOf } from './nearest.js';

type NameHint = (name: string) => string | undefined;

/**
 * @param options what was passed; `undefined` where all of them may be left out
 * @param place where it was passed, for the message. Default: the name of the entry
 * @param hint what to do about a name, where only the caller can know
 * @throws {InvalidConfigError} for what is no plain object, for a name that the entry does not know, and for one that restricts and is
 * `undefined` or `null`
 */
export function checkOptions(name: EntryName, options: unknown, place: string = name, hint?: NameHint): void {
  if (options !== undefined) checkNeeded(name, options, place, hint);
}

/** The same for options without which the entry cannot be called. @throws as {@link checkOptions} */
export function checkNeeded(name: EntryName, options: unknown, place: string = name, hint?: NameHint): void {
  const entry = ENTRIES[name];
  const [unknown] = unknownIn(entry.names, options, place);
  if (unknown !== undefined) throw refusal(place, unknown, hint?.(unknown) ?? meant(entry, unknown) ?? listOf(entry));
  checkGiven(entry.names, options, place);
}

/**
 * The same for an entry that hands on what it does not know. What is nearly one of ours was meant to be that.
 *
 * @param passed names that belong to whoever gets the rest
 * @returns names that nobody knows
 * @throws as {@link checkNeeded}
 */
export function checkPassedOn(name: EntryName, options: unknown, passed: ReadonlySet<string>): string[] {
  const entry = ENTRIES[name];
  const instead = entry.instead ?? {};
  const unknown = unknownIn(entry.names, options, name).filter(
    (each) => !passed.has(each) || (Object.hasOwn(instead, each) && given(options, each)),
  );
  for (const each of unknown) {
    const hint = meant(entry, each);
    if (hint !== undefined) throw refusal(name, each, hint);
  }
  checkGiven(entry.names, options, name);
  return unknown;
}

const given = (options: unknown, name: string): boolean => (options as Record<string, unknown>)[name] !== undefined;

/** What was probably meant; `undefined`: that cannot be told. */
function meant(entry: EntryOptions, name: string): string | undefined {
  const folded = fold(name);
  const { names, elsewhere = [], instead = {} } = entry;
  if (Object.hasOwn(instead, name)) return instead[name];
  const also = Object.hasOwn(ALSO_CALLED, folded) ? (ALSO_CALLED[folded] as string) : undefined;
  if (also !== undefined && Object.hasOwn(names, also)) return didYouMean(also);
  const places = elsewhere.map((each) => [each, Object.keys(ENTRIES[each].names)] as const);
  const owner = places.find(([, known]) => known.includes(name));
  if (owner !== undefined) return `give it to ${owner[0]}.`;
  const own = nearestOf(name, Object.keys(names));
  if (own !== undefined) return didYouMean(own);
  for (const [place, known] of places) {
    const near = also !== undefined && known.includes(also) ? also : nearestOf(name, known);
    if (near !== undefined) return `${didYouMean(near)} Give it to ${place}.`;
  }
  return undefined;
}

const listOf = ({ names }: EntryOptions): string => `the options are ${Object.keys(names).toSorted().join(', ')}.`;
