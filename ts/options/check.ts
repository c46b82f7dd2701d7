/**
 * The options of an entry, taken: a name that the entry does not know is an error, for ignored it would leave a tool open that somebody
 * meant to gate. So is one that restricts and has no value. And what was given counts as it was at that moment: the entry has a copy.
 */
import { InvalidConfigError } from '../errors/invalid-config-error.js';
import type { Logger } from '../../index.js';
import { CountersignError } from '../errors/countersign-error.js';
import { messageOf } from '../errors/message-of.js';
import { ALSO_CALLED } from './also-called.js';
import { ENTRIES, HELD, type EntryOptions, type EntryName } from './entries.js';
import { checkForm, isForm } from './forms.js';
import { givenTo, HOMES } from './homes.js';
import { checkGiven, checkPlain, didYouMean, refusal, unknownIn } from './names.js';
import { fold, nearestOf } from './nearest.js';
import { takeValue } from './plain.js';
import { restrictsTools } from './speaks-of-approval.js';
import { isProxy } from '../values/is-proxy.js';
import { quietLogger } from '../values/quiet-logger.js';

type NameHint = (name: string) => string | undefined;

/** What to do about the value of an unknown name. */
type ValueHint = (value: unknown) => string | undefined;

/**
 * @param options what was passed; `undefined` where all of them may be left out
 * @param place where it was passed, for the message. Default: the name of the entry
 * @param hint what to do about a name, where only the caller can know
 * @returns a copy, at every depth; functions, objects of a class and what is in {@link HELD} are the user's own
 * @throws {InvalidConfigError} for what is no plain object, for a name that the entry does not know, and for one that restricts and is
 * `undefined` or `null`
 */
export function takeOptions<OPTIONS>(
  name: EntryName,
  options: OPTIONS,
  place: string = name,
  hint?: NameHint,
): OPTIONS {
  return options === undefined ? options : takeNeeded(name, options, place, hint);
}

/** The same for options without which the entry cannot be called. @throws as {@link takeOptions} */
export function takeNeeded<OPTIONS>(name: EntryName, options: OPTIONS, place: string = name, hint?: NameHint): OPTIONS {
  return readable(place, () => {
    const entry = ENTRIES[name];
    const { own, getter } = readOnce(options, place, entry.form);
    const [unknown] = unknownIn(entry.names, own, place);
    if (unknown !== undefined) throw refusal(place, unknown, hint?.(unknown) ?? meant(entry, unknown) ?? listOf(entry));
    refuseGetter(getter, place);
    checkValues(entry, own, place);
    return taken(entry, own, place) as OPTIONS;
  });
}

/**
 * The same for an entry that hands on what it does not know. What is nearly one of ours was meant to be that.
 *
 * @param passed names that belong to the receiver of the rest
 * @param hint what to do about a name, where only the caller can know
 * @param ofValue the same by its value
 * @returns with the unknown names
 * @throws as {@link takeNeeded}
 */
export function takePassedOn<OPTIONS extends object>(
  name: EntryName,
  options: OPTIONS,
  passed: ReadonlySet<string>,
  hint?: NameHint,
  ofValue?: ValueHint,
): { options: OPTIONS; unknown: string[] } {
  return readable(name, () => {
    const entry = ENTRIES[name];
    const { own, getter } = readOnce(options, name, entry.form);
    const theirs = entry.instead ?? {};
    const unknown = unknownIn(entry.names, own, name).filter(
      (each) => !passed.has(each) || (Object.hasOwn(theirs, each) && own[each] !== undefined),
    );
    for (const each of unknown) {
      const said = hint?.(each) ?? meant(entry, each) ?? (restrictsTools(each) ? listOf(entry) : undefined);
      const instead = said ?? ofValue?.(own[each]);
      if (instead !== undefined) throw refusal(name, each, instead);
    }
    refuseGetter(getter, name);
    checkValues(entry, own, name);
    return { options: taken(entry, own, name) as OPTIONS, unknown };
  });
}

/**
 * Options that go to the AI SDK without passing this entry, which would pass over what restricts here.
 *
 * @param place where they were given, for the message
 * @param passed names that the AI SDK knows there
 * @param hint as of {@link takePassedOn}
 * @param ofValue as of {@link takePassedOn}
 * @throws {InvalidConfigError} for one that restricts what a run of the entry does, or that was plainly meant to
 */
export function refuseMisplaced(
  name: EntryName,
  options: object,
  place: string,
  passed: ReadonlySet<string>,
  hint?: NameHint,
  ofValue?: ValueHint,
): void {
  readable(place, () => {
    const { names, carriesOut = [] } = ENTRIES[name];
    const restricting = Object.keys(names).filter(
      (each) => RESTRICTS.has(each) || String(names[each]).startsWith('restricts'),
    );
    for (const [each, value] of Object.entries(options)) {
      if (value === undefined || passed.has(each)) continue;
      const own = restricting.includes(each)
        ? each
        : (calledElse(each).find((known) => restricting.includes(known)) ??
          nearestOf(each, [...restricting, ...carriesOut]));
      const isMeant = own !== undefined || restrictsTools(each);
      const said = hint?.(each) ?? (isMeant ? undefined : ofValue?.(value));
      if (said !== undefined) throw refusal(place, each, said);
      if (!isMeant) continue;
      throw refusal(
        place,
        each,
        `nobody reads it there. Give ${own === undefined ? 'what it says' : JSON.stringify(own)} to ${name}.`,
      );
    }
  });
}

