/**
 * What the value of an option is, where nothing but that can be wrong with it. What has bounds or a meaning of its own is checked where
 * it is used.
 */
import { InvalidConfigError } from '../errors/invalid-config-error.js';
import { toldValue } from '../errors/told-value.js';
import { kindOf, type OptionForm } from './names.js';

interface FormCheck {
  readonly is: (value: unknown) => boolean;
  readonly said: string;
  /** What to give instead of a value that is nearly right. */
  readonly instead?: (value: unknown) => string | undefined;
}

const isText = (value: unknown): boolean => typeof value === 'string';

const readAborted = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted')?.get;

/**
 * What that getter reads of a signal, where a runtime keeps it in properties (Node). They are inherited, too: an object whose
 * prototype is a signal has none of them itself.
 */
const KEPT: readonly PropertyKey[] = keptBy(new AbortController().signal);

function keptBy(signal: AbortSignal): PropertyKey[] {
  const read = new Set<PropertyKey>();
  const heard = new Proxy(signal, { get: (target, name) => (read.add(name), Reflect.get(target, name) as unknown) });
  try {
    readAborted?.call(heard);
  } catch {
    // It is kept where no proxy gets at it.
    return [];
  }
  return [...read].filter((name) => Object.hasOwn(signal, name));
}

/**
 * Whether it is a signal of this runtime, of any realm: its own getter reads it, and of itself. `AbortSignal.any` ignores an imitation
 * from a package, and an object behind which a signal stands as its prototype, so that their abort would stop nothing.
 */
function isSignal(value: unknown): boolean {
  try {
    const isAborted: unknown = readAborted?.call(value);
    return typeof isAborted === 'boolean' && KEPT.every((name) => Object.hasOwn(value as object, name));
  } catch {
    return false;
  }
}

const isImitation = (value: unknown): boolean =>
  typeof (value as { addEventListener?: unknown } | null)?.addEventListener === 'function';

const FORMS: Readonly<Record<OptionForm, FormCheck>> = {
  text: { is: isText, said: 'a text' },
  id: { is: (value) => isText(value) && value !== '', said: 'a text that is not empty' },
  texts: { is: (value) => Array.isArray(value) && value.every(isText), said: 'a list of texts' },
  flag: { is: (value) => typeof value === 'boolean', said: 'true or false' },
  function: { is: (value) => typeof value === 'function', said: 'a function' },
  signal: {
    is: isSignal,
    said: 'an AbortSignal of this runtime',
    instead: (value) =>
      isSignal((value as Partial<AbortController> | null)?.signal)
        ? 'not the controller of one: give controller.signal.'
        : isImitation(value)
          ? 'not an imitation of one, whose abort would stop nothing: give the signal of new AbortController().'
          : undefined,
  },
  count: { is: (value) => Number.isSafeInteger(value) && (value as number) > 0, said: 'a whole number above 0' },
  number: { is: (value) => typeof value === 'number' && value >= 0, said: 'a number, and none below 0' },
};

export const isForm = (kind: unknown): kind is OptionForm => typeof kind === 'string' && Object.hasOwn(FORMS, kind);

/** `undefined` is as good as left out. @throws {InvalidConfigError} for another value that is not of this form */
export function checkForm(form: OptionForm, value: unknown, place: string): void {
  const { is, said, instead } = FORMS[form];
  if (value === undefined || is(value)) return;
  const other = instead?.(value) ?? `not ${isPrimitive(value) ? toldValue(value) : kindOf(value)}.`;
  throw new InvalidConfigError({ message: `${place} must be ${said}, ${other}` });
}

/** Lists are shown by what they have. */
const isPrimitive = (value: unknown): boolean => Array.isArray(value) || Object(value) !== value;
