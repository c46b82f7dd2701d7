/** Signed links by which a person decides. */
import type * as Api from '../../webhooks.js';
import type { ApprovalRecord, Gate } from '../../index.js';
import { checkPositive } from '../gate/check-positive.js';
import {
  AlreadyDecidedError,
  ApprovalExpiredError,
  DecisionNotAllowedError,
  UnknownApprovalError,
} from '../errors/index.js';
import { CountersignError } from '../errors/countersign-error.js';
import { messageOf } from '../errors/message-of.js';
import { toldValue } from '../errors/told-value.js';
import { isPersonName } from '../gate/person-name.js';
import { takeNeeded } from '../options/check.js';
import { bodyOf, TooLarge } from './body.js';
import { alreadyDecided, confirmation, done, MAX_REASON, needsTick, notice, SECOND_YES } from './link-page.js';
import { sayingOf, tokenOf } from './link-token.js';
import { addressOf, invalid, keysFrom } from './options.js';
import { sayFailed } from './say.js';
import { bindMethods } from '../values/bind-methods.js';

/** How long a link is good for, in ms. */
const EXPIRES_IN_MS = 86_400_000;

/** The longest name of a decider that a gate takes, in bytes. */
const MAX_NAME = 1_024;

/** Of the form, in bytes. */
const MAX_FORM = 16_384;

const TOKEN = 'link';

/** @see webhooks.d.ts */
export const createActionLinks: typeof Api.createActionLinks = (gate, options) => new LinkServer(gate, options);

/** Of the page that asks whether it is meant, each at most once: another answer beside it would contradict it. */
const FIELDS: readonly string[] = ['decision', 'reason', SECOND_YES];

class LinkServer implements Api.ActionLinks {
  readonly #gate: Gate;
  readonly #keys: Buffer[];
  readonly #url: URL;
  readonly #expiresIn: number;
  readonly #logger: Api.ActionLinksOptions['logger'];

  constructor(gate: Gate, options: Api.ActionLinksOptions) {
    const taken = takeNeeded('createActionLinks', options);
    const { secret, secretEnv, url, expiresIn = EXPIRES_IN_MS, logger } = taken;
    this.#gate = gate;
    this.#keys = keysFrom('createActionLinks', { secret, secretEnv });
    this.#url = addressOf('createActionLinks: url', url);
    this.#expiresIn = checkPositive('createActionLinks: expiresIn', expiresIn);
    this.#logger = logger;
    bindMethods(this);
  }

