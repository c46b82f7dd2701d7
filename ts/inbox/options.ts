/** The options of an inbox, checked. */
import { toldValue } from '../errors/told-value.js';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InboxOptions } from '../../inbox.js';
import type { Gate, GrantScope, Logger } from '../../index.js';
import { checkPositive } from '../gate/check-positive.js';
import { localGate, type LocalGate } from '../gate/gate.js';
import { isScope } from '../gate/remember.js';
import { takeNeeded, takeOptions } from '../options/check.js';
import { invalid } from './refusal.js';

export interface InboxSettings {
  gate: LocalGate;
  authenticate: InboxOptions['authenticate'];
  /** `''`: at the root; `null`: wherever it is called. */
  basePath: string | null;
  allowedOrigins: ReadonlySet<string>;
  /** Requests in a minute; `null`: no limit. */
  rates: { perPerson: number; perAddress: number } | null;
  address: (request: Request) => string | null;
  secret: Uint8Array;
  maxBodyBytes: number;
  scopes: readonly GrantScope[];
  /** For how long the page holds a decision back, in ms. */
  undoMs: number;
  assets: string;
  logger: Logger | undefined;
}

const MEBIBYTE = 1_048_576;

/** @throws {InvalidConfigError} */
export function settingsOf(gate: Gate, given: InboxOptions, place: string): InboxSettings {
  const local = localGate(gate, place);
  const options = takeNeeded('inboxHandler', given, place);
  const { authenticate, allowedOrigins = [], rateLimit, address, maxBodyBytes = MEBIBYTE, remember, assets } = options;
  if (typeof authenticate !== 'function')
    throw invalid(`${place}: authenticate must be a function that says who sends a request, or null for nobody.`);
  if (address !== undefined && typeof address !== 'function') throw invalid(`${place}: address must be a function.`);
  const keeps: readonly GrantScope[] = local.control.remembersForEver
    ? ['run', 'session', 'always']
    : ['run', 'session'];
  if (remember !== undefined && !(Array.isArray(remember) && remember.every(isScope)))
    throw invalid(`${place}: remember must be a list of 'run', 'session' and 'always'.`);
  return {
    gate: local,
    authenticate: (request) => Reflect.apply(authenticate, options, [request]) as ReturnType<typeof authenticate>,
    basePath: basePathOf(options.basePath, place),
    allowedOrigins: new Set(originsOf(allowedOrigins, place)),
    rates: ratesOf(rateLimit, place),
    address: (request) => address?.(request) ?? null,
    secret: secretOf(options.secret, place),
    maxBodyBytes: checkPositive(`${place}: maxBodyBytes`, maxBodyBytes),
    scopes: remember === undefined ? keeps : keeps.filter((scope) => remember.includes(scope)),
    undoMs: undoOf(options.undo, place),
    assets: assets ?? join(dirname(fileURLToPath(import.meta.url)), 'inbox'),
    logger: options.logger,
  };
}

/** Longer than anybody waits for a decision of theirs to leave, in ms. */
const LONGEST_UNDO = 60_000;

function undoOf(undo: unknown, place: string): number {
  if (undo === undefined) return 0;
  if (typeof undo === 'number' && undo >= 0 && undo <= LONGEST_UNDO) return undo;
  throw invalid(`${place}: undo must be a number of ms from 0 to ${LONGEST_UNDO}, not ${toldValue(undo)}.`);
}

function basePathOf(basePath: unknown, place: string): string | null {
  if (basePath === undefined) return null;
  if (typeof basePath === 'string' && /^(\/[^/?#\s]+)*\/?$/.test(basePath)) return basePath.replace(/\/$/, '');
  throw invalid(`${place}: basePath must be a path such as '/inbox', not ${toldValue(basePath)}.`);
}

function originsOf(origins: unknown, place: string): string[] {
  const isOrigin = (origin: unknown): origin is string =>
    typeof origin === 'string' && URL.canParse(origin) && new URL(origin).origin === origin;
  if (Array.isArray(origins) && origins.every(isOrigin)) return origins;
  throw invalid(`${place}: allowedOrigins must be a list of origins such as 'https://example.com'.`);
}

function ratesOf(rateLimit: InboxOptions['rateLimit'], place: string): InboxSettings['rates'] {
  if (rateLimit === false) return null;
  const rates = takeOptions('rateLimit', rateLimit, `${place}: rateLimit`) ?? {};
  const { perPerson = 600, perAddress = 3_000 } = rates;
  return {
    perPerson: checkPositive(`${place}: rateLimit.perPerson`, perPerson),
    perAddress: checkPositive(`${place}: rateLimit.perAddress`, perAddress),
  };
}

function secretOf(secret: unknown, place: string): Uint8Array {
  if (secret === undefined) return randomBytes(32);
  const bytes = typeof secret === 'string' ? Buffer.from(secret) : secret;
  if (bytes instanceof Uint8Array && bytes.length >= 32) return Uint8Array.from(bytes);
  throw invalid(`${place}: secret must have at least 32 bytes.`);
}
