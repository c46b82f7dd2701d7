/** The packages as they ship, in projects of other people's tools. Tools are installed here, by pinned versions; none is a dependency. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exec, npmInstall, type ExecOptions, type Finished } from '../../runtimes.js';

const root = join(import.meta.dirname, '../../..');

/** Versions that the hosts are tested with. */
export const VERSIONS = {
  ai: '7.0.173',
  zod: '4.6.7',
  esbuild: '0.28.2',
  webpack: '5.112.2',
  rollup: '4.68.7',
  '@rollup/plugin-node-resolve': '16.0.3',
  '@rollup/plugin-commonjs': '29.0.0',
  '@rollup/plugin-json': '6.1.0',
  vite: '8.3.8',
  jest: '30.5.2',
  deno: '2.9.6',
  pnpm: '12.21.0',
  '@yarnpkg/cli-dist': '4.18.1',
  next: '16.4.6',
  react: '19.3.1',
  'react-dom': '19.3.1',
  '@ai-sdk/react': '4.0.177',
} as const;

export type Tool = keyof typeof VERSIONS;

/** Why nothing can be installed here; `undefined`: it can. */
export async function unreachable(): Promise<string | undefined> {
  const { code } = await exec('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=200000'], { timeout: 400_000 });
  return code === 0 ? undefined : 'the npm registry cannot be reached';
}

export interface Packed {
  /** What holds all projects. */
  folder: string;
  main: string;
  platform: { name: string; file: string };
  done: () => void;
}

/** Packs what ships, for this platform. */
export async function packed(): Promise<Packed> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-hosts-'));
  const out = join(folder, 'tarballs');
  const args = ['scripts/pack.mjs', '--addons', 'binding', '--out', out, '--some'];
  const { code, stderr } = await exec(process.execPath, args, { cwd: root });
  if (code !== 0) throw new Error(stderr);
  const files = readdirSync(out);
  const main = files.find((file) => /^countersign-\d/.test(file)) ?? '';
  const other = files.find((file) => /^countersign-[a-z]/.test(file)) ?? '';
  const name = other.replace(/-\d+\.\d+\.\d+.*$/, '');
  return {
    folder,
    main: join(out, main),
    platform: { name, file: join(out, other) },
    done: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** A project with these files, the package, and these tools. */
export async function project(
  from: Packed,
  name: string,
  tools: readonly Tool[],
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = join(from.folder, name);
  mkdirSync(folder);
  write(folder, { 'package.json': JSON.stringify({ name: 'app', private: true }), ...files });
  cpSync(join(import.meta.dirname, 'app.mjs'), join(folder, 'app.mjs'));
  cpSync(join(import.meta.dirname, '../project/scenario.mjs'), join(folder, 'scenario.mjs'));
  const wanted = ['ai', 'zod', ...tools] as Tool[];
  const exact = wanted.map((tool) => `${tool}@${VERSIONS[tool]}`);
  await npmInstall(folder, from.main, from.platform.file, ...exact);
  return folder;
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

/** A program of a project in JavaScript, with the Node that runs us. */
export const tool = (
  folder: string,
  program: string,
  args: readonly string[],
  options?: ExecOptions,
): Promise<Finished> =>
  exec(process.execPath, [join(folder, 'node_modules', program), ...args], { cwd: folder, ...options });

/** The same for a program that is no JavaScript. */
export const program = (
  folder: string,
  name: string,
  args: readonly string[],
  options?: ExecOptions,
): Promise<Finished> => exec(join(folder, 'node_modules/.bin', name), args, { cwd: folder, ...options });

/** What the application says where all is well. */
export const WORKS =
  '{"requested":["send","wipe"],"answered":[["send",true,null],["wipe",false,"too much"]],"ran":[["send",{"to":"ada"}]],"text":"done"}';
