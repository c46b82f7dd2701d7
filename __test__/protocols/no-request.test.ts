/** What these functions are given is checked before it is read: a mistake says what it is, and where. */
import { expect, it } from 'vitest';
import { fromPermissionOutcome, toPermissionRequest } from '../../ts/protocols/acp.js';
import { fromElicitResult, toElicitation } from '../../ts/protocols/mcp.js';
import { toNodeListener } from '../../ts/inbox/index.js';
import { requestWith } from './asked.js';

const odd = [undefined, null, 'x', 1, [], {}, { approvalId: 'a' }, () => {}];

it.each([
  ['toPermissionRequest', (request: never) => toPermissionRequest(request, 's')],
  ['fromPermissionOutcome', (request: never) => fromPermissionOutcome({ outcome: 'cancelled' }, request)],
  ['toElicitation', (request: never) => toElicitation(request)],
  ['fromElicitResult', (request: never) => fromElicitResult({ action: 'cancel' }, request)],
])('%s refuses what is no request', async (name, call) => {
  for (const request of odd) {
    const code = 'ERR_INVALID_CONFIG';
    expect(() => call(request as never), String(request)).toThrow(expect.objectContaining({ code }) as Error);
    expect(() => call(request as never), String(request)).toThrow(`${name}: the request must be`);
  }
  expect(() => call({ ...odd } as never)).toThrow(name);
  expect(call((await requestWith()) as never)).toBeDefined();
});

it.each([undefined, null, {}, 'x'])('toNodeListener refuses %s', (handler) => {
  expect(() => toNodeListener(handler as never)).toThrow(/toNodeListener: the handler must be a function/);
});
