/** Projects that have the built package as an application would have it, beside an AI SDK of their own. */
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '../..');
/** A link to a folder that every platform lets us make. */
const LINK = process.platform === 'win32' ? 'junction' : 'dir';

/**
 * Puts the package into the `node_modules` of a folder. It is a copy, so that what it imports as `ai` is found there and not in the
 * repository; the addon stays where it is.
 */
export function installIn(folder: string): void {
  if (!existsSync(join(root, 'dist', 'index.js'))) throw new Error('dist/ is missing: run `npm run build`');
  const installed = join(folder, 'node_modules', 'countersign');
  mkdirSync(installed, { recursive: true });
  for (const name of ['dist', 'package.json']) cpSync(join(root, name), join(installed, name), { recursive: true });
  symlinkSync(join(root, 'binding'), join(installed, 'binding'), LINK);
}

/** Links a package into the `node_modules` of a folder. @param from its name in those of the repository, or its own path */
export function linkIn(folder: string, name: string, from = name): void {
  symlinkSync(resolve(root, 'node_modules', from), join(folder, 'node_modules', name), LINK);
}
