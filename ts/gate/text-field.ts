/** The argument of a call that is a text to be edited as one: the content of a file, a command, a query. */

/** The names of such arguments, what says most first. */
const NAMES = [
  'content',
  'new_string',
  'command',
  'cmd',
  'sql',
  'query',
  'statement',
  'script',
  'code',
  'patch',
  'body',
  'text',
  'message',
  'prompt',
] as const;

export interface TextField {
  name: string;
  text: string;
  /** What an editor knows its kind by, with its dot. */
  extension: string;
}

/** `undefined`: nothing in it is, and JSON is edited. */
export function textOfCall(args: unknown): TextField | undefined {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return undefined;
  const given = args as Record<string, unknown>;
  const name = NAMES.find((each) => Object.hasOwn(given, each) && typeof given[each] === 'string');
  if (name === undefined) return undefined;
  return { name, text: given[name] as string, extension: extensionOf(name, given) };
}

/** The arguments with another text in that place. */
export const withText = (args: unknown, name: string, text: string): unknown => ({
  ...(args as Record<string, unknown>),
  [name]: text,
});

function extensionOf(name: string, given: Readonly<Record<string, unknown>>): string {
  if (name === 'command' || name === 'cmd' || name === 'script') return '.sh';
  if (name === 'sql' || name === 'query' || name === 'statement') return '.sql';
  const path = [given['file_path'], given['path'], given['file']].find((each) => typeof each === 'string');
  // It becomes a part of a file's name on this machine: nothing but letters and digits.
  return /\.[a-z\d]{1,10}$/i.exec((path as string | undefined) ?? '')?.[0] ?? '.txt';
}
