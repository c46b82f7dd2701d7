/** What `countersign/inbox` exports; `inbox.d.ts` documents it. */
export { inboxHandler } from './handler.js';
export { toNodeListener } from './node.js';
export { serveInbox } from './serve.js';
