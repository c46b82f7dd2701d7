/** Who may open a local inbox: the first holder of a link that nobody used before, and from then on their browser. */
import { createHash, randomBytes } from 'node:crypto';

/** Links that wait to be used, and browsers: of more, the oldest count no longer. */
const MOST = 32;

const random = (): string => randomBytes(32).toString('base64url');

export class SessionStore {
  /** By their hash: to look one up takes a time that tells nothing of the others. */
  readonly #links = new Set<string>();
  readonly #sessions = new Set<string>();

  /** A token that opens it once. */
  link(): string {
    const token = random();
    keep(this.#links, token);
    return token;
  }

  /** The session that a token opens; `undefined`: it is not one, or was used. */
  open(token: string): string | undefined {
    if (!this.#links.delete(hashOf(token))) return undefined;
    const session = random();
    keep(this.#sessions, session);
    return session;
  }

  has(session: string): boolean {
    return this.#sessions.has(hashOf(session));
  }
}

function keep(hashes: Set<string>, secret: string): void {
  hashes.add(hashOf(secret));
  const [oldest] = hashes;
  if (hashes.size > MOST && oldest !== undefined) hashes.delete(oldest);
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
