/** What becomes of a request, by how it stands at the gate and by what the conversation says of its call. */
import type { ApprovalStatus } from '../../../index.js';
import type { CallWord } from './spoken-calls.js';

/**
 * - `nothing`: it stays as it is.
 * - `approve`: the yes is taken to the gate.
 * - `run`: it is approved already, and the yes agrees.
 * - `reject`: the no is taken to the gate. One that it does not take cancels the request.
 * - `cancel`: it is over, and an approval is taken back.
 * - `drop`: the same, unless requests that wait are to be kept.
 * - `refuse`: the answer is not taken.
 * - `explain`: the model is told why the call has no result.
 */
export type RequestAct = 'nothing' | 'approve' | 'run' | 'reject' | 'cancel' | 'drop' | 'refuse' | 'explain';

/** How a request stands. `unknown`: no such request, or it is unclear which one is meant. */
export type RequestStanding = 'waits' | 'approved' | 'begun' | 'ended' | 'over' | 'unknown';

const STANDING = {
  pending: 'waits',
  approved: 'approved',
  edited: 'approved',
  started: 'begun',
  interrupted: 'begun',
  succeeded: 'ended',
  failed: 'ended',
  rejected: 'over',
  responded: 'over',
  skipped: 'over',
  expired: 'over',
  cancelled: 'over',
} as const satisfies Record<ApprovalStatus, RequestStanding>;

export const standingOf = (status: ApprovalStatus | undefined): RequestStanding =>
  status === undefined ? 'unknown' : STANDING[status];

/** Whether a call may still run on it. */
export const isOpen = (status: ApprovalStatus): boolean =>
  STANDING[status] === 'waits' || STANDING[status] === 'approved';

type ActsOnWord = Readonly<Record<CallWord, RequestAct>>;

const NO_MORE: ActsOnWord = {
  open: 'nothing',
  asked: 'explain',
  yes: 'refuse',
  no: 'refuse',
  left: 'explain',
  'left-yes': 'explain',
  'left-no': 'explain',
  closed: 'nothing',
  gone: 'nothing',
};

/** An open request goes on in two of the columns alone, `open` and `yes`: in each other one it comes to an end. */
export const ACTS: Readonly<Record<RequestStanding, ActsOnWord>> = {
  waits: {
    open: 'nothing',
    asked: 'drop',
    yes: 'approve',
    no: 'reject',
    left: 'drop',
    'left-yes': 'cancel',
    'left-no': 'reject',
    closed: 'drop',
    gone: 'drop',
  },
  approved: {
    open: 'nothing',
    asked: 'cancel',
    yes: 'run',
    no: 'cancel',
    left: 'cancel',
    'left-yes': 'cancel',
    'left-no': 'cancel',
    closed: 'cancel',
    gone: 'cancel',
  },
  begun: NO_MORE,
  ended: NO_MORE,
  over: NO_MORE,
  unknown: NO_MORE,
};
