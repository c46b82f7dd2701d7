import type { BackendTools } from '../../../agent.js';
import { cutMiddle } from '../cut.js';
import { flag, inputSchema, object, text } from '../schema.js';
import { emit, reading } from './call.js';
import { nameOf } from './name-of.js';
import type { ToolSettings } from './settings.js';

const LIMIT = 1_000;
const LINE = 500;
const NARROWER = 'Use a narrower pattern, a path or a glob.';

/** The tool `grep`. */
export const grepTool = ({ backend, maxResultCharacters }: ToolSettings): BackendTools['grep'] => ({
  description:
    'Finds lines in files by a regular expression: each as "file:line: text". What .gitignore names is left out.',
  inputSchema: inputSchema<{ pattern: string; path?: string; glob?: string; ignore_case?: boolean }>(
    object(
      { pattern: text('The regular expression, as ripgrep takes it.') },
      {
        path: text('The file or folder to look in. Default: the root.'),
        glob: text('Only files that this glob matches, e.g. "*.ts".'),
        ignore_case: flag('Whether A and a are the same. Default: false.'),
      },
    ),
  ),
  execute: async ({ pattern, path, glob, ignore_case: ignoreCase = false }, options) => {
    const { matches, files, truncated } = await backend.grep(pattern, {
      ...reading(options),
      ...(path === undefined ? {} : { path }),
      ...(glob === undefined ? {} : { glob }),
      ignoreCase,
      limit: LIMIT,
    });
    emit(options, { type: 'grep', pattern, count: matches.length });
    if (matches.length === 0) return '(No line matches.)';
    const lines = matches.map(
      ({ path, line, text }) =>
        `${nameOf(path)}:${line}: ${cutMiddle(text, LINE, () => 'a part of the line is left out')}`,
    );
    lines.push(truncated ? `[There are more. ${NARROWER}]` : `[Lines: ${matches.length}. Files: ${files}.]`);
    return cutMiddle(
      lines.join('\n'),
      maxResultCharacters,
      ({ first, last }) => `${last - first + 1} lines are left out. ${NARROWER}`,
    );
  },
});
