/**
 * Records the terminal program for the documents: a scripted session in a pseudo-terminal, as `docs/terminal/session.cast`
 * (asciicast v2) and `docs/terminal/session.svg`. The same program gives the same bytes; a test holds the files up to date.
 *
 *     node scripts/record.mjs
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fail, prepare } from './prepare.mjs';
import { root, say } from './run.mjs';

async function main() {
  await prepare();
  const { rolldown } = await import('rolldown');
  const made = join(root, '.build', 'record.js');
  const bundle = await rolldown({
    cwd: root,
    input: '__test__/terminal/recording/index.ts',
    platform: 'node',
    // Native, or not ours.
    external: [/^@lydell\//, /^@xterm\//],
  });
  await bundle.write({ file: made, format: 'esm', codeSplitting: false });
  await bundle.close();
  const { record } = await import(pathToFileURL(made).href);
  const folder = join(root, 'docs', 'terminal');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(await record(root))) {
    writeFileSync(join(folder, name), text);
    say(`docs/terminal/${name}: ${Buffer.byteLength(text)} bytes`);
  }
}

await main().catch(fail);
