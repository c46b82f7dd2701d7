/** Keeps other sites from deciding with the browser of somebody who is signed in. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { InboxSettings } from './options.js';
import type { InboxPerson } from './may.js';
import { forbidden } from './refusal.js';

const HEADER = 'x-countersign-csrf';

/** The token of a person's session. */
export const csrfToken = ({ name, session }: InboxPerson, { secret }: Pick<InboxSettings, 'secret'>): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['countersign csrf', name, session]))
    .digest('base64url');

/** @throws {Refusal} 403 unless the inbox' own page sent it, in this person's session */
export function checkWrite(request: Request, person: InboxPerson, settings: InboxSettings): void {
  if (!isOwn(request, settings))
    throw forbidden('This came from another site. Open the inbox itself, or name the site in allowedOrigins.');
  if (!isSame(request.headers.get(HEADER) ?? '', csrfToken(person, settings)))
    throw forbidden(`The header ${HEADER} is not the token of this session: read api/session again.`);
}

/** @throws {Refusal} 403 for what another site reads or embeds; a link to the page is nothing of that */
export function checkRead(request: Request): void {
  if (request.headers.get('sec-fetch-site') === 'cross-site') throw forbidden('Another site asks for this.');
}

/** What a browser says itself counts; one that says neither is refused. */
function isOwn(request: Request, { allowedOrigins }: InboxSettings): boolean {
  const origin = request.headers.get('origin');
  if (origin !== null && allowedOrigins.has(origin)) return true;
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  if (origin === null || !URL.canParse(origin)) return false;
  const host = request.headers.get('host') ?? new URL(request.url).host;
  return new URL(origin).host === host.toLowerCase();
}

/** In a time that tells nothing of where they differ. */
export function isSame(given: string, right: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(right));
}
