/** What the package exports; `index.d.ts` documents it. */
import type * as Api from '../index.js';
import * as native from './native.js';
import { messageOf } from './errors/message-of.js';
import { checkText } from './gate/check-arguments.js';
import { takeNeeded, takeOptions } from './options/check.js';
import { checkList, checkRecord } from './options/names.js';
import { snapshot } from './values/snapshot.js';

/** @see types/ */
export const safeText: typeof Api.safeText = (text) => native.safeText(messageOf(text));

/** @see types/ */
export const preview: typeof Api.preview = (call, options) => {
  checkRecord(call ?? null, 'preview', 'the call');
  const { toolName, args } = call;
  checkText('preview: toolName', toolName);
  const { width } = takeOptions('preview', options) ?? {};
  return native.preview(toolName, snapshot(args).json, width);
};

/** @see types/ */
export const signAuditHead: typeof Api.signAuditHead = (head, options) => {
  const { privateKey, origin } = takeNeeded('signAuditHead', options);
  checkText('signAuditHead: privateKey', privateKey);
  checkRecord(head ?? null, 'signAuditHead', 'the head');
  return native.signAuditHead(head, origin ?? keyName(privateKey), privateKey);
};

/** @see types/ */
export const verifyAuditHead: typeof Api.verifyAuditHead = (note, publicKeys) =>
  native.openAuditHead(checkText('verifyAuditHead: note', note), keysOf(publicKeys));

function keysOf(publicKeys: unknown): string[] {
  if (typeof publicKeys === 'string') return [publicKeys];
  checkList(publicKeys ?? null, 'verifyAuditHead', 'publicKeys');
  return (publicKeys as unknown[]).map((key) => checkText('verifyAuditHead: each of publicKeys', key));
}

/** By convention a log has the name of its key. */
const keyName = (privateKey: string): string => privateKey.split('+')[2] ?? '';

export { applyInterruptConfig, hasApprovalTools } from './ai-sdk/tools/apply-interrupt-config.js';
export { isCallOfRun } from './ai-sdk/tools/call-context.js';
export { approvalDetails, withApprovalDetails } from './ai-sdk/messages/approval-details.js';
export { isExecutionDenied } from './ai-sdk/gating/denied.js';
export { turnEnded } from './ai-sdk/gating/ended-turns.js';
export { gateTools } from './ai-sdk/gating/gate-tools.js';
export { withHeartbeat } from './ai-sdk/sdk/heartbeat.js';
export { listRuns, resume } from './ai-sdk/stream/resume.js';
export { streamWithEvents } from './ai-sdk/stream/stream-with-events.js';
export { toolApproval } from './ai-sdk/gating/tool-approval.js';
export { verifyApprovals } from './ai-sdk/gating/verify-approvals.js';
export { confine } from './confine/confine.js';
export { confinementReport } from './confine/program.js';
export * from './errors/index.js';
export { createGate } from './gate/asking-gate.js';
export { terminalApprover } from './terminal/terminal-approver.js';
export {
  checkPolicy,
  explainPolicy,
  importPolicy,
  lintPolicy,
  loadPolicy,
  parsePolicy,
  replayPolicy,
} from './policy/check.js';
export { anyOfKind, definePolicy, fsGlob, shellGlob, urlPattern } from './policy/define.js';
