import { join } from 'node:path';
import { defineConfig } from 'vite';

/** The page of the inbox: files with the hash of their content in their name, and an `index.html` that names them. */
export default defineConfig({
  root: import.meta.dirname,
  // Wherever it is mounted.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: join(import.meta.dirname, '../../../dist/inbox'),
    emptyOutDir: true,
    // Inline it would be refused: the content security policy takes files of the page's own only.
    assetsInlineLimit: 0,
    modulePreload: false,
    target: 'es2022',
  },
});