/** Options that decide who is asked, and have no need of a value. */
const RESTRICTS: ReadonlySet<string> = new Set(['onApprovalRequest', 'onQuestion', 'unknownTools', 'approvalTimeout']);

/** A getter or a proxy of the user's may throw: that is no option either, and says so. @throws {InvalidConfigError} */
export function readable<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (CountersignError.isInstance(cause)) throw cause;
    throw new InvalidConfigError({ message: `${place}: what was given cannot be read: ${messageOf(cause)}`, cause });
  }
}

function checkValues({ names }: EntryOptions, own: Record<string, unknown>, place: string): void {
  checkGiven(names, own, place);
  for (const name of Object.keys(own)) {
    const value = own[name];
    const kind = Object.hasOwn(names, name) ? names[name] : true;
    if (kind === 'filter') checkForm('text', value, `${place}: ${name}`);
    else if (isForm(kind)) checkForm(kind, value, `${place}: ${name}`);
  }
}

/**
 * Each option, read once, without what the first getter among them makes: {@link refuseGetter} refuses that one.
 *
 * @throws {InvalidConfigError} for what is no plain object, and for what one reader sees and another does not
 */
function readOnce(
  options: unknown,
  place: string,
  form: string | undefined,
): { own: Record<string, unknown>; getter: string | undefined } {
  checkPlain(options, place, form);
  if (isProxy(options))
    throw new InvalidConfigError({
      message: `${place}: the options are a Proxy, which may hide some of them: pass a plain object.`,
    });
  const own = Object.create(null) as Record<string, unknown>;
  let getter: string | undefined;
  for (const name of Reflect.ownKeys(options)) {
    const found = Object.getOwnPropertyDescriptor(options, name);
    if (typeof name !== 'string' || found?.enumerable !== true)
      throw new InvalidConfigError({
        message: `${place}: ${String(name)} is not an option: give each as a plain property whose name is a text.`,
      });
    own[name] = found.value as unknown;
    if (!('value' in found)) getter ??= name;
  }
  return { own, getter };
}

/** What makes a value when it is asked may make another one at the next look. @throws {InvalidConfigError} */
function refuseGetter(getter: string | undefined, place: string): void {
  if (getter !== undefined)
    throw new InvalidConfigError({ message: `${place}: ${getter} is a getter: write the value itself.` });
}

/** What is handed on is whose it is. */
function taken({ names }: EntryOptions, own: Record<string, unknown>, place: string): Record<string, unknown> {
  for (const name of Object.keys(own)) {
    const value = own[name];
    if (!Object.hasOwn(names, name)) continue;
    // What cannot even be looked at is no object of anybody's.
    if (names[name] === 'logger' && value !== undefined) own[name] = quietLogger(value as Logger);
    else if (HELD.has(name)) void Object.getPrototypeOf(value ?? own);
    else own[name] = takeValue(value, `${place}: ${name}`);
  }
  return own;
}

/** What was probably meant; `undefined`: that cannot be told. */
function meant(entry: EntryOptions, name: string): string | undefined {
  const { names, elsewhere = [], instead = {}, carriesOut = [] } = entry;
  if (Object.hasOwn(instead, name)) return instead[name];
  const also = calledElse(name);
  const own = also.find((each) => Object.hasOwn(names, each));
  if (own !== undefined) return didYouMean(own);
  const places = elsewhere.map((each) => [each, Object.keys(ENTRIES[each].names)] as const);
  const given = (place: string, each: string) => givenTo(place, each, Object.hasOwn(names, 'gate'));
  const owner = places.find(([, known]) => known.includes(name));
  if (owner !== undefined) return given(owner[0], name);
  const near = nearestOf(name.replace(/^experimental_/, ''), [...Object.keys(names), ...carriesOut]);
  if (near !== undefined) return didYouMean(near);
  for (const [place, known] of places) {
    const there = also.find((each) => known.includes(each)) ?? nearestOf(name, known);
    if (there !== undefined) return `${didYouMean(there)} ${capital(given(place, there))}`;
  }
  const home = nearestOf(name, Object.keys(HOMES));
  const form = home === undefined ? undefined : HOMES[home];
  if (home === undefined || form === undefined) return undefined;
  return home === name ? form : `${didYouMean(home)} ${capital(form)}`;
}

/** Options of ours that others call so. */
function calledElse(name: string): readonly string[] {
  const folded = fold(name);
  return Object.hasOwn(ALSO_CALLED, folded) ? [ALSO_CALLED[folded] ?? []].flat() : [];
}

const capital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);

const listOf = ({ names }: EntryOptions): string => `the options are ${Object.keys(names).toSorted().join(', ')}.`;
