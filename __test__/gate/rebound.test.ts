/** What an edit is bound to that somebody gives at a gate that is not the one of the run. */
import { expect, it } from 'vitest';
import { reboundContext } from '../../ts/gate/rebound.js';

type Control = Parameters<typeof reboundContext>[0];
const call = { toolName: 'read_file', args: { path: 'a' } } as never;
const asked: unknown[] = [];
/** A gate that judges by this, and says where the paths of the edited call lead. */
const gate = (here: object | null): Control =>
  ({ boundHere: (judged: unknown) => (asked.push(judged), Promise.resolve(here)) }) as never;

const of = { cwd: '/p', rules: 'r1', places: ['/p/old'], who: ['ada'] };

it.each<[string, object | null, object]>([
  [
    'the same policies: all that they say here, also who must agree',
    { cwd: '/p', rules: 'r1', places: ['/p/new'], who: ['eve'] },
    { cwd: '/p', rules: 'r1', places: ['/p/new'], who: ['eve'] },
  ],
  [
    'other policies in the same folder: where the paths lead now, and nothing else of theirs',
    { cwd: '/p', rules: 'r2', places: ['/p/new'], who: ['eve'] },
    { cwd: '/p', rules: 'r1', places: ['/p/new'], who: ['ada'] },
  ],
  [
    'another folder: no place that a path leads to',
    { cwd: '/q', rules: 'r2', places: ['/q/new'], who: ['eve'] },
    { cwd: '/p', rules: 'r1', who: ['ada'] },
  ],
  ['no paths: none', { cwd: '/p', rules: 'r2' }, { cwd: '/p', rules: 'r1', who: ['ada'] }],
  ['no policies: none', null, { cwd: '/p', rules: 'r1', who: ['ada'] }],
])('%s', async (_, here, expected) => {
  const context = { policy: of, tool: 'read_file 1f' };
  expect(await reboundContext(gate(here), context, call)).toEqual({ ...context, policy: expected });
  // Of a part of a run, each of those above it.
  expect(await reboundContext(gate(here), { ...context, policy: [of, of] }, call)).toEqual({
    ...context,
    policy: [expected, expected],
  });
});

it('the rules are asked by the name that they know the tool by', async () => {
  asked.length = 0;
  await reboundContext(gate(null), { policy: of, tool: 'mcp__github__get file 1f' }, call);
  await reboundContext(gate(null), { policy: of }, call);
  expect(asked).toMatchObject([{ ruleName: 'mcp__github__get file' }, { ruleName: 'read_file' }]);
});

it('what is bound to no policy stays as it is', async () => {
  asked.length = 0;
  const context = { policy: null, tool: 'x 1f' };
  expect(await reboundContext(gate({ cwd: '/p' }), context, call)).toBe(context);
  expect(asked).toEqual([]);
});
