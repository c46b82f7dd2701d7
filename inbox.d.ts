/**
 * countersign/inbox: a web page on which people see what waits in a gate, over all runs, and decide it.
 *
 * This file is the public API, written and reviewed by hand. A test keeps it equal to what the package exports.
 *
 * @packageDocumentation
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gate, GrantScope, Logger } from './index.js';

/** Who looks at the inbox. */
export interface InboxPerson {
  /**
   * Who decides, for the record and for `approvers`. At most 256 characters, not all of them invisible; not `group:…`, which would
   * mean everyone in that group.
   */
  name: string;
  /** The groups that this person is in. @default only those of the gate's own `groups` */
  groups?: readonly string[];
  /** `false`: this person may look, and decide nothing. @default true */
  mayDecide?: boolean;
  /**
   * What tells this session from others of the same person, e.g. its id: a CSRF token counts only in that session.
   *
   * @default none
   */
  session?: string;
}

export interface InboxOptions {
  /**
   * Who sends this request; `null`: an unknown person (401). It is asked for each request: read your session's cookie or your
   * proxy's header here. A throw, a rejected promise, anything else, or no answer within 10,000 ms counts as `null`.
   */
  authenticate: (request: Request) => InboxPerson | null | PromiseLike<InboxPerson | null>;
  /**
   * The path that the inbox is mounted at, e.g. `'/inbox'`; everything else is 404.
   *
   * @default wherever it is called: what comes before the first part of the path that it knows
   */
  basePath?: string;
  /**
   * Origins that may send decisions in addition to the inbox' own, e.g. `'https://example.com'`: needed where a proxy changes the
   * `Host` and the browser sends no `Sec-Fetch-Site`. @default none
   */
  allowedOrigins?: readonly string[];
  /**
   * The number of requests in a minute; more get 429 with `Retry-After`. An address is known where {@link toNodeListener} is
   * used, or where `address` says it. `false`: no limit.
   *
   * @default { perPerson: 600, perAddress: 3,000 }
   */
  rateLimit?: false | { perPerson?: number; perAddress?: number };
  /** The address of the client, as your proxy reports it. @default that of the connection, where it is known */
  address?: (request: Request) => string | null | undefined;
  /**
   * The secret for CSRF tokens, at least 32 bytes: the same in all processes that serve one inbox.
   *
   * @default a new one for each handler
   */
  secret?: string | Uint8Array;
  /** The largest body of a request, in bytes; a larger one gets 413. @default 1,048,576 */
  maxBodyBytes?: number;
  /**
   * For how long the page holds a decision back, in ms: until then its author can take it back, and nothing has left the page.
   * At most 60,000. @default 0: it is sent at once
   */
  undo?: number;
  /** What "always" may be remembered for. @default `run` and `session`, and `always` where the gate has `policyFiles` */
  remember?: readonly GrantScope[];
  /** The folder with the page's files, where a bundler has moved this module away from it. @default that of this package */
  assets?: string;
  /** Gets internal failures, and who was refused. @default none */
  logger?: Logger;
}

/**
 * The inbox as a handler of web requests, for `Bun.serve`, Hono, Next.js routes, and through {@link toNodeListener} for Node.
 * It never rejects. Everyone whom `authenticate` knows sees everything; decisions go through `gate.decide`.
 *
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`)
 */
export declare function inboxHandler(gate: Gate, options: InboxOptions): (request: Request) => Promise<Response>;

/** A handler of web requests as a listener of `node:http`, Express and the like. Mount it before what reads bodies. */
export declare function toNodeListener(
  handler: (request: Request) => Response | PromiseLike<Response>,
): (request: IncomingMessage, response: ServerResponse) => void;

export interface ServeInboxOptions extends Pick<InboxOptions, 'assets' | 'logger' | 'remember' | 'undo'> {
  /** The port that it listens on, on 127.0.0.1. @default a free one */
  port?: number;
  /** Who decides: what {@link InboxPerson.name} may be. @default the user of the system */
  by?: string;
  /** The groups that they are in. @default none */
  groups?: readonly string[];
}

/** An inbox for the person at this machine. */
export interface LocalInbox extends AsyncDisposable {
  readonly port: number;
  /** A link that opens it once, in one browser; its holder decides as you. Each call makes another one. */
  link(): string;
  /** Ends all connections. The gate stays as it is. Idempotent. */
  close(): Promise<void>;
}

/**
 * Serves the inbox on 127.0.0.1 only, to the holder of a link of {@link LocalInbox.link}.
 *
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`), also when the port is taken
 */
export declare function serveInbox(gate: Gate, options?: ServeInboxOptions): Promise<LocalInbox>;
