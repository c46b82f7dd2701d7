/** Projects in which this package stands beside another AI SDK, without being packed. */
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exec, type Finished } from '../runtimes.js';

const root = join(import.meta.dirname, '../..');
const addon = join(root, 'binding', readdirSync(join(root, 'binding')).find((file) => file.endsWith('.node')) ?? '');

/** A copy of this package as it is built, in the `node_modules` of a project. The addon stays where it is. */
export function projectIn(folder: string): string {
  const installed = join(folder, 'node_modules', 'countersign');
  mkdirSync(join(installed, 'binding'), { recursive: true });
  for (const file of ['package.json', 'dist', 'binding/binding.js'])
    cpSync(join(root, file), join(installed, file), { recursive: true });
  cpSync(join(import.meta.dirname, 'sdks'), folder, { recursive: true });
  return folder;
}

/** A package `ai` that has the names that tell versions apart, and nothing behind them. */
export function fakeAi(folder: string, version: string, names: readonly string[], more: object = {}): void {
  const ai = join(folder, 'node_modules', 'ai');
  mkdirSync(ai, { recursive: true });
  const manifest = {
    name: 'ai',
    version,
    type: 'module',
    exports: { '.': './index.js', './package.json': './package.json' },
  };
  writeFileSync(join(ai, 'package.json'), JSON.stringify({ ...manifest, ...more }));
  const body = '() => { throw new Error("nothing is behind it"); }';
  writeFileSync(join(ai, 'index.js'), names.map((name) => `export const ${name} = ${body};\n`).join(''));
}

/** `node_modules/ai` of a project is this folder, with what it needs beside it. */
export function linkAi(folder: string, ai: string): void {
  symlinkSync(ai, join(folder, 'node_modules', 'ai'), 'dir');
}

export function runIn(folder: string, program: string, file = process.execPath): Promise<Finished> {
  return exec(file, [program], {
    cwd: folder,
    env: { NAPI_RS_NATIVE_LIBRARY_PATH: addon, COUNTERSIGN_LEDGER: undefined },
  });
}
