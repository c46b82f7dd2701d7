/**
 * Whose functions an agent has. What runs is a `ToolLoopAgent` of the SDK with hooks of ours inside: a `stream` of somebody else
 * may start tools before the hooks are called, or without them.
 */
import type { LoadedSdk } from './sdk.js';

/** A class of agents, and the functions of it that make a call. */
export interface AgentClass {
  readonly prototype: object;
  readonly stream: Function;
}

/** The class that all of an agent's functions come from; `undefined`: not a class of the SDK, or some functions are its own. */
export function agentClassOf(agent: object): AgentClass | undefined {
  const prototype = rootOf(agent);
  if (prototype === undefined) return undefined;
  const functions = Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(
    ([name, { value }]): [string, Function][] =>
      typeof value === 'function' && !NOT_CALLED.has(name) ? [[name, value as Function]] : [],
  );
  const { stream, prepareCall } = Object.fromEntries(functions) as Record<string, Function | undefined>;
  if (stream === undefined || prepareCall === undefined) return undefined;
  const isItsOwn = functions.some(([name, value]) => Reflect.get(agent, name) !== value);
  return isItsOwn ? undefined : { prototype, stream };
}

/** Whether it is the class of the SDK that is loaded, or of another copy of it. */
export function isOfSdk({ prototype }: AgentClass, { ai }: LoadedSdk): boolean {
  const known = ai.ToolLoopAgent as { prototype?: unknown } | undefined;
  return prototype === known?.prototype || prototype.constructor.name === 'ToolLoopAgent';
}

/** What a run does not call. */
const NOT_CALLED: ReadonlySet<string> = new Set(['constructor', 'generate']);

/** The first of the classes that it is an instance of: that of the SDK extends none. */
function rootOf(agent: object): object | undefined {
  let root: object | undefined;
  let next = Object.getPrototypeOf(agent) as object | null;
  while (next !== null && next !== Object.prototype) {
    root = next;
    next = Object.getPrototypeOf(next) as object | null;
  }
  return root;
}
