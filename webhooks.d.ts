/**
 * countersign/webhooks: what happens to requests, told to other programs by signed HTTP requests; and signed links by which a
 * person decides, for e-mails and chats.
 *
 * Webhooks follow the Standard Webhooks specification, version 1.0.0 (standardwebhooks.com), with symmetric signatures (`v1`).
 * This file is the public API, written and reviewed by hand. A test keeps it equal to what the package exports.
 *
 * @packageDocumentation
 */
import type {
  ApprovalNeed,
  CountersignError,
  DecidedVia,
  DecisionOutcome,
  DecisionType,
  Gate,
  Logger,
} from './index.js';

// ---------------------------------------------------------------------------------------------------------------------
// Sending
// ---------------------------------------------------------------------------------------------------------------------

/**
 * What is sent. `expired`: no decision came in time; every other end of a request is `decided`. `settled`: how a call that was
 * approved ended.
 */
export type WebhookEventName = 'requested' | 'reminded' | 'voted' | 'escalated' | 'decided' | 'expired' | 'settled';

/** One receiver. */
export interface WebhookEndpoint {
  /**
   * `https:`, or `http:` on this machine (`localhost`, `127.0.0.0/8`, `[::1]`). It is the host's own: a host that lets others
   * name addresses must check where they lead. Redirects are not followed.
   */
  url: string;
  /**
   * `whsec_` and base64 of 24 to 64 bytes. With several, each signs: the new one first, then those that receivers still have.
   * Either this or `secretEnv`.
   */
  secret?: string | readonly string[];
  /** The environment variable that has the secret, or several with spaces between them. */
  secretEnv?: string;
  /** The events that it gets. @default all except `settled` */
  events?: readonly WebhookEventName[];
  /** In addition to those of the specification, e.g. `{ authorization: 'Bearer …' }`. */
  headers?: Readonly<Record<string, string>>;
  /**
   * What it is known by in the ledger and to `countersign webhooks`: an endpoint whose address changes keeps its place under the
   * same name.
   *
   * @default the host of the address and a hash of all of it
   */
  name?: string;
}

