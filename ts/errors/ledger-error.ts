import type { LedgerErrorCode } from '../../index.js';
import { CountersignError } from './countersign-error.js';

const CODES: readonly string[] = [
  'ERR_LEDGER_BUSY',
  'ERR_LEDGER_FULL',
  'ERR_LEDGER_READ_ONLY',
  'ERR_LEDGER_CORRUPT',
  'ERR_LEDGER_FOREIGN',
  'ERR_LEDGER_TOO_NEW',
  'ERR_LEDGER_NETWORK_FS',
  'ERR_LEDGER_PERMISSION',
  'ERR_LEDGER_KEY',
  'ERR_LEDGER_IO',
  'ERR_LEDGER_TEMPORARY',
] satisfies LedgerErrorCode[];

/** The ledger cannot do what it was asked to. */
export class LedgerError extends CountersignError {
  declare readonly code: LedgerErrorCode;

  constructor(options: { code: LedgerErrorCode; message: string; cause?: unknown }) {
    super({ code: options.code, message: options.message, cause: options.cause });
  }

  static override isInstance(error: unknown): error is LedgerError {
    return CountersignError.isInstance(error) && CODES.includes(error.code);
  }
}
