/** Why a request gets no answer, as status and code. */
import { AlreadyDecidedError, CountersignError, InvalidConfigError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { oneLine } from '../gate/in-a-line.js';
import type { ErrorBody, InboxErrorCode, ProblemAnswer } from './protocol.js';

interface ToldRefusal {
  headers?: Record<string, string>;
  problems?: readonly ProblemAnswer[];
  retryAfter?: number;
}

/** A request that is refused. Its message is told to its sender. */
export class RefusedRequest extends Error {
  readonly status: number;
  readonly code: InboxErrorCode | 'ERR_INVALID_DECISION';
  readonly told: ToldRefusal;

  constructor(status: number, code: RefusedRequest['code'], message: string, told: ToldRefusal = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.told = told;
  }
}

export const badRequest = (message: string): RefusedRequest => new RefusedRequest(400, 'ERR_BAD_REQUEST', message);
export const forbidden = (message: string): RefusedRequest => new RefusedRequest(403, 'ERR_FORBIDDEN', message);
export const notFound = (message = 'There is nothing here.'): RefusedRequest =>
  new RefusedRequest(404, 'ERR_NOT_FOUND', message);

/** What the errors of a gate are here. Of a ledger's, see below. */
const STATUS: Readonly<Record<string, number>> = {
  ERR_ALREADY_DECIDED: 409,
  ERR_EXPIRED: 410,
  ERR_NOT_APPROVER: 403,
  ERR_NOT_AUTHORIZED: 403,
  ERR_UNKNOWN_APPROVAL: 404,
  ERR_DECISION_NOT_ALLOWED: 422,
  ERR_INVALID_DECISION: 422,
  ERR_INVALID_ARGUMENTS: 422,
  ERR_GATE_CLOSED: 503,
};

export interface FailedRequest {
  status: number;
  error: ErrorBody;
  headers: Record<string, string>;
}

/** How an error is reported: never with a stack, and without details unless it is an error of ours. */
export function failureOf(error: unknown): FailedRequest {
  if (error instanceof RefusedRequest) {
    const { status, code, message, told } = error;
    const { headers = {}, problems, retryAfter } = told;
    return {
      status,
      headers: retryAfter === undefined ? headers : { ...headers, 'retry-after': String(retryAfter) },
      error: {
        code,
        message: oneLine(message),
        ...(problems === undefined ? {} : { problems }),
        ...(retryAfter === undefined ? {} : { retryAfter }),
      },
    };
  }
  if (CountersignError.isInstance(error)) {
    const { code } = error;
    const message = oneLine(messageOf(error));
    const status = STATUS[code];
    if (status !== undefined) return { status, headers: {}, error: { code, message } };
    // Its own words name files and servers.
    if (isLedgerTrouble(error))
      return { status: 503, headers: { 'retry-after': '1' }, error: { code, message: TROUBLE } };
  }
  return {
    status: 500,
    headers: {},
    error: { code: 'ERR_INTERNAL', message: 'Something went wrong here. The logger of the inbox knows more.' },
  };
}

const TROUBLE = 'The ledger cannot be used now. The logger of the inbox knows more.';

export const isLedgerTrouble = (error: unknown): boolean =>
  CountersignError.isInstance(error) && error.code.startsWith('ERR_LEDGER_');

/** Whether this is what went wrong here, and not what was asked for. */
export const isTrouble = (error: unknown): boolean => failureOf(error).status >= 500;

export const winnerOf = (error: unknown) => (AlreadyDecidedError.isInstance(error) ? error.winner : undefined);

export const invalid = (message: string, cause?: unknown): InvalidConfigError =>
  new InvalidConfigError({ message, cause });
