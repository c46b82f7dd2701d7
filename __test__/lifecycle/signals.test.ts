/**
 * SIGINT while a human is asked: a handler that aborts ends the run cleanly; without one the process is gone at once. SIGPIPE, in
 * a way: a log without a reader changes nothing. Any signal, while a confined command runs: it ends as well.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runtimes, type Runtime } from '../runtimes.js';
import { confinementReport } from '../../ts/index.js';
import { ownPlace } from '../support/own-place.js';
import { untilGone } from '../support/running.js';
import { makeSandbox, type Sandbox } from './sandbox.js';

/** Runs the program until it says `asked`, sends the signal, and tells how it ended: without the signal it never would. */
async function interrupt(sandbox: Sandbox, runtime: Runtime, how: string) {
  const child = spawn(runtime.path, [join(sandbox.folder, 'signals.mjs'), how], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
  while (!text.includes('asked')) {
    await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
    if (child.exitCode !== null) throw new Error(`it ended before it asked: ${text}`);
  }
  child.kill('SIGINT');
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, lines: text.trim().split('\n') };
}

// Windows has no signals: a process that is sent one is just gone.
describe.skipIf(process.platform === 'win32').each(runtimes().map((runtime) => [runtime.name, runtime] as const))(
  '%s',
  (_, runtime) => {
    let sandbox: Sandbox;
    beforeAll(() => void (sandbox = makeSandbox('ai7')));
    afterAll(() => sandbox.remove());

    it('with a handler that aborts', async () => {
      const { code, signal, lines } = await interrupt(sandbox, runtime, 'handled');
      expect(lines).toEqual(['asked', 'stopping', 'cancelled', 'aborted 0', 'end']);
      expect([code, signal]).toEqual([3, null]);
    });

    it('without one', async () => {
      const { code, signal, lines } = await interrupt(sandbox, runtime, 'not handled');
      expect(lines).toEqual(['asked']);
      expect(code === 130 || signal === 'SIGINT', `${code} ${signal}`).toBe(true);
    });
  },
);

const report = confinementReport();

describe.runIf(report.by === 'landlock').each(runtimes().map((runtime) => [runtime.name, runtime] as const))(
  '%s',
  (_, runtime) => {
    let sandbox: Sandbox;
    let place: string;
    beforeAll(() => {
      sandbox = makeSandbox('ai7');
      place = ownPlace('signals');
    });
    afterAll(() => {
      sandbox.remove();
      rmSync(place, { recursive: true });
    });

    it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
      'a confined command ends with a process that gets %s',
      async (signal) => {
        const mark = join(place, signal);
        mkdirSync(mark);
        const child = spawn(runtime.path, [join(sandbox.folder, 'confined.mjs'), mark, mark], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        onTestFinished(() => void child.kill('SIGKILL'));
        let text = '';
        child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
        while (!text.includes('begun')) {
          await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
          if (child.exitCode !== null) throw new Error(`it ended before its command began: ${text}`);
        }
        child.kill(signal);
        await once(child, 'close');
        await untilGone(`: ${mark};`);
        expect(text).not.toContain('ended');
      },
    );
  },
);

describe.each(runtimes().map((runtime) => [runtime.name, runtime] as const))('%s', (_, runtime) => {
  let sandbox: Sandbox;
  beforeAll(() => void (sandbox = makeSandbox('ai7')));
  afterAll(() => sandbox.remove());

  it.each(['compact', 'json'])('deadlines pass though nobody reads the log any more (%s)', async (format) => {
    const child = spawn(runtime.path, [join(sandbox.folder, 'deadline.mjs'), 'short'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, COUNTERSIGN_LOG: 'trace', COUNTERSIGN_LOG_FORMAT: format },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stderr.destroy();
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, text.split('\n').filter((line) => line.startsWith('request ')).length]).toEqual([0, 3]);
  });
});
