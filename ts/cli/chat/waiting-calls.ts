/** What waits in the chat, for the room that calls the person. */
import type { WaitingCall } from '../../terminal/call-person.js';
import type { WaitingAsk } from './view.js';

export const callsOf = (asks: readonly WaitingAsk[]): WaitingCall[] =>
  asks.map(({ request: { approvalId, toolName } }) => ({ key: approvalId, toolName }));
