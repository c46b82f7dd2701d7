/** Texts of models, tools and people, made safe to show without losing any of them. */
import { inReadingOrder, plain } from '../../gate/in-a-line.js';
import { safeLong } from '../../terminal/safe-long.js';
import { fit, oneLine } from '../style.js';

/** How many lines of an output are shown, from its end. */
const LAST_LINES = 12;
/** The characters of each. */
const LINE = 400;

/** The last lines of a text. */
export function safeEnd(text: string): string {
  // No more than could be shown is looked at.
  const end = text.slice(-LAST_LINES * LINE * 4).trimEnd();
  const lines = end.split(/\r?\n/);
  const shown = lines.slice(-LAST_LINES).map((line) => fit(safeLong(line), LINE));
  const isCut = shown.length < lines.length || end.length < text.trimEnd().length;
  return (isCut ? ['…', ...shown] : shown).join('\n');
}

/** What a call does, in one line: its command, its path. */
export function titleOf(toolName: string, args: unknown): string {
  return fit(oneLine(saidBy(toolName, args)), 200);
}

/** What says most of a call, of the tools whose arguments are known. */
const TELLING: Readonly<Record<string, readonly string[]>> = {
  execute: ['command'],
  read_file: ['file_path'],
  write_file: ['file_path'],
  edit_file: ['file_path'],
  ls: ['path'],
  glob: ['pattern', 'path'],
  grep: ['pattern', 'path', 'glob'],
  task: ['subagent_type', 'description'],
};

function saidBy(toolName: string, args: unknown): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return plain(args);
  const given = args as Record<string, unknown>;
  const telling = Object.hasOwn(TELLING, toolName) ? TELLING[toolName] : undefined;
  if (telling !== undefined) {
    const texts = telling.filter((key) => Object.hasOwn(given, key)).map((key) => plain(given[key]));
    return texts.join(toolName === 'task' ? ': ' : ' in ');
  }
  if (toolName === 'write_todos' && Array.isArray(given['todos'])) return `${given['todos'].length} entries`;
  if (toolName === 'ask_user' && Array.isArray(given['questions'])) {
    const first = (given['questions'] as { question?: unknown }[])[0]?.question;
    return typeof first === 'string' ? first : '';
  }
  const entries = inReadingOrder(given);
  const [only] = entries;
  if (entries.length === 1 && typeof only?.[1] === 'string') return only[1];
  return entries.map(([key, value]) => `${key}=${plain(value)}`).join(' ');
}
