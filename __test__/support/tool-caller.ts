/** A tool that calls other tools in the place of the model, as code mode does: its input is the calls to make. */
import * as ai from 'ai';
import type { Tool, ToolSet } from 'ai';
import { z } from 'zod';

export type ProgramCall = { tool: string; input: unknown };

type Execute = (input: unknown, options: object) => unknown;

const programs = z.object({
  calls: z.array(z.object({ tool: z.string(), input: z.unknown() })),
  atOnce: z.boolean().optional(),
});

/** Makes the calls as `@ai-sdk/code-mode` does: what needs approval is refused, the rest is run. */
export function programTool(tools: ToolSet, ran: string[] = []): Tool {
  return ai.tool({
    description: `Runs calls of ${Object.keys(tools).join(', ')}`,
    inputSchema: programs,
    execute: async ({ calls, atOnce = false }, options) => {
      ran.push('program');
      let count = 0;
      const make = async ({ tool: name, input }: ProgramCall): Promise<unknown> => {
        const tool = tools[name];
        if (tool?.execute === undefined) throw new Error(`Unknown tool: ${name}`);
        count += 1;
        const called = { ...options, toolCallId: `${options.toolCallId}:tool-${count}` };
        const needs: unknown =
          typeof tool.needsApproval === 'function'
            ? await tool.needsApproval(input as never, called as never)
            : tool.needsApproval;
        if (needs === true) throw new Error(`${name} requires approval`);
        return (tool.execute.bind(tool) as Execute)(input, called);
      };
      if (atOnce) return Promise.all(calls.map(make));
      const results: unknown[] = [];
      for (const each of calls) results.push(await make(each));
      return results;
    },
  });
}

/** The tool as the AI SDK binds it (7 alone). */
export function programCaller(ran: string[] = []): Tool {
  return ai.experimental_toolCaller(programTool({}, ran), {
    type: 'local',
    bind: (tools) => programTool(tools, ran),
  });
}
