/**
 * `npm start`: builds what is stale, then becomes `node examples/start/main.mjs` with the same arguments. In this very
 * process, so that stdin, the terminal, signals and the exit code are the example's own.
 */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { fail, prepare } from './prepare.mjs';
import { root } from './run.mjs';

await prepare({ build: 'tests' }).catch(fail);

const main = join(root, 'examples', 'start', 'main.mjs');
process.argv[1] = main;
await import(pathToFileURL(main).href);
