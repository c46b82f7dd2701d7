import type { BackendTools, DirectoryEntry } from '../../../agent.js';
import { cutMiddle } from '../cut.js';
import { inputSchema, object, text } from '../schema.js';
import { bytesOf } from './bytes-of.js';
import { emit, reading } from './call.js';
import { nameOf } from './name-of.js';
import type { ToolSettings } from './settings.js';

const LIMIT = 1_000;
const NARROWER = 'List a folder below it, or use glob with a narrower pattern.';

/** The tool `ls`. */
export const lsTool = ({ backend, maxResultCharacters }: ToolSettings): BackendTools['ls'] => ({
  description: 'Lists the files and folders in a folder, not those below. Folders end with "/".',
  inputSchema: inputSchema<{ path?: string }>(object({}, { path: text('The folder. Default: the root.') })),
  execute: async ({ path = '.' }, options) => {
    const { entries, truncated } = await backend.list(path, { ...reading(options), limit: LIMIT });
    emit(options, { type: 'ls', path, count: entries.length });
    if (entries.length === 0) return '(The folder is empty.)';
    const lines = [...entries.map(lineOf), ...(truncated ? [`[There are more. ${NARROWER}]`] : [])];
    return cutMiddle(
      lines.join('\n'),
      maxResultCharacters,
      ({ first, last }) => `${last - first + 1} entries are left out. ${NARROWER}`,
    );
  },
});

const SUFFIX: Record<DirectoryEntry['type'], string> = {
  file: '',
  directory: '/',
  symlink: ' (symlink)',
  other: ' (no ordinary file)',
};

const lineOf = ({ path, type, size }: DirectoryEntry): string =>
  `${nameOf(path)}${SUFFIX[type]}${size === undefined ? '' : ` (${bytesOf(size)})`}`;
