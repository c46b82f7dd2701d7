/**
 * The tools of an agent for what may look at them and arrange them before a call is made, and may not run them: a `prepareCall`, or a
 * `stream` of somebody else. What is given back is the tools themselves.
 */
import type { Tool, ToolSet } from 'ai';
import { InvalidConfigError } from '../../errors/index.js';
import { isCallOfRun } from './call-context.js';
import { copyTool, copyToolSet, isGenerator, isRecord, type ExecuteFunction } from './tools.js';

export class ArrangedTools {
  /** They run for a call of the agent, and fail for whoever keeps them. */
  readonly shown: ToolSet;
  readonly #tools: ToolSet;
  readonly #originals = new WeakMap<object, Tool>();
  readonly #place: string;

  constructor(tools: ToolSet, place: string) {
    this.#tools = tools;
    this.#place = place;
    this.shown = copyToolSet(tools);
    for (const name of Object.getOwnPropertyNames(tools)) {
      const { enumerable = true } = Object.getOwnPropertyDescriptor(tools, name) ?? {};
      const tool = tools[name];
      if (isRecord(tool) && typeof tool.execute === 'function')
        Object.defineProperty(this.shown, name, { value: this.#standIn(name, tool as Tool), enumerable });
    }
  }

  /** The tools of the call: what was shown is itself again. */
  known(arranged: ToolSet): ToolSet {
    const tools = copyToolSet(arranged);
    for (const name of Object.getOwnPropertyNames(tools)) {
      const tool: unknown = tools[name];
      const { enumerable = true } = Object.getOwnPropertyDescriptor(tools, name) ?? {};
      const original = isRecord(tool) ? this.#originals.get(tool) : undefined;
      if (original !== undefined) Object.defineProperty(tools, name, { value: original, enumerable });
    }
    const names = Reflect.ownKeys(tools);
    const isSame = names.length === Reflect.ownKeys(this.#tools).length;
    return isSame && names.every((name) => tools[name as string] === this.#tools[name as string]) ? this.#tools : tools;
  }

  #standIn(name: string, tool: Tool): Tool {
    const run: ExecuteFunction = (input, options) => {
      if (isCallOfRun(options))
        return Reflect.apply(tool.execute as unknown as ExecuteFunction, tool, [input, options]);
      throw new InvalidConfigError({
        message: `${this.#place}: ${JSON.stringify(name)}, as prepareCall got it, was not run by a call of the agent, so that nobody could be asked: prepareCall may arrange tools, and not run them. A tool that is made of it hands on the options that its own execute gets.`,
      });
    };
    const execute = isGenerator(tool.execute)
      ? async function* execute(...given: Parameters<ExecuteFunction>) {
          yield* run(...given) as AsyncIterable<unknown>;
        }
      : async (...given: Parameters<ExecuteFunction>) => run(...given);
    const standIn = copyTool(tool, { execute });
    this.#originals.set(standIn, tool);
    return standIn;
  }
}
