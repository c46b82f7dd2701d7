import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_WEBHOOK_SIGNATURE';

/** It was not signed with this secret, or too long ago, or is no webhook. */
export class WebhookSignatureError extends CountersignError {
  declare readonly code: typeof CODE;

  constructor(options: { message: string; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
  }

  static override isInstance(error: unknown): error is WebhookSignatureError {
    return hasCode(error, CODE);
  }
}
