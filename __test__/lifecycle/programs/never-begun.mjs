/** A run that is waited for as if it were a promise, and so never begun; and one that is left on purpose. */
import { streamWithEvents } from 'countersign';
import { says, scripted } from './lib.mjs';

const made = () => streamWithEvents({ model: scripted(says('.')), prompt: 'go', interruptOn: 'none' });
await made().return();
if (process.argv[2] === 'await') await made();
