/** What the system says of a file, in a few words. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read or written',
  EPERM: 'it may not be read or written',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of it is not a directory',
  EEXIST: 'there is such a file by now',
  ENOSPC: 'the disk is full',
  EROFS: 'nothing can be written there',
};

/** What is the matter with a file; `undefined`: it is no such error. Its own words are those of a function call. */
export function systemWords(error: unknown): string | undefined {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return error instanceof Error && code !== undefined && Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
}