  async link(link: Api.ActionLink): Promise<string> {
    const { approvalId, decision, by, groups = [] } = takeNeeded('link', link);
    if (decision !== 'approve' && decision !== 'reject')
      throw invalid(`link: decision must be 'approve' or 'reject', not ${toldValue(decision)}.`);
    if (typeof by !== 'string' || !isPersonName(by)) throw invalid('link: by must say whom the link is for, by name.');
    if (Buffer.byteLength(by) > MAX_NAME || !by.isWellFormed())
      throw invalid(`link: by must be a whole name of at most ${MAX_NAME} bytes, or nobody could decide by the link.`);
    if (!Array.isArray(groups) || groups.some((group) => typeof group !== 'string'))
      throw invalid('link: groups must be a list of names.');
    const record = await this.#gate.get(approvalId);
    if (record === undefined)
      throw new UnknownApprovalError({ message: `There is no request ${approvalId}.`, approvalId });
    const { status, allowedDecisions, digest, expiresAt } = record;
    if (status !== 'pending')
      throw new AlreadyDecidedError({ message: `The request ${approvalId} waits no longer.`, winner: record });
    if (!allowedDecisions.includes(decision)) {
      const message = `The request ${approvalId} allows ${allowedDecisions.join(', ')} only.`;
      throw new DecisionNotAllowedError({ message, approvalId, allowedDecisions });
    }
    const until = Math.min(Date.now() + this.#expiresIn, expiresAt ?? Infinity);
    const url = new URL(this.#url);
    const saying = { approvalId, digest, decision, by, groups, expiresAt: until };
    const token = tokenOf(this.#keys[0]!, saying);
    if (sayingOf(this.#keys, token) === undefined) throw invalid('link: by and groups are too long for a link.');
    url.searchParams.set(TOKEN, token);
    return url.href;
  }

  handler(): (request: Request) => Promise<Response> {
    return async (request) => {
      const response = await this.#answer(request).catch((error: unknown) => this.#failed(error));
      return request.method === 'HEAD' ? new Response(null, response) : response;
    };
  }

  async #answer(request: Request): Promise<Response> {
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST')
      return notice(405, 'Not so', 'Open this link in a browser.', { allow: 'GET, HEAD, POST' });
    const saying = sayingOf(this.#keys, new URL(request.url).searchParams.get(TOKEN) ?? '');
    if (saying === undefined)
      return notice(403, 'This link is not ours', 'It is not whole, or somebody changed it. Open it as it was sent.');
    const { approvalId, digest, decision, by, groups, expiresAt } = saying;
    const record = await this.#gate.get(approvalId);
    if (record === undefined) return notice(404, 'Not found', 'There is no such request any more.');
    if (record.status !== 'pending') return alreadyDecided(record);
    if (expiresAt <= Date.now()) return notice(410, 'Too late', 'This link was good for some time only.');
    if (record.digest !== digest)
      return notice(409, 'Another call', 'This link was made for another call. It does nothing.');
    if (method !== 'POST') return confirmation(record, saying);

    const form = await this.#formOf(request);
    if (form instanceof Response) return form;
    const fields = [...form.keys()];
    const isOurs = fields.every((name, index) => FIELDS.includes(name) && fields.indexOf(name) === index);
    if (!isOurs || form.get('decision') !== decision)
      return notice(400, 'Not understood', 'Press the button of the page.');
    if (needsTick(record, decision) && form.get(SECOND_YES) !== 'yes')
      return notice(
        400,
        'Look twice',
        'It may not be what it seems: open the link again, and tick the box of the page.',
      );
    const reason = (form.get('reason') ?? '').trim().slice(0, MAX_REASON);
    const said = { type: decision, ...(reason === '' ? {} : { reason }) } as const;
    return done(await this.#gate.decide(approvalId, said, { by, groups, via: 'link' }), saying);
  }

  /** The form, when it was sent from the page itself. */
  async #formOf(request: Request): Promise<URLSearchParams | Response> {
    const { headers } = request;
    const site = headers.get('sec-fetch-site') ?? 'same-origin';
    const origin = headers.get('origin') ?? this.#url.origin;
    if (site !== 'same-origin' || origin !== this.#url.origin)
      return notice(403, 'Not from here', 'Another page tried to decide for you. Open the link yourself.');
    const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
    if (type !== 'application/x-www-form-urlencoded')
      return notice(415, 'Not understood', 'Press the button of the page.');
    try {
      return new URLSearchParams(Buffer.from(await bodyOf(request, MAX_FORM)).toString('utf8'));
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      return notice(413, 'Too long', 'Say it with fewer words.');
    }
  }

  #failed(error: unknown): Response {
    const code = CountersignError.isInstance(error) ? error.code : undefined;
    if (AlreadyDecidedError.isInstance(error)) return alreadyDecided(error.winner as ApprovalRecord);
    if (ApprovalExpiredError.isInstance(error)) return notice(410, 'Too late', 'The request waits no longer.');
    if (code === 'ERR_NOT_APPROVER' || code === 'ERR_NOT_AUTHORIZED')
      return notice(403, 'Not yours to decide', messageOf(error));
    if (DecisionNotAllowedError.isInstance(error)) return notice(409, 'Not possible', messageOf(error));
    sayFailed(this.#logger, 'a link could not be answered', error, { code });
    return notice(503, 'Not now', 'Nothing was decided. Try again in a moment.', { 'retry-after': '10' });
  }
}
