/** Disks that are full, or that cannot be written to: what was acknowledged stays, the error says what it is, and nothing runs. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { OWN_MOUNTS, stage } from './processes.js';

const on = stage();
const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', [...OWN_MOUNTS, 'sh', '-c', 'mount -t tmpfs none /mnt && command -v mount'], { stdio: 'ignore' })
    .status === 0;

// A file system of its own is mounted, which needs root or a system that lets users make namespaces.
describe.skipIf(!canMount)('on a disk of its own', () => {
  it('that gets full: refused, nothing is lost, nothing runs; freed, it goes on', async () => {
    const worker = on.startOnDisk(8 * 1024 * 1024, 'full');
    expect(await worker.ended, worker.all).toEqual({ code: 0, signal: null });
    const said = (word: string) => worker.said(word).map((words) => words.join(' '));
    for (const reason of said('full')) expect(reason).toMatch(/ERR_LEDGER_FULL|its disk is full; free some space/);
    const count = Number(said('acknowledged')[0]);
    expect(count).toBeGreaterThan(5);
    expect(said('approved'), worker.all).toEqual([expect.stringMatching(/^ERR_LEDGER_FULL /), 'yes']);
    expect(said('asked')).toEqual([expect.stringMatching(/^ERR_LEDGER_FULL /)]);
    expect(said('opened')).toEqual([expect.stringMatching(/^ERR_LEDGER_FULL /)]);
    expect(said('there')).toEqual([`${count} 0`, `${count} 1`]);
    expect([said('ran'), said('verified')]).toEqual([['deleted 1'], ['true']]);
  });

  it('that is mounted for reading only: refused', async () => {
    const worker = on.startOnDisk(8 * 1024 * 1024, 'readonly');
    expect(await worker.ended, worker.all).toEqual({ code: 0, signal: null });
    for (const word of ['opened', 'asked']) expect(worker.said(word)[0]?.[0], worker.all).toBe('ERR_LEDGER_READ_ONLY');
  });
});
