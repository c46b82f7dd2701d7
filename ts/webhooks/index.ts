/** What `countersign/webhooks` exports; `webhooks.d.ts` documents it. */
export { WebhookSignatureError } from '../errors/webhook-signature-error.js';
export { createActionLinks } from './links.js';
export { newWebhookSecret } from './options.js';
export { sendWebhooks } from './sender.js';
export { verifyWebhook } from './signing.js';
