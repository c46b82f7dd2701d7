/** The temporary folder of one run of tests: what they leave in it is told, and goes with it. */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderInMemory } from './memory.mjs';
import { say } from './run.mjs';

/** A short name: that of a socket in there has an end. */
const PREFIX = 'cs-';
/** Whether this process is part of a run that has one. */
const MARK = 'COUNTERSIGN_TEMPORARY';
/** How many names are told. */
const MOST = 8;

/**
 * All programs that are started from now on have it, until this is undone, or this process ends. A run that is part of another one
 * has that of the other one.
 *
 * @param {number} [memory] in memory, where there are so many bytes
 * @returns {() => void} undoes it
 */
export function enterTemporary(memory) {
  if (process.env[MARK]) return () => {};
  const before = process.env.TMPDIR;
  const folder = (memory && folderInMemory(PREFIX, memory)) || mkdtempSync(join(tmpdir(), PREFIX));
  // Where root starts servers they run as somebody else, who must come in.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  process.env[MARK] = folder;
  const leave = () => {
    process.off('exit', leave);
    delete process.env[MARK];
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    try {
      tell(readdirSync(folder));
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      // A program that was let go of may still write there: that is no failure of a test.
      say(`${folder} could not be removed: ${error.message}`);
    }
  };
  process.once('exit', leave);
  return leave;
}

function tell(names) {
  if (names.length === 0) return;
  const some = names.toSorted().slice(0, MOST).join(', ');
  say(
    `left among the temporary files, and removed: ${some}${names.length > MOST ? ` and ${names.length - MOST} more` : ''}`,
  );
}
