/**
 * Tools that call other tools in the place of the model, such as code mode. The AI SDK replaces such a tool by what its
 * `bind` returns: what is changed of the tool is changed of that as well, and when it runs it is bound once more, to tools that
 * are gated as a part of its own call.
 */
import type { Tool, ToolSet } from 'ai';
import { InvalidConfigError } from '../../errors/index.js';
import { copyTool, define, isRecord, ownTool, type ExecuteFunction, type ExecuteOptions } from './tools.js';

/** What a call of a tool runs. */
export interface CallBody {
  /** The function itself, which tells whether its results are a stream. */
  readonly execute: unknown;
  call(input: unknown, options: ExecuteOptions): unknown;
}

/** Gates the tools that a caller may call, as a part of the call whose options these are. */
export type GateCalled = (tools: ToolSet, options: ExecuteOptions) => ToolSet;

/** Where the AI SDK finds that a tool is a caller, and how it binds it. */
const CALLER = 'experimental_toolCaller';

interface ToolCaller {
  bind(tools: ToolSet): Tool;
}

/** `undefined`: it has none. */
export function bodyOf(tool: Tool): CallBody | undefined {
  const { execute } = tool;
  if (typeof execute !== 'function') return undefined;
  // Called on the tool itself: a method of a class may need its private fields.
  return {
    execute,
    call: (input, options) => Reflect.apply(execute as unknown as ExecuteFunction, tool, [input, options]),
  };
}

/** The same, once it is bound to these tools. */
export function boundBody(tool: Tool, tools: () => ToolSet, gateCalled: GateCalled): CallBody | undefined {
  const caller = callerOf(tool);
  return caller === undefined ? bodyOf(tool) : bindingBody(caller, tool, tools, gateCalled);
}

/**
 * A copy of the tool with changes, which stand in all that the AI SDK makes of it.
 *
 * @param change what is changed of a tool that runs this
 * @param body what it runs while it is not bound
 * @throws {InvalidConfigError} when it holds what the SDK may run and this package does not know
 */
export function changedTool(
  tool: Tool,
  change: (body: CallBody | undefined) => Record<string, unknown>,
  gateCalled: GateCalled,
  body = bodyOf(tool),
): Tool {
  refuseUnknown(tool);
  const changes = change(body);
  if (typeof changes['execute'] === 'function') ORIGINALS.set(changes['execute'], tool);
  const caller = callerOf(tool);
  if (caller === undefined) return copyTool(tool, changes);
  const bind = (tools: ToolSet): Tool => {
    const bound = caller.bind(tools);
    if (tool.needsApproval === undefined && bound.needsApproval !== undefined) throw ownApproval();
    return changedTool(
      bound,
      change,
      gateCalled,
      bindingBody(caller, bound, () => tools, gateCalled),
    );
  };
  return copyTool(tool, { ...changes, [CALLER]: copyTool(caller as unknown as Tool, { bind }, { keepsFields: true }) });
}

/** Whether the AI SDK binds it, so that what it is now is not what runs. */
export function isCaller(tool: Tool | undefined): boolean {
  return tool !== undefined && callerOf(tool) !== undefined;
}

/** What was changed of these tools by `needsApproval` alone, changed of what the AI SDK makes of them as well. */
export function keepBound<TOOLS extends ToolSet>(tools: TOOLS, applied: TOOLS): TOOLS {
  for (const [name, tool] of Object.entries(tools)) {
    const needsApproval = ownTool(applied, name)?.needsApproval;
    if (applied[name] === tool || !isRecord(tool)) continue;
    refuseUnknown(tool);
    if (isCaller(tool))
      define(
        applied,
        name,
        changedTool(
          tool,
          () => ({ needsApproval }),
          (called) => called,
        ),
      );
  }
  return applied;
}

/** These tools without the changes that {@link changedTool} made: they are about to be gated anew. */
export function originalsOf(tools: ToolSet): ToolSet {
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [
      name,
      (typeof tool.execute === 'function' && originalOf(tool.execute)) || tool,
    ]),
  );
}

/** The tool of each `execute` that was changed: copies of a tool, however made, have the same one. */
const ORIGINALS = new WeakMap<object, Tool>();

/** The tool whose `execute` {@link changedTool} changed to this one. */
export const originalOf = (execute: object): Tool | undefined => ORIGINALS.get(execute);

function callerOf(tool: Tool): ToolCaller | undefined {
  const caller = (tool as unknown as Record<string, unknown>)[CALLER];
  return isRecord(caller) && typeof caller['bind'] === 'function' ? (caller as unknown as ToolCaller) : undefined;
}

/** Bound anew for each call, to tools that know which call it is. */
function bindingBody(
  caller: ToolCaller,
  { execute }: Tool,
  tools: () => ToolSet,
  gateCalled: GateCalled,
): CallBody | undefined {
  if (typeof execute !== 'function') return undefined;
  return { execute, call: (input, options) => bodyOf(caller.bind(gateCalled(tools(), options)))?.call(input, options) };
}

const ownApproval = () =>
  new InvalidConfigError({
    message: `A tool has needsApproval only once the AI SDK has bound it to the tools that it calls. Give needsApproval to the tool itself, or name it in interruptOn.`,
  });

/** What the AI SDK adds to tools in experiments, and is held. */
const HELD: ReadonlySet<string> = new Set([CALLER, 'vercel.ai.toolSearch.search']);

/**
 * An experiment of the AI SDK may be one more way to run the tool: a function, or a list, an object or an instance that has one somewhere.
 *
 * @param whose for the message
 * @throws {InvalidConfigError}
 */
export function refuseUnknown(tool: object, whose = 'A tool'): void {
  for (const key of allKeys(tool)) {
    const name = typeof key === 'string' ? key : (key.description ?? '');
    if (!EXPERIMENT.test(name) || HELD.has(name)) continue;
    if (mayRun(Reflect.get(tool, key)))
      throw new InvalidConfigError({
        message: `${whose} has ${JSON.stringify(name)}, by which the AI SDK may run it past its gate: this version of countersign does not know it. Leave it out, or update countersign.`,
      });
  }
}

const EXPERIMENT = /^(?:experimental_|unstable_|vercel\.)/;

/** Whether there is a function in it, at any depth. @param seen what was looked at, since data may be in itself */
function mayRun(value: unknown, seen = new Set<object>()): boolean {
  if (typeof value === 'function') return true;
  if (!isRecord(value) || seen.has(value)) return false;
  seen.add(value);
  const keys = Array.isArray(value) ? Reflect.ownKeys(value) : [...allKeys(value)];
  return keys.some((key) => mayRun(Reflect.get(value, key), seen));
}

/** Also of what is not enumerable, and of what it inherits: the SDK reads its experiments by their name. */
function allKeys(object: object): Set<string | symbol> {
  const keys = new Set<string | symbol>();
  // What every object has ends it, also in another realm.
  const isEnd = (at: object) => at !== object && Object.hasOwn(at, 'hasOwnProperty');
  for (let at: object | null = object; at !== null && !isEnd(at); at = Object.getPrototypeOf(at) as object | null)
    for (const key of Reflect.ownKeys(at)) if (at === object || key !== 'constructor') keys.add(key);
  return keys;
}
