import { LedgerError } from './ledger-error.js';
import { messageOf } from './message-of.js';

/**
 * What the model, and a browser, may read of why a call did not run. The message of a ledger is for the developer: it has paths of this
 * machine.
 */
export const reasonOfError = (error: unknown): string =>
  LedgerError.isInstance(error) ? `The ledger of approvals cannot be used (${error.code}).` : messageOf(error);
