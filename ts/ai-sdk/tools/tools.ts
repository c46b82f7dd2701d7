/** Tools as objects: copied with all they have, looked up by their own names, told apart by what they return. */
import type { Tool, ToolSet } from 'ai';
import type { InterruptOn, InterruptOptions } from '../../../index.js';
import { InvalidConfigError } from '../../errors/index.js';
import { modelOutput, withNote, type ModelOutput } from '../messages/history.js';

/** `execute` as the SDK calls it. */
export type ExecuteFunction = (input: unknown, options: ExecuteOptions) => unknown;
export interface ExecuteOptions {
  toolCallId: string;
  abortSignal?: AbortSignal;
  [more: string]: unknown;
}

/** A set with every tool of this one, which may be changed where this one is frozen. */
export function copyToolSet<TOOLS extends ToolSet>(tools: TOOLS): TOOLS {
  const copy = Object.create(null) as TOOLS;
  for (const key of Reflect.ownKeys(tools)) {
    const descriptor = Object.getOwnPropertyDescriptor(tools, key);
    Object.defineProperty(copy, key, { ...descriptor, configurable: true, writable: true });
  }
  return copy;
}

/**
 * The set, to be handed out: neither it nor a tool that was made for it can be changed any more, so that nothing else runs in the
 * place of what is gated. A given tool that was not replaced stays its owner's.
 */
export function handedOut<TOOLS extends ToolSet>(made: TOOLS, given: ToolSet): TOOLS {
  for (const name of Object.getOwnPropertyNames(made)) {
    const tool = ownTool(made, name);
    if (isRecord(tool) && tool !== ownTool(given, name)) Object.freeze(tool);
  }
  return Object.freeze(made);
}

/** The functions that a tool of the AI SDK may have. None of them does what the tool is for, but `execute`. */
export const TOOL_FUNCTIONS: ReadonlySet<string> = new Set([
  'execute',
  'needsApproval',
  'toModelOutput',
  'onInputStart',
  'onInputDelta',
  'onInputAvailable',
  // Made for each call.
  'description',
  // Some libraries' schemas are functions, and so are those that are made late.
  'inputSchema',
  'outputSchema',
  'contextSchema',
]);

/**
 * A copy with everything a tool has, and some of it changed. What else a class can do with its tools goes around the change.
 *
 * @param keepsFields hands on functions that it has itself: for what is no tool
 */
export function copyTool(
  tool: Tool,
  changes: Record<string | symbol, unknown>,
  { keepsFields = false }: { keepsFields?: boolean } = {},
): Tool {
  const prototype = Object.getPrototypeOf(tool) as object | null;
  const properties: Record<string | symbol, PropertyDescriptor> = Object.getOwnPropertyDescriptors(tool);
  for (const name of Reflect.ownKeys(properties)) {
    const { get, value } = properties[name] as PropertyDescriptor;
    if (!isAnotherWay(name)) continue;
    if (get !== undefined) properties[name] = { ...properties[name], get: noWay(name, get) };
    // A field of a class that holds a function is as good as a method.
    else if (typeof value === 'function' && !keepsFields)
      properties[name] = { ...properties[name], value: refusing(name) };
  }
  for (const name of Reflect.ownKeys(changes)) {
    const value = changes[name];
    // What is hidden from a spread stays hidden: it is the tool's own, and not that of what is made of it.
    const enumerable = properties[name]?.enumerable ?? true;
    properties[name] = { value, enumerable, configurable: true, writable: true };
  }
  const copy = Object.create(prototype, properties) as Tool;
  SOURCES.set(copy, tool);
  if (!isOfClass(tool)) return copy;
  const proxy = new Proxy(copy, {
    // What it inherits sees the tool itself: a method or a getter of a class may need its private fields.
    get: (own, property) => {
      if (Object.hasOwn(own, property)) return Reflect.get(own, property) as unknown;
      const value: unknown = Reflect.get(tool, property);
      if (typeof value !== 'function' || property === 'constructor') return value;
      return isAnotherWay(property) ? refusing(property) : (value.bind(tool) as unknown);
    },
  });
  SOURCES.set(proxy, tool);
  return proxy;
}

const SOURCES = new WeakMap<object, Tool>();

/** What {@link copyTool} made it of. */
export const sourceOf = (copy: object): Tool | undefined => SOURCES.get(copy);

/** Whether it may have methods that are not seen among its own properties. */
export function isOfClass(tool: object): boolean {
  const prototype = Object.getPrototypeOf(tool) as object | null;
  return prototype !== null && prototype !== Object.prototype;
}

const isAnotherWay = (property: string | symbol): property is string =>
  typeof property === 'string' && !TOOL_FUNCTIONS.has(property) && !(property in Object.prototype);

/** The getter, which makes no function any more. */
const noWay = (name: string, get: () => unknown) =>
  function made(this: unknown): unknown {
    const value = get.call(this);
    return typeof value === 'function' ? refusing(name) : value;
  };

const refusing = (name: string) => () => {
  throw new InvalidConfigError({
    message: `${JSON.stringify(name)} of a gated tool would run unasked, whatever it does: call its execute. What the class itself calls in there is not concerned.`,
  });
};

