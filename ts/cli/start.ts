#!/usr/bin/env node
/** Starts the command. What it needs may be missing, as the addon: then it is told in words, and not as a line of its source. */
try {
  await import('./main.js');
} catch (error) {
  const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : { message: String(error) };
  const said = `${code === undefined ? '' : `${code}: `}${message}`;
  // The check of what is safe to show is in what could not be loaded.
  process.stderr.write(`countersign: ${said.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')}\n`);
  process.exitCode = 1;
}
