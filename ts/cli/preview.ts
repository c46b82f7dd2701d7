/** `countersign preview`. */
import { preview, previewLine } from '../native.js';
import { Exit, UsageError } from './exit.js';
import { answerLines } from './lines.js';
import { readJson, readOptions } from './options.js';

const HELP = `countersign preview --tool NAME --args JSON [--width COLUMNS]
countersign preview --batch   lines {"id","toolName","args","width"?} to {"id","text","flags"}
`;

export async function previewCommand(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, {
    batch: { type: 'boolean' },
    tool: { type: 'string' },
    args: { type: 'string' },
    width: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    return Exit.ok;
  }
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
