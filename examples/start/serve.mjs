// @ts-check
/**
 * The embedded model as a server of its own, for `--base-url` and for curl:
 *
 *   node examples/start/serve.mjs [port] [--pause <ms between two pieces of a stream>]
 *
 * It does what `sentences.mjs` understands. `call NAME {"some":"arguments"}` calls any tool that it was given, and
 * `say "some text"` says it: with "and" (at once) and "then" (one after the other), that scripts it from the outside.
 */
import { parseArgs } from 'node:util';
import { MODEL_ID, startModelServer } from './model-server.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { pause: { type: 'string' } } });
const { url, close } = await startModelServer({
  port: Number(positionals[0] ?? 0),
  pauseMs: Number(values.pause ?? 0),
});
console.log(`${url} has the model ${MODEL_ID}`);
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => void close());
