/**
 * A ledger on a disk that is mounted for reading only.
 *
 *     readonly.mjs
 */
import { execFileSync } from 'node:child_process';
import { createGate } from 'countersign';
import { say } from './lib.mjs';

const ledger = 'sqlite:/mnt/approvals.db';
const first = createGate({ ledger });
const asking = first.request({ toolName: 't', args: {} });
asking.catch(() => {});
while ((await first.pending()).length === 0);
await first.close();
// The gate's file is closed when nothing of it is used any more: mounted anew, it is as after a restart.
try {
  execFileSync('mount', ['-o', 'remount,ro', '/mnt'], { stdio: 'pipe' });
} catch {
  execFileSync('mount', ['--bind', '/mnt', '/mnt']);
  execFileSync('mount', ['-o', 'remount,bind,ro', '/mnt']);
}
const gate = createGate({ ledger });
const refused = (error) => `${error.code} ${error.message}`;
say('opened', await gate.ready().then(() => 'yes', refused));
say('asked', await gate.request({ toolName: 't', args: {} }).then(() => 'yes', refused));
process.exit(0);
