/** Vite, for pages on AI SDK 6. */
import { build as viteBuild } from 'vite';

const alias = [
  { find: /^ai$/, replacement: 'ai6' },
  { find: /^@ai-sdk\/react$/, replacement: 'ai-react6' },
];

export const build = (config) => viteBuild({ ...config, resolve: { alias } });
