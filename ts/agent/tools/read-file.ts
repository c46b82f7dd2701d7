import type { BackendTools } from '../../../agent.js';
import { cutMiddle } from '../cut.js';
import { count, inputSchema, object, text } from '../schema.js';
import { emit, reading } from './call.js';
import type { ToolSettings } from './settings.js';

const LINES = 2_000;

/** The tool `read_file`. */
export const readFileTool = ({ backend, maxResultCharacters }: ToolSettings): BackendTools['read_file'] => ({
  description:
    'Reads a text file. Each line comes with its number and a tab before it, which are not part of the file. ' +
    'Read a file before you change it. Read large files in parts, with offset and limit.',
  inputSchema: inputSchema<{ file_path: string; offset?: number; limit?: number }>(
    object(
      { file_path: text('The file.') },
      {
        offset: count('The first line to read, counted from 1. Default: 1.'),
        limit: count(`How many lines to read. Default: ${LINES}.`),
      },
    ),
  ),
  execute: async ({ file_path: path, offset = 1, limit = LINES }, options) => {
    const read = await backend.readFile(path, { ...reading(options), offset, limit });
    const { firstLine, lines, totalLines } = read;
    emit(options, { type: 'file-read', path, lines });
    if (totalLines === 0) return '(The file is empty.)';
    if (lines === 0) return `(The file has ${totalLines} lines: there is no line ${offset}.)`;
    const shown = cutMiddle(numbered(read.text, firstLine), maxResultCharacters, ({ first, last }) => {
      const [from, to] = [firstLine + first - 1, firstLine + last - 1];
      return from === to
        ? `a part of line ${from} is left out, since the line is too long. Look for what you need with grep`
        : `lines ${from} to ${to} are left out. Read them with offset ${from} and limit ${to - from + 1} or less`;
    });
    const next = firstLine + lines;
    return next > totalLines ? shown : `${shown}\n[The file has ${totalLines} lines. Read on with offset ${next}.]`;
  },
});

/** The lines as the model is shown them. */
function numbered(content: string, firstLine: number): string {
  const lines = content.split('\n');
  // The end of the last line begins no other.
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, index) => `${String(firstLine + index).padStart(6)}\t${line}`).join('\n');
}
