// @ts-check
/** A throw-away folder for an agent to work in, so that the examples change nothing of yours. */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** @param {Record<string, string>} files What is in it, by path. @returns {string} The folder, removed when the process ends. */
export function scratchFolder(files = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-example-')));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** Prints each file with its content, on one line. @param {string} folder */
export function showFiles(folder) {
  console.log('\nThe files now:');
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const name = path.slice(folder.length + 1).replaceAll('\\', '/');
    console.log(`  ${name}: ${JSON.stringify(readFileSync(path, 'utf8'))}`);
  }
}
