/** How often somebody may ask. */
import { RefusedRequest } from './refusal.js';

/** Of more, those that were not heard of for longest are forgotten. */
const MOST_KEYS = 10_000;

/** For each key a bucket that refills evenly, by a fixed number per minute. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  /** @param now ms, from any moment on */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** @throws {RefusedRequest} 429, with when to come back */
  take(key: string): void {
    const now = this.#now();
    const { left, at } = this.#buckets.get(key) ?? { left: this.#perMinute, at: now };
    const filled = Math.min(this.#perMinute, left + ((now - at) * this.#perMinute) / 60_000);
    // The order of a map is that of insertion: the oldest stands first.
    this.#buckets.delete(key);
    this.#buckets.set(key, { left: Math.max(0, filled - 1), at: now });
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= MOST_KEYS) break;
      this.#buckets.delete(oldest);
    }
    if (filled >= 1) return;
    const retryAfter = Math.max(1, Math.ceil(((1 - filled) * 60) / this.#perMinute));
    throw new RefusedRequest(429, 'ERR_RATE_LIMITED', `Too many requests: try again in ${retryAfter} s.`, {
      retryAfter,
    });
  }
}
