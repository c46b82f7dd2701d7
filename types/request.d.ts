/** Requests for approval, and decisions on them. */
import type { InferToolInput, ToolSet } from 'ai';
import type { ApprovalNeed, DecisionType, Vote } from './interrupt.js';
import type { FileChange, GrantOffer, GrantScope, PolicyRule, PolicyVerdict } from './policy.js';
import type { Gate, LedgerRetention } from './gate.js';
import type { StreamWithEventsOptions } from './run.js';
import type { QuestionRequest } from './activity.js';
import type { CallReview } from './reviewer.js';
import type { InvalidArgumentsError } from './errors.js';

/** An argument in one line that is safe to show, both ends of a long value kept. Of more than 40 the last row counts the rest. */
export interface ArgumentRow {
  /** Empty where the arguments are not an object. */
  name: string;
  value: string;
}

/** A tool call put to a human. */
export interface ApprovalRequest<ARGS = unknown, NAME extends string = string> {
  /** `question`: the call runs nothing, it asks the human something; see {@link QuestionRequest}. */
  kind: 'approval' | 'question';
  /** Unguessable, sortable by time (UUIDv7). */
  approvalId: string;
  /** The run it belongs to. */
  runId: string;
  toolCallId: string;
  toolName: NAME;
  /** A copy of the arguments: changing it changes nothing that runs. */
  args: ARGS;
  /** The step of the run that made the call, from 1; `null`: not in a run of `streamWithEvents`. */
  step: number | null;
  /** The path of agents it came from, e.g. `['main', 'task:call_7', 'researcher']`. */
  origin: readonly string[];
  /** One sentence, safe to show: what matters most of the call first. */
  description: string;
  /** The arguments for a table: path, command, address, recipient and method first, then as the call has them. */
  rows: readonly ArgumentRow[];
  /** The call as plain text that is safe to show: control, bidi and invisible characters made visible, both ends kept. */
  preview: string;
  /**
   * What the preview found worth a warning: `ansi`, `control`, `nul`, `bidi`, `invisible`, `unicode-space`, `homoglyph`,
   * `combining`, `long`, `padding`, `multiline`, `odd-key`, `right-to-left`, and `hidden`, where it leaves something out:
   * `args` has it. All but `long` and `multiline` need a second look before the call is approved.
   */
  flags: readonly string[];
  allowedDecisions: readonly DecisionType[];
  /** ms since the epoch. */
  createdAt: number;
  /** ms since the epoch; `null`: no deadline. */
  expiresAt: number | null;
  /** SHA-256 over tool, arguments, call, run, and what the policies judged it under (hex): what is approved is what runs. */
  digest: string;
  /** What the policies say; `null` where none is set. */
  verdict: PolicyVerdict | null;
  /**
   * What "always" would save; `null` where it is not offered, since it would allow too much or would not match again, and
   * for {@link Gate.request}.
   */
  always: { allow: GrantOffer | null; deny: GrantOffer | null };
  /** The files that a call of a well-known tool would change. */
  changes: FileChange[];
  /**
   * What is proven about everything that the call would do, apart from the policies. `reads`: it only reads. `changes`: it
   * changes one file of the project, which is not run automatically and holds no secrets, and `changes` has the whole change.
   * `null`: nothing is proven, or the call was not examined, as with each tool that is not known.
   */
  proven: 'reads' | 'changes' | null;
  /**
   * What the ledger still has of the arguments. `redacted`: parts were replaced before they were stored. `dropped`: they were
   * removed after the time that {@link LedgerRetention} gives them, and `args` is `null`.
   */
  contents: 'kept' | 'redacted' | 'dropped';
  /** Who must agree; empty: anyone, once. */
  needs: readonly ApprovalNeed[];
  /** Who asked for the run; `null`: unknown. */
  requester: string | null;
  /** The approvals that were counted when this was read; empty for a request that needs only one. */
  votes: readonly Vote[];
  /** Since when it may be decided by those that {@link ApprovalNeed.escalate} names, in ms since the epoch. */
  escalatedAt: number | null;
  /**
   * Whether a process that is gone had started this call: it may have had its effect, and an approval runs it once more. Asked
   * about again after that in any later life of the run, it stays `true`.
   */
  startedBefore: boolean;
  /**
   * The arguments that the model wrote, where a person had changed them and the call is asked about again: `args` are those of the
   * person. `null`: `args` are the model's own.
   */
  editedFrom: unknown;
  /** Why it is asked about once more, instead of another request; `null`: it is the first one about this call. */
  askedAgain: AskedAgain | null;
  /**
   * Why the agent makes the call, in its own words, in one line that is safe to show; `null`: it did not say. It is not a fact:
   * it has not been checked. Tools of a deep agent that write or run take it as their argument `description`. No rule judges
   * it, and a call that was rejected is the same call in other words.
   */
  agentReason: string | null;
  /** The opinion of a reviewer, before a person was asked; `null`: no reviewer was asked. A model may have written it. */
  review: CallReview | null;
  /**
   * Who asks. `'policy'`: a rule that covers the call, or no rule covers it and no other source asks. `null`: the
   * model itself, by a question, or a request of an older ledger.
   */
  askedBy: AskSource | null;
}

