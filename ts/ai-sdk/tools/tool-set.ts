/**
 * A set of tools as an entry is given it: of one shape, and taken at one moment. What is decided of the tools is decided of this
 * copy, and what the AI SDK runs is made of it alone: a tool that its owner adds later is not in it.
 */
import type { Tool, ToolSet } from 'ai';
import { InvalidConfigError } from '../../errors/index.js';
import { toldKind } from '../../errors/told-value.js';
import { readable } from '../../options/check.js';
import { takeValue } from '../../options/plain.js';
import { countAsCopy, isCopy } from '../../policy/very-tool.js';
import { checkHooks } from '../sdk/hooks.js';
import { isThenable } from '../../values/awaitable.js';
import { copyTool, copyToolSet, define, isRecord, ownApproval, ownTool } from './tools.js';

/**
 * The tools of this moment, each read once: own ones and inherited enumerable ones. Without a prototype, so that no name leads
 * anywhere else.
 *
 * @param fixed for an agent, whose runs begin later: the tools as they were fixed before, so that one in two sets stays the same tool
 * @throws {InvalidConfigError} for what is no object of tools by name
 */
export function takeTools<TOOLS extends ToolSet>(tools: TOOLS, place: string, fixed?: FixedTools): TOOLS {
  return readable(`${place}: tools`, () => {
    const taken = readTools(tools, place);
    return fixed === undefined ? taken : withFixedApproval(taken, fixed);
  });
}

/** Tools with the `needsApproval` that they had, by the tools that were given. */
export type FixedTools = WeakMap<object, Tool>;

function readTools<TOOLS extends ToolSet>(tools: TOOLS, place: string): TOOLS {
  const wrong = wrongShape(tools);
  if (wrong !== undefined)
    throw new InvalidConfigError({ message: `${place}: tools must be an object of tools by name, ${wrong}` });
  const taken = Object.create(null) as TOOLS;
  for (const key of Reflect.ownKeys(tools)) {
    const enumerable = Object.prototype.propertyIsEnumerable.call(tools, key);
    Object.defineProperty(taken, key, {
      value: Reflect.get(tools, key),
      enumerable,
      configurable: true,
      writable: true,
    });
  }
  for (const name of inheritedNames(tools))
    if (!Object.hasOwn(taken, name)) define(taken, name, Reflect.get(tools, name));
  for (const name of Object.keys(taken)) {
    const tool: unknown = taken[name];
    if (!isRecord(tool)) throw noTool(tool, name, place);
  }
  return taken;
}

const noTool = (tool: unknown, name: string, place: string): InvalidConfigError =>
  new InvalidConfigError({
    message: `${place}: ${JSON.stringify(name)} is not a tool of the AI SDK: it is ${toldKind(tool)}. ${cureOf(tool)}`,
  });

const cureOf = (tool: unknown): string =>
  typeof tool === 'function' ? 'Call it, and give what it returns.' : 'Leave its name out, or give a tool.';

/** The tools with their `needsApproval` as it is now: what becomes of it later opens nothing in runs that begin later. */
function withFixedApproval<TOOLS extends ToolSet>(tools: TOOLS, fixed: FixedTools): TOOLS {
  const taken = copyToolSet(tools);
  for (const name of Object.getOwnPropertyNames(tools)) {
    const tool = ownTool(tools, name);
    if (!isRecord(tool) || isCopy(tool)) continue;
    // Read once: what it says at another look counts no more than what becomes of it.
    const needsApproval = ownApproval(tool);
    if (needsApproval == null) continue;
    const known = fixed.get(tool) ?? copyTool(tool, { needsApproval });
    fixed.set(tool, known);
    countAsCopy(known, tool);
    define(taken, name, known);
  }
  return taken;
}

/** The options of a call of the AI SDK, or of an agent of it, taken at one moment: the tools, and all that says something of them. */
export function takeCall<OPTIONS extends object>(options: OPTIONS, place: string): OPTIONS {
  const taken = { ...options } as Record<string, unknown>;
  checkHooks(taken, place);
  if (taken['tools'] !== undefined) taken['tools'] = takeTools(taken['tools'] as ToolSet, place);
  for (const name of ['messages', 'prompt'])
    if (Array.isArray(taken[name])) taken[name] = [...(taken[name] as unknown[])];
  for (const name of OF_TOOLS) if (taken[name] !== undefined) taken[name] = takeValue(taken[name], `${place}: ${name}`);
  return taken as OPTIONS;
}

/** Options of the AI SDK that say which tools there are, what they call, and what becomes of their calls. */
const OF_TOOLS = [
  'activeTools',
  'experimental_activeTools',
  'experimental_refineToolInput',
  'experimental_toolCallers',
  'toolApproval',
] as const;

/** Enumerable names of the prototypes, but for those of `Object.prototype`: additions to that are not tools. */
function inheritedNames(tools: object): string[] {
  const names: string[] = [];
  let at = Object.getPrototypeOf(tools) as object | null;
  for (; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at) as object | null)
    names.push(...Object.keys(at));
  return names;
}

/** What is wrong with it, and what to write instead. */
function wrongShape(tools: unknown): string | undefined {
  if (typeof tools === 'function') return 'not a function: call it, and give what it returns.';
  if (!isRecord(tools)) return `not ${String(tools)}.`;
  if (isThenable(tools)) return 'not a promise: await it, as in { ...(await client.tools()) }.';
  if (Array.isArray(tools)) return "not an array: name each of them, as in { 'delete-file': deleteFile }.";
  if (Symbol.iterator in tools || Symbol.asyncIterator in tools)
    return 'not a Map, a Set or another list: give Object.fromEntries(tools) of pairs of a name and a tool.';
  // The name of a tool leads to an object.
  if (typeof tools['execute'] === 'function' && 'inputSchema' in tools)
    return 'not one tool: name it, as in { NAME: tool }.';
  return undefined;
}
