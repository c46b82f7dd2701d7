import type { BackendTools } from '../../../agent.js';
import { cutMiddle } from '../cut.js';
import { inputSchema, object, text } from '../schema.js';
import { emit, reading } from './call.js';
import { nameOf } from './name-of.js';
import type { ToolSettings } from './settings.js';

const LIMIT = 1_000;
const NARROWER = 'Use a narrower pattern, or a path.';

/** The tool `glob`. */
export const globTool = ({ backend, maxResultCharacters }: ToolSettings): BackendTools['glob'] => ({
  description:
    'Finds files by their names, e.g. "src/**/*.ts"; those that changed last come first. What .gitignore names is left out.',
  inputSchema: inputSchema<{ pattern: string; path?: string }>(
    object({ pattern: text('The glob.') }, { path: text('The folder to look in. Default: the root.') }),
  ),
  execute: async ({ pattern, path }, options) => {
    const { paths, truncated } = await backend.glob(pattern, {
      ...reading(options),
      ...(path === undefined ? {} : { path }),
      limit: LIMIT,
    });
    emit(options, { type: 'glob', pattern, count: paths.length });
    if (paths.length === 0) return '(No file matches.)';
    const lines = [...paths.map(nameOf), ...(truncated ? [`[There are more. ${NARROWER}]`] : [])];
    return cutMiddle(
      lines.join('\n'),
      maxResultCharacters,
      ({ first, last }) => `${last - first + 1} files are left out. ${NARROWER}`,
    );
  },
});
