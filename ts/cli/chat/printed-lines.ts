/** Entries of the chat as lines. */
import { style } from '../style.js';
import type { TranscriptEntry } from './view.js';

const STATUS = {
  called: 'called',
  waits: 'waits',
  approved: 'approved',
  answered: 'answered',
  runs: 'runs',
  succeeded: 'done',
  failed: 'failed',
  denied: 'did not run',
  cancelled: 'cancelled',
} as const;

/** One entry, as the lines that are printed of it. */
export function linesOf(entry: TranscriptEntry): string[] {
  const name = entry.origin.length > 1 ? `[${entry.origin.at(-1)}] ` : '';
  switch (entry.kind) {
    case 'user':
      return ['', ...entry.text.split('\n').map((line, at) => `${at === 0 ? '> ' : '  '}${line}`)];
    case 'text':
      return entry.text.split('\n').map((line) => `${name}${line}`);
    case 'note':
      return [entry.level === 'info' ? entry.text : `${entry.level}: ${entry.text}`];
    case 'tool': {
      const how = entry.status === 'succeeded' ? 'green' : entry.status === 'cancelled' ? 'dim' : 'red';
      const head = `${name}* ${entry.toolName} ${entry.title}: ${style(how, STATUS[entry.status])}`;
      return [head, ...(entry.detail === '' ? [] : entry.detail.split('\n').map((line) => `    ${line}`))];
    }
  }
}
