/** Where files are that are neither temporary nor in the home: a command that is confined has its own of both. */
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, sep } from 'node:path';

const TEMPORARY = [tmpdir(), '/tmp', '/var/tmp', '/dev/shm', '/run'];

/**
 * A new folder, as its real path, and another home for the tests of this file; the caller removes it. Beside the checkout's own files,
 * unless they are temporary ones themselves: then where the home was.
 */
export function ownPlace(prefix: string): string {
  const build = join(import.meta.dirname, '../../.build');
  mkdirSync(build, { recursive: true });
  const isTemporary = TEMPORARY.some((folder) => realpathSync(build).startsWith(`${folder}${sep}`));
  const place = realpathSync(mkdtempSync(join(isTemporary ? homedir() : build, `.countersign-${prefix}-`)));
  const home = join(place, 'home');
  mkdirSync(home);
  process.env.HOME = home;
  return place;
}
