/**
 * `npm start`: builds what is stale, then becomes `countersign demo` with the same arguments. In this very process, so that stdin,
 * the terminal, signals and the exit code are the command's own.
 */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { fail, prepare } from './prepare.mjs';
import { root } from './run.mjs';

await prepare({ build: 'tests' }).catch(fail);

const command = join(root, 'dist', 'cli.js');
process.argv.splice(1, 1, command, 'demo');
await import(pathToFileURL(command).href);
