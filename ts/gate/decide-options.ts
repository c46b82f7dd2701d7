/** What is said with a decision: a reason, options, or both. */
import type { DecideOptions } from '../../index.js';
import { InvalidDecisionError } from '../errors/index.js';
import { toldKind } from '../errors/told-value.js';
import { takeOptions } from '../options/check.js';

/** The ways to decide by a method of a gate. */
export type DecideMethod = 'decide' | 'approve' | 'reject' | 'edit' | 'respond' | 'skip';

/** With what only some of the methods take. */
export type SaidOptions = DecideOptions & { stop?: boolean };

/** Those whose meaning needs no words may have a reason alone. */
const TAKE_REASON: ReadonlySet<DecideMethod> = new Set<DecideMethod>(['approve', 'reject', 'skip']);

/**
 * What follows the id of the request and what is decided. All of it counts, or nothing is decided: what is passed over may have
 * been a no, or the name of a person. Inherited properties do not count, so that no decision has a name that was not given.
 *
 * @throws {InvalidDecisionError} for what is neither a reason nor options, and for more than the method takes
 * @throws {InvalidConfigError} for a name that is no option
 */
export function readSaid(method: DecideMethod, said: readonly unknown[]): SaidOptions {
  const [first] = said;
  const hasReason = TAKE_REASON.has(method) && (first === undefined || typeof first === 'string');
  const [options, ...more] = hasReason ? said.slice(1) : said;
  const extra = more.find((each) => each !== undefined);
  if (extra !== undefined) throw wrong(method, `it does not take ${told(extra)} behind that. ${formOf(method)}`);
  return Object.assign(readOptions(method, options), first !== undefined && hasReason ? { reason: first } : {});
}

function readOptions(method: DecideMethod, options: unknown): SaidOptions {
  if (options === undefined) return Object.create(null) as SaidOptions;
  if (typeof options !== 'object' || options === null)
    throw wrong(method, `its options cannot be ${told(options)}. ${formOf(method)}`);
  const place = `gate.${method}`;
  const given = takeOptions(method === 'reject' ? 'gate.reject' : 'gate.decide', options as SaidOptions, place);
  const { reason, stop } = given as { reason?: unknown; stop?: unknown };
  // Written as JSON a function would be no reason, and what writes itself another one.
  if (reason !== undefined && reason !== null && typeof reason !== 'string')
    throw wrong(method, `\`reason\` must be a string, not a ${typeof reason}.`);
  if (stop !== undefined && typeof stop !== 'boolean') throw wrong(method, '`stop` must be true or false.');
  return given;
}

const wrong = (method: DecideMethod, what: string): InvalidDecisionError =>
  new InvalidDecisionError({ message: `gate.${method}: ${what} Nothing was decided.` });

/** What is short says itself; a text may be what somebody was asked. */
const told = (value: unknown): string =>
  typeof value === 'boolean' || typeof value === 'number' ? String(value) : toldKind(value);

/** How it is called. */
function formOf(method: DecideMethod): string {
  if (method === 'approve')
    return 'Give a reason or options: gate.approve(id, reason, { by }). A no is gate.reject(id, reason), and a boolean gate.decide(id, answer).';
  if (method === 'reject' || method === 'skip') return `Give a reason or options: gate.${method}(id, reason, { by }).`;
  const first = { decide: 'answer', edit: 'args', respond: 'output' }[method];
  return `Give options: gate.${method}(id, ${first}, { by, reason }).`;
}
