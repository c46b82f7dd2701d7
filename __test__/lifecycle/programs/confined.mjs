/** A confined command that does not end by itself. */
import { createLocalBackend } from 'countersign/agent';
import { say } from './lib.mjs';

const [, , root, mark] = process.argv;
const backend = createLocalBackend({ root, confine: true });
const command = `setsid sh -c ': ${mark}; while :; do sleep 0.1; done' & echo begun; : ${mark}; while :; do sleep 0.1; done`;
await backend.execute(command, { onOutput: say });
say('ended');
