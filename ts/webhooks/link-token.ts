/** What a link says, signed: its holder can say just that. */
import { createHmac, randomBytes } from 'node:crypto';
import { isSame } from './signing.js';

/** A decision that a link stands for. */
export interface LinkDecision {
  approvalId: string;
  /** Of the call that it was made for. */
  digest: string;
  decision: 'approve' | 'reject';
  by: string;
  groups: readonly string[];
  /** ms since the epoch. */
  expiresAt: number;
}

/** The same key may sign other things. */
const PURPOSE = 'countersign-action-link-v1.';

/** The longest that is looked at, in characters. */
const MAX_TOKEN = 8_192;

export function tokenOf(key: Buffer, saying: LinkDecision): string {
  const { approvalId, digest, decision, by, groups, expiresAt } = saying;
  // No two links are the same, so that one which was seen tells nothing of another.
  const nonce = randomBytes(12).toString('base64url');
  const said = Buffer.from(JSON.stringify([approvalId, digest, decision, by, groups, expiresAt, nonce]));
  const text = said.toString('base64url');
  return `${text}.${signature(key, text)}`;
}

/** What a token says; `undefined`: none of these keys signed it. */
export function sayingOf(keys: readonly Buffer[], token: string): LinkDecision | undefined {
  const [text, given, ...more] = token.length > MAX_TOKEN ? [] : token.split('.');
  if (text === undefined || given === undefined || more.length > 0) return undefined;
  if (!keys.map((key) => isSame(given, signature(key, text))).includes(true)) return undefined;
  const [approvalId, digest, decision, by, groups, expiresAt] = JSON.parse(
    Buffer.from(text, 'base64url').toString('utf8'),
  ) as [string, string, LinkDecision['decision'], string, string[], number];
  return { approvalId, digest, decision, by, groups, expiresAt };
}

const signature = (key: Buffer, text: string): string =>
  createHmac('sha256', key)
    .update(PURPOSE + text)
    .digest('base64url');
