/** Digests of what is the same from run to run, such as prompts and tools: most are known from the last time. */
import { canonicalize } from '../native.js';

/** How much text is remembered, in UTF-16 units, and how long one text may be. */
const MOST = 1_048_576;
const LONGEST = MOST / 8;

/** The digest of each text; what was asked for last comes last. */
const known = new Map<string, string>();
let size = 0;

/** The SHA-256 (hex) of a JSON text in its canonical form, the same in any order of keys. */
export function textDigest(json: string): string {
  const digest = known.get(json) ?? canonicalize(json).digest;
  if (json.length <= LONGEST) remember(json, digest);
  return digest;
}

function remember(json: string, digest: string): void {
  if (!known.delete(json)) size += json.length;
  known.set(json, digest);
  for (const oldest of known.keys()) {
    if (size <= MOST) return;
    known.delete(oldest);
    size -= oldest.length;
  }
}
