/** The installed AI SDK, version 6 or 7, behind one interface. All that differs between the two is in `v6.ts` and `v7.ts`. */
import { UnsupportedSdkError } from '../../errors/index.js';
import { messageOf } from '../../errors/message-of.js';
import type { AiModule, SdkVersion } from './sdk-types.js';
import { v6 } from './v6.js';
import { v7 } from './v7.js';

export type * from './sdk-types.js';

export interface LoadedSdk {
  ai: AiModule;
  version: SdkVersion;
}

let loaded: Promise<LoadedSdk> | undefined;

/** @throws {UnsupportedSdkError} (`ERR_UNSUPPORTED_SDK`) */
export function loadSdk(): Promise<LoadedSdk> {
  loaded ??= load();
  return loaded;
}

/** The module alone. Fails as {@link loadSdk}. */
export const loadAi = async (): Promise<AiModule> => (await loadSdk()).ai;

async function load(): Promise<LoadedSdk> {
  let ai: AiModule;
  try {
    ai = (await import('ai')) as unknown as AiModule;
  } catch (cause) {
    throw new UnsupportedSdkError({
      // Of a folder that was put together by hand: it may be something that `ai` needs.
      message: `The package 'ai' could not be loaded: ${messageOf(cause).split('\n', 1)[0]}. Install version 6 or 7 of it, with all that it needs: npm install ai`,
      cause,
    });
  }
  const version = versionOf(ai);
  if (version === undefined)
    throw new UnsupportedSdkError({ message: "The package 'ai' is neither version 6 nor 7. Install one of them." });
  return { ai, version };
}

/** Told by its exports: a version number would have to be read from a file that bundlers leave behind. */
function versionOf(ai: AiModule): SdkVersion | undefined {
  if (typeof ai.streamText !== 'function' || typeof ai.asSchema !== 'function') return undefined;
  // What version 5 has not.
  if (typeof ai.ToolLoopAgent !== 'function') return undefined;
  if (typeof ai.isStepCount === 'function') return v7;
  return typeof ai.stepCountIs === 'function' ? v6 : undefined;
}
