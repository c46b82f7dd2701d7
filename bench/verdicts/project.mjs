// @ts-check
// The folder in which the lines of P3 are judged.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDERS = 40;
const FILES = 25;

/**
 * Goes into a new repository of git with 1,000 files. None of them is protected: what `git diff` shows would be asked about in one
 * that holds a secret, and the rules of P3 say nothing of that.
 */
export function enterProject() {
  const root = mkdtempSync(join(tmpdir(), 'countersign-p3-'));
  process.on('exit', () => rmSync(root, { recursive: true, force: true }));
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = join(root, 'src', `part-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES; file++)
      writeFileSync(join(path, `module-${file}.ts`), `export default ${file};\n`);
  }
  for (const args of [
    ['init', '--quiet'],
    ['add', '.'],
  ])
    execFileSync('git', args, { cwd: root });
  process.chdir(root);
}
