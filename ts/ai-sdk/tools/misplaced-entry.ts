import { isPlain } from '../../options/names.js';
import { nearestOf } from '../../options/nearest.js';
import { isRecord } from './tools.js';

/**
 * What to do about an option that has the name of a tool, or nearly: so `applyInterruptConfig` takes them.
 * `undefined`: no tool is called so.
 *
 * @param place the entry that it was given to
 * @param tools as they were given
 */
export function misplacedEntry(place: string, tools: unknown, name: string): string | undefined {
  const tool = isRecord(tools) ? nearestOf(name, namesIn(tools)) : undefined;
  if (tool === undefined) return undefined;
  return `${tool === name ? 'it is a tool' : `the tool is ${JSON.stringify(tool)}`}: ${entryFor(place, tool)}.`;
}

/**
 * What to do about an option whose name says nothing, and whose value names a tool: a text, a list, or an object with such a key. What
 * is not known would leave open what somebody meant to hold. `undefined`: it names none.
 */
export function misplacedTools(place: string, tools: unknown, value: unknown): string | undefined {
  const tool = isRecord(tools) ? namedIn(value, namesIn(tools), DEEPEST) : undefined;
  return tool === undefined
    ? undefined
    : `it names the tool ${JSON.stringify(tool)}, and nobody reads it. To be asked about that: ${entryFor(place, tool)}.`;
}

/** So deep such names are looked for: `{ tools: ['delete_file'] }`. */
const DEEPEST = 2;

function namedIn(value: unknown, names: ReadonlySet<string>, depth: number): string | undefined {
  if (typeof value === 'string') return names.has(value) ? value : undefined;
  if (depth === 0) return undefined;
  const isList = Array.isArray(value) || value instanceof Set || value instanceof Map;
  if (!isList && !isPlain(value)) return undefined;
  const key = isList ? undefined : Object.keys(value).find((each) => names.has(each));
  const parts: unknown[] = isList ? [...(value as Iterable<unknown>)] : Object.values(value);
  return key ?? parts.map((part) => namedIn(part, names, depth - 1)).find((found) => found !== undefined);
}

function entryFor(place: string, tool: string): string {
  const entry = `interruptOn: { ${/^[a-z_$][\w$]*$/i.test(tool) ? tool : JSON.stringify(tool)}: true }`;
  return place === 'gateTools' ? `gateTools(tools, { ${entry} })` : `${place}({ ${entry} })`;
}

/** Also the hidden and the inherited ones, which a model may call. */
function namesIn(tools: object): Set<string> {
  const names = new Set(Object.getOwnPropertyNames(tools));
  for (const name in tools) if (!(name in Object.prototype)) names.add(name);
  return names;
}
