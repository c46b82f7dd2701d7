/** Commands of a local backend: a real `sh`, and processes that are there or gone by their ids. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Backend } from '../../agent.js';
import { BothEnds } from '../../ts/agent/backend/both-ends.js';
import { BackendError, createLocalBackend } from '../../ts/agent/index.js';
import { fakeClock } from '../support/fake-clock.js';

let root: string;
let backend: Backend;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'execute-')));
  backend = createLocalBackend({ root });
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** Not a zombie either, which may have no parent to reap it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}

const pidIn = (name: string) => Number(readFileSync(join(root, name), 'utf8'));

/** Waits until the file has a line. */
const written = (name: string) =>
  until(() => existsSync(join(root, name)) && readFileSync(join(root, name), 'utf8').endsWith('\n'));

describe('a command', () => {
  test('has both streams in their order, its exit code, the root and nothing to read', async () => {
    const order = Array.from({ length: 50 }, (_, line) => `echo out${line}; echo err${line} >&2`).join('\n');
    const { output, ...rest } = await backend.execute(`${order}; cat; pwd; exit 3`);
    expect(output.split('\n')).toEqual([
      ...Array.from({ length: 50 }, (_, line) => [`out${line}`, `err${line}`]).flat(),
      root,
      '',
    ]);
    expect(rest).toEqual({ exitCode: 3, signal: null, truncated: false, bytes: output.length, stopped: null });
  });

  test('is one argument, whatever is in it', async () => {
    expect((await backend.execute(`echo "$0" '$1' "it's" # no more`)).output).toBe("sh $1 it's\n");
    const wrong = await backend.execute('echo (');
    expect([wrong.exitCode, wrong.output]).toEqual([2, expect.stringMatching(/syntax/i)]);
  });

  test('sees what is listed of the environment, and no keys', async () => {
    process.env.COUNTERSIGN_TEST_KEY = 'a key';
    process.env.LC_TEST = 'x';
    process.env.LC_ALL = 'zh_CN.GBK';
    const before = process.env.PAGER;
    process.env.PAGER = 'touch pager; cat';
    try {
      const names = (output: string) => output.match(/^\w+(?==)/gm);
      const { output } = await backend.execute('env');
      expect(names(output)).toEqual(expect.arrayContaining(['PATH', 'HOME']));
      expect(output).not.toMatch(/a key|GBK|touch pager/);
      expect(output).toContain('LC_ALL=C.UTF-8\n');
      expect(output).toContain('GIT_NO_LAZY_FETCH=1\n');
      const handedOn = /^(PATH|HOME|USER|TZ|TERM|TMPDIR|PWD|SHLVL|_|OLDPWD)$/;
      const ours =
        /^(LC_ALL|(MAN|GIT_)?PAGER|EDITOR|VISUAL|GIT_(SEQUENCE_)?EDITOR|GIT_(TERMINAL_PROMPT|OPTIONAL_LOCKS|NO_LAZY_FETCH)|GIT_CONFIG_(COUNT|KEY_\d|VALUE_\d)|npm_config_update_notifier|NO_UPDATE_NOTIFIER|PIP_DISABLE_PIP_VERSION_CHECK)$/;
      expect(names(output)?.filter((name) => !handedOn.test(name) && !ours.test(name))).toEqual([]);
      const own = createLocalBackend({ root, env: { PATH: process.env.PATH, OWN: 'mine', NONE: undefined } });
      expect((await own.execute('echo "$OWN-$HOME-${NONE-unset}"')).output).toBe('mine--unset\n');
    } finally {
      delete process.env.COUNTERSIGN_TEST_KEY;
      delete process.env.LC_TEST;
      delete process.env.LC_ALL;
      if (before === undefined) delete process.env.PAGER;
      else process.env.PAGER = before;
    }
  });

  test('of git runs nothing that a folder of the project names', async () => {
    mkdirSync(join(root, 'sub/objects'), { recursive: true });
    mkdirSync(join(root, 'sub/refs'));
    writeFileSync(join(root, 'sub/HEAD'), 'ref: refs/heads/main\n');
    const hostile = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch ${root}/ran; false"\n`;
    writeFileSync(join(root, 'sub/config'), hostile);
    const { output } = await backend.execute('cd sub && git status');
    expect(output).toMatch(/safe\.bareRepository|not a git repository/i);
    // Nor does a repository that was unpacked with its settings, while it is looked at.
    await backend.execute(`git init -q clone && cp sub/config clone/.git/config && cd clone && git status && git log`);
    // What the user sets of git is kept.
    const set = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Ada' };
    const own = createLocalBackend({ root, env: { PATH: process.env.PATH, HOME: root, ...set } });
    expect(
      (await own.execute('git config user.name; git config core.fsmonitor; git config safe.bareRepository')).output,
    ).toBe('Ada\nfalse\nexplicit\n');
    expect(existsSync(join(root, 'ran'))).toBe(false);
  });

  test('that a signal ends says so', async () => {
    expect(await backend.execute('kill -9 $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL', stopped: null });
  });

  test('that cannot be started is an error', async () => {
    const gone = createLocalBackend({ root: mkdtempSync(join(root, 'gone-')) });
    rmSync(gone.root, { recursive: true });
    const errors: unknown[] = await Promise.all(
      [gone.execute('true'), backend.execute('echo a\0b'), backend.execute('x'.repeat(4_000_000))].map((work) =>
        work.catch((error: unknown) => error),
      ),
    );
    for (const error of errors) expect(BackendError.isInstance(error) && error.code).toBe('ERR_FILE_IO');
  });
});

