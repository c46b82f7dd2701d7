// @ts-check
/** Routes of web requests behind Node's own server. A framework does this for you. */
import { createServer } from 'node:http';
import { Readable } from 'node:stream';

/**
 * Listens on this machine at PORT, 3000 unless set. The signal of a request is aborted when its sender has gone.
 *
 * @param {Record<string, (request: Request) => Promise<Response>>} routes By method and path: `'POST /api/chat'`
 */
export function listen(routes) {
  const server = createServer(async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.on('close', () => gone.abort());
    try {
      const url = new URL(incoming.url ?? '/', 'http://localhost');
      const body = incoming.method === 'POST' ? { body: Readable.toWeb(incoming), duplex: 'half' } : {};
      const request = new Request(
        url,
        /** @type {RequestInit} */ ({ method: incoming.method, signal: gone.signal, ...body }),
      );
      const route = routes[`${incoming.method} ${url.pathname}`];
      const response = route ? await route(request) : new Response('not found', { status: 404 });
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      for await (const chunk of response.body ?? []) outgoing.write(chunk);
      outgoing.end();
    } catch (error) {
      console.error(error);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(500).end();
    }
  });

  server.listen(Number(process.env.PORT ?? 3000), 'localhost', () => {
    const address = server.address();
    console.log(`listening on http://localhost:${typeof address === 'object' ? address?.port : ''}`);
  });
}
