/** `countersign preview`. */
import { preview, previewLine } from '../native.js';
import { Exit, UsageError } from './exit.js';
import { answerLines } from './lines.js';
import { readJson, readOptions } from './options.js';

export async function previewCommand(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, {
    batch: { type: 'boolean' },
    tool: { type: 'string' },
    args: { type: 'string' },
    width: { type: 'string' },
  });
  if (values.batch === true) return answerLines(process.stdin, previewLine);
  if (values.tool === undefined || values.args === undefined)
    throw new UsageError('preview needs --tool and --args, or --batch');
  const width = values.width === undefined ? undefined : Number(values.width);
  if (width !== undefined && !(Number.isInteger(width) && width >= 20))
    throw new UsageError('--width must be a whole number from 20');
  const { text, flags } = preview(values.tool, readJson(values.args, '--args'), width);
  process.stdout.write(`${text}\n${flags.length > 0 ? `flags: ${flags.join(', ')}\n` : ''}`);
  return Exit.ok;
}
