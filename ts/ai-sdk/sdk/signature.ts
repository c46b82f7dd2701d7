import type { SdkVersion } from './sdk.js';

/**
 * The signature that the SDK puts on an approval request under `experimental_toolApprovalSecret`, for edited arguments:
 * HMAC-SHA-256, base64url, over the ids and the SHA-256 of the canonical arguments.
 */
export function signApproval(
  version: SdkVersion,
  secret: string | Uint8Array,
  {
    approvalId,
    toolCallId,
    toolName,
    input,
  }: { approvalId: string; toolCallId: string; toolName: string; input: unknown },
): string {
  // Only now: few need it, and to load it takes longer than to load all of this package.
  const { createHash, createHmac } = process.getBuiltinModule('node:crypto');
  const digest = createHash('sha256').update(canonicalJson(input)).digest('base64url');
  const payload = version.signaturePayload({ approvalId, toolCallId, toolName, digest });
  return createHmac('sha256', secret).update(payload).digest('base64url');
}

/** As the SDK writes it: any object by its own keys, so that a `Date` is `{}`. What runs is bound by our own digest. */
function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value));
  if (Array.isArray(value)) {
    return `[${value.map((item: unknown) => (item === undefined ? 'null' : canonicalJson(item))).join(',')}]`;
  }
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson((value as Record<string, unknown>)[key])}`).join(',')}}`;
}
