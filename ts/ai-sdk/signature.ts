import { createHmac } from 'node:crypto';
import { canonicalize } from '../native.js';
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
  const digest = Buffer.from(canonicalize(JSON.stringify(input)).digest, 'hex').toString('base64url');
  const payload = version.signaturePayload({ approvalId, toolCallId, toolName, digest });
  return createHmac('sha256', secret).update(payload).digest('base64url');
}
