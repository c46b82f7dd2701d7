/** Names of tools in rules that no tool has. */
import { lintDocuments, type NativeDocument } from '../native.js';

/** What is known of policies for the tools of a run: the same two meet again at each run of a program. */
const KNOWN = new Map<string, readonly string[]>();
const MOST_KNOWN = 100;

/** What the core says of such a name. */
const SAID = /^there is no tool (".*")$/s;

/**
 * Those of these documents, each once, as they are written there; `mcp__server__*` for a server. Presets are for tools of any name.
 *
 * @param toolNames all names that rules may mean the tools by
 */
export function strangersIn(documents: readonly NativeDocument[], toolNames: readonly string[]): readonly string[] {
  const written = documents.filter(({ format }) => (format as string) !== 'preset');
  if (written.length === 0) return [];
  const key = JSON.stringify([written.map(({ text, format }) => [format, text]), toolNames]);
  let strangers = KNOWN.get(key);
  if (strangers === undefined) {
    const said = lintDocuments([...written], toolNames).flatMap(({ message }) => SAID.exec(message)?.[1] ?? []);
    strangers = [...new Set(said.map(nameOf))];
    const [oldest] = KNOWN.keys();
    if (KNOWN.size >= MOST_KNOWN && oldest !== undefined) KNOWN.delete(oldest);
    KNOWN.set(key, strangers);
  }
  return strangers;
}

/** A name that cannot be read is told as it is quoted. */
function nameOf(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}
