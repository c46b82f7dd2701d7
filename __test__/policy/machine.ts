/** The policy files of a machine, in a directory of their own. The administrator's cannot be had so: the core tests them. */
import { mkdirSync, realpathSync, mkdtempSync, rmSync, writeFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface Machine {
  /** A project. */
  root: string;
  home: string;
  /** Where the user's files are. */
  config: string;
  /** What a child process has to be told. */
  env: { HOME: string; XDG_CONFIG_HOME: string };
  /** Writes the user's policy, in one step. */
  user: (text: string) => string;
  /** Writes the project's policy, in one step. */
  project: (text: string) => string;
}

/** A user with a home and a project, for this test; also what this process takes for its own. */
export function machine(): Machine {
  const all = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-machine-')));
  const [root, home] = [join(all, 'project'), join(all, 'home')];
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config') };
  const config = join(env.XDG_CONFIG_HOME, 'countersign');
  for (const folder of [join(root, '.git'), home]) mkdirSync(folder, { recursive: true });
  const before = { HOME: process.env.HOME, XDG_CONFIG_HOME: process.env.XDG_CONFIG_HOME };
  Object.assign(process.env, env);
  onTestFinished(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    rmSync(all, { recursive: true, force: true });
  });
  const write = (path: string) => (text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
    return path;
  };
  return {
    root,
    home,
    config,
    env,
    user: write(join(config, 'policy.toml')),
    project: write(join(root, '.countersign', 'policy.toml')),
  };
}
