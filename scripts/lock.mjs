/**
 * One build at a time. A file that only one process can create; its holder touches it every second. A waiter takes the file over
 * when its process is gone, or when nothing has touched it for as long as the waiter watched.
 */
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';

const BEAT_MS = 1_000;
const SILENT_MS = 30_000;

/** @returns {string | undefined} */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Creates the file with this text, or says that somebody else has it. */
function create(file, text) {
  try {
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    // Windows answers EPERM or EBUSY for a file that is just being deleted.
    if (['EEXIST', 'EPERM', 'EBUSY'].includes(error.code)) return false;
    throw error;
  }
}

function touched(file) {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return undefined;
  }
}

function isGone(owner) {
  if (owner.host !== hostname()) return false;
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    // Created a moment ago and not written yet, or cut off: only time can tell.
    return { pid: 0, host: '' };
  }
}

/** Removes the file if it still holds this text. Only one process at a time may try, or two could remove each other's. */
function takeAway(file, text) {
  const guard = `${file}.takeover`;
  if (!create(guard, String(process.pid))) {
    if (Date.now() - (touched(guard) ?? Date.now()) > SILENT_MS) rmSync(guard, { force: true });
    return;
  }
  try {
    if (read(file) === text) rmSync(file, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

/**
 * Runs `work` while holding the lock.
 *
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {(message: string) => void} say
 * @returns {Promise<T>}
 */
export async function withLock(file, work, say) {
  mkdirSync(dirname(file), { recursive: true });
  const mine = JSON.stringify({
    pid: process.pid,
    host: hostname(),
    since: new Date().toISOString(),
    nonce: Math.random(),
  });
  let told = false;
  let seen;
  let seenAt = 0;
  while (!create(file, mine)) {
    const text = read(file);
    const beat = touched(file);
    if (text !== undefined && beat !== undefined) {
      const owner = parse(text);
      if (`${text}${beat}` !== seen) {
        seen = `${text}${beat}`;
        seenAt = performance.now();
      }
      if ((owner.pid > 0 && isGone(owner)) || performance.now() - seenAt > SILENT_MS) {
        takeAway(file, text);
        continue;
      }
      if (!told) say(`waiting for another build${owner.pid > 0 ? ` (process ${owner.pid})` : ''}`);
      told = true;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const beat = setInterval(() => {
    try {
      utimesSync(file, new Date(), new Date());
    } catch {
      // Somebody removed it by hand; the work goes on.
    }
  }, BEAT_MS);
  const release = () => {
    clearInterval(beat);
    if (read(file) === mine) rmSync(file, { force: true });
  };
  process.on('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}
