import { isRegExp } from 'node:util/types';
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
 * What to do about an option whose name says nothing, and whose value names a tool: a text, a pattern, a list, or an object with such a key. What
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
  if (typeof value === 'string') return namedInText(value, names);
  if (isRegExp(value)) return [...names].find((name) => new RegExp(value.source, value.flags).test(name));
  if (depth === 0) return undefined;
  const isList = Array.isArray(value) || value instanceof Set || value instanceof Map;
  if (!isList && !isPlain(value)) return undefined;
  const key = isList ? undefined : Object.keys(value).find((each) => names.has(each));
  const parts: unknown[] = isList ? [...(value as Iterable<unknown>)] : Object.values(value);
  return key ?? parts.map((part) => namedIn(part, names, depth - 1)).find((found) => found !== undefined);
}

/** A name, a pattern over names, or several of them with commas between. What has other words in it is no such list. */
function namedInText(text: string, names: ReadonlySet<string>): string | undefined {
  if (names.has(text)) return text;
  const parts = text.split(/[,;]/).map((part) => part.trim());
  if (text.length > LONGEST_LIST || !parts.every((part) => NAME.test(part))) return undefined;
  return [...names].find((name) => parts.some((part) => part === name || (part.includes('*') && isLike(name, part))));
}

/** Names of tools, with the sign that stands for any letters. */
const NAME = /^[\w.:/*-]+$/;

/** Longer texts are no lists of tools. */
const LONGEST_LIST = 2_000;

/** Whether a name is as the pattern says: from left to right, each part behind the one before. */
function isLike(name: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop() ?? '';
  if (!name.startsWith(first) || !name.endsWith(last) || first.length + last.length > name.length) return false;
  let from = first.length;
  for (const part of others) {
    const at = name.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from <= name.length - last.length;
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
