/** `countersign edit`. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isUnchanged } from '../gate/edited-call.js';
import type { KeptRecord } from '../native.js';
import { misfitIn, revive, snapshot } from '../values/snapshot.js';
import { canAsk, confirm } from './ask.js';
import { DECIDE, decideOne } from './decide.js';
import { whoDecides, type HumanDecision } from './decisions.js';
import { ExitError, Exit, UsageError } from './exit.js';
import { withLedger } from './open-ledger.js';
import { readJson, readOptions } from './options.js';

export async function edit(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, {
    ...DECIDE,
    args: { type: 'string' },
    editor: { type: 'boolean' },
  });
  const [id, ...more] = positionals;
  if (id === undefined || more.length > 0)
    throw new UsageError('edit needs the id of one request: countersign edit ID');
  if ((values.args === undefined) === (values.editor !== true))
    throw new UsageError('edit needs --args JSON, or --editor');
  const given = values.args === undefined ? undefined : { args: readJson(values.args, '--args') };
  const misfit = misfitIn(given?.args);
  if (misfit !== undefined) throw new UsageError(`--args has a ${misfit} that is not valid: correct it`);
  const by = whoDecides(values.by);
  const make = async (record: KeptRecord): Promise<HumanDecision> => {
    const edited = given !== undefined ? given.args : isOpen(record) ? await editedArguments(record.args) : record.args;
    // What is tagged stays what its tag says, no matter who wrote it.
    const changed: unknown = revive(edited);
    if (mayEdit(record) && isKept(record) && isUnchanged(record.args, changed)) throw notEdited();
    return { type: 'edit', args: snapshot(changed).json };
  };
  return withLedger(values, 'change', (ledger) => decideOne(ledger, id, make, values, by));
}

/** Whether editing it first is of use. If not, the ledger says why. @throws {ExitError} */
export function isOpen(record: KeptRecord): boolean {
  if (!mayEdit(record)) return false;
  if (isKept(record)) return true;
  throw new ExitError(
    Exit.refused,
    'its arguments are not kept whole, so that they cannot be edited: give all of them with --args',
    'ERR_NOT_KEPT',
  );
}

const mayEdit = ({ status = 'pending', expiresAt, allowedDecisions }: KeptRecord): boolean =>
  status === 'pending' && allowedDecisions.includes('edit') && (expiresAt === null || expiresAt > Date.now());

const isKept = ({ contents = 'kept' }: KeptRecord): boolean => contents === 'kept';

export const notEdited = (): ExitError =>
  new ExitError(
    Exit.refused,
    'not edited, since nothing is changed: the request still waits, and you may edit it again',
    'ERR_NOT_EDITED',
  );

/** What the user makes of it. @throws {ExitError} when that is nothing new */
async function editedArguments(args: unknown): Promise<unknown> {
  const before = `${JSON.stringify(args, null, 2)}\n`;
  for (let text = before; ;) {
    text = await inEditor(text);
    if (text.trim() === '' || text === before) throw notEdited();
    try {
      return readJson(text, 'what you wrote');
    } catch (error) {
      if (!canAsk() || !(await confirm(`${(error as Error).message}. Edit it again?`))) throw error;
    }
  }
}

/** What npm sets `EDITOR` to for scripts and `npx`, where none was chosen. */
const OF_NPM: readonly string[] = ['vi', 'notepad.exe'];

/** The editor that the user has named; `undefined`: none. */
export function namedEditor(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const { VISUAL, EDITOR, npm_command: command, npm_config_editor: configured } = env;
  if (VISUAL) return VISUAL;
  const isOfNpm =
    command !== undefined && EDITOR !== undefined && OF_NPM.includes(EDITOR) && (configured ?? EDITOR) === EDITOR;
  return isOfNpm ? undefined : EDITOR || undefined;
}

/** A text as the user leaves it in their editor. Only they can read the file. @throws {ExitError} when the editor fails */
export async function inEditor(text: string, extension = '.json'): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'countersign-'));
  const file = join(directory, extension === '.json' ? 'arguments.json' : `edit${extension}`);
  // A terminal that is closed ends this program before the editor has ended.
  const forget = (): void => rmSync(directory, { recursive: true, force: true });
  process.once('exit', forget);
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
    await openEditor(file);
    return await readFile(file, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw new ExitError(
        Exit.refused,
        'not edited: the editor left no file. Save it in its place, and edit it again',
        'ERR_NOT_EDITED',
      );
    });
  } finally {
    process.off('exit', forget);
    await rm(directory, { recursive: true, force: true });
  }
}

const NOT_FOUND = 127;

async function openEditor(file: string): Promise<void> {
  const editor = namedEditor() ?? (process.platform === 'win32' ? 'notepad' : 'vi');
  // An editor may come with options: the shell takes them apart, and gets the file as an argument, never as text.
  const child =
    process.platform === 'win32'
      ? spawn(`${editor} "${file}"`, { shell: true, stdio: 'inherit' })
      : spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // As shells say it.
  if (code === NOT_FOUND)
    throw new ExitError(
      Exit.refused,
      `not edited: there is no editor "${editor}" here. Set VISUAL or EDITOR to one that is installed`,
      'ERR_NOT_EDITED',
    );
  if (code !== 0)
    throw new ExitError(Exit.refused, `not edited: the editor ${editor} failed (${code})`, 'ERR_NOT_EDITED');
}
