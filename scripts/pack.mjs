/**
 * Makes the packages exactly as they ship: one tarball for `countersign` and one for each platform that has an addon.
 * Works on a copy, so that the tree stays as it is. The release publishes these files; a test installs and uses them. In each
 * are the notices of other people's code in it.
 *
 *     node scripts/pack.mjs --addons <folder with .node files and executables> --out <folder> [--some]
 *
 * Prints `[{ name, file, files: [path], unpackedSize }]`, the main package last. `--some`: only the platforms whose addons
 * are there; without it a missing one is an error.
 */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PLATFORMS, confineProgram } from './binding.mjs';
import { withLinks } from './links.mjs';
import { NOTICES, noticesOfAddon, noticesOfMain } from './notices.mjs';
import { Failure, bin, npm, root, run } from './run.mjs';
import { fail } from './prepare.mjs';

const { values } = parseArgs({
  options: { addons: { type: 'string' }, out: { type: 'string' }, some: { type: 'boolean', default: false } },
});

async function pack() {
  if (!values.addons || !values.out) throw new Failure('usage: pack.mjs --addons <folder> --out <folder> [--some]');
  const out = resolve(values.out);
  const stage = mkdtempSync(join(tmpdir(), 'countersign-pack-'));
  try {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const unknown = manifest.napi.targets.filter((target) => !(target in PLATFORMS));
    if (unknown.length > 0) throw new Failure(`pack.mjs has no name for ${unknown.join(', ')}`);
    const file = (target) => `countersign.${PLATFORMS[target]}.node`;

    const addons = join(stage, 'addons');
    mkdirSync(addons);
    if (values.some) {
      manifest.napi.targets = manifest.napi.targets.filter((target) => existsSync(join(values.addons, file(target))));
      if (manifest.napi.targets.length === 0) throw new Failure(`there is no addon in ${values.addons}`);
    }
    for (const target of manifest.napi.targets) {
      if (!existsSync(join(values.addons, file(target))))
        throw new Failure(`${file(target)} is missing in ${values.addons}`);
      copyFileSync(join(values.addons, file(target)), join(addons, file(target)));
      const program = confineProgram(target);
      if (program !== undefined && !existsSync(join(values.addons, program)))
        throw new Failure(`${program} is missing in ${values.addons}`);
    }

    writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    for (const name of [
      ...manifest.files.filter((each) => each.endsWith('.d.ts')),
      'types',
      'policy.schema.json',
      'schemas',
      'registry',
      'man',
      'dist',
      'docs',
      'examples',
      'skills',
      'llms.txt',
      'binding',
      'README.md',
      'CHANGELOG.md',
      'SECURITY.md',
      'LICENSE',
    ]) {
      if (existsSync(join(root, name))) cpSync(join(root, name), join(stage, name), { recursive: true });
    }

    writeFileSync(join(stage, NOTICES), await noticesOfMain());
    linkToGitHub(stage, manifest.version);

    const napi = async (...args) => {
      const { code, output } = await run(process.execPath, [bin('@napi-rs/cli', 'napi'), ...args], {
        cwd: stage,
        quiet: true,
      });
      if (code !== 0) throw new Failure(`napi ${args[0]} failed:\n${output.trimEnd()}`);
    };
    await napi('create-npm-dirs');
    await napi('artifacts', '--output-dir', 'addons');
    // Writes `optionalDependencies`; publishes nothing.
    await napi('pre-publish', '-t', 'npm', '--skip-optional-publish', '--no-gh-release');

    // Build and test dependencies are not for users who install it.
    const published = JSON.parse(readFileSync(join(stage, 'package.json'), 'utf8'));
    for (const name of ['scripts', 'devDependencies', 'overrides', 'napi']) delete published[name];
    writeFileSync(join(stage, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);

    mkdirSync(out, { recursive: true });
    const packed = [];
    for (const target of manifest.napi.targets) {
      const folder = join(stage, 'npm', PLATFORMS[target]);
      copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
      writeFileSync(join(folder, NOTICES), noticesOfAddon(target));
      const own = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const files = [...own.files, NOTICES];
      const program = confineProgram(target);
      if (program !== undefined) {
        copyFileSync(join(values.addons, program), join(folder, 'countersign-confine'));
        chmodSync(join(folder, 'countersign-confine'), 0o755);
        files.push('countersign-confine');
      }
      writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...own, files }, null, 2)}\n`);
      packed.push(await packFolder(folder, out));
    }
    packed.push(await packFolder(stage, out));
    process.stdout.write(`${JSON.stringify(packed, null, 2)}\n`);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** What documents of the package link to and the package does not have, as tests and pictures, is read at GitHub. */
function linkToGitHub(stage, version) {
  const isThere = (path) => existsSync(join(stage, path)) && !/^docs\/.*\.(?:png|cast)$/.test(path);
  for (const file of readdirSync(stage, { recursive: true, encoding: 'utf8' })) {
    const path = file.replaceAll('\\', '/');
    if (!/(?:\.md|^llms\.txt)$/.test(path)) continue;
    const text = readFileSync(join(stage, file), 'utf8');
    writeFileSync(join(stage, file), withLinks(path, text, { isThere, ref: `v${version}` }));
  }
}

async function packFolder(folder, out) {
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', out];
  const { code, output } = await npm(args, { cwd: folder, quiet: true });
  if (code !== 0) throw new Failure(`npm pack failed in ${folder}:\n${output.trimEnd()}`);
  const start = Math.min(...['[', '{'].map((open) => output.indexOf(open)).filter((index) => index >= 0));
  const parsed = JSON.parse(output.slice(start));
  // npm 11 prints a list, npm 12 an object by package name.
  const [{ name, filename, files, unpackedSize }] = Array.isArray(parsed) ? parsed : Object.values(parsed);
  return { name, file: join(out, filename), files: files.map((file) => file.path), unpackedSize };
}

await pack().catch(fail);