/** The tools with a note on the results of these calls, for the model to read. */
export function withNotes(
  tools: ToolSet,
  calls: readonly { toolCallId: string; toolName: string; note?: string | undefined }[],
): ToolSet {
  const noted = copyToolSet(tools);
  for (const name of new Set(calls.map(({ toolName }) => toolName))) {
    const tool = ownTool(tools, name);
    if (tool === undefined) continue;
    const notes = new Map(
      calls.filter(({ toolName }) => toolName === name).map(({ toolCallId, note }) => [toolCallId, note]),
    );
    const toModelOutput = async (options: ModelOutputOptions) => {
      const output =
        tool.toModelOutput === undefined ? modelOutput(options.output) : await tool.toModelOutput(options as never);
      const note = notes.get(options.toolCallId);
      return note === undefined ? output : withNote(output as ModelOutput, note);
    };
    define(noted, name, copyTool(tool, { toModelOutput }));
  }
  return Object.freeze(noted);
}

/**
 * The options of a call with an id. Not every framework has one, or has it here: a call without is one of its own.
 */
export function withCallId(options: Partial<ExecuteOptions> | undefined): ExecuteOptions {
  const { toolCallId, agent } = options ?? {};
  // Mastra has it there.
  const ids = [toolCallId, isRecord(agent) ? agent['toolCallId'] : undefined];
  const id = ids.find((each): each is string => typeof each === 'string' && each !== '');
  return { ...options, toolCallId: id ?? crypto.randomUUID() };
}

/** What a tool's `toModelOutput` is called with. */
export interface ModelOutputOptions {
  toolCallId: string;
  input: unknown;
  output: unknown;
}

/** Whether this is what the AI SDK calls it with, and not the output alone. */
export function isModelOutputOptions(given: unknown): given is ModelOutputOptions {
  return isRecord(given) && typeof given['toolCallId'] === 'string' && 'output' in given;
}

/** The entry of `interruptOn` that the options of a tool come from. */
export function entryOf(interruptOn: InterruptOn | undefined, entry: string | null): InterruptOptions | undefined {
  if (entry === null || typeof interruptOn !== 'object' || Array.isArray(interruptOn)) return undefined;
  const value: unknown = Object.hasOwn(interruptOn, entry)
    ? (interruptOn as Record<string, unknown>)[entry]
    : undefined;
  return typeof value === 'object' && value !== null ? (value as InterruptOptions) : undefined;
}

/** What the tool, or its class, says of being asked about. What somebody wrote to `Object.prototype` no tool says. */
export function ownApproval(tool: Tool): unknown {
  for (
    let at: object | null = tool;
    at !== null && at !== Object.prototype;
    at = Object.getPrototypeOf(at) as object | null
  )
    if (Object.hasOwn(at, 'needsApproval')) return tool.needsApproval;
  return undefined;
}

export function ownTool(tools: ToolSet | undefined, name: string): Tool | undefined {
  return tools !== undefined && Object.hasOwn(tools, name) ? (tools[name] ?? undefined) : undefined;
}

/** Whether the SDK can run this tool; if not, only the client or the provider can. */
export function executes(tools: ToolSet, name: string): boolean {
  return typeof ownTool(tools, name)?.execute === 'function';
}

/**
 * Marks a tool that starts other agents: a call of it that was cut off is run again. Its value is the list of their sets of tools.
 * Registered: see `call-context.ts`.
 */
export const TASK = Symbol.for('countersign.task');

/** On a tool: the names of the calls that it makes itself while it runs, which rules may be about. Registered: see `call-context.ts`. */
export const CALLS_AS = Symbol.for('countersign.calls-as');

export const callsOf = (tool: Tool | undefined): readonly string[] =>
  tool !== undefined && Object.hasOwn(tool, CALLS_AS)
    ? ((tool as unknown as Record<symbol, readonly string[]>)[CALLS_AS] ?? [])
    : [];

export const isTask = (tool: Tool | undefined): boolean => markOf(tool) !== undefined;

/** The sets of tools of all agents that these tools start, and of those that these start. */
export function toolsBehind(tools: ToolSet): ToolSet[] {
  const found = new Set<ToolSet>([tools]);
  for (const set of found)
    for (const name of Object.getOwnPropertyNames(set)) {
      const behind = markOf(ownTool(set, name));
      if (Array.isArray(behind)) for (const each of behind as ToolSet[]) found.add(each);
    }
  found.delete(tools);
  return [...found];
}

function markOf(tool: Tool | undefined): unknown {
  if (tool === undefined || !Object.hasOwn(tool, TASK)) return undefined;
  return (tool as unknown as Record<symbol, unknown>)[TASK] ?? undefined;
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

export function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Whether calling it gives a stream of results, as the SDK tells it. */
export function isGenerator(execute: unknown): boolean {
  const kind = Object.prototype.toString.call(execute);
  return kind === '[object AsyncGeneratorFunction]' || kind === '[object GeneratorFunction]';
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
