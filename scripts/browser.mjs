/**
 * What a browser or an edge runtime gets in the place of each entry that needs the addon: the same names, so that a bundler finds
 * what it looks for, and one sentence when it is loaded.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './run.mjs';

/** The entries of the package that run where tools run. `react` is for pages. */
export const SERVER_ENTRIES = ['index', 'agent', 'acp', 'mcp', 'webhooks', 'inbox'];

const SENTENCE =
  'countersign runs where your tools run: in Node, Bun or Deno, with its addon. This code was made for a browser or an edge runtime: import it on the server only, and in a page countersign/react.';

/** Writes `browser/<entry>.js` beside the entries of this folder. */
export function writeBrowserEntries(dist) {
  mkdirSync(join(dist, 'browser'), { recursive: true });
  for (const entry of SERVER_ENTRIES) {
    const names = exportsOf(readFileSync(join(dist, `${entry}.js`), 'utf8'), entry);
    const code = `throw new Error(${JSON.stringify(SENTENCE)});\nexport let ${names.join(', ')};\n`;
    writeFileSync(join(dist, 'browser', `${entry}.js`), code);
  }
}

/** The names that a file which Rolldown made exports: it lists them at its end. */
function exportsOf(code, entry) {
  const list = code.match(/export \{([^}]*)\}(?: from "[^"]*")?;\s*$/)?.[1];
  const names = (list ?? '').split(',').flatMap(
    (each) =>
      each
        .trim()
        .split(/\s+as\s+/)
        .at(-1) || [],
  );
  if (names.length === 0) throw new Failure(`dist/${entry}.js does not end with what it exports`);
  return names;
}
