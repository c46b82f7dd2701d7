/** Where cargo is, and the one build that the addon for tests, the Rust tests and the lints share. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Failure, isWindows, root } from './run.mjs';

/** Where cargo is; rustup's own folder counts too, since a fresh installation is not yet on the PATH of an open terminal. */
export function findCargo() {
  const name = isWindows ? 'cargo.exe' : 'cargo';
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'bin'),
  ];
  const folder = folders.find((folder) => folder !== '' && existsSync(join(folder, name)));
  if (folder === undefined) {
    throw new Failure(
      'cargo was not found. The core of countersign is written in Rust: install Rust 1.89 or later from https://rustup.rs and run this again.',
    );
  }
  // What cargo says is read here, so that it has no colours.
  const env = { PATH: `${folder}${delimiter}${process.env.PATH ?? ''}`, CARGO_TERM_COLOR: 'never' };
  return { cargo: join(folder, name), env };
}

/** What Rust calls this machine. */
export function hostTarget() {
  const { env } = findCargo();
  const { status, stdout } = spawnSync('rustc', ['-vV'], { env: { ...process.env, ...env }, encoding: 'utf8' });
  const host = status === 0 ? stdout.match(/^host: (.+)$/m)?.[1] : undefined;
  if (host === undefined) throw new Failure('rustc does not run: is Rust installed whole? See https://rustup.rs');
  return host;
}

/** Where cargo puts what it builds: `CARGO_TARGET_DIR` and its settings may say so. */
export function targetFolder() {
  const { cargo, env } = findCargo();
  const args = ['metadata', '--no-deps', '--format-version', '1'];
  const options = { cwd: root, env: { ...process.env, ...env }, encoding: 'utf8', maxBuffer: 2 ** 28 };
  const { status, stdout, stderr } = spawnSync(cargo, args, options);
  if (status !== 0) throw new Failure(`cargo does not say where it builds: ${stderr}`);
  return JSON.parse(stdout).target_directory;
}

/**
 * The same arguments and variables for each use, or cargo would build everything once more.
 *
 * Clippy compiles our own crates: it is rustc with more lints, and says what it has to say along the way. Somebody who only
 * wants to build may not have it.
 *
 * @returns {{ cargo: string, env: Record<string, string>, everything: string[] }} `everything`: the arguments of the build
 */
export function cargoForTests() {
  const { cargo, env } = findCargo();
  const host = hostTarget();
  const clippy = spawnSync('clippy-driver', ['--version'], { env: { ...process.env, ...env } }).status === 0;
  return {
    cargo,
    env: {
      ...env,
      // napi names the target, and so puts what it builds beside what is built without one.
      CARGO_BUILD_TARGET: host,
      ...(clippy ? { RUSTC_WORKSPACE_WRAPPER: 'clippy-driver' } : {}),
      // What would make the next build quick makes the first one slower by a fifth. In CI there is no next one.
      ...(process.env.CI ? { CARGO_INCREMENTAL: '0' } : {}),
    },
    everything: ['--locked', '--workspace', '--all-targets'],
  };
}
