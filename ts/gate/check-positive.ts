import { InvalidConfigError } from '../errors/index.js';
import { toldValue } from '../errors/told-value.js';

/** @throws {InvalidConfigError} */
export function checkPositive(place: string, value: unknown): number {
  if (typeof value === 'number' && value > 0 && Number.isFinite(value)) return value;
  throw new InvalidConfigError({ message: `${place} must be a positive number, not ${toldValue(value)}.` });
}
