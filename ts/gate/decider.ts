/** Who decides, as callers say it. */
import type { DecidedVia, DecideOptions } from '../../index.js';
import { InvalidDecisionError } from '../errors/index.js';
import { toldValue } from '../errors/told-value.js';
import { isBlankName } from './person-name.js';
import { ownValue } from '../values/own-value.js';

export interface DecidingPerson {
  by: string | null;
  /** Those that the caller knows of. */
  groups?: readonly string[] | undefined;
  via: DecidedVia;
}

type PersonsVia = NonNullable<DecideOptions['via']>;

/** Through what people decide. What machines do is not for callers to say. */
const VIAS: readonly PersonsVia[] = ['gate', 'terminal', 'inbox', 'link', 'protocol'];

/** @throws {InvalidDecisionError} */
export function checkVia(via: unknown = 'gate'): PersonsVia {
  if (VIAS.includes(via as PersonsVia)) return via as PersonsVia;
  throw new InvalidDecisionError({ message: `via must be one of ${VIAS.join(', ')}, not ${toldValue(via)}.` });
}

/**
 * The `by` and the `groups` of options, or beside a decision.
 *
 * @throws {InvalidDecisionError}
 */
export function readDecider(given: unknown, via: DecidedVia): DecidingPerson {
  const by = ownValue(given, 'by') ?? null;
  const groups = copyOfList(ownValue(given, 'groups'));
  if (by !== null && typeof by !== 'string')
    throw new InvalidDecisionError({ message: `by must be a text, not ${typeof by}.` });
  // In the records and the audit, a blank name would look like an unnamed person.
  if (by !== null && isBlankName(by))
    throw new InvalidDecisionError({
      message: 'by must be the name of a person, and is blank: leave it out if nobody is known.',
    });
  if (groups !== undefined && !isNames(groups))
    throw new InvalidDecisionError({ message: 'groups must be a list of names of groups.' });
  return { by, groups, via };
}

/** The caller may change it while the decision is on its way. */
const copyOfList = (value: unknown): unknown => (Array.isArray(value) ? [...(value as unknown[])] : value);

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');
