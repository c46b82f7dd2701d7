/** Agents that start others, in one process after another. */
import { tool, type ToolSet } from 'ai';
import { z } from 'zod';
import type { AgentRun } from '../../index.js';
import { resume, streamWithEvents } from '../../ts/index.js';
import { call, calls, scripted, type ModelTurn } from '../support/model.js';
import { RUN, type Stage } from './stage.js';

/** What each agent says in one process, by what it was told to do; `main` is the main one. */
export type Script = Record<string, ModelTurn[]>;

/** One process: its gate, and the models that were called in it. */
export function processOf(on: Stage, script: Script, more: object = {}, others: ToolSet = {}) {
  const gate = on.gate();
  const prompts: Record<string, unknown[]> = {};
  const model = (name: string) => {
    const made = scripted(script[name] ?? []);
    prompts[name] = made.prompts;
    return made.model;
  };
  const task: ToolSet[string] = Object.assign(
    tool({
      inputSchema: z.object({ description: z.string() }),
      execute: async ({ description }, options) => {
        const run = streamWithEvents({
          model: model(description),
          prompt: description,
          tools: { ...on.tools(), task },
          parent: options,
        } as never);
        return (await run.result).text;
      },
    }),
    { [Symbol.for('countersign.task')]: true },
  );
  const options = { tools: { ...on.tools(), ...others, task }, interruptOn: { del: true }, gate, runId: RUN, ...more };
  return {
    gate,
    prompts,
    begin: () => streamWithEvents({ model: model('main'), prompt: 'go', ...options } as never) as AgentRun,
    goOn: () => resume({ model: model('main'), ...options } as never) as AgentRun,
  };
}

export const task = (description: string, id: string) => call('task', { description }, id);
export const del = (path: string, id = 'k1') => calls(call('del', { path }, id));
