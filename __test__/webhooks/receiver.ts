/** A receiver of webhooks: a real HTTP server that answers as it is told and writes down what came. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { WebhookEvent } from '../../webhooks.js';
import { verifyWebhook } from '../../ts/webhooks/index.js';

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

export interface Delivered {
  headers: IncomingHttpHeaders;
  body: string;
  event: WebhookEvent;
}

/** What becomes of one delivery: a status, or something of its own. */
export type Reply = number | ((response: ServerResponse) => void);

export interface Receiver {
  url: string;
  port: number;
  /** Those that it took, and those that it did not. */
  all: Delivered[];
  /** Those that it took. */
  taken: Delivered[];
  /** How it answers from now on. */
  reply: (delivered: Delivered, index: number) => Reply;
  /** Resolves when it looks so. */
  until(look: (receiver: Receiver) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** @param port @default a free one */
export async function receiver(port = 0): Promise<Receiver> {
  let changed = () => {};
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const text of request.setEncoding('utf8')) body += text;
    const { headers } = request;
    const event = await verifyWebhook({ headers, body }, SECRET).catch(() => undefined);
    if (event === undefined) return void response.writeHead(401).end();
    const delivered = { headers, body, event };
    const reply = self.reply(delivered, self.all.push(delivered) - 1);
    if (typeof reply === 'number') {
      if (reply >= 200 && reply < 300) self.taken.push(delivered);
      response.writeHead(reply).end('a body that nobody reads');
    } else reply(response);
    changed();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  onTestFinished(close);
  const self: Receiver = {
    port: (server.address() as AddressInfo).port,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    all: [],
    taken: [],
    reply: () => 204,
    close,
    async until(look) {
      while (!look(self)) await new Promise<void>((resolve) => (changed = resolve));
    },
  };
  return self;
}

export const typesOf = (delivered: readonly Delivered[]): string[] => delivered.map(({ event }) => event.type);
export const idsOf = (delivered: readonly Delivered[]): string[] =>
  delivered.map(({ headers }) => String(headers['webhook-id']));
