/**
 * Loaded before the example's server (`node --import`): everything of it, page included, then runs on AI SDK 6.
 */
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// The hooks below run on a thread of their own, which loads this file once more.
if (isMainThread) register(import.meta.url);

const here = (name) => new URL(name, import.meta.url).href;
const isExample = (url) => url?.includes('/examples/') === true;

export async function resolve(specifier, context, next) {
  if (specifier === 'ai') return next('ai6', context);
  if (specifier === 'vite' && isExample(context.parentURL)) return next(here('./vite6.mjs'));
  return next(specifier, context);
}
