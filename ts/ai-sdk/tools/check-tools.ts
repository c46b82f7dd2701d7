/** Tools as they are given: fields that look like a gate but are not, and tools that cannot be gated at all. */
import { InvalidConfigError } from '../../errors/index.js';
import { fold, nearestOf } from '../../options/nearest.js';
import { speaksOfApproval } from '../../options/speaks-of-approval.js';
import { isOfClass, isRecord, TOOL_FUNCTIONS } from './tools.js';

/** What others call `needsApproval`, and what is an option of ours elsewhere: without case, `-` and `_`. See `speaksOfApproval`. */
const SLIPS: ReadonlySet<string> = new Set([
  'alloweddecisions',
  'askbefore',
  'humanintheloop',
  'interrupton',
  'needspermission',
  'requirepermission',
  'requirespermission',
  'shouldask',
]);

/** @throws {InvalidConfigError} for a tool with a property that only looks like `needsApproval` */
export function checkNoSlip(tool: unknown, name: string, place: string): void {
  if (!isRecord(tool) && typeof tool !== 'function') return;
  const slip = slipOf(tool as Record<string, unknown>);
  if (slip === undefined) return;
  throw new InvalidConfigError({
    message: `${place}: the tool ${JSON.stringify(name)} has ${JSON.stringify(slip)}, which asks nobody: write needsApproval, or name the tool in interruptOn.`,
  });
}

/** Also finds fields of a class and hidden ones. A method of a class with another purpose is not a slip. */
function slipOf(tool: Record<string, unknown>): string | undefined {
  for (let at: object | null = tool; !isRoot(at); at = Object.getPrototypeOf(at) as object | null) {
    const isMeant = (key: string) =>
      isSlip(key) && Boolean(tool[key]) && (at === tool || typeof tool[key] !== 'function' || SLIPS.has(fold(key)));
    const found = Object.getOwnPropertyNames(at).find(isMeant);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isRoot = (at: object | null): at is null => at === null || at === Object.prototype || at === Function.prototype;

/**
 * @throws {InvalidConfigError} for a `needsApproval` that is there with nothing in it. The tools of providers always have one, made by the
 * AI SDK
 */
export function checkSaid(tool: unknown, name: string, place: string): void {
  if (!isRecord(tool) || !Object.hasOwn(tool, 'needsApproval') || tool['needsApproval'] != null) return;
  if (tool['type'] === 'provider' || tool['type'] === 'provider-defined') return;
  throw new InvalidConfigError({
    message: `${place}: needsApproval of the tool ${JSON.stringify(name)} is ${String(tool['needsApproval'])}, so that it would ask nobody: write true, false or a function, or leave it out.`,
  });
}

function isSlip(key: string): boolean {
  let isOne = known.get(key);
  if (isOne === undefined) {
    isOne =
      key !== 'needsApproval' &&
      (SLIPS.has(fold(key)) || speaksOfApproval(key) || nearestOf(key, ['needsApproval']) !== undefined);
    if (known.size < MOST_KNOWN) known.set(key, isOne);
  }
  return isOne;
}

/** The answers for names that were looked at: nearly all tools have the same few properties. */
const known = new Map<string, boolean>();
const MOST_KNOWN = 1_000;

/** @throws {InvalidConfigError} for a tool that can run in a way that is not gated */
export function checkGateable(tool: unknown, name: string, place: string): void {
  // There is nothing to run.
  if (tool === undefined || tool === null) return;
  const { execute, inputSchema, type } = isRecord(tool) ? tool : {};
  const runs = typeof execute === 'function';
  const isSdks = inputSchema !== undefined && runs;
  const isTool = runs || inputSchema !== undefined || type === 'provider' || type === 'provider-defined';
  // What a class of tools does behind its `execute`, or a getter makes, is its own, and not handed on (see `copyTool`); what has no
  // `execute` may be run by any of its methods.
  const way = isTool ? (isSdks ? ownFunctions(tool) : functionsOf(tool)).find(isOther) : undefined;
  if (isTool && way === undefined) return;
  throw new InvalidConfigError({
    message: isSdks
      ? `${place}: ${JSON.stringify(name)} has the function ${JSON.stringify(way)} beside its execute, which would run unasked: leave it out, or gate a tool made with tool({ inputSchema, execute }).`
      : `${place}: ${JSON.stringify(name)} is not a tool of the AI SDK, and would run unasked: make one with tool({ inputSchema, execute }), or ask with gate.request in the function that it calls.`,
  });
}

const isOther = (name: string): boolean => !TOOL_FUNCTIONS.has(name);

/** Without asking a getter. Those of a class, fields among them, are its own. */
const ownFunctions = (tool: object): string[] =>
  (isOfClass(tool) ? [] : Object.keys(tool)).filter(
    (name) => typeof Object.getOwnPropertyDescriptor(tool, name)?.value === 'function',
  );

/** Also those that it inherits, or that a getter makes. */
function functionsOf(tool: object): string[] {
  const names = new Set<string>();
  for (
    let at: object | null = tool;
    at !== null && at !== Object.prototype;
    at = Object.getPrototypeOf(at) as object | null
  )
    for (const name of Object.getOwnPropertyNames(at)) if (at === tool || name !== 'constructor') names.add(name);
  return [...names].filter((name) => typeof (tool as Record<string, unknown>)[name] === 'function');
}
