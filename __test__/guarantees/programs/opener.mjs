/**
 * Opens a ledger, and makes it if it is missing.
 *
 *     opener.mjs <ledger>
 */
import { createGate } from 'countersign';
import { say } from './lib.mjs';

const gate = createGate({ ledger: process.argv[2] });
say('opening');
await gate.ready();
say('open');
process.stdin.resume();
