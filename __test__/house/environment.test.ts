/** What the person who runs the tests has in the environment reaches no test, unless programs need it. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const script = pathToFileURL(join(import.meta.dirname, '../../scripts/environment.mjs')).href;
const program = `import { enterPlainEnvironment } from '${script}';
enterPlainEnvironment();
console.log(JSON.stringify(process.env));`;

/** What is left of these. */
function left(env: Record<string, string>): Record<string, string> {
  const needed = { PATH: process.env.PATH ?? '', SYSTEMROOT: process.env.SYSTEMROOT ?? '' };
  const args = ['--input-type=module', '-e', program];
  return JSON.parse(execFileSync(process.execPath, args, { env: { ...needed, ...env }, encoding: 'utf8' }));
}

const OF_THE_PERSON = {
  AI_GATEWAY_API_KEY: 'key',
  OPENAI_API_KEY: 'key',
  PGSSLMODE: 'require',
  PGHOST: 'db.example',
  COUNTERSIGN_LEDGER: 'sqlite:own.db',
  COUNTERSIGN_API_KEY: 'key',
  FORCE_COLOR: '1',
  NO_COLOR: '1',
  TZ: 'Asia/Kolkata',
  LC_ALL: 'de_DE.ISO-8859-1',
  EDITOR: 'vi',
  VISUAL: 'vi',
  GIT_DIR: '/dev/null/repository',
  XDG_CONFIG_HOME: '/dev/null/config',
  DEBUG: '*',
  RUSTFLAGS: '-Awarnings',
  CARGO_TERM_QUIET: 'true',
};

test('a key of a model, a database or a setting of the person reached the tests', () => {
  const { LANG, ...rest } = left(OF_THE_PERSON);
  expect(LANG).toBe('C.UTF-8');
  for (const name of Object.keys(OF_THE_PERSON)) expect(rest).not.toHaveProperty(name);
  // The runner has done so, too. Colours are its own, and git's are set for tests.
  for (const name of ['AI_GATEWAY_API_KEY', 'PGSSLMODE', 'PGHOST', 'EDITOR', 'XDG_CONFIG_HOME', 'LC_ALL'])
    expect(process.env).not.toHaveProperty(name);
});

test('what programs, the network and the tests themselves need stays', () => {
  const needed = {
    HOME: '/home/me',
    https_proxy: 'http://proxy.example',
    NODE_EXTRA_CA_CERTS: '/certificates.pem',
    npm_config_registry: 'https://registry.example',
    CARGO_HOME: '/cargo',
    RUSTUP_TOOLCHAIN: 'stable',
    COUNTERSIGN_EFFORT: 'thorough',
    COUNTERSIGN_TEST_PG: 'postgres://localhost',
  };
  expect(left(needed)).toMatchObject(needed);
});
