// @ts-check
/** The embedded model as a server of its own: `node examples/start/serve.mjs [port]`, for `--base-url` and for curl. */
import { MODEL_ID, startModelServer } from './model-server.mjs';

const { url, close } = await startModelServer({ port: Number(process.argv[2] ?? 0) });
console.log(`${url} has the model ${MODEL_ID}`);
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => void close());
