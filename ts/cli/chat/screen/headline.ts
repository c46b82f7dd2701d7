/** What is asked about a call, as a question. */
import type { ApprovalRequest } from '../../../../index.js';
import { plain } from '../../../gate/in-a-line.js';
import { fit, oneLine } from '../../style.js';

/** What a question is made of. */
export type AskedCall = Pick<ApprovalRequest, 'toolName' | 'args' | 'changes'>;

/** The question in one line. What comes from the call stands in it cut; the call itself is shown whole below. */
export function headline({ toolName, args, changes }: AskedCall, most: number): string {
  const ask = (before: string, what: string, after: string, quote = ''): string => {
    const room = Math.max(8, most - before.length - after.length - 2 * quote.length);
    return `${before}${quote}${fit(oneLine(what), room)}${quote}${after}`;
  };
  const command = textOf(args, ['command', 'cmd']);
  if (command !== undefined && RUNS.test(toolName)) {
    // Of several lines one would say nothing.
    return command.trim().includes('\n') ? 'Run these commands?' : ask('Run ', command, '?', '`');
  }
  const path = textOf(args, ['file_path', 'path', 'file', 'filename']) ?? changes[0]?.path;
  const verb = path === undefined ? undefined : verbFor(toolName, changes);
  if (path !== undefined && verb !== undefined) return ask(`${verb} `, path, '?');
  const query = textOf(args, ['sql', 'query', 'statement']);
  if (query !== undefined && /sql|query|database|db/i.test(toolName))
    return query.trim().includes('\n') ? 'Run this query?' : ask('Run ', query, '?', '`');
  const agent = textOf(args, ['subagent_type']);
  if (toolName === 'task' && agent !== undefined) return ask('Start the subagent ', agent, '?');
  return ask('Call ', toolName, '?');
}

const RUNS = /exec|shell|bash|command|terminal|run/i;

function verbFor(toolName: string, changes: AskedCall['changes']): string | undefined {
  if (/delete|remove|unlink|\brm\b/i.test(toolName)) return 'Delete';
  if (/edit|patch|replace/i.test(toolName)) return 'Edit';
  if (/write|create|save/i.test(toolName)) {
    const [change] = changes;
    return change === undefined ? 'Write' : change.before === null ? 'Create' : 'Overwrite';
  }
  if (/read|open|view|cat/i.test(toolName)) return 'Read';
  return undefined;
}

/** The first of these arguments that is a text. */
function textOf(args: unknown, names: readonly string[]): string | undefined {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return undefined;
  const name = names.find((each) => Object.hasOwn(args, each));
  const value = name === undefined ? undefined : (args as Record<string, unknown>)[name];
  return value === undefined || value === null ? undefined : plain(value);
}
