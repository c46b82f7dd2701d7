/** Which tool an approval is for: another tool that has its name runs nothing on it. */
import type { Tool } from 'ai';
import { ruleNameOf } from '../policy/foreign.js';
import { after, type Awaitable } from '../values/awaitable.js';
import type { SchemaSource } from './schemas.js';
import { textDigest } from './text-digest.js';

/** A tool, as it is in the set of its caller. */
export interface ApprovedTool {
  toolName: string;
  tool?: Tool | undefined;
  /** What it takes. */
  schema?: SchemaSource | undefined;
  /** It does nothing itself: it starts agents, whose calls are judged one by one. */
  startsAgents?: boolean | undefined;
}

/**
 * The name that rules know a tool by, and a digest of its description and its schema. A function that describes it counts by its
 * source: what it says may differ from call to call. Never fails.
 */
export function identityOf({ toolName, tool, schema }: ApprovedTool): Awaitable<string> {
  const description: unknown = tool?.description;
  const said = typeof description === 'function' ? { source: sourceOf(description) } : textOrNull(description);
  return after(schema === undefined ? null : schemaTextOf(schema), (text) => {
    const fingerprint = textDigest(JSON.stringify([said, text]));
    return `${ruleNameOf(toolName, tool)} ${fingerprint}`;
  });
}

const textOrNull = (description: unknown): string | null => (typeof description === 'string' ? description : null);

/** Not by a `toString` of its own, which may say what it likes. */
const sourceOf = (described: object): string => Reflect.apply(Function.prototype.toString, described, []) as string;

/** By the object that a schema is made of: what was made once is there at once. */
const TEXTS = new WeakMap<object, Awaitable<string>>();

function schemaTextOf(source: SchemaSource): Awaitable<string> {
  const known = TEXTS.get(source.of);
  if (known !== undefined) return known;
  const made = textOf(source).then((text) => {
    TEXTS.set(source.of, text);
    return text;
  });
  TEXTS.set(source.of, made);
  return made;
}

/** Fails for what would be written as something else than it is. */
function asItIs(this: Record<string, unknown>, key: string, value: unknown): unknown {
  if (typeof (this[key] as { toJSON?: unknown } | null | undefined)?.toJSON === 'function') throw new Error('a toJSON');
  return value;
}

/** As a digest where it can be said as JSON; what cannot is like no other, so that an approval of it runs nothing else. */
async function textOf({ json }: SchemaSource): Promise<string> {
  try {
    return textDigest(JSON.stringify((await json()) ?? null, asItIs));
  } catch {
    return `unknown ${crypto.randomUUID()}`;
  }
}
