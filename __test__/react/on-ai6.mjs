/**
 * Loaded before the example's server (`node --import`): everything of it, page included, then runs on AI SDK 6. The example is
 * written for 7; `ai6.mjs` beside this file gives it the few names that 6 has otherwise.
 */
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// The hooks below run on a thread of their own, which loads this file once more.
if (isMainThread) register(import.meta.url);

const here = (name) => new URL(name, import.meta.url).href;
const isExample = (url) => url?.includes('/examples/') === true;

export async function resolve(specifier, context, next) {
  if (specifier === 'ai') return isExample(context.parentURL) ? next(here('./ai6.mjs')) : next('ai6', context);
  if (specifier === 'vite' && isExample(context.parentURL)) return next(here('./vite6.mjs'));
  return next(specifier, context);
}

export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.endsWith('/examples/model.mjs')) return loaded;
  return {
    ...loaded,
    // It tells the versions apart by a name that `ai6.mjs` adds.
    source: String(loaded.source).replace("'isStepCount' in ai", 'false'),
  };
}
