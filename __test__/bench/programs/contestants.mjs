// Contestants of a benchmark. Most misbehave, and really do.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';

let runs = 0;

/** Does what it is asked, always. */
export async function steady() {
  for (let i = 0; i < 1_000; i++) runs += i;
}

/** Well at first. */
export async function crashes() {
  if (++runs < 3) return;
  console.error('Fatal error in v8::ToLocalChecked\n#\n#\n# Check failed: it is over');
  process.kill(process.pid, 'SIGSEGV');
  await forEver();
}

export async function exits() {
  console.error('not with me');
  process.exit(3);
}

/** Ends as if all were well. */
export const leaves = async () => process.exit(0);

/** The failure here is not awaited. */
export async function throwsBeside() {
  Promise.reject(new Error('out of nowhere'));
  await forEver();
}

export async function answersNonsense() {
  process.send({ time: 'soon' });
  await forEver();
}

export async function saysNonsense() {
  process.send('xyzzy');
  await forEver();
}

export const answersWrongly = async () => assert.equal(41, 42, 'the tool ran with other arguments');

/** It waits, and leaves the processor alone. */
export async function hangs() {
  // For those who want to know whether it was ended.
  if (process.env.PID_FILE !== undefined) writeFileSync(process.env.PID_FILE, String(process.pid));
  await forEver();
}

/** It is so busy that it notices nothing. */
export async function spins() {
  for (;;) runs++;
}

const forEver = () => new Promise(() => setInterval(() => {}, 1_000_000));
