/** The TypeScript compiler over programs that tests have as text. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../scripts/lock.mjs';
import { exec } from '../runtimes.js';

const root = join(import.meta.dirname, '../..');
const TSC = join(root, 'node_modules/typescript/bin/tsc');
/** What the compiler writes, with what it knows of the last time: without the one it must not have the other. */
const OUT = 'out';

export interface Compiled {
  /** Where what was compiled is, unless `noEmit`. */
  out: string;
  /** What the compiler has to say, each beginning with the name of a file. */
  complaints: string[];
}

/**
 * Compiles programs as one project inside the repository, so that `countersign` is this very package. What neither changed nor
 * stands on something that did, the compiler knows from the last time, its complaints included.
 *
 * @param name of the folder in `.build/`
 * @param programs their texts, by the name of the file
 * @param options of the compiler, over those of the repository
 * @param include declarations that all of them see
 */
export async function compile(
  name: string,
  programs: ReadonlyMap<string, string>,
  options: object,
  include: readonly string[] = [],
): Promise<Compiled> {
  const folder = join(root, '.build', name);
  const out = join(folder, OUT);
  const config = {
    extends: '../../tsconfig.json',
    compilerOptions: { incremental: true, tsBuildInfoFile: `${OUT}/known.json`, ...options },
    files: [...programs.keys(), ...include.map((file) => join(root, file))],
    // Not those of the repository.
    include: [],
  };
  const files = new Map([...programs, ['tsconfig.json', JSON.stringify(config)]]);
  return withLock(
    `${folder}.lock`,
    async () => {
      mkdirSync(folder, { recursive: true });
      for (const file of readdirSync(folder)) {
        if (file !== OUT && !files.has(file)) rmSync(join(folder, file), { recursive: true });
      }
      for (const [file, text] of files) write(join(folder, file), text);
      const args = [TSC, '-p', '.', '--pretty', 'false'];
      const { signal, stdout, stderr } = await exec(process.execPath, args, { cwd: folder });
      if (signal !== null) throw new Error(`the compiler was ended by ${signal}: ${stderr}`);
      return { out, complaints: `${stdout}${stderr}`.split(/\n(?=\S)/).filter(Boolean) };
    },
    () => {},
  );
}

function write(file: string, text: string): void {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}
