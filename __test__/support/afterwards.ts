/** Whether nothing more happens is seen by what happens later: on a busy machine no time is long enough for that. */
import { expect } from 'vitest';
import type { Gate } from '../../index.js';
import { call, calls, says, sleep } from './model.js';
import { play } from './play.js';
import { recordingTools } from './tools.js';

/** The id of the call that is asked about afterwards. */
export const LATER = 'afterwards';

/**
 * One more call is asked about on this gate, approved and run: what was to happen before has happened.
 *
 * @param thinks how long its human takes, in ms: longer than anybody who may still be waiting for a timer of this process
 */
export async function afterwards(gate: Gate, thinks = 0): Promise<void> {
  const { ran, tools } = recordingTools();
  await play({
    turns: [calls(call('del', { path: '/afterwards' }, LATER)), says('.')],
    tools,
    interruptOn: 'all',
    gate,
    onApprovalRequest: () => sleep(thinks).then(() => true),
  });
  expect(ran).toEqual(['del /afterwards']);
}
