/** Runs that are never begun: waited for as if they were promises, or made into unread results; and some that are left on purpose. */
import { streamWithEvents } from 'countersign';
import { says, scripted } from './lib.mjs';

const made = () => streamWithEvents({ model: scripted(says('.')), prompt: 'go', interruptOn: 'none' });
await made().return();
const ways = {
  await: () => made(),
  leave: () => made().return(),
  stream: () => void made().toUIMessageStream(),
  response: () => void made().toUIMessageStreamResponse(),
  cancel: () => made().toUIMessageStreamResponse().body.cancel(),
};
await ways[process.argv[2]]();
