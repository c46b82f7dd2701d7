/** Messages of a run as they may be kept. */
import type { Redactor } from './redactor.js';

type JsonObject = Record<string, unknown>;

/** An entry of a run's history, see `saved-run.ts`: the arguments of its calls as arguments, all else as any text. */
export function keptEntry(redactor: Redactor, entry: unknown): unknown {
  const { m, s } = entry as { m: unknown; s?: unknown };
  const message = isRecord(m) ? keptMessage(redactor, m) : redactor.json(m);
  return s === undefined ? { m: message } : { m: message, s };
}

function keptMessage(redactor: Redactor, message: JsonObject): unknown {
  const { content } = message;
  if (!Array.isArray(content)) return redactor.json(message);
  const names = new Map(
    content.flatMap((part) => (isCall(part) ? [[part['toolCallId'], String(part['toolName'])]] : [])),
  );
  const parts = content.map((part: unknown) => {
    if (!isRecord(part)) return redactor.json(part);
    const toolName = names.get(part['toolCallId']);
    const { input, inputSchemaInput, ...rest } = part;
    const clean = redactor.json(rest) as JsonObject;
    const args = (value: unknown) => redactor.args({ toolName: toolName ?? '' }, value).json;
    return {
      ...clean,
      ...(input === undefined ? {} : { input: args(input) }),
      ...(inputSchemaInput === undefined ? {} : { inputSchemaInput: args(inputSchemaInput) }),
    };
  });
  return { ...(redactor.json({ ...message, content: null }) as JsonObject), content: parts };
}

const isRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCall = (part: unknown): part is JsonObject => isRecord(part) && part['type'] === 'tool-call';
