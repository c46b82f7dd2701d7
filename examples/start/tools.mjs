// @ts-check
/** Real tools on one folder. What they do is done; asking first is not their business. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { tool } from 'ai';
import { z } from 'zod';

const MAX_FILE_BYTES = 256 * 1024;
const MAX_OUTPUT_CHARS = 16 * 1024;
const COMMAND_TIMEOUT_MS = 60_000;
/** What commands get to see of our environment: no API keys. */
const PASSED_ON = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'SystemRoot'];

const filePath = z.string().min(1).describe('Relative to the project folder, e.g. "src/index.js"');

/** Strict: an argument that no tool knows is a mistake and must not be dropped in silence. */
export const schemas = {
  read_file: z.strictObject({ file_path: filePath }),
  write_file: z.strictObject({ file_path: filePath, content: z.string().describe('The whole new content') }),
  edit_file: z.strictObject({
    file_path: filePath,
    old_string: z.string().min(1).describe('Text that stands in the file exactly once, unless replace_all is set'),
    new_string: z.string(),
    replace_all: z.boolean().optional(),
  }),
  execute: z.strictObject({ command: z.string().min(1).describe('Run by `sh -c` in the project folder') }),
};

/**
 * @param {string} root The folder that files are confined to. `execute` starts there but, being a shell, can go anywhere:
 *   a human's approval is what confines it.
 */
export function createTools(root) {
  // Calls of one step run at the same time; one after the other, in their order, is what a reader of the session expects,
  // and two edits of one file lose nothing.
  const inTurn = queue();
  /**
   * @template ARGS, RESULT
   * @param {keyof typeof schemas} name
   * @param {(args: ARGS, abortSignal: AbortSignal | undefined) => Promise<RESULT>} work
   * @returns {(args: ARGS, options: { abortSignal?: AbortSignal }) => Promise<RESULT>}
   */
  const run =
    (name, work) =>
    (args, { abortSignal }) =>
      inTurn(async () => {
        abortSignal?.throwIfAborted();
        try {
          return await work(args, abortSignal);
        } catch (error) {
          abortSignal?.throwIfAborted();
          // The tool's name in front lets the model tell a failure from what a tool returned.
          throw new Error(`${name} failed: ${reasonOf(error)}`, { cause: error });
        }
      });

  return {
    read_file: tool({
      toModelOutput: ({ output }) => said(output.content.replace(/^/gm, '1\t')),
      description: 'Read a text file of the project.',
      inputSchema: schemas.read_file,
      execute: run('read_file', async (/** @type {{ file_path: string }} */ args) => {
        return { path: args.file_path, content: await readText(await locate(root, args.file_path)) };
      }),
    }),
    write_file: tool({
      toModelOutput: ({ output }) =>
        said(`${output.created ? 'Made' : 'Replaced'} ${output.path}: ${output.bytes} bytes.`),
      description: 'Create a text file of the project, or replace its whole content.',
      inputSchema: schemas.write_file,
      execute: run('write_file', async (/** @type {{ file_path: string, content: string }} */ args) => {
        const created = await writeAtomically(await locate(root, args.file_path), args.content);
        return { path: args.file_path, created, bytes: Buffer.byteLength(args.content) };
      }),
    }),
    edit_file: tool({
      toModelOutput: ({ output }) =>
        said(`Edited ${output.path}: ${output.replaced === 1 ? 'one place' : `${output.replaced} places`}.`),
      description: 'Replace a piece of text in a file of the project.',
      inputSchema: schemas.edit_file,
      execute: run(
        'edit_file',
        async (
          /** @type {{ file_path: string, old_string: string, new_string: string, replace_all?: boolean }} */ args,
        ) => {
          const file = await locate(root, args.file_path);
          const pieces = (await readText(file)).split(args.old_string);
          const places = pieces.length - 1;
          if (places === 0) throw new Error(`${args.file_path} does not contain old_string`);
          if (places > 1 && !args.replace_all)
            throw new Error(
              `old_string stands in ${args.file_path} ${places} times; set replace_all or give more of it`,
            );
          await writeAtomically(file, pieces.join(args.new_string));
          return { path: args.file_path, replaced: places };
        },
      ),
    }),
    execute: tool({
      toModelOutput: ({ output }) =>
        said(
          `${output.output}\n${output.stopped ? `[It was stopped: ${output.stopped}.]` : `[exit code ${output.exit_code}]`}`,
        ),
      description: 'Run a shell command in the project folder.',
      inputSchema: schemas.execute,
      execute: run('execute', (/** @type {{ command: string }} */ args, abortSignal) =>
        runCommand(root, args.command, abortSignal),
      ),
    }),
  };
}

/** @param {string} value */
function said(value) {
  return { type: /** @type {const} */ ('text'), value };
}

