/** The addon, and the JSON texts that go to it and come from it. Only this file loads it. */
import * as binding from '../binding/binding.js';
import { addonError, throwAtNoLine } from './errors/addon-error.js';
import { fromNative } from './errors/from-native.js';
import type { Envelope, Operations } from './wire.js';

export { binding };

if (binding.failure !== undefined) throwAtNoLine(addonError(binding.failure, binding.platform));

/** The executable that confines commands; `undefined`: not found beside the addon. */
export const confineProgram: string | undefined = binding.confineProgram;

/** What an answer of the addon says. Fails with the error that it says instead. */
export function open<T>(text: string): T {
  return opened(JSON.parse(text) as Envelope<T>);
}

/** The same for a text that is read already. */
export function opened<T>(envelope: Envelope<T>): T {
  if ('error' in envelope) throw fromNative(envelope.error);
  return envelope.ok;
}

/** An operation as text. */
export const operationText = (operation: string, takes: object): string => `{"${operation}":${JSON.stringify(takes)}}`;

/** What is asked, as the core reads it. */
export function textOf<NAME extends keyof Operations>(operation: NAME, takes: Operations[NAME]['takes']): string {
  return operationText(operation, wellFormed(takes));
}

/** Ids and reasons are any text. What is JSON inside of the arguments is left to the core. */
function wellFormed<T extends object>(takes: T): object {
  const isWellFormed = (value: unknown) => typeof value !== 'string' || value.isWellFormed();
  if (Object.values(takes).every(isWellFormed)) return takes;
  return Object.fromEntries(
    Object.entries(takes).map(([name, value]) => [name, typeof value === 'string' ? value.toWellFormed() : value]),
  );
}

/** Reasons and names are any text: a replacer for `JSON.stringify`. */
export const wellFormedText = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed() : value;
