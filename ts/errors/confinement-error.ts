import type { ConfinementHole } from '../../index.js';
import { CountersignError, hasCode } from './countersign-error.js';

/** See `types/errors.d.ts`. */
export class ConfinementError extends CountersignError {
  declare readonly code: 'ERR_CONFINEMENT';
  readonly open: readonly ConfinementHole[];

  constructor(options: { message: string; open?: readonly ConfinementHole[]; cause?: unknown }) {
    super({ code: 'ERR_CONFINEMENT', message: options.message, cause: options.cause });
    this.open = options.open ?? [];
  }

  static override isInstance(error: unknown): error is ConfinementError {
    return hasCode(error, 'ERR_CONFINEMENT');
  }
}
