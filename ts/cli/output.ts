/**
 * What the command says. The reader may stop, or have no room for it: then no more is said, and what the command does goes on
 * to its end, which alone gives the exit code.
 */
import { Exit } from './exit.js';

type OutputStream = NodeJS.WriteStream;

const lost = new Map<OutputStream, NodeJS.ErrnoException>();
const waiting = new Set<() => void>();

/** Faults that say that a reader is gone. */
const GONE: readonly (string | undefined)[] = ['EPIPE', 'ECONNRESET', 'EIO'];

/** Hears of what cannot be written. To be called once, before anything is. */
export function watchOutputs(): void {
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (lost.has(output)) return;
      lost.set(output, error);
      for (const wake of waiting) wake();
      if (output === process.stdout && !GONE.includes(error.code))
        process.stderr.write(`countersign: what it says could not be written: ${error.message}\n`);
    });
  }
}

/** Whether what is written there can still be read. */
export const isRead = (output: OutputStream = process.stdout): boolean => !lost.has(output);

/** Calls when nothing more can be written to stdout. @returns what ends that */
export function whenUnread(call: () => void): () => void {
  const look = (): void => {
    if (!isRead()) call();
  };
  waiting.add(look);
  look();
  return () => void waiting.delete(look);
}

/** Writes on stdout, as fast as it is read; nothing without a reader. */
export async function write(text: string): Promise<void> {
  if (!isRead() || process.stdout.write(text)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      process.stdout.off('drain', done);
      stop();
      resolve();
    };
    process.stdout.on('drain', done);
    const stop = whenUnread(() => setImmediate(done));
  });
}

/** The exit code of a command that has ended with this one: what it was to say may have had no room. */
export function exitAfter(exit: number): number {
  const fault = lost.get(process.stdout);
  return exit === Exit.ok && fault !== undefined && !GONE.includes(fault.code) ? Exit.failure : exit;
}

/** Ends the process when all is written, or the reader is gone. */
export async function leave(exit: number): Promise<never> {
  await new Promise((written) => process.stdout.write('', written));
  process.exit(exitAfter(exit));
}
