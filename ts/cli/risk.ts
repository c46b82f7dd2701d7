/** `--risk high`: of requests those alone that a rule marks as a risk. */
import { isHighRisk } from '../gate/stands-out.js';
import type { KeptRecord } from '../native.js';
import { UsageError } from './exit.js';
import { toJson } from './shown.js';

export const RISK = { risk: { type: 'string' } } as const;

/** Whether a request is meant. @throws {UsageError} */
export function riskFilter(typed: string | undefined): (record: KeptRecord) => boolean {
  if (typed === undefined) return () => true;
  if (typed !== 'high') throw new UsageError(`--risk must be high, not ${JSON.stringify(typed)}`);
  return (record) => isHighRisk(toJson(record));
}
