/** All of a call, laid out once: it is scrolled through, line by line. */
import type { ApprovalRequest } from '../../../../index.js';
import { argumentLines } from '../../../terminal/whole.js';
import { pieces } from './layout.js';

let last: { args: unknown; width: number; lines: string[] } | undefined;

/** @see argumentLines */
export function wholeLines(request: ApprovalRequest, width: number): string[] {
  const { args } = request;
  if (last === undefined || last.args !== args || last.width !== width) {
    const lines = argumentLines(request).flatMap((line) => pieces(line, width, '│ ↪ '));
    last = { args, width, lines };
  }
  return last.lines;
}
