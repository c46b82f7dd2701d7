import type { PolicyErrorCode, PolicyProblem } from '../../index.js';
import { CountersignError } from './countersign-error.js';

const MOST_SHOWN = 5;

/** A policy cannot be read. */
export class PolicyError extends CountersignError {
  declare readonly code: PolicyErrorCode;
  readonly problems: readonly PolicyProblem[];

  constructor(options: { problems: readonly PolicyProblem[]; cause?: unknown }) {
    const { problems, cause } = options;
    const more = problems.length - MOST_SHOWN;
    const shown = problems.slice(0, MOST_SHOWN).map(({ message }) => message);
    super({
      code: problems[0]?.code ?? 'ERR_POLICY_SYNTAX',
      message: [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'),
      cause,
    });
    this.problems = problems;
  }

  static override isInstance(error: unknown): error is PolicyError {
    return CountersignError.isInstance(error) && error.code.startsWith('ERR_POLICY_');
  }
}
