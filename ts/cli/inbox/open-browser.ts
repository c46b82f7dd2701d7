/**
 * Opens a link in the browser of the person at this machine.
 *
 * The link lets anyone in who has it, and other users of this machine see the arguments of each program. So the browser is given
 * a file that leads there, which only this user can read.
 */
import { spawn } from 'node:child_process';
import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** The program of each system that opens a file in what the user has chosen for it, and its arguments before the file. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [program: string, ...before: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const OTHER = ['xdg-open'] as const;

/** Whether a browser that is opened here is seen by the person at this terminal. */
export function hasBrowser(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): boolean {
  const { SSH_CONNECTION, SSH_TTY, CI, DISPLAY, WAYLAND_DISPLAY } = environment;
  if (SSH_CONNECTION || SSH_TTY || CI) return false;
  return platform in OPENERS || Boolean(DISPLAY || WAYLAND_DISPLAY);
}

export interface OpenedBrowser {
  /** Whether something opened it. What became of it is not known. */
  opened: boolean;
  /** Takes the file away that leads there. */
  end: () => Promise<void>;
}

/** Never rejects: where nothing opens it, the link can still be followed by hand. */
export async function openBrowser(url: string, platform: NodeJS.Platform = process.platform): Promise<OpenedBrowser> {
  let folder: string | undefined;
  const end = async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => {});
  };
  try {
    await removeLeft().catch(() => {});
    // Only this user can look into what it makes.
    folder = await mkdtemp(join(tmpdir(), `${FOLDER}${process.pid}-`));
    const file = join(folder, 'inbox.html');
    await writeFile(file, pageTo(url), { mode: 0o600, flag: 'wx' });
    const [program, ...before] = OPENERS[platform] ?? OTHER;
    return { opened: await started(program, [...before, file]), end };
  } catch {
    return { opened: false, end };
  }
}

const FOLDER = 'countersign-inbox-';

/** Takes away what was left by processes that were killed: links that lead nowhere any more. */
async function removeLeft(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = OF_PROCESS.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const path = join(tmpdir(), name);
    // The folder for temporary files is everybody's: what is not of this user is not ours.
    const { uid } = await lstat(path);
    if (uid === userInfo().uid) await rm(path, { recursive: true, force: true });
  }
}

const OF_PROCESS = new RegExp(`^${FOLDER}(\\d+)-`);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It lives, and is another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** @param url of our own making: nothing in it has a meaning in HTML */
const pageTo = (url: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Inbox</title>` +
  `<meta http-equiv="refresh" content="0; url=${url}"><p>Opening the inbox…</p></html>\n`;

/** So long, in ms, may an opener take to say that it cannot. */
const PATIENCE_MS = 2_000;

function started(program: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    // Ctrl+C ends the inbox, not the browser.
    const child = spawn(program, args, { stdio: 'ignore', detached: true, windowsHide: true });
    // Some of them are the browser itself, and go on.
    const patience = setTimeout(() => resolve(true), PATIENCE_MS);
    const over = (isOpen: boolean) => {
      clearTimeout(patience);
      resolve(isOpen);
    };
    child.once('error', () => over(false));
    child.once('exit', (code) => over(code === 0));
    child.unref();
  });
}
