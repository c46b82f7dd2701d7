/** On lines, `e` takes the text of a call as text, and JSON where that is meant. */
import { expect, test } from 'vitest';
import { isBareNo, readAnswer, readReason } from '../../ts/terminal/answers.js';
import { pipedRefusal } from '../../ts/terminal/piped-answer.js';

const asked = { args: { command: 'ls', cwd: 'a' }, allowedDecisions: ['approve', 'edit'] as const, flags: [] };

test('an edit is the new text of the call, or all arguments as JSON', () => {
  const args = { command: 'ls build', cwd: 'a' };
  expect(readAnswer('e ls build', asked)).toEqual({ type: 'edit', args, isText: true });
  expect(readAnswer(`e ${JSON.stringify(args)}`, asked)).toEqual({ type: 'edit', args });
  expect(readAnswer('e ls', asked)).toMatchObject({ type: 'say', isUnchanged: true });
  expect(readAnswer('e {', asked)).toMatchObject({ broken: expect.stringContaining('That is not JSON') });
  expect(readAnswer('e x', { ...asked, args: { euros: 1 } })).toMatchObject({ type: 'say' });
});

test('a text that was piped is none: nothing is shown of it before it runs', async () => {
  const never = async () => {
    throw new Error('taken');
  };
  const answer = { type: 'edit', isText: true } as const;
  expect(await pipedRefusal('e is wrong', answer, { callOf: never, take: never })).toContain('not JSON');
});

test('a no without a reason asks for one, and a key of another choice is none', () => {
  expect([readAnswer('n', asked), readAnswer('not now', asked)].map(isBareNo)).toEqual([true, false]);
  expect(['', 'n', ' too late '].map(readReason)).toEqual([
    { type: 'reject' },
    { type: 'reject' },
    { type: 'reject', reason: 'too late' },
  ]);
  expect(readReason('y')).toMatchObject({ type: 'say' });
});
