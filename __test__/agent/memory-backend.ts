/** A backend in memory, which writes down how it was called: for tests of what the tools do with any backend. */
import { createHash } from 'node:crypto';
import type { Backend, BackendCall, CommandResult } from '../../agent.js';

export const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex');

export interface MemoryBackend extends Backend {
  readonly files: Map<string, string>;
  readonly calls: { method: string; call: BackendCall }[];
  /** What `execute` prints, piece by piece, and how it ends. */
  command: { output: string[] } & Partial<Omit<CommandResult, 'output'>>;
}

export function memoryBackend(files: Record<string, string> = {}, root = '/project'): MemoryBackend {
  const kept = new Map(Object.entries(files));
  const calls: MemoryBackend['calls'] = [];
  const note = (method: string, call: BackendCall = {}) => {
    call.abortSignal?.throwIfAborted();
    calls.push({ method, call });
  };
  const nameOf = (path: string) =>
    path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path.replace(/^\.\//, '');
  const contentOf = (path: string) => {
    const content = kept.get(nameOf(path));
    if (content === undefined) throw new Error(`there is no file ${path}`);
    return content;
  };
  const checked = (path: string, call: BackendCall = {}) => {
    const now = kept.get(nameOf(path));
    const digest = now === undefined ? null : sha256(now);
    if (call.expected !== undefined && call.expected !== digest) throw new Error(`${path} changed`);
  };
  const page = <T>(items: T[], limit = Infinity) => ({ shown: items.slice(0, limit), truncated: items.length > limit });
  return {
    root,
    files: kept,
    calls,
    command: { output: [] },
    async readFile(path, options = {}) {
      note('readFile', options);
      const content = contentOf(path);
      const all = content === '' ? [] : content.replace(/\n$/, '').split('\n');
      const { offset = 1, limit = all.length } = options;
      const lines = all.slice(offset - 1, offset - 1 + limit);
      const text = lines.map((line) => `${line}\n`).join('');
      return { text, firstLine: offset, lines: lines.length, totalLines: all.length, sha256: sha256(content) };
    },
    async writeFile(path, content, options) {
      note('writeFile', options);
      checked(path, options);
      const created = !kept.has(nameOf(path));
      kept.set(nameOf(path), content);
      return { created, bytes: Buffer.byteLength(content), sha256: sha256(content) };
    },
    async editFile(path, { oldString, newString, replaceAll }, options) {
      note('editFile', options);
      checked(path, options);
      const parts = contentOf(path).split(oldString);
      if (parts.length === 1 || (parts.length > 2 && !replaceAll)) throw new Error(`${parts.length - 1} places`);
      kept.set(nameOf(path), parts.join(newString));
      return { replaced: parts.length - 1, sha256: sha256(parts.join(newString)) };
    },
    async list(_path, options = {}) {
      note('list', options);
      const { shown, truncated } = page([...kept], options.limit);
      return { entries: shown.map(([path, { length }]) => ({ path, type: 'file', size: length }) as const), truncated };
    },
    async glob(pattern, options = {}) {
      note('glob', options);
      const end = pattern.replace(/^.*\*/, '');
      const { shown, truncated } = page(
        [...kept.keys()].filter((path) => path.endsWith(end)),
        options.limit,
      );
      return { paths: shown, truncated };
    },
    async grep(pattern, options = {}) {
      note('grep', options);
      const expression = new RegExp(pattern, options.ignoreCase === true ? 'i' : '');
      const found = [...kept].flatMap(([path, content]) =>
        content.split('\n').flatMap((text, index) => (expression.test(text) ? [{ path, line: index + 1, text }] : [])),
      );
      const { shown, truncated } = page(found, options.limit);
      return { matches: shown, files: new Set(shown.map(({ path }) => path)).size, truncated };
    },
    async execute(_command, options = {}) {
      note('execute', options);
      const { output, ...end } = this.command;
      for (const text of output) options.onOutput?.(text);
      const whole = output.join('');
      return {
        output: whole,
        exitCode: 0,
        signal: null,
        truncated: false,
        bytes: Buffer.byteLength(whole),
        stopped: null,
        ...end,
      };
    },
  };
}