export interface SendWebhooksOptions {
  /** The receivers, each with its address and secret. */
  endpoints: readonly WebhookEndpoint[];
  /**
   * What is sent of the arguments, as the ledger keeps them: what `redact` takes out is not in it. `preview`: as text that is
   * safe to show, with the description. `args`: also as they are, with those of an edit and with answers.
   *
   * @default 'nothing'
   */
  include?: 'nothing' | 'preview' | 'args';
  /** Attempts for one event, before it becomes a dead letter. @default 12, which take about fourteen hours */
  attempts?: number;
  /** After the first failure the next attempt is made this many ms later, and three times later after each other. @default 1,000 */
  firstDelay?: number;
  /** The longest time between two attempts, in ms; also of what a `Retry-After` asks for. @default 21,600,000: six hours */
  maxDelay?: number;
  /** How long one attempt may take, in ms. @default 15,000 */
  timeout?: number;
  /** The largest body, in bytes; a larger one goes without arguments and preview, and says `truncated`. @default 65,536 */
  maxBodyBytes?: number;
  /**
   * Of several processes that send for the same endpoint, one does. After this many ms without a sign of it another takes its
   * place; then an event may be sent twice, with the same id.
   *
   * @default 15,000
   */
  takeOverAfter?: number;
  /** Gets the attempts that fail. @default process warnings, but not one for each failure */
  logger?: Logger;
  /** Sends the requests. @default the global `fetch` */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** An event that an endpoint did not take. */
export interface DeadLetter {
  /** The `webhook-id`. */
  id: string;
  /** The name of the endpoint. */
  endpoint: string;
  type: WebhookEvent['type'];
  approvalId: string;
  /** When it happened, in ms since the epoch. */
  at: number;
  attempts: number;
  /** When the last attempt was made, in ms since the epoch. */
  triedAt: number;
  /** Why the last attempt failed. */
  error: string;
}

/** What sends. It does not keep the process alive. */
export interface WebhookSender extends AsyncDisposable {
  /** What was given up, oldest first: of each endpoint the last 1,000. Over a durable ledger also by other processes. */
  deadLetters(): Promise<DeadLetter[]>;
  /** Sends it again, with as many attempts as the first time. `false`: there is no such dead letter. */
  retry(id: string): Promise<boolean>;
  /** Ends it: attempts that are under way are waited for. What was not sent is, over a durable ledger, by the next one. */
  close(): Promise<void>;
}

/**
 * Sends events about requests to the endpoints, from now on: each at least once, in no particular order, with a `webhook-id` that
 * receivers should remember.
 *
 * Over a durable ledger it reports what all processes do. What was sent is in the ledger, so a process that is killed loses
 * nothing: the next process that sends continues from there. In `memory:` it is lost with the process.
 *
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`), {@link LedgerError} (`ERR_LEDGER_…`)
 */
export declare function sendWebhooks(gate: Gate, options: SendWebhooksOptions): Promise<WebhookSender>;

/** The body of a webhook. */
export interface WebhookEvent {
  type: `approval.${WebhookEventName}`;
  /** When it happened (RFC 3339). */
  timestamp: string;
  data: {
    approvalId: string;
    kind: 'approval' | 'question';
    runId: string;
    toolCallId: string;
    toolName: string;
    origin: readonly string[];
    /** One sentence without arguments, safe to show. */
    summary: string;
    /** ms since the epoch. */
    createdAt: number;
    /** ms since the epoch; `null`: no deadline. */
    expiresAt: number | null;
    digest: string;
    allowedDecisions: readonly DecisionType[];
    needs: readonly ApprovalNeed[];
    requester: string | null;
    /** As {@link ApprovalRequest.startedBefore}. */
    startedBefore: boolean;
    /** `decided` and `expired`: how. `args` and `output` only where `include` is `args`. */
    decision?: { type: DecisionOutcome['type']; reason?: string; args?: unknown; output?: unknown };
    /** Who decided or approved. */
    by?: string;
    via?: DecidedVia;
    /** `escalated`: who may decide now, too. */
    to?: readonly string[];
    /** `settled`: how it ended. */
    status?: 'succeeded' | 'failed' | 'interrupted';
    /** With `include`. */
    description?: string;
    /** With `include`. */
    preview?: string;
    /** With `include`, where the agent says why it makes the call: as `agentReason` of a request. `preview` is without it. */
    agentReason?: string;
    /** Where `include` is `args`. */
    args?: unknown;
    /** What `include` asks for was too large. */
    truncated?: true;
  };
}

// ---------------------------------------------------------------------------------------------------------------------
// Receiving
// ---------------------------------------------------------------------------------------------------------------------

/**
 * The event in a webhook, if one of the secrets signed it within the tolerance. Remember the `webhook-id`s of that time: an
 * event may come twice.
 *
 * @param webhook the request, whose body is read, or its headers and its body as they came
 * @param secret as {@link WebhookEndpoint.secret}
 * @throws {@link WebhookSignatureError} (`ERR_WEBHOOK_SIGNATURE`): answer with the status 401
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`) for a secret that is not one
 */
export declare function verifyWebhook(
  webhook:
    | Request
    | {
        headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
        body: string | Uint8Array;
      },
  secret: string | readonly string[],
  options?: {
    /** How far its time may be from now, in ms. @default 300,000 */
    tolerance?: number;
    /** The largest body that is read, in bytes. @default 1,048,576 */
    maxBodyBytes?: number;
  },
): Promise<WebhookEvent>;

/** A new secret: `whsec_` and 32 random bytes. */
export declare function newWebhookSecret(): string;

/** It was not signed with this secret, or too long ago, or is not a webhook. Answer with the status 401, and do nothing. */
export declare class WebhookSignatureError extends CountersignError {
  readonly code: 'ERR_WEBHOOK_SIGNATURE';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is WebhookSignatureError;
}

// ---------------------------------------------------------------------------------------------------------------------
// Links
// ---------------------------------------------------------------------------------------------------------------------

export interface ActionLinksOptions {
  /**
   * `whsec_` and base64 of 24 to 64 bytes, the same in each process that makes or takes links. With several, the first signs and
   * all are taken. Either this or `secretEnv`.
   */
  secret?: string | readonly string[];
  /** The environment variable that has the secret, or several with spaces between them. */
  secretEnv?: string;
  /** Where people reach {@link ActionLinks.handler}: `https:`, or `http:` on this machine. Without a `#`; a query is kept. */
  url: string;
  /** How long a link is good for, in ms, and never longer than its request waits. @default 86,400,000: a day */
  expiresIn?: number;
  /** Gets errors that the page of a link does not show. @default process warnings */
  logger?: Logger;
}

export interface ActionLink {
  approvalId: string;
  decision: 'approve' | 'reject';
  /** Whom the link is for. Anyone who has it can decide as this person: it is a password for one request. */
  by: string;
  /** The groups that this person is in. @default only those of the gate's own `groups` */
  groups?: readonly string[];
}

export interface ActionLinks {
  /**
   * An address for one person, to take one decision about one request as it is now.
   *
   * @throws {@link UnknownApprovalError} (`ERR_UNKNOWN_APPROVAL`)
   * @throws {@link AlreadyDecidedError} (`ERR_ALREADY_DECIDED`)
   * @throws {@link DecisionNotAllowedError} (`ERR_DECISION_NOT_ALLOWED`)
   */
  link(link: ActionLink): Promise<string>;
  /**
   * Answers what comes to {@link ActionLinksOptions.url}. A GET, which mail scanners and previews of chats make too, shows what
   * would be decided; only the button on that page decides. It never throws.
   */
  handler(): (request: Request) => Promise<Response>;
}

/**
 * Makes signed links by which a person decides a request, and the handler that serves them.
 *
 * @throws {@link InvalidConfigError} (`ERR_INVALID_CONFIG`)
 */
export declare function createActionLinks(gate: Gate, options: ActionLinksOptions): ActionLinks;
