/** What a callback answered, as it was at that moment: the callback may change it while it is checked. */
import * as types from 'node:util/types';
import type { ApprovalRecord } from '../../index.js';
import { InvalidDecisionError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { toldKind } from '../errors/told-value.js';
import { plainProperties } from '../options/plain.js';
import { isProxy } from '../values/is-proxy.js';
import { isJsonNumber, numberText, revive, snapshot } from '../values/snapshot.js';
import { readDecider, type DecidingPerson } from './decider.js';
import { readRemember, rememberOf, type RememberedAs } from './remember.js';
import { ownValue } from '../values/own-value.js';
import type { ShownName } from './seen-edit.js';

/** Each part, or what is wrong with it once it is needed. */
export interface TakenAnswer {
  /** Without who decides. Fails with {@link InvalidDecisionError}. */
  plain: () => unknown;
  /** Fails with {@link InvalidDecisionError}. */
  decider: () => DecidingPerson;
  /** Fails with {@link InvalidDecisionError}. */
  remember: () => RememberedAs | undefined;
  /** What it says was shown of an edit. Fails with {@link InvalidDecisionError}. */
  shown: () => ShownName;
  /** What it looks like, without what it says. */
  shape: () => string;
  /** Why it is no decision, for its developer: without what it says. Empty where its shape says all. */
  fault: (error: unknown) => string;
}

/** Where an answer is given. A callback has no other place to say who answers; at the gate that stands beside the decision. */
export type AnswerPlace = 'onApprovalRequest' | 'gate.decide' | 'gate.decideAll';

/** The one reader of answers, wherever they come from. */
export function takeAnswer(answer: unknown, place: AnswerPlace): TakenAnswer {
  const own = known(() => readOwn(answer, place));
  return {
    plain: known(() => plainAnswer(own())),
    decider: known(() => readDecider(own(), 'callback')),
    remember: known(() => readRemember(rememberOf(own()))),
    shown: known(() => readShown(shownIn(own()))),
    shape: () => shapeOf(answer),
    fault: (error) => faultOf(error, answer),
  };
}

/**
 * What an answer has itself, each part of it read once: what says another thing at each look would be approved by one part and refused
 * by the next.
 *
 * @throws {InvalidDecisionError} for a hidden part, and for a decider's name where it is not read
 */
export function readOwn(answer: unknown, place: AnswerPlace): unknown {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return answer;
  const own = openProperties(answer);
  for (const name of place === 'onApprovalRequest' ? ['via'] : ['by', 'groups', 'via'])
    if ((own[name] ?? null) !== null) throw misplaced(name, place);
  for (const [name, shape] of Object.entries(REASON_IN))
    if ((own[name] ?? null) !== null && !Object.hasOwn(own, shape))
      throw new InvalidDecisionError({
        message: `${place}: the decision has \`${name}\` without \`${shape}\`, so that nobody would read it: call it \`reason\`. Nothing was decided.`,
      });
  return own;
}

/** How others call a reason, each in the one shape in which that is read. */
const REASON_IN: Readonly<Record<string, string>> = { note: 'decision', message: 'type' };

/** @throws {InvalidDecisionError} */
function openProperties(answer: object): Record<string, unknown> {
  try {
    const own = plainProperties(answer, 'it');
    const inherited = [...Object.keys(NAMES_ITS_CALL), 'request'].find(
      (name) => name in answer && !Object.hasOwn(answer, name),
    );
    if (inherited === undefined) return own;
    throw new TypeError(`it inherits ${inherited}: write it into the answer itself`);
  } catch (cause) {
    throw notPlain(cause);
  }
}

/** Passed over, the decision would be taken without the name that somebody gave it. */
function misplaced(name: string, place: AnswerPlace): InvalidDecisionError {
  const first = place === 'gate.decideAll' ? 'approvalIds' : 'approvalId';
  const form =
    place === 'onApprovalRequest'
      ? 'Leave it out: what a callback answers comes through the callback.'
      : `Who decides stands behind the decision, since what a page or a model sent may name anybody: ${place}(${first}, decision, { ${name} }).`;
  return new InvalidDecisionError({
    message: `${place}: the decision has \`${name}\`, which is not taken from it. ${form} Nothing was decided.`,
  });
}

const notPlain = (cause: unknown): InvalidDecisionError =>
  new InvalidDecisionError({ message: `The answer is not plain data: ${messageOf(cause)}`, cause });

/** What a callback answered to questions. Fails with what it cannot be copied for. */
export const takeAnswers = (answers: unknown): (() => unknown) => known(() => snapshot(answers).value);

/** Makes it now, and gives it, or fails with what it failed with, whenever it is asked for. */
function known<T>(make: () => T): () => T {
  try {
    const made = make();
    return () => made;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/**
 * The arguments that the caller of the gate wrote, which may hold what a request may: dates, maps, bytes. What one look at them does not
 * show is refused as in an answer.
 *
 * @throws {InvalidDecisionError}
 */
export function plainArguments(args: unknown): unknown {
  try {
    const { json } = snapshot(args);
    const lost = lostInJson(args);
    if (lost !== undefined) throw new TypeError(`"args" is ${lost}: give an object of arguments by name`);
    checkOpen({ args }, 'args');
    // An instance of a class is what its properties say.
    return snapshot(revive(json)).json;
  } catch (cause) {
    throw notPlain(cause);
  }
}

/** At every depth. */
function checkOpen(holder: object, key: string): void {
  const given = openValue(holder, key);
  if (typeof given !== 'object' || given === null) return;
  if (types.isNativeError(given)) throw new TypeError(`${named(key)} is an Error`);
  const held = types.isMap(given) || types.isSet(given) ? [...given].flat() : given;
  if (held === given && lostInJson(given) !== undefined) return;
  for (const each of Object.keys(held)) checkOpen(held, each);
}

/** An answer as data, without who decides. @param answer of {@link readOwn} @throws {InvalidDecisionError} */
function plainAnswer(answer: unknown): unknown {
  let text: string | undefined;
  try {
    text = JSON.stringify(answer, asItIs(answer));
  } catch (cause) {
    throw notPlain(cause);
  }
  if (text === undefined) {
    throw new InvalidDecisionError({
      message: `The answer is ${typeof answer}. Answer with true, false or { type: 'approve' | 'edit' | 'reject' | 'respond' | 'skip' }.`,
    });
  }
  // Written out once more, so that nothing in an answer is taken for one of our tags.
  return snapshot(withoutDecider(JSON.parse(text))).json;
}

/** What an answer may say beside its decision: which call it is for. */
const NAMES_ITS_CALL: Readonly<Record<string, (record: ApprovalRecord) => readonly string[]>> = {
  approvalId: ({ approvalId }) => [approvalId],
  toolCallId: ({ toolCallId }) => [toolCallId],
  toolName: ({ toolName }) => [toolName],
  runId: ({ runId }) => [runId],
  id: ({ approvalId, toolCallId }) => [approvalId, toolCallId],
};

/**
 * An answer that names a call is one to that call alone: mixing two up would approve another one.
 *
 * @param plain of {@link TakenAnswer.plain}
 * @throws {InvalidDecisionError}
 */
export function checkItsCall(plain: unknown, record: ApprovalRecord): void {
  const answer = revive(plain);
  checkNamed(answer, '', record);
  if (!isObject(answer)) return;
  checkNamed(ownValue(answer, 'editedAction'), 'editedAction.', record);
  const request = ownValue(answer, 'request');
  if (request === undefined || request === null) return;
  // Anything else may be a different answer, in unknown words.
  if (isObject(request) && ownValue(request, 'approvalId') === record.approvalId) return;
  throw new InvalidDecisionError({
    message: `The answer is for another call, or does not say for which: its request has not the approvalId of ${record.toolName} (${record.approvalId}). Answer each request by its own approvalId, or leave request out.`,
  });
}

/** @param said an answer, the request that it has beside it, or the action that it gives instead */
function checkNamed(said: unknown, place: string, record: ApprovalRecord): void {
  if (!isObject(said)) return;
  for (const [name, meant] of Object.entries(NAMES_ITS_CALL)) {
    const value = ownValue(said, name);
    if (value === undefined || value === null || meant(record).includes(value as string)) continue;
    throw new InvalidDecisionError({
      message: `The answer is for another call: its ${place}${name} is not that of ${record.toolName} (${record.approvalId}). Answer each request by its own approvalId.`,
    });
  }
  checkNamed(ownValue(said, 'request'), `${place}request.`, record);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What an answer looks like, without what it says: that may quote what somebody was asked. */
function shapeOf(answer: unknown): string {
  try {
    if (isProxy(answer)) return 'it answered a Proxy';
    if (answer === null || typeof answer !== 'object' || Array.isArray(answer))
      return `it answered ${toldKind(answer)}`;
    const fields = Object.entries(answer).map(([name, value]: [string, unknown]) => {
      const word = isWord(name) ? name : '…';
      if (name === 'type' && TYPES.has(value)) return `type: '${String(value)}'`;
      return `${word}: ${isProxy(value) ? 'a Proxy' : toldKind(value)}`;
    });
    return `it answered {${fields.length === 0 ? '' : ` ${fields.join(', ')} `}}`;
  } catch {
    return 'it answered what cannot be read';
  }
}

const isWord = (name: string): boolean => /^[a-zA-Z]{1,20}$/.test(name);

/** A name of the answer may be repeated, as in its shape. What was thrown while the answer was read may say anything. */
function faultOf(error: unknown, answer: unknown): string {
  if (typeof answer !== 'object' || answer === null) return '';
  if (hasProxy(answer)) return 'a Proxy may hide a part of it: write the object itself, such as { type, reason }';
  if (!InvalidDecisionError.isInstance(error) || error.cause !== undefined) return '';
  const isOpen = (word: string): boolean => TYPES.has(word) || (isWord(word) && Object.hasOwn(answer, word));
  return messageOf(error)
    .replace(/: expected true, false[^]*$/, '')
    .replaceAll(/'((?:[^'\\]|\\.)*)'/g, (quoted, word: string) => (isOpen(word) ? quoted : "'…'"));
}

const hasProxy = (answer: object): boolean =>
  isProxy(answer) || Object.values(Object.getOwnPropertyDescriptors(answer)).some(({ value }) => isProxy(value));

const TYPES: ReadonlySet<unknown> = new Set(['approve', 'edit', 'reject', 'respond', 'skip']);

/** What is decided, without who does, and what was shown. */
function withoutDecider(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return answer;
  const { by: _by, groups: _groups, shown: _shown, ...decision } = answer as Record<string, unknown>;
  return decision;
}

const shownIn = (answer: unknown): unknown => (isObject(answer) ? ownValue(answer, 'shown') : undefined);

/** What somebody says was shown of an edit. @throws {InvalidDecisionError} for what no edit is shown by */
export function readShown(shown: unknown): ShownName {
  if (shown === undefined || shown === null || (typeof shown === 'string' && SHOWN.test(shown))) return shown;
  throw new InvalidDecisionError({
    message: '`shown` must be what came with the edit as it was shown, or null. Nothing was decided.',
  });
}

/** A digest. */
const SHOWN = /^[\w:-]{1,200}$/;

/**
 * For `JSON.stringify`: refuses what is written as something else than it is, or left out: an object that writes itself (`toJSON`), a
 * getter, a Proxy, a function, a map, what is inherited, a number that JSON does not have. What a human read in it would not be what counts. What is given in the place of a
 * result runs nothing, and may write itself.
 */
function asItIs(answer: unknown): (this: unknown, key: string, value: unknown) => unknown {
  return function see(key, value) {
    if (key === 'output' && this === answer) return value === undefined ? value : writtenOut(value);
    openValue(this as object, key);
    return written(key, value);
  };
}

/**
 * The value of a property, without asking a getter.
 *
 * @throws {TypeError} for what may say something else than is seen in it, or has a part that is not seen
 */
function openValue(holder: object, key: string): unknown {
  const found = Object.getOwnPropertyDescriptor(holder, key);
  if (found !== undefined && !('value' in found)) throw new TypeError(`${named(key)} is a getter`);
  const given: unknown = found?.value;
  if (isProxy(given)) throw new TypeError(`${named(key)} is a Proxy`);
  const isKnown = types.isDate(given) ? given.toJSON === Date.prototype.toJSON : given instanceof URL;
  if (isKnown) return given;
  if (writesItself(given))
    throw new TypeError(`${named(key)} has a toJSON of its own, which may say something else than what is shown of it`);
  const inherited = inheritedOf(given);
  if (inherited !== undefined)
    throw new TypeError(
      `${named(key)} inherits ${inherited}, which would be left out: write it into the object itself`,
    );
  return given;
}

/** What an object has of its class or of another object, and JSON leaves out. Methods are no data. */
function inheritedOf(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  if (lostInJson(given) !== undefined) return undefined;
  // What every object has ends it, also in another realm.
  const isEnd = (at: object | null): at is null => at === null || Object.hasOwn(at, 'hasOwnProperty');
  const above = (at: object) => Object.getPrototypeOf(at) as object | null;
  for (let at = above(given); !isEnd(at); at = above(at)) {
    const [name] =
      Object.entries(Object.getOwnPropertyDescriptors(at)).find(
        ([, { enumerable, get, value }]) => get !== undefined || (enumerable === true && typeof value !== 'function'),
      ) ?? [];
    if (name !== undefined && !Object.hasOwn(given, name)) return name;
  }
  return undefined;
}

const writesItself = (given: unknown): boolean =>
  typeof given === 'object' &&
  given !== null &&
  'toJSON' in given &&
  typeof (given as { toJSON: unknown }).toJSON === 'function';

function writtenOut(value: unknown): unknown {
  const text = JSON.stringify(value, written) as string | undefined;
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

/** @throws {TypeError} for what JSON has no words for */
function written(key: string, value: unknown): unknown {
  const lost = lostInJson(value);
  if (lost !== undefined) throw new TypeError(`${named(key)} is ${lost}, which JSON does not have`);
  return value;
}

function lostInJson(value: unknown): string | undefined {
  if (typeof value === 'number') return isJsonNumber(value) ? undefined : numberText(value);
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null) return undefined;
  // `new Boolean(false)` is true where JavaScript asks, and false in JSON.
  if (types.isBoxedPrimitive(value)) return `an object around a ${typeof value.valueOf()}`;
  return LOST.some((isLost) => isLost(value)) ? `a ${Object.prototype.toString.call(value).slice(8, -1)}` : undefined;
}

/** What is written without what is in it. */
const LOST: readonly ((value: object) => boolean)[] = [
  types.isMap,
  types.isSet,
  types.isWeakMap,
  types.isWeakSet,
  types.isRegExp,
  types.isPromise,
  types.isNativeError,
  types.isAnyArrayBuffer,
  ArrayBuffer.isView,
];

const named = (key: string): string => (key === '' ? 'it' : JSON.stringify(key));
