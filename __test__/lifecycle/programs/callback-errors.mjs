/** Callbacks that go wrong in every way there is; the run goes on each time, and the process with it. */
import { streamWithEvents } from 'countersign';
import { calls, del, say, says, scripted } from './lib.mjs';

process.on('unhandledRejection', (error) => say('UNHANDLED', error?.message));
process.on('uncaughtException', (error) => say('UNCAUGHT', error?.message));

const broken = () => {
  throw new Error('broken');
};
const answers = {
  throws: broken,
  rejects: () => Promise.reject(new Error('broken')),
  'throws undefined': () => {
    throw undefined;
  },
  'rejects null': () => Promise.reject(null),
  'throws what cannot be shown': () => {
    throw {
      get message() {
        return broken();
      },
      toString: broken,
      [Symbol.toPrimitive]: broken,
    };
  },
  'a thenable that throws': () => ({ then: broken }),
  'a thenable that rejects late': () => ({ then: (_, reject) => setTimeout(() => reject(new Error('broken')), 1) }),
  'a getter that throws': () => ({
    get type() {
      return broken();
    },
  }),
  'toJSON that throws': () => ({ type: 'approve', toJSON: broken }),
  'a proxy that throws': () => new Proxy({}, { get: broken, ownKeys: broken }),
  'a cycle': () => {
    const cycle = { type: 'respond' };
    cycle.output = cycle;
    return cycle;
  },
  'a bigint': () => 1n,
  'a symbol': () => Symbol('yes'),
  'a function': () => () => true,
  nothing: () => undefined,
  'the text true': () => 'true',
};
for (const [name, onApprovalRequest] of Object.entries(answers)) {
  const run = streamWithEvents({
    model: scripted(calls('/a'), says('.')),
    tools: { del },
    prompt: 'go',
    interruptOn: 'all',
    onApprovalRequest,
  });
  const types = [];
  for await (const { type } of run) types.push(type);
  say(name, '->', types.includes('tool-denied') && types.at(-1) === 'done' ? 'denied' : types.join());
}
say('end');
