/** Streams that `terminalApprover` asks on. */
import { PassThrough, Writable } from 'node:stream';

/** A terminal, or a pipe, and all that was put there. */
export function place(isTTY: boolean) {
  let shown = '';
  const waiting = new Set<() => void>();
  const input = Object.assign(new PassThrough(), isTTY ? { isTTY, setRawMode: () => {} } : {});
  const output = Object.assign(
    new Writable({
      write(chunk, _, done) {
        shown += String(chunk);
        for (const look of waiting) look();
        done();
      },
    }),
    isTTY ? { isTTY } : {},
  );
  /** Resolves when this stands there so often. */
  const until = (text: string, times = 1): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (shown.split(text).length - 1 < times) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { input, output, until, shown: () => shown };
}
