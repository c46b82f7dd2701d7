/** The user's functions run in the async context in which the run was made. */
import { describe, it } from 'vitest';
import { onEachRuntime } from './each-runtime.js';

describe.each(['ai6', 'ai7'] as const)('with %s', (ai) => {
  onEachRuntime(ai, (run) => {
    it('AsyncLocalStorage is kept', async ({ expect }) => {
      const ran = await run('context');
      expect(ran.code, ran.all).toBe(0);
      const all = (way: string, ...functions: string[]) => functions.map((name) => `${way}: ${name}: mine`);
      const whole = ['shouldApprove', 'execute allowed', 'description', 'onApprovalRequest', 'execute asked'];
      expect(ran.lines.toSorted()).toEqual(
        [
          ...all('events', ...whole),
          ...all('events, read elsewhere', ...whole),
          ...all('result, awaited elsewhere', ...whole),
          ...all('response', ...whole),
          ...all('decided at a gate', 'shouldApprove', 'execute allowed', 'description', 'execute asked'),
          ...all('after a deadline', 'after request'),
          ...all('gateTools', 'shouldApprove', 'description', 'onApprovalRequest', 'execute asked'),
        ].toSorted(),
      );
    });
  });
});
