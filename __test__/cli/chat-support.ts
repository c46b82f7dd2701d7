/** A chat over real files and a real ledger, with a scripted model. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LanguageModel } from 'ai';
import { onTestFinished } from 'vitest';
import type { AgentEvent, Gate, GateOptions } from '../../index.js';
import { createAgent } from '../../ts/cli/chat/agent.js';
import { createGate } from '../../ts/index.js';
import { createChat } from '../../ts/cli/chat/chat.js';
import type { ChatOptions, LocalChat } from '../../ts/cli/chat/parts.js';
import type { WaitingAsk, Chat, ChatView, TranscriptEntry } from '../../ts/cli/chat/view.js';
import { scratch } from '../policy/support.js';
import { scripted, type ModelTurn, type ScriptedModel } from '../support/model.js';

export interface Stage {
  chat: LocalChat;
  gate: Gate;
  folder: string;
  prompts: ScriptedModel['prompts'];
  events: AgentEvent[];
}

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
    createAgent: (parts) => createAgent({ ...parts, folder, policy: [] }),
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

/** The first waiting ask, once `count` wait. */
export async function asked(chat: Chat, count = 1): Promise<WaitingAsk> {
  return (await until(chat, ({ asks }) => asks.length >= count)).asks[0]!;
}

export const idle = (chat: Chat): Promise<ChatView> => until(chat, ({ isBusy }) => !isBusy);

/** The entries as short lines. */
export const told = (view: ChatView): string[] => view.entries.map(lineOf);

function lineOf(entry: TranscriptEntry): string {
  if (entry.kind === 'tool') return `${entry.toolName} ${entry.title}: ${entry.status}`;
  return `${entry.kind}: ${entry.text}`;
}
