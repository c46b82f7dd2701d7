/** Where git keeps what was committed, which is not always below the `.git` of a folder. */
import { dirname, join, resolve } from 'node:path';

const fs = process.getBuiltinModule('node:fs');

/** The longest of these files that is read, in bytes: they are a line or two. */
const LONGEST = 64 * 1024;

/**
 * The folders that hold the history of a repository, beside its `.git`: where a `.git` that is a file leads, what several work trees
 * share, objects behind a symlink, and those of other repositories that it borrows.
 *
 * @param git the `.git`, a folder or a file
 */
export function storesOf(git: string): string[] {
  const lead = /^gitdir: (.+)/.exec(textOf(git))?.[1]?.trim();
  const own = lead === undefined ? git : resolve(dirname(git), lead);
  const shared = textOf(join(own, 'commondir')).trim();
  const common = shared === '' ? own : resolve(own, shared);
  const objects = join(common, 'objects');
  const borrowed = linesOf(textOf(join(objects, 'info', 'alternates'))).map((line) => resolve(objects, line));
  const linked = ['objects', 'refs', 'packed-refs', 'HEAD'].map((name) => realOf(join(common, name)));
  const stores = [own, common, ...borrowed, ...linked.filter((path) => path !== undefined)];
  return [...new Set(stores)].filter((path) => path !== git && fs.existsSync(path));
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

/** Empty where there is no such file. */
function textOf(path: string): string {
  try {
    const { size } = fs.statSync(path);
    return size > LONGEST ? '' : fs.readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Where a symlink leads; `undefined`: it is none, or leads to nothing. */
function realOf(path: string): string | undefined {
  try {
    return fs.lstatSync(path).isSymbolicLink() ? fs.realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}
