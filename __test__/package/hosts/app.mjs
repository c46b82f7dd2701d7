/** An application in one file: a gated tool, approved once and rejected once. For each bundler and host. */
import { createGate, streamWithEvents } from 'countersign';
import { scenario } from './scenario.mjs';

const gate = createGate({ ledger: process.env.LEDGER ?? 'memory:' });
await gate.ready?.();
await scenario({ streamWithEvents });
await gate.close();
