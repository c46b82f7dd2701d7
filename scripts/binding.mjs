/**
 * The loader of the addon. napi-rs generates one as well, which is not used: it also loads packages that are not ours
 * (`countersign-wasm32-wasi`), takes a core of any version, and listens to variables that all packages of napi-rs share.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, root } from './run.mjs';

/** What the package of a platform and its file are called, for each Rust target. */
export const PLATFORMS = {
  'x86_64-unknown-linux-gnu': 'linux-x64-gnu',
  'aarch64-unknown-linux-gnu': 'linux-arm64-gnu',
  'x86_64-unknown-linux-musl': 'linux-x64-musl',
  'aarch64-unknown-linux-musl': 'linux-arm64-musl',
  'x86_64-apple-darwin': 'darwin-x64',
  'aarch64-apple-darwin': 'darwin-arm64',
  'x86_64-pc-windows-msvc': 'win32-x64-msvc',
};

/** Of what napi-rs generates: its names, and what it says of its own loader. */
const NAME = /^export \{ (\w+) \}$/gm;
const TARGET = /\/\*\*(?:(?!\*\/)[^])*?\*\/\nexport declare const __napiBindingTarget: .*\n\n?/;

/** The executable that confines commands, as it is called beside the addon of a checkout. Elsewhere it would confine nothing. */
export const confineProgram = (target) =>
  target.includes('-linux-') ? `countersign-confine.${PLATFORMS[target]}` : undefined;

/** Replaces the loader in the folder by ours. */
export function ownBinding(folder) {
  const [script, types] = ['binding.js', 'binding.d.ts'].map((name) => join(folder, name));
  const names = [...readFileSync(script, 'utf8').matchAll(NAME)].map(([, name]) => name);
  const declared = readFileSync(types, 'utf8');
  if (!names.includes('coreVersion') || !TARGET.test(declared))
    throw new Failure('scripts/binding.mjs does not know this binding: look at what napi-rs generates now');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  copyFileSync(join(root, 'scripts', 'loader.mjs'), join(folder, 'loader.js'));
  writeFileSync(script, scriptOf(version, names));
  writeFileSync(types, `${declared.replace(TARGET, '')}\n${DECLARED}`);
}

const DECLARED = `/** Why the addon is not loaded; \`undefined\`: it is. It may have a \`cure\`. */
export declare const failure: unknown
/** This one, as its package is called. */
export declare const platform: string
/** The executable that confines commands; \`undefined\`: there is none. */
export declare const confineProgram: string | undefined
`;

/** Each name is written out where it is required, so that bundlers find the file. */
function scriptOf(version, names) {
  const place = (id) => `{ load: () => require('${id}'), where: () => require.resolve('${id}') }`;
  const addons = Object.values(PLATFORMS).map(
    (name) => `    '${name}': {
      beside: ${place(`./countersign.${name}.node`)},
      installed: ${place(`countersign-${name}`)},
    },
`,
  );
  return `/** Written by scripts/binding.mjs. */
import { createRequire } from 'node:module';
import { loadAddon } from './loader.js';

// A bundle in CommonJS has no \`import.meta.url\`.
const require = createRequire(import.meta.url ?? (typeof __filename === 'string' ? __filename : process.cwd() + '/'));

const { confineProgram, core, failure, platform } = loadAddon(
  '${version}',
  {
${addons.join('')}  },
  require,
);

export { confineProgram, failure, platform };
export const {
${names.map((name) => `  ${name},\n`).join('')}} = core;
`;
}
