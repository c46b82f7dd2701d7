/** An application in one file: a gated tool, approved once and rejected once. For each bundler and host; some take no top-level await. */
import { createGate, streamWithEvents } from 'countersign';
import { scenario } from './scenario.mjs';

async function main() {
  const gate = createGate();
  await scenario({ streamWithEvents });
  await gate.close();
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
