/** Who may open a local inbox: the first user of a link, and from then on their browser. */
import { createHash, randomBytes } from 'node:crypto';

/** Links that wait to be used, and browsers: of more, the oldest count no longer. */
const MOST = 32;

const random = (): string => randomBytes(32).toString('base64url');

export class SessionStore {
  /** By their hash: to look one up takes a time that tells nothing of the others. */
  readonly #links = new Map<string, (() => void) | undefined>();
  readonly #sessions = new Map<string, undefined>();

  /** A token that opens it once. */
  link(onUsed?: () => void): string {
    const token = random();
    keep(this.#links, token, onUsed);
    return token;
  }

  /** The session that a token opens; `undefined`: it is not one, or was used. */
  open(token: string): string | undefined {
    const hash = hashOf(token);
    const onUsed = this.#links.get(hash);
    if (!this.#links.delete(hash)) return undefined;
    const session = random();
    keep(this.#sessions, session, undefined);
    onUsed?.();
    return session;
  }

  has(session: string): boolean {
    return this.#sessions.has(hashOf(session));
  }
}

function keep<T>(hashes: Map<string, T>, secret: string, value: T): void {
  hashes.set(hashOf(secret), value);
  const [oldest] = hashes.keys();
  if (hashes.size > MOST && oldest !== undefined) hashes.delete(oldest);
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
