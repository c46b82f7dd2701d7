/** Whether the installed SDK takes the model. What it says itself names versions that it is not, and no cure. */
import { isPromise } from 'node:util/types';
import { InvalidConfigError, UnsupportedSdkError } from '../../errors/index.js';
import type { SdkVersion } from './sdk.js';

/**
 * @param model as it was given; texts are the SDK's to look up
 * @throws {InvalidConfigError} for what is no model at all
 * @throws {UnsupportedSdkError} (`ERR_UNSUPPORTED_SDK`)
 */
export function checkModel(model: unknown, { major, modelSpecifications, providers }: SdkVersion, place: string): void {
  // An agent may have one that only its own calls know.
  if (model === undefined || (typeof model === 'string' && model !== '')) return;
  const { specificationVersion, provider, modelId } = partsOf(model, place);
  if (typeof specificationVersion !== 'string') throw noModel(place, model);
  if (modelSpecifications.includes(specificationVersion)) return;
  const newest = modelSpecifications[0]!;
  const named = [provider, modelId].filter((each) => typeof each === 'string').join(' ');
  const another = major === 6 ? ' Or npm install ai@7 (with Node 22 or later).' : '';
  throw new UnsupportedSdkError({
    message:
      `${place}: the model ${named} is of specification ${specificationVersion}, and ai ${major} takes ${modelSpecifications.join(', ')}. ` +
      `Install the release of its provider that depends on @ai-sdk/provider ${newest.slice(1)}, such as ${providers}.${another}`,
  });
}

/** Once nothing can set it any more. @throws {InvalidConfigError} */
export function requireModel(model: unknown, place: string): void {
  if (model === undefined) throw noModel(place);
}

function partsOf(model: unknown, place: string): Record<string, unknown> {
  if (model === null || (typeof model !== 'object' && typeof model !== 'function')) throw noModel(place);
  try {
    const { specificationVersion, provider, modelId } = model as Record<string, unknown>;
    return { specificationVersion, provider, modelId };
  } catch {
    throw noModel(place);
  }
}

const noModel = (place: string, given?: unknown): InvalidConfigError =>
  new InvalidConfigError({
    message: isPromise(given)
      ? `${place}: model is a promise: await it.`
      : `${place}: model must be what a provider of the AI SDK gives, such as openai('gpt-5'), or the name of one as a text.`,
  });
