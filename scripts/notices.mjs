/**
 * What the licences of other people's code ask for: that their notices travel along. `dist/` holds npm packages, an addon
 * holds Rust crates; each of our packages gets a `THIRD-PARTY-NOTICES.txt` that names what it holds, with every licence text.
 * The same tree gives the same files.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { findCargo } from './cargo.mjs';
import { Failure, root } from './run.mjs';

/** @typedef {{ name: string, version?: string, licence: string, texts: string[] }} Part Somebody else's code in a package. */

export const NOTICES = 'THIRD-PARTY-NOTICES.txt';

const standard = (name) => readFileSync(join(root, 'scripts', 'licences', `${name}.txt`), 'utf8');

/** Packages that are published without the text of their licence: it is the standard one, with their authors. */
const WITHOUT_TEXT = {
  // Its repository has the text; the header of each of its files names the holder.
  'yoga-layout': { text: 'MIT', copyright: ['Copyright (c) Meta Platforms, Inc. and affiliates.'] },
  // Its repository has the text.
  '@cfworker/json-schema': { text: 'MIT', copyright: ['Copyright (c) 2020 Jeremy Danyow'] },
  // Its repository has the text that its sister packages bring.
  '@ai-sdk/provider-utils': { text: 'Apache-2.0', copyright: ['Copyright 2023 Vercel, Inc.'] },
  // Crates of one repository, whose text is not in the folders that are published.
  napi: { text: 'MIT', copyright: ['Copyright (c) 2020 LongYinan'] },
  'napi-sys': { text: 'MIT', copyright: ['Copyright (c) 2020 LongYinan'] },
};

/** Files that are no notice of what we use: the choice that we do not take. */
const OTHER_CHOICE = [
  'zstd/COPYING', // GPL-2.0, or zstd/LICENSE
];

/** What rustc links into each addon. It comes compiled, as no crate in the registry. */
const STANDARD_LIBRARY = {
  name: 'The Rust standard library, with the crates in it',
  licence: 'MIT OR Apache-2.0',
  copyright: [
    'Copyright (c) The Rust Project Developers',
    'backtrace, rustc-demangle: Copyright (c) 2014 Alex Crichton',
    'addr2line: Copyright (c) 2016-2018 The gimli Developers',
    'gimli: Copyright (c) 2015 The Rust Project Developers',
    'object: Copyright (c) 2015 The Gimli Developers',
    "hashbrown: Copyright (c) 2016 Amanieu d'Antras",
    'memchr: Copyright (c) 2015 Andrew Gallant',
    'miniz_oxide: Copyright (c) 2017 Frommi, Copyright (c) 2017-2024 oyvindln',
    'adler2: Copyright (C) Jonas Schievink',
    'std::sync::mpmc: Copyright (c) 2019 The Crossbeam Project Developers',
  ],
};

/** In the crate libsqlite3-sys, whose own text is that of its bindings. */
const SQLITE = {
  name: 'SQLite',
  licence: 'public domain',
  texts: ['The author disclaims copyright to this source code. See https://sqlite.org/copyright.html.'],
};

/** The notices of `dist/` and `binding/`. @returns {Promise<string>} */
export async function noticesOfMain() {
  const parts = (await bundledFolders()).map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const files = readdirSync(folder).filter((file) => isNotice(file));
    return partOf({ name, version, licence: license, folder, files });
  });
  return written('JavaScript', parts);
}

/** The notices of the addon for a Rust target. @param {string} target @returns {string} */
export function noticesOfAddon(target) {
  const { copyright, ...library } = STANDARD_LIBRARY;
  const texts = [[...copyright, '', ...body(standard('MIT'))].join('\n')];
  return written('addon', [...linkedCrates(target), SQLITE, { ...library, texts }]);
}

/** The folders of the npm packages that rolldown bundles into `dist/`, as rolldown reports them. */
async function bundledFolders() {
  const { rolldown } = await import('rolldown');
  const { default: configs } = await import('../rolldown.config.mjs');
  // Its helpers, and the loader of the addon, are written by tools.
  const folders = new Set(['rolldown', '@napi-rs/cli'].map((name) => join(root, 'node_modules', name)));
  for (const { output, ...input } of configs) {
    const bundle = await rolldown({ ...input, cwd: root });
    const { output: files } = await bundle.generate(output);
    await bundle.close();
    for (const folder of foldersIn(files, 'dist')) folders.add(folder);
  }
  const { build } = await import('vite');
  const page = await build({ configFile: join(root, 'ts/inbox/page/vite.config.mjs'), build: { write: false } });
  for (const folder of foldersIn(page.output, 'dist/inbox')) folders.add(folder);
  return [...folders];
}

/** Sources of our own. */
const OURS = ['ts', 'examples/start'];

/** The folders of the packages that these files contain. The files must be the content of this folder. */
function foldersIn(files, dist) {
  const folders = [];
  for (const file of files) {
    if (file.type !== 'chunk') continue;
    const there = join(root, dist, file.fileName);
    if (!existsSync(there) || readFileSync(there, 'utf8') !== file.code)
      throw new Failure(`${dist}/${file.fileName} is not what its sources give: npm run build`);
    for (const id of Object.keys(file.modules)) {
      const [folder] = id.match(/^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/) ?? [];
      if (folder !== undefined) folders.push(folder);
      else if (!id.startsWith('\0') && !OURS.some((ours) => !relative(join(root, ours), id).startsWith('..')))
        throw new Failure(
          `${dist}/${file.fileName} has ${id}, which is of no package: notices.mjs cannot tell whose it is`,
        );
    }
  }
  return folders;
}

