import { expect, it } from 'vitest';
import { tool } from 'ai';
import { z } from 'zod';
import { createGate, streamWithEvents, verifyApprovals } from '../../ts/index.js';
import { call, calls, collect, major, says, scripted } from '../support/model.js';
import { recordingTools } from '../support/tools.js';
const race = <T,>(p: Promise<T>) => Promise.race([p, new Promise((r) => setTimeout(r, 1500, 'HANG'))]);
const go = async (answer: (r: any) => any, more: object = {}) => {
  const { ran, tools } = recordingTools();
  const { model } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]);
  const r = await race(collect(streamWithEvents({ model, tools, prompt: 'go', interruptOn: 'all', onApprovalRequest: answer, ...more } as any)));
  return [ran, r === 'HANG' ? r : (r as any[]).filter((e) => ['approval-response', 'tool-denied', 'error','tool-error'].includes(e.type)).map((e) => [e.type, e.decision?.type, e.reason, String(e.error)])];
};
it('probe', async () => {
  console.log('surrogate', JSON.stringify(await go(() => { throw new Error('\ud800'); })));
  console.log('message', JSON.stringify(await go(() => { throw Object.assign(new Error('x'), { message: Symbol('x') }); }).catch(String)));
  console.log('tagged respond', JSON.stringify(await go(() => ({ type: 'respond', output: { $countersign: 'Map', value: 1 } })).catch(String)));
  console.log('tagged edit', JSON.stringify(await go(() => ({ type: 'edit', args: { path: { $countersign: 'bigint', value: 'x' } } })).catch(String)));
  const ran: unknown[] = [];
  const tools = { del: tool({ inputSchema: z.object({ path: z.string().transform((s) => s.length), d: z.string().default('dd') }), execute: async (a) => { ran.push(a); return 'x'; } }) };
  const { model } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]);
  const ev = await collect(streamWithEvents({ model, tools, prompt: 'go', interruptOn: 'all', onApprovalRequest: () => ({ type: 'edit', args: { path: '/bbbb', extra: 1 } }) }));
  console.log('transform edit', JSON.stringify(ran), JSON.stringify(ev.filter((e) => /approval-resp|denied|tool-error/.test(e.type))));
});
