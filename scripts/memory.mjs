/** Where files are in memory. Files of tests are not read afterwards, so waiting for a disk is wasted time. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = '/dev/shm';

/**
 * A new folder in memory. `undefined`: no such memory, too little of it, or programs cannot run from there. The caller removes
 * it.
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
    // No such folder, or it is not writable.
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
