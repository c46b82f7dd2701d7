// @ts-check

import Database from 'better-sqlite3';
import { byHand } from './sqlite.mjs';

export const { run1, run16, run256 } = byHand('better-sqlite3', (file) => new Database(file), 'FULL');
