/** A chat over real files and a real ledger, with a scripted model. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tool, type LanguageModel, type ToolSet } from 'ai';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { AgentEvent, Gate, GateOptions } from '../../index.js';
import { createGate, resume, streamWithEvents } from '../../ts/index.js';
import { createChat, type ChatAgent, type ChatOptions, type LocalChat } from '../../ts/cli/chat/chat.js';
import type { Ask, Chat, ChatView, Entry } from '../../ts/cli/chat/view.js';
import { scratch } from '../policy/support.js';
import { scripted, type ModelTurn, type ScriptedModel } from '../support/model.js';

export interface Stage {
  chat: LocalChat;
  gate: Gate;
  folder: string;
  prompts: ScriptedModel['prompts'];
  events: AgentEvent[];
}

/** Tools as a deep agent has them, as small as they can be. */
const tools = (folder: string): ToolSet => ({
  read_file: tool({
    inputSchema: z.object({ file_path: z.string() }),
    execute: async ({ file_path }) => readFileSync(resolve(folder, file_path), 'utf8'),
  }),
  write_file: tool({
    inputSchema: z.object({ file_path: z.string(), content: z.string() }),
    execute: async ({ file_path, content }) => {
      writeFileSync(resolve(folder, file_path), content);
      return `wrote ${file_path}`;
    },
  }),
  execute: tool({
    inputSchema: z.object({ command: z.string() }),
    execute: ({ command }, { abortSignal }) =>
      new Promise<string>((done) => {
        execFile('sh', ['-c', command], { cwd: folder, signal: abortSignal }, (_, stdout) => done(stdout));
      }),
  }),
});

export const agentOn =
  (folder: string): ChatOptions['createAgent'] =>
  ({ model, gate }): ChatAgent => ({
    streamWithEvents: (options) => streamWithEvents({ ...options, model, gate, tools: tools(folder) }),
    resume: (options) => resume({ ...options, model, gate, tools: tools(folder) }),
  });

/** What asks unless a rule allows it. */
export const ASKS: GateOptions['policy'] = { version: 1, rule: [{ tools: ['read_file'], effect: 'allow' }] };

export async function stage(
  turns: ModelTurn[],
  more: { gate?: GateOptions; folder?: string; options?: Partial<ChatOptions> } = {},
): Promise<Stage> {
  const folder = more.folder ?? scratch();
  mkdirSync(join(folder, '.countersign'), { recursive: true });
  const gate = createGate({
    ledger: 'sqlite:.countersign/ledger.db',
    policy: ASKS,
    place: { cwd: folder, home: folder },
    ...more.gate,
  });
  const { model, prompts } = scripted(turns);
  const events: AgentEvent[] = [];
  const opened = { model: model as LanguageModel, label: 'scripted' };
  const chat = await createChat({
    gate,
    folder,
    model: opened,
    openModel: async (id) => ({ ...opened, label: id }),
    createAgent: agentOn(folder),
    by: 'tester',
    onEvent: (event) => events.push(event),
    ...more.options,
  });
  onTestFinished(() => chat.close());
  return { chat, gate, folder, prompts, events };
}

/** Resolves with the view as soon as it is so. */
export function until(chat: Chat, isSo: (view: ChatView) => boolean): Promise<ChatView> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!isSo(chat.view)) return;
      stop();
      resolve(chat.view);
    };
    const stop = chat.subscribe(look);
    look();
  });
}

/** The first that waits, once so many do. */
export async function asked(chat: Chat, count = 1): Promise<Ask> {
  return (await until(chat, ({ asks }) => asks.length >= count)).asks[0]!;
}

export const idle = (chat: Chat): Promise<ChatView> => until(chat, ({ isBusy }) => !isBusy);

/** The entries as short lines. */
export const told = (view: ChatView): string[] => view.entries.map(lineOf);

function lineOf(entry: Entry): string {
  if (entry.kind === 'tool') return `${entry.toolName} ${entry.title}: ${entry.status}`;
  return `${entry.kind}: ${entry.text}`;
}
