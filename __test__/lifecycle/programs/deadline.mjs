/** Nothing of JavaScript is due: the deadline alone wakes the process. Says how late. */
import { createGate, streamWithEvents } from 'countersign';
import { calls, del, say, says, scripted } from './lib.mjs';

const late = async (ms, wait) => {
  const since = performance.now();
  await wait(ms);
  return Math.round(performance.now() - since - ms);
};
const gate = createGate();
say('warm', await late(1, (ms) => gate.request({ toolName: 'del', args: {}, timeout: ms })));
for (const ms of process.argv[2] === 'short' ? [20, 40, 60] : [50, 300, 1000]) {
  say(
    'request',
    await late(ms, async (timeout) => {
      const { decision, approved } = await gate.request({ toolName: 'del', args: {}, timeout });
      if (decision.type !== 'expired' || approved) say('WRONG', decision.type);
    }),
  );
}
say(
  'run',
  await late(300, async (approvalTimeout) => {
    for await (const { type, decision } of streamWithEvents({
      model: scripted(calls('/a'), says('.')),
      tools: { del },
      prompt: 'go',
      interruptOn: 'all',
      gate,
      approvalTimeout,
    })) {
      if (decision) say(type, decision.type);
    }
  }),
);