function queue() {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  /** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/**
 * Where a path really points, through symlinks; outside of the root there is nothing to be had. A command that runs at
 * the same time could still swap a folder for a link in between, but commands need no such trick.
 *
 * @param {string} root
 * @param {string} file
 */
async function locate(root, file) {
  if (file.includes('\0')) throw new Error('the path contains a NUL character');
  const target = path.resolve(root, file);
  if (!isInside(root, target) || target === root) throw new Error(`${file} is outside of the project folder`);
  // The file may not exist yet, nor its folder: the deepest part that exists says where it would end up.
  let existing = target;
  while (!(await exists(existing))) existing = path.dirname(existing);
  const real = path.join(await realpath(existing), path.relative(existing, target));
  if (!isInside(await realpath(root), real)) throw new Error(`${file} is outside of the project folder`);
  return real;
}

/** @param {string} root @param {string} target */
function isInside(root, target) {
  const relative = path.relative(root, target);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** Also true for a link to nowhere, which `realpath` then refuses. @param {string} file */
async function exists(file) {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return false;
    throw error;
  }
}

/** @param {string} file */
async function readText(file) {
  const stats = await stat(file);
  // Reading a named pipe would wait for ever.
  if (!stats.isFile()) throw new Error('it is not a regular file');
  if (stats.size > MAX_FILE_BYTES) throw new Error(`it has ${stats.size} bytes, and ${MAX_FILE_BYTES} are the limit`);
  const bytes = await readFile(file);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error('it is not a text file');
  }
}

/**
 * Whoever reads the file sees the old content or the new, never a part.
 *
 * @param {string} file
 * @param {string} content
 * @returns {Promise<boolean>} Whether the file is new.
 */
async function writeAtomically(file, content) {
  await mkdir(path.dirname(file), { recursive: true });
  const before = await stat(file).catch(() => undefined);
  if (before && !before.isFile()) throw new Error('it is not a regular file');
  const temporary = path.join(path.dirname(file), `.${randomUUID()}.tmp`);
  try {
    await writeFile(temporary, content, { flag: 'wx' });
    if (before) await chmod(temporary, before.mode);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return before === undefined;
}

/** System errors name absolute paths, which mean nothing to the model. @param {unknown} error */
function reasonOf(error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  switch (code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'ENOTDIR':
      return 'a part of the path is not a folder';
    default:
      return message;
  }
}

/* ---- commands --------------------------------------------------------------------------------------------------- */

/** The process groups that are running, so that none outlives us. @type {Set<number>} */
const groups = new Set();
process.on('exit', () => groups.forEach(killGroup));

/** @param {number} group */
function killGroup(group) {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

/**
 * @param {string} root
 * @param {string} command
 * @param {AbortSignal | undefined} abortSignal
 * @returns {Promise<{ exit_code: number | null, output: string, stopped?: string }>}
 */
function runCommand(root, command, abortSignal) {
  return new Promise((resolve, reject) => {
    const env = Object.fromEntries(
      PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    );
    // A process group of its own: what the command starts can then be killed with it.
    const child = spawn('sh', ['-c', command], { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = bothEnds(MAX_OUTPUT_CHARS);
    /** @type {string | undefined} */
    let stopped;
    const stop = (/** @type {string} */ why) => {
      stopped ??= why;
      if (child.pid !== undefined) killGroup(child.pid);
    };
    const onAbort = () => stop('cancelled');
    const timer = setTimeout(() => stop(`no end after ${COMMAND_TIMEOUT_MS / 1000} seconds`), COMMAND_TIMEOUT_MS);
    const finish = () => {
      clearTimeout(timer);
      abortSignal?.removeEventListener('abort', onAbort);
      if (child.pid !== undefined) groups.delete(child.pid);
    };
    if (child.pid !== undefined) groups.add(child.pid);
    abortSignal?.addEventListener('abort', onAbort, { once: true });
    for (const stream of [child.stdout, child.stderr]) {
      const decoder = new StringDecoder('utf8');
      stream.on('data', (chunk) => output.add(decoder.write(chunk)));
      stream.on('end', () => output.add(decoder.end()));
    }
    child.on('error', (error) => {
      finish();
      reject(error);
    });
    child.on('exit', () => {
      // What the command left running in the background goes with it, and lets go of the pipes.
      if (child.pid !== undefined) killGroup(child.pid);
      // Something that left the group could still hold them; nobody waits for that.
      setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream.destroy()), 1_000).unref();
    });
    child.on('close', (code) => {
      finish();
      if (abortSignal?.aborted) reject(abortSignal.reason);
      else
        resolve({
          exit_code: code,
          output: output.text(),
          ...(code === null ? { stopped: stopped ?? 'killed by a signal' } : {}),
        });
    });
  });
}

/** Keeps the beginning and the end of a long text: errors stand at either. @param {number} limit In characters. */
function bothEnds(limit) {
  const half = limit / 2;
  let head = '';
  let tail = '';
  let dropped = 0;
  return {
    /** @param {string} text */
    add(text) {
      const room = half - head.length;
      head += text.slice(0, room);
      tail += text.slice(room);
      if (tail.length > half) {
        dropped += tail.length - half;
        tail = tail.slice(-half);
      }
    },
    text: () => (dropped > 0 ? `${head}\n[... ${dropped} characters left out ...]\n${tail}` : head + tail),
  };
}
