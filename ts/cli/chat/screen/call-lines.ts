/** What would run, as lines of the screen. */
import { preview } from '../../../native.js';
import { oneLine } from '../../style.js';
import type { ApprovalAsk } from './choices.js';
import { previewLines } from './diff-lines.js';

/** The preview without the name of the tool, which is the title. It is made for this width where it can be. */
export function callLines({ request }: Pick<ApprovalAsk, 'request'>, width: number): string[] {
  const { toolName, args, changes } = request;
  // With changes of files in it the preview is more than the arguments: it is shown as it was made.
  if (changes.length > 0) {
    const [first = '', ...lines] = request.preview.split('\n');
    return previewLines(first === oneLine(toolName) ? lines : [first, ...lines], width);
  }
  const lines = preview(toolName, args, Math.max(20, width)).text.split('\n').slice(1);
  return lines.length > 0 ? lines : ['(no arguments)'];
}
