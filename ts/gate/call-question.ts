/** What is asked about a call. */
import type { Tool } from 'ai';
import type { ApprovalNeed, InterruptOptions, Question as AskedQuestion } from '../../index.js';
import type { Gating } from '../native.js';
import type { ValueSnapshot } from '../values/snapshot.js';
import type { CallVerdict } from './call-verdict.js';
import type { SchemaSource } from './schemas.js';
import type { CheckEdit } from './teller.js';

/** A request in whose place another one is made. */
export interface SupersededRequest {
  approvalId: string;
  /** Why it is asked again. */
  reason: string;
  needs?: readonly ApprovalNeed[];
  /** Whether a process had started the call. */
  startedBefore: boolean;
  /** Whether an answer to it is taken back. */
  takenBack: boolean;
  /** Who had edited the call there, as far as it is known. */
  editedBy?: string | undefined;
  /** Whether the conversation no longer holds the call of that one: this is another call with its id. */
  callIsGone?: boolean;
}

/** A call to ask about. */
export interface CallQuestion {
  toolCallId: string;
  toolName: string;
  args: ValueSnapshot;
  /** What the model wrote, where a human had changed it: `args` are the human's. */
  editedFrom?: ValueSnapshot | undefined;
  /** What processes that are gone had started of it. */
  started?: readonly ValueSnapshot[] | undefined;
  /** Of the run, from 1; `undefined`: its loop is not ours. */
  step?: number | undefined;
  gating: Gating | undefined;
  entry: InterruptOptions | undefined;
  /** It runs nothing, it asks this. `args` has them. */
  questions?: readonly AskedQuestion[] | undefined;
  /** Why it is asked. */
  verdict?: CallVerdict | undefined;
  /** The request that was taken back, since what it showed has changed. */
  supersedes?: SupersededRequest | undefined;
  checkEdit?: CheckEdit | undefined;
  /** What would be said of the call if it were made now. */
  judgeAgain?: (() => Promise<CallVerdict>) | undefined;
  /** The conversation that made it, where it is known. */
  messages?: readonly unknown[] | undefined;
  /** It is denied at once, and not asked about. */
  isAnswered?: boolean | undefined;
  /** It is asked about each time: nothing is offered to be remembered. */
  isOnce?: boolean | undefined;
  /** The tool itself, which tells where it comes from. */
  tool?: Tool | undefined;
  /** What the tool takes. */
  schema?: SchemaSource | undefined;
  /** After its abort no question is put. */
  signal?: AbortSignal | undefined;
}
