/** Errors, each with its `code`. */
import type { ConfinementHole } from './confine.js';
import type { DecisionType } from './interrupt.js';
import type { PolicyMode, PolicyProblem } from './policy.js';
import type { ApprovalRecord } from './request.js';
import type { resume } from './run.js';

/**
 * Every error of this package: a stable `code`, a message that says what to do, and often a `cause`. Where the addon cannot be
 * loaded, the import of the package fails with one whose code is `ERR_ADDON`.
 */
export declare class CountersignError extends Error {
  readonly code: string;
  constructor(options: { code: string; message: string; cause?: unknown });
  /** Works across copies of this package, where `instanceof` does not. */
  static isInstance(error: unknown): error is CountersignError;
}

/** `interruptOn`, or a rule of a run's `policy`, names a tool that does not exist. Correct the name, or set `unknownTools`. */
export declare class UnknownToolError extends CountersignError {
  readonly code: 'ERR_UNKNOWN_TOOL';
  readonly toolName: string;
  /** The tool that was probably meant. */
  readonly nearest: string | null;
  constructor(options: { message: string; toolName: string; nearest: string | null; cause?: unknown });
  static isInstance(error: unknown): error is UnknownToolError;
}

/** An option has the wrong shape, or the option is unknown; the message names its place. */
export declare class InvalidConfigError extends CountersignError {
  readonly code: 'ERR_INVALID_CONFIG';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is InvalidConfigError;
}

/** What can be wrong with a policy. */
export type PolicyErrorCode =
  | 'ERR_POLICY_SYNTAX'
  | 'ERR_POLICY_UNKNOWN_KEY'
  | 'ERR_POLICY_VALUE'
  | 'ERR_POLICY_VERSION'
  | 'ERR_POLICY_EXAMPLE'
  | 'ERR_POLICY_FILE';

/** A policy cannot be read. `problems` has each fault with its place; `code` and `message` are those of the first. */
export declare class PolicyError extends CountersignError {
  readonly code: PolicyErrorCode;
  readonly problems: readonly PolicyProblem[];
  constructor(options: { problems: readonly PolicyProblem[]; cause?: unknown });
  static isInstance(error: unknown): error is PolicyError;
}

/** A policy forbids this mode. */
export declare class ModeForbiddenError extends CountersignError {
  readonly code: 'ERR_MODE_FORBIDDEN';
  readonly mode: PolicyMode;
  /** The policy that forbids it. */
  readonly source: string;
  constructor(options: { message: string; mode: PolicyMode; source: string; cause?: unknown });
  static isInstance(error: unknown): error is ModeForbiddenError;
}

/** Someone else was first. `winner` is the decision that counts. */
export declare class AlreadyDecidedError extends CountersignError {
  readonly code: 'ERR_ALREADY_DECIDED';
  readonly winner: ApprovalRecord;
  constructor(options: { message: string; winner: ApprovalRecord; cause?: unknown });
  static isInstance(error: unknown): error is AlreadyDecidedError;
}

/** The deadline has passed: ask again. */
export declare class ApprovalExpiredError extends CountersignError {
  readonly code: 'ERR_EXPIRED';
  readonly approvalId: string;
  constructor(options: { message: string; approvalId: string; cause?: unknown });
  static isInstance(error: unknown): error is ApprovalExpiredError;
}

/** The request does not allow this decision; it still waits. */
export declare class DecisionNotAllowedError extends CountersignError {
  readonly code: 'ERR_DECISION_NOT_ALLOWED';
  readonly approvalId: string;
  readonly allowedDecisions: readonly DecisionType[];
  constructor(options: {
    message: string;
    approvalId: string;
    allowedDecisions: readonly DecisionType[];
    cause?: unknown;
  });
  static isInstance(error: unknown): error is DecisionNotAllowedError;
}

/** The request names who may decide, and this person is not among them or gave no name. The request still waits. */
export declare class NotApproverError extends CountersignError {
  readonly code: 'ERR_NOT_APPROVER';
  readonly approvalId: string;
  /** `null`: unknown. */
  readonly by: string | null;
  /** Who may: names, and groups as `group:NAME`. */
  readonly approvers: readonly string[];
  constructor(options: {
    message: string;
    approvalId: string;
    by: string | null;
    approvers: readonly string[];
    cause?: unknown;
  });
  static isInstance(error: unknown): error is NotApproverError;
}

/** The gate's `authorize` does not let this person take this decision; the request still waits. */
export declare class NotAuthorizedError extends CountersignError {
  readonly code: 'ERR_NOT_AUTHORIZED';
  readonly approvalId: string;
  constructor(options: { message: string; approvalId: string; cause?: unknown });
  static isInstance(error: unknown): error is NotAuthorizedError;
}

/** The decision is malformed; the request still waits. */
export declare class InvalidDecisionError extends CountersignError {
  readonly code: 'ERR_INVALID_DECISION';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is InvalidDecisionError;
}