/** Why a call is asked about once more. */
export interface AskedAgain {
  /**
   * The reason, in one line that is safe to show. It says what a person had changed, and what was started, where that is not
   * this call.
   */
  because: string;
  /**
   * Whether an answer was taken back: what it was about is no longer what would run. What reads piped lines rejects such a
   * request, and takes no line for it: the next line belongs to the next call.
   */
  takenBack: boolean;
}

/**
 * Who asks about a call. `policy` is a rule or the default of a policy, `judge` the one of the gate, and `program` a call of
 * `gate.request`. Where several ask, it is the first of them in this order.
 */
export type AskSource = 'policy' | 'interruptOn' | 'needsApproval' | 'toolApproval' | 'judge' | 'program';

/** {@link ApprovalRequest}, one member per tool, so that `toolName` narrows `args`. */
export type ApprovalRequestOf<TOOLS extends ToolSet> =
  ToolNames<TOOLS> extends infer NAME
    ? NAME extends ToolNames<TOOLS>
      ? ApprovalRequest<InferToolInput<TOOLS[NAME]>, NAME>
      : never
    : never;

type ToolNames<TOOLS extends ToolSet> = keyof TOOLS & string;

/**
 * A call as plain text that is safe to show. Control, bidi and invisible characters are made visible, and both ends of long values
 * are kept. Each line that comes from the arguments begins with a gutter, so none of them can pose as your own words.
 *
 * {@link ApprovalRequest.preview} is the same without a `width`; a terminal that wraps lines itself breaks the gutter.
 *
 * @throws {@link InvalidArgumentsError} (`ERR_INVALID_ARGUMENTS`)
 */
export declare function preview(
  call: { toolName: string; args: unknown },
  options?: {
    /** Columns, no fewer than 20. @default lines are not wrapped */
    width?: number;
  },
): { text: string; flags: string[] };

/** Any text made safe to show: control, bidi and invisible characters made visible, both ends of a long one kept. */
export declare function safeText(text: string): string;

/**
 * What a human decides. `reason` reaches the model: that of an approval, an edit or a response together with the result. Under
 * {@link toolApproval} that of an approval does not: the AI SDK keeps it in the messages, and does not tell the model. An
 * answer is taken as it is when it is given: changing it later changes nothing, and `args` with a `toJSON` of their own are
 * refused.
 */