/** The crates in the addon for a target: what is linked, neither what builds it nor what writes code for it. */
function linkedCrates(target) {
  const { cargo, env } = findCargo();
  const ask = (...args) => {
    try {
      // What it downloads and complains of goes to our stderr.
      return execFileSync(cargo, [...args, '--locked'], {
        cwd: root,
        env: { ...process.env, ...env },
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    } catch (error) {
      throw new Failure(`cargo ${args[0]} failed: ${error.message}`);
    }
  };
  // The executable that travels with it on Linux is of other crates.
  const ours = ['countersign', ...(target.includes('-linux-') ? ['countersign-confine'] : [])];
  const treeOf = (name) =>
    ask('tree', '-p', name, '--target', target, '-e', 'normal,no-proc-macro', '--prefix', 'none', '--format', '{p}');
  const tree = ours.map((name) => treeOf(name)).join('\n');
  const linked = new Set(tree.split('\n').map((line) => line.split(' ').slice(0, 2).join(' ')));
  const { packages } = JSON.parse(ask('metadata', '--format-version', '1', '--filter-platform', target));
  return packages
    .filter(({ name, version, source }) => source !== null && linked.has(`${name} v${version}`))
    .map(({ name, version, license, manifest_path }) => {
      const folder = dirname(manifest_path);
      // In folders too: what a crate took from others has a text of its own there.
      const files = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile() && isNotice(file.name))
        .map((file) => relative(folder, join(file.parentPath, file.name)).replaceAll('\\', '/'));
      return partOf({ name, version, licence: license, folder, files });
    });
}

const isNotice = (file) => /^(?:(?:un)?licen[cs]e|copying|copyright|notice)(?:[-._](?!rs$|html$|js$)|$)/i.test(file);

/** Fails when there is no licence text in the folder, and none is known. @returns {Part} */
export function partOf({ name, version, licence, folder, files }) {
  if (typeof licence !== 'string') throw new Failure(`${name} ${version} names no licence: see scripts/notices.mjs`);
  const wanted = files.filter((file) => !OTHER_CHOICE.includes(file)).toSorted();
  // Of a choice we take MIT, whose text is the shortest.
  const isChoice = /\bOR\b|\//.test(licence) && wanted.some((file) => /mit/i.test(file));
  const texts = wanted
    .filter((file) => !(isChoice && /apache|unlicense|boost/i.test(basename(file))))
    .map((file) => readFileSync(join(folder, file), 'utf8'));
  if (!wanted.some((file) => /licen[cs]e|copying/i.test(file))) texts.push(textOf(name, version, folder));
  // Some bring the notice alone, which refers to the text.
  const isApache = texts.some((text) => text.includes('Apache License') && !text.includes('MIT'));
  if (isApache && !texts.some((text) => text.includes('TERMS AND CONDITIONS'))) texts.push(standard('Apache-2.0'));
  return { name, version, licence, texts };
}

function textOf(name, version, folder) {
  const known = WITHOUT_TEXT[name];
  if (known === undefined) {
    throw new Failure(
      `${name} ${version} has no licence text in ${folder}. Its notice must travel with the package: find the text where the ` +
        'package is developed, and add it to WITHOUT_TEXT in scripts/notices.mjs, with who holds the copyright.',
    );
  }
  return [...known.copyright, '', ...body(standard(known.text))].join('\n');
}

/** Lines above a licence's own words: its title, and who holds the copyright. */
const TITLE = /^\s*(?:the )?(?:mit|isc)(?: licen[cs]e)?(?: \(mit\))?:?\s*$/i;
const COPYRIGHT = /^\s*(?:[\w:, -]+: )?copyright\b/i;

const lines = (text) => text.replaceAll('\r\n', '\n').trim().split('\n');

function heading(text) {
  const all = lines(text);
  const end = all.findIndex((line) => line.trim() !== '' && !TITLE.test(line) && !COPYRIGHT.test(line));
  return all.slice(0, Math.max(end, 0));
}

const body = (text) => lines(text).slice(heading(text).length);

/** One block for each text: who says it, with the copyright of each, and the text once. */
function written(what, parts) {
  const blocks = new Map();
  const title = ({ name, version, licence }) =>
    [name, ...(version === undefined ? [] : [version]), `(${licence})`].join(' ');
  for (const part of parts.toSorted((a, b) => (title(a) < title(b) ? -1 : 1))) {
    for (const text of part.texts) {
      const own = body(text);
      // Texts that only break their lines in other places are the same.
      const key = own.join(' ').replaceAll(/\s+/g, ' ').trim();
      const block = blocks.get(key) ?? { text: own.join('\n').trimEnd(), names: new Map() };
      blocks.set(key, block);
      const copyright = heading(text)
        .filter((line) => COPYRIGHT.test(line))
        .map((line) => `    ${line.trim()}`);
      block.names.set(title(part), [...new Set([...(block.names.get(title(part)) ?? []), ...copyright])]);
    }
  }
  const shown = [...blocks.values()].map(({ text, names }) => {
    const who = [...names].map(([title, copyright]) => [title, ...copyright].join('\n'));
    return `${'='.repeat(80)}\n${who.join('\n')}\n${'-'.repeat(80)}\n${text}\n`;
  });
  return [
    `The ${what} in this package contains code of others, under these licences. Each text stands below the names of`,
    'what it is for. countersign itself is under the licence in the file LICENSE.',
    '',
    ...shown.toSorted(),
  ].join('\n');
}