/** The gate knows no such request. */
export declare class UnknownApprovalError extends CountersignError {
  readonly code: 'ERR_UNKNOWN_APPROVAL';
  readonly approvalId: string;
  constructor(options: { message: string; approvalId: string; cause?: unknown });
  static isInstance(error: unknown): error is UnknownApprovalError;
}

/** The arguments cannot be shown and bound as they are (a function, a cycle, too deep, too large). */
export declare class InvalidArgumentsError extends CountersignError {
  readonly code: 'ERR_INVALID_ARGUMENTS';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is InvalidArgumentsError;
}

/** This run has asked about this call before: give each request a `toolCallId` of its own. */
export declare class DuplicateRequestError extends CountersignError {
  readonly code: 'ERR_DUPLICATE_REQUEST';
  readonly existing: ApprovalRecord;
  constructor(options: { message: string; existing: ApprovalRecord; cause?: unknown });
  static isInstance(error: unknown): error is DuplicateRequestError;
}

/** What can be wrong with a ledger. */
export type LedgerErrorCode =
  | 'ERR_LEDGER_BUSY'
  | 'ERR_LEDGER_FULL'
  | 'ERR_LEDGER_READ_ONLY'
  | 'ERR_LEDGER_CORRUPT'
  | 'ERR_LEDGER_FOREIGN'
  | 'ERR_LEDGER_TOO_NEW'
  | 'ERR_LEDGER_NETWORK_FS'
  | 'ERR_LEDGER_PERMISSION'
  | 'ERR_LEDGER_KEY'
  | 'ERR_LEDGER_IO'
  | 'ERR_LEDGER_TEMPORARY';

/**
 * The ledger could not do what it was asked to; nothing was done. The message says what to do:
 *
 * - `BUSY`: wait for another process. `FULL`: make room. `READ_ONLY`, `PERMISSION`: make the file writable
 * - `CORRUPT`: restore a backup. `FOREIGN`: name another file. `TOO_NEW`: update this package
 * - `NETWORK_FS`: use a local disk. `KEY`: set the right key. `IO`: look at the disk. `TEMPORARY`: use a durable ledger
 */
export declare class LedgerError extends CountersignError {
  readonly code: LedgerErrorCode;
  constructor(options: { code: LedgerErrorCode; message: string; cause?: unknown });
  static isInstance(error: unknown): error is LedgerError;
}

/** Why a run cannot be continued, or begun under its id. */
export type RunErrorCode = 'ERR_RUN_ACTIVE' | 'ERR_RUN_EXISTS' | 'ERR_UNKNOWN_RUN' | 'ERR_RUN_OVER';

/**
 * The run cannot be continued, or cannot be begun under this `runId`. The model is not called.
 *
 * - `ERR_RUN_ACTIVE`: a process that lives has it. Wait for its end, or end it
 * - `ERR_UNKNOWN_RUN`: the ledger does not know it. Look at the id and the ledger
 * - `ERR_RUN_OVER`: it has come to its end. Start a new one
 * - `ERR_RUN_EXISTS`: it is there already. Continue it with {@link resume}
 */
export declare class RunError extends CountersignError {
  readonly code: RunErrorCode;
  constructor(options: { code: RunErrorCode; message: string; cause?: unknown });
  static isInstance(error: unknown): error is RunError;
}

/** A signed head of an audit, or a key for one, cannot be read, or a signature is wrong. */
export declare class AuditHeadError extends CountersignError {
  readonly code: 'ERR_AUDIT_HEAD';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is AuditHeadError;
}

/** The gate was closed. Create a new one. */
export declare class GateClosedError extends CountersignError {
  readonly code: 'ERR_GATE_CLOSED';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is GateClosedError;
}

/** A reader of `gate.events()` fell too far behind. Read `pending()` again and iterate again. */
export declare class EventsLostError extends CountersignError {
  readonly code: 'ERR_EVENTS_LOST';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is EventsLostError;
}

/** The installed `ai` is not a release of version 6 or 7; or it is version 6, and what was called is of 7. */
export declare class UnsupportedSdkError extends CountersignError {
  readonly code: 'ERR_UNSUPPORTED_SDK';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is UnsupportedSdkError;
}

/** The agent is not a `ToolLoopAgent`. Wrap its tools with `gateTools` instead. */
export declare class UnsupportedAgentError extends CountersignError {
  readonly code: 'ERR_UNSUPPORTED_AGENT';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is UnsupportedAgentError;
}

/** A command was to be confined, and this system cannot hold what was demanded. Nothing was run. */
export declare class ConfinementError extends CountersignError {
  readonly code: 'ERR_CONFINEMENT';
  /** What is not enforced, if that is the reason. */
  readonly open: readonly ConfinementHole[];
  constructor(options: { message: string; open?: readonly ConfinementHole[]; cause?: unknown });
  static isInstance(error: unknown): error is ConfinementError;
}

/** The native core answered with something unknown: a bug in countersign. Please report it. */
export declare class InternalError extends CountersignError {
  readonly code: 'ERR_INTERNAL';
  constructor(options: { message: string; cause?: unknown });
  static isInstance(error: unknown): error is InternalError;
}
