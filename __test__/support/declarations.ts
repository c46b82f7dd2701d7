/** The declarations of an entry, as one text: the file, and the files whose exports it hands on. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export function declarationsOf(file: string): string {
  const text = readFileSync(join(root, file), 'utf8').replaceAll('\r\n', '\n');
  return text.replace(/^export \* from '(.+)\.js';$/gm, (_, from: string) =>
    declarationsOf(join(dirname(file), `${from}.d.ts`)),
  );
}
