/** Whether the installed SDK takes the model. What it says itself names versions that it is not, and no cure. */
import { UnsupportedSdkError } from '../../errors/index.js';
import type { SdkVersion } from './sdk.js';

/**
 * @param model as it was given; what is no object with a version is left to the SDK
 * @throws {UnsupportedSdkError} (`ERR_UNSUPPORTED_SDK`)
 */
export function checkModel(model: unknown, { major, modelSpecifications, providers }: SdkVersion, place: string): void {
  if (typeof model !== 'object' || model === null) return;
  const { specificationVersion, provider, modelId } = model as Record<string, unknown>;
  if (typeof specificationVersion !== 'string' || modelSpecifications.includes(specificationVersion)) return;
  const newest = modelSpecifications[0]!;
  const named = [provider, modelId].filter((each) => typeof each === 'string').join(' ');
  const another = major === 6 ? ' Or npm install ai@7 (with Node 22 or later).' : '';
  throw new UnsupportedSdkError({
    message:
      `${place}: the model ${named} is of specification ${specificationVersion}, and ai ${major} takes ${modelSpecifications.join(', ')}. ` +
      `Install the release of its provider that depends on @ai-sdk/provider ${newest.slice(1)}, such as ${providers}.${another}`,
  });
}
