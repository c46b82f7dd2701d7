/**
 * Why an agent makes a call, in its own words: an argument of the tool that says so, and on which nothing else depends. It is the
 * agent's word, never a fact. No rule judges it, and it does not change which call it is.
 */
import type { ApprovalRequest } from '../../index.js';
import { preview, safeText } from '../native.js';
import { ownValue } from '../values/own-value.js';
import { withoutLines } from './one-line.js';

/** Where a tool says that it takes one. Registered: a tool may come from another copy of this package. */
const TAKES_REASON = Symbol.for('countersign.takes-reason');

/** The argument, in each tool that takes one. */
export const REASON = 'description';

/** What the model reads of it. */
export const REASON_HELP = 'Why you make this call, in one short sentence for the human who is asked.';

/** The longest one, in characters. */
export const LONGEST_REASON = 200;

/** The tool, whose calls may say why they are made. */
export const takesReason = <TOOL extends object>(tool: TOOL): TOOL => Object.assign(tool, { [TAKES_REASON]: true });

const isTaken = (tool: object | undefined): boolean =>
  tool !== undefined && (tool as Record<symbol, unknown>)[TAKES_REASON] === true;

/** What it says, in one line that is safe to show; `null`: nothing. What is too long is no reason, but an argument like others. */
export function agentReasonOf(tool: object | undefined, args: unknown): string | null {
  if (!isTaken(tool)) return null;
  const said = saidIn(args);
  return said === undefined || said === '' || [...said].length > LONGEST_REASON ? null : shown(said);
}

/** What would run: the arguments without it. */
export const argsWithoutReason = (tool: object | undefined, args: unknown): unknown =>
  isTaken(tool) ? without(args) : args;

/** The arguments of a request without what it shows as the agent's word. If they were edited since, a different text stays. */
export function shownArgs({ args, agentReason = null }: ReasonedCall): unknown {
  const said = agentReason === null ? undefined : saidIn(args);
  return said !== undefined && shown(said) === agentReason ? without(args) : args;
}

/** The preview of a request without the line of it, where that is told from all others: else it stays as it is. */
export function shownPreview(request: ReasonedCall & Pick<ApprovalRequest, 'preview'>): string {
  const { args, agentReason = null } = request;
  if (agentReason === null || shownArgs(request) === args) return request.preview;
  const [, line, ...more] = preview('', { [REASON]: saidIn(args) }).text.split('\n');
  const lines = request.preview.split('\n');
  const isTold = more.length === 0 && lines.filter((each) => each === line).length === 1;
  return isTold ? lines.filter((each) => each !== line).join('\n') : request.preview;
}

/** A call, with what its agent said of it. */
export type ReasonedCall = Pick<ApprovalRequest, 'args'> & Partial<Pick<ApprovalRequest, 'agentReason'>>;

/**
 * In a sentence of ours, between marks of its own; `undefined`: it said nothing.
 *
 * @param isEdited a person has changed the call since: the words are not about what it would do now
 */
export function agentLine(
  { agentReason = null }: Partial<Pick<ApprovalRequest, 'agentReason'>>,
  isEdited = false,
): string | undefined {
  const who = isEdited ? 'Before your edit, the agent said' : 'The agent says';
  return agentReason === null ? undefined : `${who}: “${agentReason.replaceAll(/[“”]/g, '"')}”`;
}

function saidIn(args: unknown): string | undefined {
  const said = ownValue(args, REASON);
  return typeof said === 'string' ? said : undefined;
}

const shown = (said: string): string => withoutLines(safeText(said.toWellFormed()));

function without(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  const { [REASON]: _said, ...others } = args as Record<string, unknown>;
  return others;
}
