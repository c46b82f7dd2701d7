import { BackendError } from './backend-error.js';
import {
  AlreadyDecidedError,
  ApprovalExpiredError,
  CountersignError,
  DecisionNotAllowedError,
  GateClosedError,
  InternalError,
  InvalidArgumentsError,
  InvalidConfigError,
  InvalidDecisionError,
  LedgerError,
  ModeForbiddenError,
  NotApproverError,
  PolicyError,
  RunError,
  UnknownApprovalError,
  UnknownToolError,
} from './index.js';

/** An error of the core as data. `code` selects the class that is thrown; the other fields go to its constructor. */
export interface NativeError {
  code: string;
  message: string;
  [field: string]: unknown;
}

/** Errors that the core reports to the code around it, never to the user: it turns them into a denial, or into an abort. */
export class RefusedByCore extends CountersignError {
  readonly details: NativeError;

  constructor(details: NativeError) {
    super({ code: details.code, message: details.message });
    this.details = details;
  }
}

const REFUSALS = new Set([
  'ERR_DUPLICATE_CALL',
  'ERR_NOT_APPROVED',
  'ERR_DIGEST_MISMATCH',
  'ERR_ALREADY_STARTED',
  'ERR_CANCELLED',
]);

const CLASSES: Record<string, new (options: never) => CountersignError> = {
  ERR_UNKNOWN_TOOL: UnknownToolError,
  ERR_INVALID_CONFIG: InvalidConfigError,
  ERR_ALREADY_DECIDED: AlreadyDecidedError,
  ERR_EXPIRED: ApprovalExpiredError,
  ERR_DECISION_NOT_ALLOWED: DecisionNotAllowedError,
  ERR_NOT_APPROVER: NotApproverError,
  ERR_INVALID_DECISION: InvalidDecisionError,
  ERR_UNKNOWN_APPROVAL: UnknownApprovalError,
  ERR_INVALID_ARGUMENTS: InvalidArgumentsError,
  ERR_GATE_CLOSED: GateClosedError,
  ERR_MODE_FORBIDDEN: ModeForbiddenError,
  ERR_POLICY: PolicyError,
  ERR_LEDGER_BUSY: LedgerError,
  ERR_LEDGER_FULL: LedgerError,
  ERR_LEDGER_READ_ONLY: LedgerError,
  ERR_LEDGER_CORRUPT: LedgerError,
  ERR_LEDGER_FOREIGN: LedgerError,
  ERR_LEDGER_TOO_NEW: LedgerError,
  ERR_LEDGER_NETWORK_FS: LedgerError,
  ERR_LEDGER_PERMISSION: LedgerError,
  ERR_LEDGER_KEY: LedgerError,
  ERR_LEDGER_IO: LedgerError,
  ERR_LEDGER_TEMPORARY: LedgerError,
  ERR_RUN_ACTIVE: RunError,
  ERR_UNKNOWN_RUN: RunError,
  ERR_RUN_OVER: RunError,
  ERR_OUTSIDE_ROOT: BackendError,
  ERR_NO_SUCH_FILE: BackendError,
  ERR_NOT_A_FILE: BackendError,
  ERR_NOT_A_DIRECTORY: BackendError,
  ERR_FILE_CHANGED: BackendError,
  ERR_FILE_TOO_LARGE: BackendError,
  ERR_NOT_TEXT: BackendError,
  ERR_NO_MATCH: BackendError,
  ERR_PATTERN: BackendError,
  ERR_FILE_PERMISSION: BackendError,
  ERR_FILE_IO: BackendError,
};

/** The error class of a core error, built here so that it has the caller's stack. */
export function fromNative(error: NativeError): CountersignError {
  if (REFUSALS.has(error.code)) return new RefusedByCore(error);
  const Class = Object.hasOwn(CLASSES, error.code) ? CLASSES[error.code] : undefined;
  if (Class === undefined) return new InternalError({ message: `${error.code}: ${error.message}` });
  return new Class(error as never);
}
