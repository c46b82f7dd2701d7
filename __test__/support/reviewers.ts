/** Models that review, by a script. */
import type { LanguageModel } from 'ai';
import { says, scripted, type ScriptedModel } from './model.js';

type Said = { answer: string; reason: string };

/** What a reviewer was sent: what instructs it, and what it is to judge. */
export interface SentReview {
  system: string;
  /** The user message without the line of data. */
  outside: string;
  data: {
    call: { tool: string; arguments: Record<string, unknown>; agent: string[] };
    policies: { say: string; why: string } | null;
    changes: unknown[];
    userAskedFor: string | null;
    agentAskedFor?: string;
    conversation?: { role: string; content: string }[];
  };
  /** The line of data as it was sent. */
  line: string;
}

/** A model that answers as the function says, by what it was sent. */
export function reviewing(answer: (sent: SentReview) => Said | string | Promise<Said | string>): {
  model: LanguageModel;
  sent: SentReview[];
  prompts: ScriptedModel['prompts'];
} {
  const sent: SentReview[] = [];
  const turns = Array.from({ length: 50 }, () => async ({ prompt }: { prompt: unknown[] }) => {
    const review = readReview(prompt as ScriptedModel['prompts'][number]);
    sent.push(review);
    const said = await answer(review);
    return says(typeof said === 'string' ? said : JSON.stringify(said));
  });
  return { ...scripted(turns), sent };
}

/** @throws for anything but one system message, and one user message with data in one line */
export function readReview(prompt: ScriptedModel['prompts'][number]): SentReview {
  const [system, user, ...more] = prompt;
  const [part, ...parts] = user?.content ?? [];
  if (system?.role !== 'system' || user?.role !== 'user' || more.length > 0 || parts.length > 0)
    throw new Error(`a review in other messages: ${prompt.map(({ role }) => role).join(', ')}`);
  const [head = '', line = '', ...rest] = String(part?.['text']).split('\n');
  return {
    system: system.content as unknown as string,
    outside: [head, ...rest].join('\n'),
    data: JSON.parse(line) as SentReview['data'],
    line,
  };
}
