/** Processes that are known by what stands in their command line: those in a space of their own have other ids there. */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when no process runs any more that has this in its command line: it has ended, or was killed. */
export async function untilGone(mark: string): Promise<void> {
  while (commandLines().some((line) => line.includes(mark))) await sleep(10);
}

function commandLines(): string[] {
  if (process.platform !== 'linux') return execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).split('\n');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        // It has ended meanwhile.
        return '';
      }
    });
}
