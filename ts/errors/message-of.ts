/** Always text that the core takes, whatever was thrown. */
export function messageOf(error: unknown): string {
  try {
    const message: unknown = error instanceof Error ? error.message : error;
    return String(message).toWellFormed();
  } catch {
    return 'an error that cannot be shown';
  }
}
