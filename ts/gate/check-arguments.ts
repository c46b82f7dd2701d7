/** What is given to the methods of a gate: what no type checker has seen is refused before it comes to the core. */
import { InvalidConfigError } from '../errors/index.js';
import { toldKind } from '../errors/told-value.js';

/** @throws {InvalidConfigError} unless it is a text */
export function checkText(place: string, value: unknown): string {
  // Half a character is not one; no id has it.
  if (typeof value === 'string') return value.toWellFormed();
  throw new InvalidConfigError({ message: `${place} must be a text, not ${nameOf(value)}.${hintFor(place, value)}` });
}

/** Requests and records have the id that is asked for. */
const hintFor = (place: string, value: unknown): string =>
  place.endsWith('approvalId') && typeof value === 'object' && value !== null ? ' Give the approvalId of it.' : '';

/** `null` where nothing is said. */
export const checkOptionalText = (place: string, value: unknown): string | null =>
  value === undefined || value === null ? null : checkText(place, value);

/** @throws {InvalidConfigError} unless it is a whole number, or one of the bounds */
export function checkWhole(place: string, value: unknown, least: number, most: number): number {
  const isWhole = Number.isSafeInteger(value) || value === most;
  if (isWhole && (value as number) >= least && (value as number) <= most) return value as number;
  const bounds = most === Infinity ? `from ${least}` : `from ${least} to ${most.toLocaleString('en')}`;
  throw new InvalidConfigError({ message: `${place} must be a whole number ${bounds}, not ${nameOf(value)}.` });
}

const nameOf = (value: unknown): string => (typeof value === 'number' ? String(value) : toldKind(value));
