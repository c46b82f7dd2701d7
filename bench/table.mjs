// @ts-check
// The results for people.

import { measuredAt } from './report.mjs';
import { Sheet } from './sheet.mjs';

/** Of what a contestant that failed wrote last, so much is shown; the file has more. */
const LAST_LINES = 8;
/** A frame of a native stack: long, many, and nothing to somebody without symbols. */
const FRAME = /^\s*\d+: 0x[0-9a-f]+ /;

/**
 * @param {Record<string, import('./report.mjs').Result>} results
 * @param {Record<string, { show: import('./session.mjs').Show }>} measures
 */
export function table(results, measures) {
  const sheet = new Sheet();
  const names = Object.keys(measures).filter((name) => Object.hasOwn(results, name));
  if (names.length === 0) return 'Nothing was measured.\n';
  for (const name of names) {
    const { made, unfinished, failures, figures } = results[name];
    measures[name].show(sheet, figures);
    if (unfinished !== undefined) sheet.note(`${name} is UNFINISHED: ${unfinished}`);
    for (const failure of failures) {
      sheet.note(`${failure.name} ${failure.failed}${failure.lastLines.length > 0 ? '; it wrote last:' : ''}`);
      for (const line of failure.lastLines.filter((text) => !FRAME.test(text)).slice(-LAST_LINES))
        sheet.note(`  | ${line}`);
    }
    sheet.note(measuredAt(made));
    if (made.quick) sheet.note('QUICK: the processes are cold and the rounds few. No figure of it can be trusted.');
  }
  const versions = names.flatMap((name) => Object.entries(results[name].made.versions));
  const all = [...new Set(versions.map(([name, version]) => `${name} ${version}`))];
  return `${sheet}\n${all.join(', ')}\n`;
}
