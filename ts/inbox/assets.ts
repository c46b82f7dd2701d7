/** The page's files, as they were built. They are read once. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { notFound, RefusedRequest } from './refusal.js';
import { reply } from './replies.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

interface AssetFiles {
  html: string;
  assets: ReadonlyMap<string, { bytes: Uint8Array<ArrayBuffer>; type: string }>;
}

export class InboxAssets {
  readonly #folder: string;
  #files: Promise<AssetFiles> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws {RefusedRequest} 404, 503 */
  async asset(name: string): Promise<Response> {
    const file = (await this.#read()).assets.get(name);
    if (file === undefined) throw notFound();
    // Its name changes with its content.
    return reply(200, file.bytes, {
      'content-type': file.type,
      'cache-control': 'private, max-age=31536000, immutable',
    });
  }

  /** @param base where the files and the API are, from where the page is */
  async page(request: Request, base: string): Promise<Response> {
    const { html } = await this.#read();
    const escaped = base.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    // By a function: a `$` in a path would stand for something in a text.
    const own = base === './' ? html : html.replaceAll('"./', () => `"${escaped}`);
    const etag = `"${createHash('sha256').update(own).digest('base64url')}"`;
    const headers = { 'cache-control': 'private, no-cache', etag };
    if (request.headers.get('if-none-match') === etag) return reply(304, null, headers);
    return reply(200, own, { ...headers, 'content-type': 'text/html; charset=utf-8' });
  }

  #read(): Promise<AssetFiles> {
    this.#files ??= readFiles(this.#folder).catch((error: unknown) => {
      // It may be built later.
      this.#files = undefined;
      throw error;
    });
    return this.#files;
  }
}

async function readFiles(folder: string): Promise<AssetFiles> {
  try {
    const html = await readFile(join(folder, 'index.html'), 'utf8');
    const names = (await readdir(join(folder, 'assets'))).filter((name) => Object.hasOwn(TYPES, extname(name)));
    const assets = new Map(
      await Promise.all(
        names.map(async (name) => {
          const bytes = Uint8Array.from(await readFile(join(folder, 'assets', name)));
          return [name, { bytes, type: TYPES[extname(name)] ?? 'application/octet-stream' }] as const;
        }),
      ),
    );
    return { html, assets };
  } catch (cause) {
    throw Object.assign(
      new RefusedRequest(
        503,
        'ERR_UNAVAILABLE',
        'The files of the page are not where they should be: set the option assets.',
      ),
      { cause },
    );
  }
}
