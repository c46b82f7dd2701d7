/** Which tool a copy was made of: an entry for a tool is for its copies in other sets as well. */
import type { Tool } from 'ai';

const ORIGINALS = new WeakMap<object, object>();

/** Has a copy count as the tool that it was made of. */
export function countAsCopy(copy: Tool, original: Tool): void {
  ORIGINALS.set(copy, originalOf(original));
}

export const isCopy = (tool: Tool): boolean => ORIGINALS.has(tool);

/** Whether both are one tool, or copies of one. */
export const isVeryTool = (one: Tool | undefined, other: Tool | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && originalOf(one) === originalOf(other));

/** The tool that this one is a copy of, or itself. */
const originalOf = <TOOL extends object>(tool: TOOL): TOOL => (ORIGINALS.get(tool) as TOOL | undefined) ?? tool;

/**
 * What a tool says now of being asked about, and what it is a copy of: each may be changed by who has it. With each its owner, which it
 * is called on. What cannot be read asks.
 */
export function approvalsNow(tool: Tool | undefined): ReadonlyMap<unknown, Tool | undefined> {
  if (tool === undefined) return new Map([[false, undefined]]);
  const original = originalOf(tool);
  // A method that a copy inherits is the original's.
  const owners = tool !== original && Object.hasOwn(tool, 'needsApproval') ? [tool, original] : [original];
  return new Map(owners.map((owner) => [saidBy(owner), owner]));
}

function saidBy(tool: Tool): unknown {
  try {
    return tool.needsApproval ?? false;
  } catch {
    return true;
  }
}
