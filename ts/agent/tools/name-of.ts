/** What would end a line, or is not seen. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/**
 * A path, as one line that the model reads. A name may hold a line break: shown as it is, one file would look like two. Such a
 * path is in quotes, with escapes as JSON has them.
 */
export const nameOf = (path: string): string =>
  path.search(UNSEEN) === -1 && !path.startsWith('"')
    ? path
    : JSON.stringify(path).replace(UNSEEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
