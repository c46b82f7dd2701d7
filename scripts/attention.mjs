// How much attention the shipped presets cost: `npm run attention -- FILE`. FILE has one command line per line, or is a
// `.jsonl`: objects with `command`, and where they are known `label`, `cwd`, `project` and `home`.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
// 12,607 lines that people wrote (NL2Bash). No part of this project.
const shared = resolve(root, '../shared/cases/nl2bash.txt');

// Each preset is measured without confinement and with it. Behind FILE may stand `ask developer harmless`, or `allow
// developer:confined not-harmless`: then these lines are listed, one by one.
const { positionals } = parseArgs({ allowPositionals: true });
const [named, ...list] = positionals;
// npm runs scripts in the project; INIT_CWD is where the user stands.
const file = named === undefined ? shared : resolve(process.env.INIT_CWD ?? '.', named);
if (!existsSync(file)) {
  console.error(`There is no ${file}.`);
  console.error('Pass a file with one command line per line: npm run attention -- lines.txt');
  process.exit(2);
}

const cargo = ['run', '--quiet', '--release', '-p', 'countersign-core', '--example', 'attention', '--', file, ...list];
const { status, error } = spawnSync('cargo', cargo, { cwd: root, stdio: 'inherit' });
if (error) console.error(`cargo does not run: ${error.message}. It comes with Rust: https://rustup.rs`);
process.exit(status ?? 1);