export type Decision<ARGS = unknown> =
  /** `remember`: also answers the calls that {@link ApprovalRequest.always} describes, for as long as it says. */
  | { type: 'approve'; reason?: string; remember?: Remember }
  /**
   * Run it with these arguments instead: they pass the tool's schema and are judged again; the model is told. The schema must
   * leave them as they are: a default that is missing or a transformation would make an unseen call of it. `shown`: as
   * {@link DecideOptions.shown}.
   */
  | { type: 'edit'; args: ARGS; reason?: string; shown?: string | null }
  /**
   * Do not run it. `stop` also ends the turn. In a run of {@link streamWithEvents} nothing else of the step runs and the model is
   * not called again. Under {@link toolApproval} with a callback the loop fails with an `AbortError`. Under {@link gateTools} no
   * gated call of the turn runs any more, but only `stopWhen: turnEnded` keeps the loop from calling the model again. In a turn that
   * waits for the messages of a client, {@link verifyApprovals} refuses the other calls.
   */
  | { type: 'reject'; reason?: string; stop?: boolean; remember?: Remember }
  | { type: 'rejectAndStop'; reason?: string }
  /** Do not run it; the model gets this as the tool's result. */
  | { type: 'respond'; output: unknown; reason?: string }
  /** Do not run it, and tell the model to go on without. */
  | { type: 'skip'; reason?: string };

/** A scope, or a scope and what narrows it. What is not proven to be narrower than the offer is refused. */
export type Remember =
  | GrantScope
  | {
      scope: GrantScope;
      /** For how long, in ms. */
      expiresIn?: number;
      /** The number of calls that it answers, also over several processes. */
      times?: number;
      /** Only exactly this command, where the offer has the beginning of a command. */
      exact?: boolean;
      /** Instead of the offered rules: each covers nothing that an offered one does not. */
      rules?: readonly PolicyRule[];
    };

/** Answers in the shapes of other libraries, which are accepted too: RadarOS and the AI SDK, combycode, LangChain. */
export type ForeignDecision =
  | { approved: boolean; reason?: string }
  | { decision: string; overrideResult?: unknown; note?: string }
  | { type: 'edit'; editedAction: { name: string; args: unknown }; message?: string }
  | { type: 'approve' | 'reject' | 'respond'; message?: string };

/**
 * What {@link StreamWithEventsOptions.onApprovalRequest} may answer. Anything else is a rejection.
 *
 * `'pass'`: "not me". The request stays open for others who decide at the gate: an inbox, the command line, another process. Where
 * it has no deadline it waits for 300,000 ms more, as it does where there is no callback, and is then rejected. Without a gate
 * it reaches no others, and is rejected at once.
 *
 * An answer that is an object may also say whose it is (`by`, `groups`). Where a request names who may decide, an
 * answer without a name is not accepted. The request then waits for others, or is rejected where the run has no gate.
 */
export type ApprovalAnswer<ARGS = unknown> =
  | boolean
  | 'pass'
  | ((Decision<ARGS> | ForeignDecision) & { by?: string; groups?: readonly string[] });

/** How a request was decided. `expired` and `cancelled` are decided by time and by machines. */
export type DecisionOutcome =
  | { type: 'approve'; reason?: string }
  | { type: 'edit'; args: unknown; reason?: string }
  | { type: 'reject'; reason?: string; stop?: boolean }
  | { type: 'respond'; output: unknown; reason?: string }
  | { type: 'skip'; reason?: string }
  | { type: 'expired'; reason?: string }
  | { type: 'cancelled'; reason?: string };

/** A request's life: `pending`, one decision, and for an approved or edited one its execution. */
export type ApprovalStatus =
  | 'pending'
  | 'approved'
  | 'edited'
  | 'rejected'
  | 'responded'
  | 'skipped'
  | 'expired'
  | 'cancelled'
  | 'started'
  | 'succeeded'
  | 'failed'
  | 'interrupted';

/** Through what a decision came. */
export type DecidedVia =
  | 'callback'
  | 'gate'
  | 'terminal'
  | 'messages'
  /** The web inbox. */
  | 'inbox'
  /** A signed link, as in an e-mail or a chat message. */
  | 'link'
  /** A client that speaks ACP or MCP. */
  | 'protocol'
  | 'deadline'
  | 'abort'
  | 'system';

/** A request and its outcome. */
export interface ApprovalRecord extends ApprovalRequest {
  status: ApprovalStatus;
  /** `null` while it is pending. */
  decision: DecisionOutcome | null;
  /** Who decided: the `by` that was given, or else the name of what it came through. */
  decidedBy: string | null;
  via: DecidedVia | null;
  /** ms since the epoch. */
  decidedAt: number | null;
}
