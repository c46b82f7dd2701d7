// @ts-check

import { DatabaseSync } from 'node:sqlite';
import { byHand } from './sqlite.mjs';

export const { run1, run16, run256 } = byHand('node-sqlite', (file) => new DatabaseSync(file), 'FULL');