describe('the output', () => {
  test('comes as it is written, characters whole', async () => {
    const texts: string[] = [];
    const onOutput = (text: string) => {
      texts.push(text);
      writeFileSync(join(root, 'read'), '');
      throw new Error('not our fault');
    };
    // The two halves of a character; the first is read before the second is written.
    const script = `printf 'a\\303'; while ! [ -e read ]; do sleep 0.01; done; printf '\\251b'`;
    const { output } = await backend.execute(script, { onOutput });
    expect([output, texts.join('')]).toEqual(['aéb', 'aéb']);
    expect(texts.length).toBeGreaterThan(1);
  });

  test('of many bytes is kept at both ends and counted', async () => {
    let told = 0;
    const { output, ...rest } = await backend.execute('echo first; yes ééééééé | head -c 30000000; echo; echo last', {
      onOutput: (text) => (told += Buffer.byteLength(text)),
    });
    expect(rest).toMatchObject({ truncated: true, bytes: 30_000_012, exitCode: 0, stopped: null });
    expect(told).toBe(30_000_012);
    expect(output).toMatch(/^first\néé[^\ufffd]*\n\[… [\d,]+ bytes left out …\]\n[^\ufffd]*éé\n\nlast\n$/);
    expect(output.endsWith('last\n')).toBe(true);
    expect(Buffer.byteLength(output)).toBeLessThan(65_536 + 60);
    expect(Buffer.byteLength(output)).toBeGreaterThan(65_500);
  });

  test('is whole up to the limit, whatever its pieces are', () => {
    const content = Buffer.from('aé⌘🙂b'.repeat(9));
    for (const most of [1, 2, 3, 7, 20, content.length - 1, content.length, content.length + 1, 1_000]) {
      for (const size of [1, 2, 3, 5, 50, 1_000]) {
        const ends = new BothEnds(most);
        for (let at = 0; at < content.length; at += size) ends.add(content.subarray(at, at + size));
        expect([ends.bytes, ends.truncated]).toEqual([content.length, most < content.length]);
        if (!ends.truncated) {
          expect(ends.text()).toBe(content.toString());
          continue;
        }
        const [head = '', tail = ''] = ends.text().split(/\n\[… \d+ bytes left out …\]\n/);
        expect(content.toString().startsWith(head) && content.toString().endsWith(tail), ends.text()).toBe(true);
        const kept = Buffer.byteLength(head + tail);
        expect(ends.text()).toContain(`[… ${content.length - kept} bytes`);
        expect(kept).toBeGreaterThan(most - 7);
        expect(kept).toBeLessThanOrEqual(most);
      }
    }
  });
});

