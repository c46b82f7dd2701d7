/** In every project: a list of cases that is empty is an error. It would be tests that nobody misses. */
import { describe, it, test } from 'vitest';

type Cases = (this: unknown, cases: unknown, ...more: unknown[]) => unknown;

/** Files share a process, and each file sets this up. */
const known = new WeakSet<object>();

function demandCases(of: Record<'each' | 'for', Cases>, name: 'each' | 'for'): void {
  const take = of[name];
  if (known.has(take)) return;
  of[name] = function (cases, ...more) {
    if (Array.isArray(cases) && cases.length === 0)
      throw new Error(`${name}([]): there are no cases, so that nothing would be tested`);
    return take.call(this, cases, ...more);
  };
  known.add(of[name]);
}

for (const of of [test, it, describe] as unknown as Record<'each' | 'for', Cases>[])
  for (const name of ['each', 'for'] as const) demandCases(of, name);
