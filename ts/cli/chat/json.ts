/**
 * `--json`: what happens as JSON Lines, for scripts and CI. No human is asked: what waits is rejected, and the exit code says so.
 * Warnings and errors of the program itself are on stderr.
 */
import { Exit } from '../exit.js';
import { json } from '../print.js';
import { oneLine } from '../style.js';
import type { AgentEvent } from '../../../index.js';
import type { LocalChat } from './parts.js';

/** Ends with 3 when something needed an answer, 1 when a run failed, 130 when it was cancelled. */
export async function showJson(chat: LocalChat, prompts: AsyncIterable<string> | Iterable<string>): Promise<number> {
  let nobody = false;
  /** What waits cannot be refused, so that the run does not end by itself. */
  let isStuck = false;
  let tellStuck = (): void => {};
  const stuck = new Promise<void>((resolve) => (tellStuck = resolve));
  const answered = new Set<string>();
  let told = 0;
  const refuse = async (approvalId: string): Promise<void> => {
    if ((await chat.refuse(approvalId)) === undefined) return;
    isStuck = true;
    tellStuck();
  };
  const look = (): void => {
    const { entries } = chat.view;
    for (const entry of entries.slice(told))
      if (entry.kind === 'note' && entry.level !== 'info')
        process.stderr.write(`countersign: ${oneLine(entry.text)}\n`);
    told = entries.length;
    for (const { request } of chat.view.asks) {
      if (answered.has(request.approvalId)) continue;
      answered.add(request.approvalId);
      nobody = true;
      void refuse(request.approvalId);
    }
  };
  const stop = chat.subscribe(look);
  look();
  try {
    for await (const prompt of prompts) {
      if (prompt.trim() === '') continue;
      await Promise.race([chat.submit(prompt), stuck]);
      if (isStuck || chat.isOver || chat.lastRun === 'failed' || chat.lastRun === 'cancelled') break;
    }
    look();
  } finally {
    stop();
  }
  if (isStuck) return Exit.failure;
  if (chat.lastRun === 'cancelled') return 130;
  if (chat.lastRun === 'failed') return Exit.failure;
  return nobody ? Exit.ask : Exit.ok;
}

/** An event as one line of JSON. The steps of a run are in its events already. */
export function lineOf(event: AgentEvent): string {
  const shown: object = event.type === 'done' ? { ...event, steps: undefined } : event;
  try {
    return json(JSON.parse(JSON.stringify(shown, told)) as object);
  } catch {
    return json({ type: event.type, error: 'it cannot be written as JSON' });
  }
}

/** Errors say nothing as JSON, and big numbers cannot be written at all. */
function told(_: string, value: unknown): unknown {
  if (value instanceof Error) {
    const { name, message } = value;
    const { code } = value as { code?: unknown };
    return { name, message, ...(typeof code === 'string' ? { code } : {}) };
  }
  return typeof value === 'bigint' ? String(value) : value;
}
