/** All of a call whose preview leaves something out. */
import type { ApprovalRequest } from '../../index.js';
import { plain } from '../gate/in-a-line.js';
import { isHidden } from '../gate/stands-out.js';
import { safeLong } from './safe-long.js';

/**
 * Each argument from its beginning to its end, behind a gutter that tells it from our words: a preview has only both ends of a
 * long one. Nothing of a call that its preview shows whole.
 */
export function argumentLines(call: Pick<ApprovalRequest, 'args' | 'flags'>): string[] {
  const { args } = call;
  if (!isHidden(call)) return [];
  const isNamed = typeof args === 'object' && args !== null && !Array.isArray(args);
  return (isNamed ? Object.entries(args) : [['arguments', args] as const]).flatMap(([name, value]) => [
    `whole ${safeLong(name).replaceAll('\n', '\\u{000A}')}:`,
    ...safeLong(plain(value))
      .split('\n')
      .map((line) => `│ ${line}`),
  ]);
}
