// @ts-check
// One JSON file per call, put in place as a whole: a temporary file and a rename. With a sync of the file and of its directory
// it survives a power failure, without them it may be empty afterwards.

import { closeSync, fdatasyncSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { directory, runs } from './task.mjs';

const at = (/** @type {boolean} */ synced) =>
  runs(
    () => {
      const folder = directory('json');
      return { folder, handle: openSync(folder, 'r') };
    },
    ({ folder, handle }, call) => {
      const path = join(folder, `${call.toolCallId}.json`);
      const file = openSync(`${path}.new`, 'w');
      writeSync(file, JSON.stringify({ ...call, status: 'pending', createdAt: Date.now() }));
      if (synced) fdatasyncSync(file);
      closeSync(file);
      renameSync(`${path}.new`, path);
      if (synced) fsyncSync(handle);
    },
  );

const [synced, unsynced] = [at(true), at(false)];
export const { run1, run16, run256 } = synced;
export const { run1: unsynced1, run16: unsynced16, run256: unsynced256 } = unsynced;
