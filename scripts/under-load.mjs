/**
 * Runs the tests again and again on a machine that is busy: beside processes that do nothing but compute, all of them on the
 * same cores. A test that depends on the machine's speed, or on luck, fails here.
 *
 *     node scripts/under-load.mjs [--runs 5] [--busy 6] [--cores 2] [mode of scripts/test.mjs and its arguments]
 *
 * Ends at the first run that fails, with its exit code. `--cores` needs `taskset`, of Linux; elsewhere, and where there are no
 * more cores, all of them are used.
 */
import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { join } from 'node:path';
import { root, say, seconds } from './run.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    busy: { type: 'string', default: '6' },
    cores: { type: 'string', default: '2' },
  },
});
const [runs, busy, cores] = [values.runs, values.busy, values.cores].map(Number);
if (![runs, busy, cores].every((number) => Number.isInteger(number) && number > 0)) {
  say('under-load.mjs: --runs, --busy and --cores are whole numbers above 0');
  process.exit(2);
}

const isPinned = cores < availableParallelism() && spawnSync('taskset', ['--version']).status === 0;
const pinned = (program, args) =>
  isPinned ? ['taskset', ['-c', `0-${cores - 1}`, program, ...args]] : [program, args];

const loops = Array.from({ length: busy }, () =>
  spawn(...pinned(process.execPath, ['-e', 'for (;;);']), { stdio: 'ignore' }),
);
const end = () => loops.forEach((loop) => loop.kill('SIGKILL'));
process.on('exit', end);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

for (let turn = 1; turn <= runs; turn++) {
  const since = performance.now();
  const args = [join(root, 'scripts', 'test.mjs'), ...positionals];
  const code = await new Promise((resolve) => {
    const child = spawn(...pinned(process.execPath, args), { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('close', (status) => resolve(status ?? 1));
    process.on('exit', () => child.kill());
  });
  const idle = loops.filter((loop) => loop.exitCode !== null || loop.signalCode !== null || loop.pid === undefined);
  if (idle.length > 0) {
    say(`${idle.length} of the busy processes are gone: the run proves nothing`);
    process.exit(1);
  }
  say(`run ${turn} of ${runs} beside ${busy} busy processes: ${code === 0 ? 'ok' : 'FAILED'} in ${seconds(since)}`);
  if (code !== 0) process.exit(code);
}
process.exit(0);
