/** Options that are not read where they stand: they have no effect. */
import { warnOnce } from '../../errors/warn-once.js';
import { nearestOf } from '../../options/nearest.js';
import { v6 } from './v6.js';
import { v7 } from './v7.js';

/** What either version takes: which one it is, is known when the run begins. */
export const SDK_OPTIONS: ReadonlySet<string> = new Set([...v6.optionNames, ...v7.optionNames]);

/**
 * Warns of what neither version of the SDK reads.
 *
 * @param more what stands there beside its options
 */
export function warnNotRead(options: object, place: string, more: Iterable<string>): void {
  const known = new Set([...SDK_OPTIONS, ...more]);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.has(name)) continue;
    const near = nearestOf(name, SDK_OPTIONS);
    warnOnce(
      `option:${place}:${name}`,
      `${place}: nobody reads ${JSON.stringify(name)} there${near === undefined ? '.' : `: did you mean ${JSON.stringify(near)}?`}`,
    );
  }
}
