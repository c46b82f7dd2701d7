/**
 * What was thrown and where, without what it says: that may quote what somebody was asked. `TypeError ENOENT at ask.js:12:3`.
 */
export function originOf(error: unknown): string {
  try {
    if (!(error instanceof Error)) return `a thrown ${typeof error}`;
    const { name, code, stack } = error as Error & { code?: unknown };
    const frame = /([^\\/\s(]+:\d+:\d+)\)?$/m.exec(String(stack))?.[1];
    const parts = [
      name,
      /^[A-Z][A-Z0-9_]+$/.test(String(code)) ? String(code) : '',
      frame === undefined ? '' : `at ${frame}`,
    ];
    return parts.filter((part) => /^[\w .:@-]+$/.test(part)).join(' ');
  } catch {
    return 'an error that cannot be shown';
  }
}

/** Text that the core takes, for any thrown value. */
export function messageOf(error: unknown): string {
  try {
    const message: unknown = error instanceof Error ? error.message : error;
    return String(message).toWellFormed();
  } catch {
    return 'an error that cannot be shown';
  }
}
