/** Projects in which this package stands beside another AI SDK, without being packed. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exec, type Finished } from '../runtimes.js';
import { installIn } from '../support/installed.js';

/** A project with this package and the programs of `sdks/`. */
export function projectIn(folder: string): string {
  installIn(folder);
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

/** The same without the file that has its version. */
export function withoutManifest(folder: string): void {
  rmSync(join(folder, 'node_modules', 'ai', 'package.json'));
}

export function runIn(folder: string, program: string, file = process.execPath): Promise<Finished> {
  return exec(file, [program], { cwd: folder, env: { COUNTERSIGN_LEDGER: undefined } });
}
