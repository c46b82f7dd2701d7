/** A scripted language model on the installed AI SDK, 6 or 7: the only mock in these tests. */
import * as ai from 'ai';
import * as test from 'ai/test';

/** 6 or 7: the version that this project of the test runner runs on. */
export const major: 6 | 7 = 'isStepCount' in ai ? 7 : 6;

/** Ends a loop of the SDK after a number of steps, under its name in the installed version. */
export const stepCount = major === 7 ? ai.isStepCount : ai.stepCountIs;

/** A part of a model's stream. */
export type ModelPart = { type: string; [more: string]: unknown };
/** What the model says in one turn. */
export type ModelTurn = ModelPart[] | ((options: { prompt: unknown[] }) => ModelPart[] | Promise<ModelPart[]>);

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

export const finish = (unified = 'stop'): ModelPart => ({
  type: 'finish',
  finishReason: { unified, raw: unified },
  usage,
});

export const text = (value: string, id = '1'): ModelPart[] => [
  { type: 'text-start', id },
  { type: 'text-delta', id, delta: value },
  { type: 'text-end', id },
];

export const call = (toolName: string, input: unknown, toolCallId: string, more: object = {}): ModelPart => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: typeof input === 'string' ? input : JSON.stringify(input),
  ...more,
});

/** A turn that makes these calls. */
export const calls = (...parts: ModelPart[]): ModelPart[] => [...parts, finish('tool-calls')];
/** A turn that ends the run. */
export const says = (value: string): ModelPart[] => [...text(value), finish('stop')];

export interface ScriptedModel {
  /** To be passed as `model`. */
  model: ai.LanguageModel;
  /** The prompt of each call so far. */
  prompts: { role: string; content: { type: string; [more: string]: unknown }[] }[][];
}

/** A model that says these turns, one per call, and fails when it is called once more. */
export function scripted(
  turns: ModelTurn[],
  { chunkDelay = null }: { chunkDelay?: number | null } = {},
): ScriptedModel {
  const prompts: ScriptedModel['prompts'] = [];
  const next = async (options: { prompt: unknown[] }): Promise<ModelPart[]> => {
    const turn = turns[prompts.length];
    prompts.push(structuredClone(options.prompt) as never);
    if (turn === undefined) throw new Error(`the scripted model has no turn ${prompts.length}`);
    return typeof turn === 'function' ? turn(options) : turn;
  };
  const doStream = async (options: { prompt: unknown[] }) => ({
    stream: ai.simulateReadableStream({
      chunks: [{ type: 'stream-start', warnings: [] }, ...(await next(options))],
      initialDelayInMs: null,
      chunkDelayInMs: chunkDelay,
    }),
  });
  const doGenerate = async (options: { prompt: unknown[] }) => {
    const parts = await next(options);
    const content = parts.flatMap((part) => {
      if (part.type === 'text-delta') return [{ type: 'text', text: part['delta'] }];
      return ['tool-call', 'tool-result', 'tool-approval-request'].includes(part.type) ? [part] : [];
    });
    const { finishReason } = parts.find(({ type }) => type === 'finish') as ModelPart;
    return { content, finishReason, usage, warnings: [] };
  };
  const mocks = test as unknown as Record<string, new (options: object) => ai.LanguageModel>;
  const Mock = mocks[major === 6 ? 'MockLanguageModelV3' : 'MockLanguageModelV4'];
  if (Mock === undefined) throw new Error('ai/test has no mock model');
  return { model: new Mock({ doStream, doGenerate }), prompts };
}

/** Everything an iterator yields. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The tool results that the model was shown in a prompt, by tool call id. */
export function resultsIn(prompt: ScriptedModel['prompts'][number] | undefined): Record<string, unknown> {
  const parts = (prompt ?? []).filter(({ role }) => role === 'tool').flatMap(({ content }) => content) as unknown as {
    type: string;
    toolCallId: string;
    output: unknown;
  }[];
  return Object.fromEntries(
    parts.filter(({ type }) => type === 'tool-result').map(({ toolCallId, output }) => [toolCallId, output]),
  );
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
