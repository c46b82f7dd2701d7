/** What would run, as lines of the screen. */
import { shownArgs, shownPreview } from '../../../gate/agent-reason.js';
import { isHidden } from '../../../gate/stands-out.js';
import { preview } from '../../../native.js';
import { oneLine } from '../../style.js';
import type { ApprovalAsk } from './choices.js';
import { previewLines } from './diff-lines.js';
import { pieces } from './layout.js';

/** What would run, as far as a preview has it. */
export interface CallView {
  lines: string[];
  /** Whether nothing is left out of it. */
  isWhole: boolean;
}

/** The preview without the name of the tool, which is the title. It is made for this width where it can be. */
export function callView({ request }: Pick<ApprovalAsk, 'request'>, width: number): CallView {
  const { toolName, changes } = request;
  // With changes of files in it the preview is more than the arguments: it is shown as it was made.
  if (changes.length > 0) {
    const [first = '', ...rest] = shownPreview(request).split('\n');
    const lines = previewLines(first === oneLine(toolName) ? rest : [first, ...rest], width);
    return { lines, isWhole: !isHidden(request) };
  }
  const made = preview(toolName, shownArgs(request), Math.max(20, width));
  // The core counts as most terminals do; here no terminal may draw more.
  const lines = made.text
    .split('\n')
    .slice(1)
    .flatMap((line) => pieces(line, width, line.startsWith('│') ? '│ ↪ ' : '  '));
  return { lines: lines.length > 0 ? lines : ['(no arguments)'], isWhole: !isHidden(made) };
}
