/** What a process is warned of, each once: as if it had heard of nothing yet. */
import { vi } from 'vitest';

/** Ours so far. To be called in the test that makes them. */
export function listenToWarnings(): { readonly warnings: string[]; [Symbol.dispose](): void } {
  (globalThis as Record<symbol, unknown>)[Symbol.for('countersign.warnings')] = undefined;
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  return {
    get warnings() {
      const calls = spy.mock.calls as unknown as [string, { type?: string }?][];
      return calls.flatMap(([message, options]) => (options?.type === 'CountersignWarning' ? [message] : []));
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  };
}
