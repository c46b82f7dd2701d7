/** In every project: a list of cases that is empty is an error. It would be tests that nobody misses. */
import { describe, it, test } from 'vitest';

interface Each {
  each: (this: unknown, cases: unknown, ...more: unknown[]) => unknown;
}

/** Files share a process, and each file sets this up. */
const known = new WeakSet<object>();

function demandCases(of: Each): void {
  const { each } = of;
  if (known.has(each)) return;
  of.each = function (cases, ...more) {
    if (Array.isArray(cases) && cases.length === 0)
      throw new Error('each([]): there are no cases, so that nothing would be tested');
    return each.call(this, cases, ...more);
  };
  known.add(of.each);
}

for (const of of [test, it, describe]) demandCases(of as unknown as Each);
