/** Where files are in memory. What tests write is read by nobody afterwards, and each wait for a disk is one for nothing. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = '/dev/shm';

/**
 * A new folder in memory. `undefined`: there is none, not enough of it, or no program may lie there. Whoever asks removes it.
 *
 * @param {string} prefix of its name
 * @param {number} bytes what it may have to hold
 * @returns {string | undefined}
 */
export function folderInMemory(prefix, bytes) {
  let folder;
  try {
    const { bavail, bsize } = statfsSync(FOLDER);
    if (bavail * bsize >= bytes) {
      folder = mkdtempSync(join(FOLDER, prefix));
      if (mayRun(folder)) return folder;
    }
  } catch {
    // There is none, or it is not ours to write.
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  return undefined;
}

/** Containers forbid it there. */
function mayRun(folder) {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
