// @ts-check
/** On a terminal: a prompt with history, answers, and editing in place or in $EDITOR. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { Writable } from 'node:stream';
import { safe } from './screen.mjs';

/** @import { ApprovalRequest } from 'countersign' */
/** @import { Screen } from './screen.mjs' */
/** @import { Ui } from './approvals.mjs' */

/** What can be edited of each tool's arguments; a long text in $EDITOR, when there is one. */
const FIELDS = {
  write_file: [{ name: 'file_path' }, { name: 'content', long: true }],
  edit_file: [{ name: 'file_path' }, { name: 'old_string' }, { name: 'new_string', long: true }],
  execute: [{ name: 'command' }],
};

/**
 * @param {NodeJS.ReadStream} input
 * @param {Screen} screen
 * @param {() => void} onInterrupt Ctrl+C.
 * @returns {Ui}
 */
export function createTerminal(input, screen, onInterrupt) {
  /** Gets the line, or `null` when there will be none. @type {((line: string | null) => void) | undefined} */
  let waiting;
  let isPrompt = false;
  let closed = false;

  // Between two questions nothing is echoed: keys would land in the middle of the agent's text.
  const output = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        if (waiting) screen.out.write(chunk);
        done();
      },
    }),
    { columns: screen.out.columns, rows: screen.out.rows },
  );
  screen.out.on('resize', () => {
    Object.assign(output, { columns: screen.out.columns, rows: screen.out.rows });
    output.emit('resize');
  });
  const reader = readline.createInterface({ input, output, terminal: true, historySize: 100 });
  reader.on('SIGINT', onInterrupt);
  // Only prompts are worth finding again with the arrow keys, and a "y" least of all.
  reader.on('history', (history) => void (isPrompt || history.shift()));
  // A line that comes while nobody waits was typed before its question was on the screen: it answers nothing.
  reader.on('line', (line) => settle(line));
  reader.on('close', () => {
    closed = true;
    settle(null);
  });

  /** @param {string | null} line */
  function settle(line) {
    const resolve = waiting;
    waiting = undefined;
    // Whatever ended the question, the cursor must not stay behind it.
    if (resolve && line === null) screen.out.write('\n');
    resolve?.(line);
  }

  /**
   * @param {string} question
   * @param {{ prefill?: string, abortSignal?: AbortSignal }} [options]
   * @returns {Promise<string | null>} `null`: aborted, or the end of the input.
   */
  async function ask(question, { prefill, abortSignal } = {}) {
    if (closed || abortSignal?.aborted) return null;
    screen.endLine();
    isPrompt = abortSignal === undefined;
    // Half a line that was typed ahead is no answer either. Without a prompt, for readline would make room for it.
    reader.setPrompt('');
    reader.write(null, { ctrl: true, name: 'e' });
    reader.write(null, { ctrl: true, name: 'u' });
    const onAbort = () => settle(null);
    abortSignal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await new Promise((resolve) => {
        waiting = resolve;
        reader.setPrompt(question);
        reader.prompt();
        if (prefill) reader.write(prefill);
      });
    } finally {
      abortSignal?.removeEventListener('abort', onAbort);
    }
  }

  return {
    async prompt() {
      screen.line();
      return ask('> ');
    },
    async answer(question, abortSignal) {
      screen.line(question);
      return ask('> ', { abortSignal });
    },
    async edit(request, abortSignal) {
      const args = { .../** @type {Record<string, unknown>} */ (request.args) };
      for (const { name, long = false } of fieldsOf(request)) {
        const edited =
          long && editor()
            ? await editOutside(String(args[name]), name, args.file_path)
            : await editLine(name, String(args[name]), abortSignal);
        if (edited === null) return undefined;
        args[name] = edited;
      }
      return args;
    },
    close() {
      if (!closed) reader.close();
    },
  };

  /**
   * @param {string} name
   * @param {string} value
   * @param {AbortSignal} abortSignal
   */
  async function editLine(name, value, abortSignal) {
    // What is not one line of plain text is edited escaped: raw, it would break the line or play tricks with the screen.
    const escaped = safe(value) !== value || /[\n\t]/.test(value);
    const prefill = escaped ? escape(value) : value;
    const line = await ask(escaped ? `${name} (\\n is a new line): ` : `${name}: `, { prefill, abortSignal });
    return line === null || !escaped ? line : unescape(line);
  }

  /** @param {string} text @param {string} name @param {unknown} file Its ending helps the editor with colours. */
  async function editOutside(text, name, file) {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-edit-'));
    const copy = path.join(folder, `${name}${path.extname(String(file))}`);
    /** @type {import('node:child_process').ChildProcess | undefined} */
    let child;
    const cleanUp = () => {
      child?.kill();
      rmSync(folder, { recursive: true, force: true });
    };
    process.on('exit', cleanUp);
    try {
      writeFileSync(copy, text);
      reader.pause();
      input.setRawMode(false);
      // As git does it: the variable may hold options, e.g. "code --wait".
      const started = (child = spawn('sh', ['-c', `${editor()} "$1"`, 'sh', copy], { stdio: 'inherit' }));
      const code = await new Promise((resolve) => started.on('error', () => resolve(null)).on('exit', resolve));
      if (code === 0) return readFileSync(copy, 'utf8');
      screen.line('The editor failed; nothing was changed.', 'red');
      return null;
    } finally {
      input.setRawMode(true);
      reader.resume();
      process.off('exit', cleanUp);
      cleanUp();
    }
  }
}

function editor() {
  return process.env.VISUAL || process.env.EDITOR;
}

/** @param {ApprovalRequest} request @returns {{ name: string, long?: boolean }[]} */
function fieldsOf(request) {
  return FIELDS[/** @type {keyof typeof FIELDS} */ (request.toolName)] ?? [];
}

/** @param {string} text */
function escape(text) {
  return safe(text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t'));
}

/** @param {string} line */
function unescape(line) {
  return line.replace(/\\(?:u\{([0-9a-f]{1,6})\}|(.))/gi, (_, hex, char) =>
    hex
      ? String.fromCodePoint(Math.min(parseInt(hex, 16), 0x10ffff))
      : char === 'n'
        ? '\n'
        : char === 't'
          ? '\t'
          : char,
  );
}
