// @ts-check
// The least there is: the bytes of the call, appended to a file, and one sync to the disk. It could not be decided on.

import { fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { directory, runs } from './task.mjs';

export const { run1, run16, run256 } = runs(
  () => openSync(join(directory('append'), 'log'), 'a'),
  (file, call) => {
    writeSync(file, JSON.stringify(call));
    fdatasyncSync(file);
  },
);
