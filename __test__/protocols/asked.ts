/** Requests as a real run makes them, and odd answers to them. */
import type { ApprovalRequest, RunOptions } from '../../index.js';
import type { ToolSet } from 'ai';
import { play, type Played, type PlayOptions } from '../support/play.js';
import { call, calls, says } from '../support/model.js';
import { recordingTools } from '../support/tools.js';

/** A run that wants to read `a.txt`. */
export async function deleting(
  onApprovalRequest: RunOptions<ToolSet>['onApprovalRequest'],
  more: Partial<PlayOptions> = {},
): Promise<Played & { ran: string[] }> {
  const { tools, ran } = recordingTools();
  const turns = [calls(call('read', { path: 'a.txt' }, 'd1')), says('Done.')];
  const played = await play({ turns, tools, interruptOn: { read: true }, onApprovalRequest, ...more });
  return { ...played, ran };
}

let asked: Promise<ApprovalRequest> | undefined;

/** A request of one, which is made once for a file of tests, with some of it changed. */
export async function requestWith(changed: Partial<ApprovalRequest> = {}): Promise<ApprovalRequest> {
  asked ??= new Promise((resolve, reject) => {
    const played = deleting((request) => {
      resolve(request as ApprovalRequest);
      return false;
    });
    played.catch(reject);
  });
  return { ...structuredClone(await asked), ...changed };
}

/** Somebody who is asked, and while they think, the run is aborted. `told`: they heard of it. */
export function abortedWhileAsked() {
  const abort = new AbortController();
  let tell: () => void;
  const told = new Promise<void>((resolve) => (tell = resolve));
  const human = (signal: AbortSignal) => {
    signal.addEventListener('abort', () => tell());
    setImmediate(() => abort.abort());
    return new Promise<never>(() => {});
  };
  return { human, told, abortSignal: abort.signal };
}

/** What "always" offers. */
export const ALWAYS: ApprovalRequest['always'] = {
  allow: { label: 'Always allow read', rules: [{ tools: 'read', effect: 'allow' }], also: [] },
  deny: { label: 'Always reject read', rules: [{ tools: 'read', effect: 'deny' }], also: [] },
};

export const NEVER: ApprovalRequest['always'] = { allow: null, deny: null };

/** JSON and other values that are not an answer of any protocol. */
export const ODD: unknown[] = [
  undefined,
  null,
  true,
  1,
  'approve',
  [],
  ['approve'],
  {},
  { outcome: 'approve' },
  { outcome: 'selected' },
  { outcome: 'selected', optionId: 'allow' },
  { outcome: 'selected', optionId: 'Approve' },
  { outcome: 'selected', optionId: ['approve'] },
  { outcome: 'approved', optionId: 'approve' },
  { outcome: { outcome: 'selected', optionId: 'approve' } },
  { optionId: 'approve' },
  Object.create({ outcome: 'selected', optionId: 'approve' }) as unknown,
  Object.create({ action: 'accept', content: { decision: 'approve' } }) as unknown,
  { action: 'accept' },
  { action: 'accept', content: null },
  { action: 'accept', content: [] },
  { action: 'accept', content: {} },
  { action: 'accept', content: Object.create({ decision: 'approve' }) as unknown },
  { action: 'accept', content: { decision: 'yes' } },
  { action: 'accept', content: { decision: 'toString' } },
  { action: 'accept', content: { decision: ['approve'] } },
  { action: 'accept', content: { decision: 'approve', reason: 7 } },
  { action: 'accept', content: { decision: 'approve', reason: 'x'.repeat(2001) } },
  { action: 'accept', content: { decision: 'edit' } },
  { action: 'accept', content: { decision: 'edit', args: '' } },
  { action: 'accept', content: { decision: 'edit', args: '{' } },
  { action: 'accept', content: { decision: 'edit', args: { path: 'b.txt' } } },
  { action: 'accept', content: { decision: 'respond', answer: ' ' } },
  { action: 'Accept', content: { decision: 'approve' } },
  { action: 'decline', content: { decision: 'approve' } },
  { action: 'cancel', content: { decision: 'approve' } },
  { action: 'decline' },
  { action: 'cancel' },
];