describe.skipIf(process.platform === 'win32')('what a command started', () => {
  test('is gone when it ends', async () => {
    const { output, stopped } = await backend.execute('sleep 1000 & echo $! > pid; echo started');
    expect([output, stopped]).toEqual(['started\n', null]);
    await until(() => !isAlive(pidIn('pid')));
  });

  test('is gone when its time is over', async () => {
    // On a busy machine it may not have begun by then: then again, with more time.
    for (let timeout = 100; !existsSync(join(root, 'pid')); timeout *= 4) {
      const result = await backend.execute('(sleep 1000 & echo $! > new; mv new pid; wait) & wait', { timeout });
      expect(result).toMatchObject({ exitCode: null, signal: 'SIGTERM', stopped: 'timeout' });
    }
    await until(() => !isAlive(pidIn('pid')));
  });

  test('has no more time than the backend gives', async () => {
    const hasty = createLocalBackend({ root, commandTimeout: 100 });
    expect((await hasty.execute('sleep 1000', { timeout: 1_000_000 })).stopped).toBe('timeout');
    expect((await hasty.execute('sleep 1000', { timeout: -1 })).stopped).toBe('timeout');
  });

  test('is asked to end when it is aborted, and may clean up', async () => {
    // The time that it has for that does not pass.
    fakeClock(['performance', 'setTimeout', 'clearTimeout']);
    const aborter = new AbortController();
    const script = `sh -c 'trap "sleep 0.1; echo cleaned > done; exit 0" TERM; echo $$ > pid; while :; do sleep 0.01; done' & wait`;
    const running = backend.execute(script, { abortSignal: aborter.signal });
    await written('pid');
    aborter.abort();
    expect(await running).toMatchObject({ stopped: 'aborted', signal: 'SIGTERM' });
    expect(readFileSync(join(root, 'done'), 'utf8')).toBe('cleaned\n');
    expect(isAlive(pidIn('pid'))).toBe(false);
  });

  test('is killed when it does not end', async () => {
    const clock = fakeClock(['performance', 'setTimeout', 'clearTimeout']);
    const aborter = new AbortController();
    const kill = vi.spyOn(process, 'kill');
    onTestFinished(() => kill.mockRestore());
    // Whether somebody is alive is asked with signal 0.
    const signals = () => kill.mock.calls.map(([, signal]) => signal).filter((signal) => typeof signal === 'string');
    const script = `trap '' TERM; sh -c 'echo $$ > pid; while :; do sleep 0.05; done' & echo up; wait; while :; do sleep 0.05; done`;
    const running = backend.execute(script, { abortSignal: aborter.signal });
    await written('pid');
    aborter.abort();
    clock.tick(1_900);
    expect(signals()).toEqual(['SIGTERM']);
    clock.tick(200);
    expect(signals()).toContain('SIGKILL');
    expect(await running).toMatchObject({ stopped: 'aborted', signal: 'SIGKILL', output: 'up\n' });
    await until(() => !isAlive(pidIn('pid')));
  });

  test('and left its group does not keep anybody waiting', async () => {
    const { output, stopped } = await backend.execute('setsid sleep 1000 & echo $! > pid; sleep 0.1; echo over');
    expect([output, stopped]).toEqual(['over\n', null]);
    try {
      process.kill(pidIn('pid'), 'SIGKILL');
    } catch {
      // It was still in the group.
    }
  });

  test('and left its group is heard out, though nobody could read for a while', async () => {
    const inGroup = `while ! [ -s pid ]; do sleep 0.01; done; echo $$ > leader`;
    const outside = `echo $$ > pid; while ! [ -e go ]; do sleep 0.01; done; echo late; : > wrote; exec sleep 1000`;
    const running = backend.execute(`setsid sh -c '${outside}' & ${inGroup}`);
    await written('leader');
    await until(() => {
      try {
        return !process.kill(pidIn('leader'), 0);
      } catch {
        return true;
      }
    });
    // From here on this thread stands still, until nobody waits any longer. After this, timers are looked at first.
    await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(join(root, 'go'), '');
    const clock = new Int32Array(new SharedArrayBuffer(4));
    for (const since = performance.now(); performance.now() - since < 1_100 || !existsSync(join(root, 'wrote'));)
      Atomics.wait(clock, 0, 0, 10);
    expect((await running).output).toBe('late\n');
    process.kill(pidIn('pid'), 'SIGKILL');
  });
});
