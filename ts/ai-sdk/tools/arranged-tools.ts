/**
 * The tools of an agent for what may look at them and arrange them before a call is made, and may not run them: a `prepareCall`, or a
 * `stream` of somebody else. They are what the run has, too: what is changed at them counts, whenever it is.
 */
import type { Tool, ToolSet } from 'ai';
import { InvalidConfigError } from '../../errors/index.js';
import { readable } from '../../options/check.js';
import { countAsCopy } from '../../policy/very-tool.js';
import { isCallOfRun } from './call-context.js';
import { copyTool, copyToolSet, isGenerator, isRecord, ownApproval, type ExecuteFunction } from './tools.js';

/** The tools as copies that run for a call of the agent, and fail outside of it. */
export const arrangedTools = (tools: ToolSet, place: string): ToolSet =>
  readable(`${place}: tools`, () => standIns(tools, place));

function standIns(tools: ToolSet, place: string): ToolSet {
  const arranged = copyToolSet(tools);
  for (const name of Object.getOwnPropertyNames(tools)) {
    const { enumerable = true } = Object.getOwnPropertyDescriptor(tools, name) ?? {};
    const tool = tools[name];
    if (isRecord(tool) && typeof tool.execute === 'function')
      Object.defineProperty(arranged, name, { value: standIn(name, tool as Tool, place), enumerable });
  }
  return arranged;
}

function standIn(name: string, tool: Tool, place: string): Tool {
  // As it is: who replaces it at the tool later does not change what runs.
  const own = tool.execute as unknown as ExecuteFunction;
  const run: ExecuteFunction = (input, options) => {
    if (isCallOfRun(options)) return Reflect.apply(own, tool, [input, options]);
    throw new InvalidConfigError({
      message: `${place}: ${JSON.stringify(name)}, as prepareCall got it, was not run by a call of the agent, so that nobody could be asked: prepareCall may arrange tools, and not run them. A tool that is made of it hands on the options that its own execute gets.`,
    });
  };
  const execute = isGenerator(own)
    ? async function* execute(...given: Parameters<ExecuteFunction>) {
        yield* run(...given) as AsyncIterable<unknown>;
      }
    : async (...given: Parameters<ExecuteFunction>) => run(...given);
  // Read once: what a getter says at another look counts as what becomes of the tool.
  const needsApproval = ownApproval(tool);
  const copy = copyTool(tool, { execute, ...(needsApproval == null ? {} : { needsApproval }) });
  countAsCopy(copy, tool);
  return copy;
}
