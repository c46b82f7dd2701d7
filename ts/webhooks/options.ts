/** Secrets and addresses as they are given. */
import { randomBytes } from 'node:crypto';
import { InvalidConfigError } from '../errors/index.js';

const PREFIX = 'whsec_';
/** Of the key that a secret stands for, in bytes: as the specification says. */
const [LEAST, MOST] = [24, 64];

/** @see webhooks.d.ts */
export const newWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64');

/** @throws {InvalidConfigError} which does not quote it */
export function keysOf(place: string, secret: unknown): Buffer[] {
  const secrets: unknown[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0) throw invalid(`${place} must have at least one secret.`);
  return secrets.map((each) => {
    const base64 = typeof each === 'string' && each.startsWith(PREFIX) ? each.slice(PREFIX.length) : '';
    const key = Buffer.from(base64, 'base64');
    // Node leaves out what is no base64.
    const isWhole = key.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
    if (isWhole && key.length >= LEAST && key.length <= MOST) return key;
    throw invalid(
      `${place} must be ${PREFIX} and the base64 of ${LEAST} to ${MOST} random bytes: newWebhookSecret() makes one.`,
    );
  });
}

/** The keys of what has either a secret or the name of a variable with it. */
export function keysFrom(place: string, given: { secret?: unknown; secretEnv?: unknown }): Buffer[] {
  const { secret, secretEnv } = given;
  if ((secret === undefined) === (secretEnv === undefined))
    throw invalid(`${place} needs one of secret and secretEnv.`);
  if (secretEnv === undefined) return keysOf(`${place}.secret`, secret);
  const value = typeof secretEnv === 'string' ? process.env[secretEnv] : undefined;
  if (value === undefined || value.trim() === '')
    throw invalid(`${place}.secretEnv must name an environment variable that is set, not ${String(secretEnv)}.`);
  return keysOf(`The environment variable ${String(secretEnv)}`, value.trim().split(/\s+/));
}

/** @throws {InvalidConfigError} unless the address is safe from being read or changed on the way */
export function addressOf(place: string, given: unknown): URL {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined) throw invalid(`${place} must be an address, e.g. https://example.com/hooks.`);
  if (url.username !== '' || url.password !== '')
    throw invalid(`${place} must be an address without a user: pass an authorization header instead.`);
  if (url.hash !== '') throw invalid(`${place} must be an address without a #, which is not sent.`);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url;
  throw invalid(`${place} must begin with https://; only on this machine it may begin with http://.`);
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);

export const invalid = (message: string): InvalidConfigError => new InvalidConfigError({ message });
