/**
 * Prompts of earlier sessions, for the arrows: a file that the user alone can read. Each is kept with its project, and offered in
 * that project alone.
 */
import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** How many of all projects together are kept; the file has up to twice as many before it is made shorter. */
const MOST = 1_000;
/** Longer ones are not kept, in characters: the file stays one that can be read at once. */
const LONGEST = 10_000;

export interface PromptHistory {
  /** Of this project, oldest first. */
  readonly lines: readonly string[];
  /** Writes one down. @throws {Error} where that cannot be done */
  add(line: string): void;
}

interface KeptPrompt {
  project: string;
  prompt: string;
}

/** Where prompts are kept; `undefined`: nowhere. */
export function historyFile(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const absolute = (path: string | undefined) => (path !== undefined && isAbsolute(path) ? path : undefined);
  const base =
    process.platform === 'win32'
      ? absolute(environment['LOCALAPPDATA'])
      : (absolute(environment['XDG_STATE_HOME']) ?? join(environment['HOME'] || homedir(), '.local', 'state'));
  return base === undefined ? undefined : join(base, 'countersign', 'prompts.jsonl');
}

/** The prompts of this project in a file. A missing file has none; lines in other formats are left out. */
export function openHistory(file: string, project: string): PromptHistory {
  const all = read(file);
  if (all.length > MOST * 2) shorten(file, all.slice(-MOST));
  const lines = all.filter((each) => each.project === project).map(({ prompt }) => prompt);
  let last = lines.at(-1);
  return {
    lines: lines.filter((line, at) => line !== lines[at - 1]),
    add: (line) => {
      if (line === last || line.length > LONGEST) return;
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      appendFileSync(file, lineOf({ project, prompt: line }), { mode: 0o600 });
      // An existing file may have been readable by anyone.
      chmodSync(file, 0o600);
      last = line;
    },
  };
}

const lineOf = (kept: KeptPrompt): string => `${JSON.stringify(kept)}\n`;

function read(file: string): KeptPrompt[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // Missing or unreadable: writing says so.
    return [];
  }
  return text.split('\n').flatMap((line) => {
    const kept = parsed(line);
    return kept === undefined ? [] : [kept];
  });
}

function parsed(line: string): KeptPrompt | undefined {
  try {
    const { project, prompt } = JSON.parse(line) as Partial<Record<keyof KeptPrompt, unknown>>;
    return typeof project === 'string' && typeof prompt === 'string' ? { project, prompt } : undefined;
  } catch {
    return undefined;
  }
}

/** Made aside and renamed: another session reads a whole file. */
function shorten(file: string, kept: readonly KeptPrompt[]): void {
  const aside = `${file}.${process.pid}`;
  try {
    writeFileSync(aside, kept.map(lineOf).join(''), { mode: 0o600 });
    renameSync(aside, file);
  } catch {
    // It stays long: writing to it says what is wrong.
  }
}
