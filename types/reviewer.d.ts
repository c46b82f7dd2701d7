/** A reviewer between the policies and the human: a model, or a function. */
import type { LanguageModel, ModelMessage } from 'ai';
import type { FileChange, PolicyRule, PolicyVerdict } from './policy.js';
import type { GateOptions } from './gate.js';
import type { RunOptions } from './run.js';

/** What every reviewer may be told. */
interface ReviewerSettings {
  /**
   * Whether it may approve what a rule leaves to it ({@link PolicyRule.reviewer}). Without it, it advises: its rejections
   * count, and what it would approve goes to the human with what it said. Once a call of a tool was not approved in a run, by a
   * person or by the reviewer, it approves no other call of that tool in the run.
   *
   * @default false
   */
  mayApprove?: boolean;
  /** How long it may think about one call, in ms; then the human is asked. @default 20,000 */
  timeout?: number;
  /** Whether it is given the conversation of the run that makes the call. @default false: only what the user asked for */
  conversation?: boolean;
}

/** A model that is asked about each call before a human is. */
export interface ModelReviewer extends ReviewerSettings {
  /**
   * Any model of the AI SDK 6 or 7. It is called once for a call, without tools. A name is looked up at the SDK's default provider
   * (`AI_SDK_DEFAULT_PROVIDER`); for one of the gateway write `gateway('NAME')`.
   */
  model: LanguageModel;
  /** Its criteria, in your words: what it may approve, what it must reject. At most 10,000 characters. */
  criteria: string;
  /** A reviewer is a model, or a function. */
  review?: undefined;
}

/** Your own function that is asked about each call before a human is. */
export interface FunctionReviewer extends ReviewerSettings {
  /** After a throw, any other value than a {@link ReviewOpinion}, or no answer in time, the human is asked. */
  review: (call: ReviewedCall, options: { abortSignal: AbortSignal }) => ReviewOpinion | PromiseLike<ReviewOpinion>;
  /** Its criteria, for the record. @default '' */
  criteria?: string;
  /** A reviewer is a model, or a function. */
  model?: undefined;
}

/** See {@link GateOptions.reviewer} and {@link RunOptions.reviewer}. */
export type CallReviewer = ModelReviewer | FunctionReviewer;

/** The opinion of a reviewer about a call. */
export interface ReviewOpinion {
  /** `unsure`: the human decides. */
  answer: 'approve' | 'reject' | 'unsure';
  /** Why, in a sentence or two. The human is shown it, and for a rejection the model. */
  reason: string;
}

/** A call as a reviewer is given it. All of it is a copy, and none of it can be trusted but the verdict. */
export interface ReviewedCall {
  toolName: string;
  toolCallId: string;
  runId: string;
  /** The path of agents it came from. */
  origin: readonly string[];
  args: unknown;
  /** What the policies say; `null` where none is set. */
  verdict: PolicyVerdict | null;
  /** The files that a call of a well-known tool would change. */
  changes: readonly FileChange[];
  /** The last that the user asked for in the run; `null`: it is not known, as for `gate.request`. */
  prompt: string | null;
  /** In a subagent, what the agent above it has asked for; otherwise `null`. */
  task: string | null;
  /** With `conversation`; otherwise empty. */
  messages: readonly ModelMessage[];
}

/** Why a human decides, though a reviewer has answered. */
export type ReviewBar =
  /** The call asks the human something. */
  | 'question'
  /** People are named who must agree. */
  | 'people'
  /** A rule of the administrator asks. */
  | 'managed'
  /** Something other than the rules asks: `interruptOn`, the tool, the host, a judge. */
  | 'beside'
  /** A part of the call is asked about by no rule, or by one that does not leave it to a reviewer; or what it does is unknown. */
  | 'unmarked'
  /** It has no {@link ReviewerSettings.mayApprove}. */
  | 'advises'
  /** The call was started before, and may have had its effect. */
  | 'started'
  /** `allowedDecisions` are without `approve`. */
  | 'not-allowed'
  /** It was not shown the whole call, or not all of the change of a file. */
  | 'cut'
  /** It is the third rejection in a row in the run. */
  | 'repeated'
  /** A person refused, edited or answered another call of the tool in the run; or the reviewer did not approve one, and no person did. */
  | 'refused'
  /** Another call of the tool waits for its answer in the run. */
  | 'open';

/** The opinion of a reviewer, as the request of the call has it. */
export interface CallReview {
  /** The id of the model; `null`: it is a function. */
  model: string | null;
  criteria: string;
  /** SHA-256 (hex) of the criteria. */
  criteriaDigest: string;
  /** `failed`: the reviewer gave no usable answer; the reason says why. */
  answer: ReviewOpinion['answer'] | 'failed';
  /** In one line that is safe to show, at most 500 characters. A model wrote it, perhaps in the words of an attacker. */
  reason: string;
  /** Whether its answer is the decision. */
  decides: boolean;
  /** Why it is not; `null`: it is, or the reviewer leaves it to the human. */
  bar: ReviewBar | null;
}
