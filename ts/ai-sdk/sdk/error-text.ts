import { messageOf } from '../../errors/message-of.js';
import type { SdkVersion } from './sdk.js';

/** What the model reads of anything that a tool threw, as the SDK words it. */
export function errorTextOf(error: unknown, version: SdkVersion): string {
  try {
    return wordingOf(error, version).toWellFormed();
  } catch {
    return messageOf(error);
  }
}

function wordingOf(error: unknown, version: SdkVersion): string {
  if (error == null) return 'unknown error';
  if (typeof error === 'string') return error;
  return error instanceof Error ? version.errorText(error) : (JSON.stringify(error) ?? String(error));
}
