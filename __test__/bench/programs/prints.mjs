// A contestant that prints its figures, or does not: `node prints.mjs <how>`.
import assert from 'node:assert/strict';

const ways = {
  well: () => process.stdout.write('{"value":1}'),
  crashes: () => {
    console.error('about to crash');
    process.stdout.write('{"value":1}');
    process.kill(process.pid, 'SIGSEGV');
    setInterval(() => {}, 1_000_000);
  },
  exits: () => {
    process.stdout.write('{"value":1}');
    console.error('not with me');
    process.exitCode = 3;
  },
  'prints nonsense': () => process.stdout.write('Welcome to prints.mjs!'),
  'prints something else': () => process.stdout.write('{"value":"many"}'),
  'prints nothing': () => {},
  'does something else': () => assert.equal(41, 42, 'it was asked 42 times'),
  hangs: () => setInterval(() => {}, 1_000_000),
};

ways[process.argv[2]]();
