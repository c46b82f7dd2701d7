// @ts-check
/** Builds the page with Vite, and serves what comes of it from memory. */
import { build } from 'vite';

/** @import { Rolldown } from 'vite' */

/** @type {Record<string, string>} */
const TYPES = { html: 'text/html; charset=utf-8', js: 'text/javascript', css: 'text/css' };

/** Nothing but what comes from here, and nothing inline. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-ancestors 'none'";

/** @returns {Promise<Record<string, () => Promise<Response>>>} a route for each file */
export async function buildPage() {
  const built = await build({ root: import.meta.dirname, logLevel: 'error', build: { write: false } });
  const { output } = /** @type {Rolldown.RolldownOutput} */ (built);
  const files = output.map((file) => {
    const content = file.type === 'chunk' ? file.code : file.source;
    const type = TYPES[file.fileName.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    const headers = { 'Content-Type': type, 'Content-Security-Policy': POLICY };
    const path = file.fileName === 'index.html' ? '' : file.fileName;
    return [`GET /${path}`, async () => new Response(/** @type {string} */ (content), { headers })];
  });
  return Object.fromEntries(files);
}
