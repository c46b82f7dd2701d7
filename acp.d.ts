/**
 * countersign/acp: requests as the Agent Client Protocol, version 1, puts them to an editor (`session/request_permission`), and
 * what the editor answers as decisions. It needs no other package.
 *
 * This file is the public API, written and reviewed by hand. A test keeps it equal to what the package exports.
 *
 * @packageDocumentation
 */
import type { ApprovalRequest, Decision, GrantScope } from './index.js';

/** Params of `session/request_permission`. All texts in it are safe to show. */
export interface AcpPermissionRequest {
  sessionId: string;
  toolCall: {
    toolCallId: string;
    title: string;
    kind: 'read' | 'edit' | 'execute' | 'fetch' | 'other';
    status: 'pending';
    /** The preview, with all of each argument where it leaves something out, then each piece of each diff. */
    content: AcpToolCallContent[];
    /** The files that would change. One whose name is not safe to show is in the preview only. */
    locations: { path: string }[];
  };
  options: AcpPermissionOption[];
}

export type AcpToolCallContent =
  | { type: 'content'; content: { type: 'text'; text: string } }
  /** `oldText`: `null` for a new file. Both are pieces, with the lines around them. */
  | { type: 'diff'; path: string; oldText: string | null; newText: string };

export interface AcpPermissionOption {
  /** `…-anyway`: of a call that stands out. */
  optionId: 'approve' | 'approve-anyway' | 'approve-always' | 'approve-always-anyway' | 'reject' | 'reject-always';
  name: string;
  kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';
}

export interface AcpOptions {
  /** For how long "always" is meant. `null`: it is not offered. @default 'session' */
  remember?: GrantScope | null;
  /** Who is at the other end. Needed where requests name approvers or a quorum. @default unknown */
  by?: string;
  /** The groups that this person is in. @default only those of the gate's own `groups` */
  groups?: readonly string[];
}

/** A decision, and who took it, where {@link AcpOptions} says so. */
export type AcpDecision = Decision<never> & { by?: string; groups?: readonly string[] };

/**
 * Request as the editor is asked. What the request does not allow, or does not offer to remember, is not an option.
 *
 * A call that stands out has `approve-anyway` instead of `approve`, and `approve-always-anyway`. What may not be what it seems
 * ({@link ApprovalRequest.flags}), may have run, or is a high risk, is not remembered.
 */
export declare function toPermissionRequest(
  request: ApprovalRequest,
  sessionId: string,
  options?: AcpOptions,
): AcpPermissionRequest;

/** The decision that an editor's answer means. `cancelled`, an option that was not offered and any other value: a rejection. */
export declare function fromPermissionOutcome(
  outcome: unknown,
  request: ApprovalRequest,
  options?: AcpOptions,
): AcpDecision;

/** What is used of a connection to an editor: an `AgentContext` of `@agentclientprotocol/sdk`, or an `AgentSideConnection`. */
export type AcpConnection =
  | {
      request(
        method: 'session/request_permission',
        params: AcpPermissionRequest,
        options: { cancellationSignal: AbortSignal; stopWaitingOnCancel: true },
      ): Promise<{ outcome: unknown }>;
    }
  | { requestPermission(params: AcpPermissionRequest): Promise<{ outcome: unknown }> };

/**
 * An `onApprovalRequest` that asks the editor. When the run is aborted, so is the question; a connection that fails rejects.
 * About a call that stands out it asks twice: `approve` first, then `approve-anyway`. So it does for `approve-always`.
 *
 * @example streamWithEvents({ …, onApprovalRequest: acpApprover(connection, sessionId) })
 */
export declare function acpApprover(
  connection: AcpConnection,
  sessionId: string,
  options?: AcpOptions,
): (request: ApprovalRequest, options: { abortSignal: AbortSignal }) => Promise<AcpDecision>;
