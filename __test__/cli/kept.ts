/** A record as a ledger keeps it. */
import type { KeptRecord } from '../../ts/native.js';

let made = 0;

export function kept(with_: Partial<KeptRecord> = {}): KeptRecord {
  made++;
  return {
    kind: 'approval',
    approvalId: `018f0000-0000-7000-8000-${String(made).padStart(12, '0')}`,
    runId: 'run',
    toolCallId: `call-${made}`,
    toolName: 'delete_file',
    args: { path: `notes-${made}.txt` },
    origin: ['main'],
    step: null,
    rows: [],
    description: 'Delete a file',
    preview: `delete_file\n│ path: notes-${made}.txt`,
    flags: [],
    allowedDecisions: ['approve', 'edit', 'reject', 'respond', 'skip'],
    needs: [],
    requester: null,
    votes: [],
    escalatedAt: null,
    startedBefore: false,
    editedFrom: null,
    askedAgain: null,
    proven: null,
    review: null,
    askedBy: null,
    agentReason: null,
    createdAt: 1_000,
    expiresAt: null,
    digest: '0'.repeat(64),
    verdict: null,
    always: { allow: null, deny: null },
    changes: [],
    status: 'pending',
    decision: null,
    decidedBy: null,
    via: null,
    decidedAt: null,
    contents: 'kept',
    ...with_,
  };
}
