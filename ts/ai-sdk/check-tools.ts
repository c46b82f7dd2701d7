/** Tools as they are given: what looks like a gate on one and is none, and what cannot be gated at all. */
import { InvalidConfigError } from '../errors/index.js';
import { fold, nearestOf } from '../options/nearest.js';
import { isRecord } from './tools.js';

/** What others call `needsApproval`, without case, `-` and `_`. */
const SLIPS: ReadonlySet<string> = new Set([
  'approval',
  'approvalrequired',
  'askbefore',
  'humanintheloop',
  'interrupt',
  'interruptbefore',
  'interrupton',
  'needapproval',
  'needsconfirmation',
  'requireapproval',
  'requireconfirmation',
  'requiresapproval',
  'requiresconfirmation',
  'shouldapprove',
]);

/** @throws {InvalidConfigError} for a tool with a property that only looks like `needsApproval` */
export function checkNoSlip(tool: unknown, name: string, place: string): void {
  if (!isRecord(tool)) return;
  const slip = Object.keys(tool).find((key) => isSlip(key) && Boolean(tool[key]));
  if (slip === undefined) return;
  throw new InvalidConfigError({
    message: `${place}: the tool ${JSON.stringify(name)} has ${JSON.stringify(slip)}, which asks nobody: write needsApproval, or name the tool in interruptOn.`,
  });
}

const isSlip = (key: string): boolean =>
  key !== 'needsApproval' && (SLIPS.has(fold(key)) || nearestOf(key, ['needsApproval']) !== undefined);

/** How tools of other frameworks are run, past whatever is done to their `execute`. */
const OTHER_WAYS = ['invoke', 'func', 'call', '_call', 'run', 'handler', 'callback'];

/** @throws {InvalidConfigError} for a tool that runs on another way than the one that is gated */
export function checkGateable(tool: unknown, name: string, place: string): void {
  // There is nothing to run.
  if (tool === undefined || isSdkTool(tool)) return;
  throw new InvalidConfigError({
    message: `${place}: ${JSON.stringify(name)} is no tool of the AI SDK, and would run unasked: make one with tool({ inputSchema, execute }), or ask with gate.request in the function that it calls.`,
  });
}

/** Whether the AI SDK runs it by its `execute`, or nobody here does. */
function isSdkTool(tool: unknown): boolean {
  if (!isRecord(tool)) return false;
  const { execute, inputSchema, type } = tool;
  const runs = typeof execute === 'function';
  if (inputSchema !== undefined && runs) return true;
  const isDescribed = inputSchema !== undefined || type === 'provider' || type === 'provider-defined';
  return (isDescribed || runs) && !OTHER_WAYS.some((way) => typeof tool[way] === 'function');
}
