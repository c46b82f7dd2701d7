/** Questions of an agent, looked at and answered from another process. */
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { AgentEvent, Gate, Question } from '../../index.js';
import { createGate } from '../../ts/index.js';
import { scratch } from '../policy/support.js';
import { call, calls, collect, resultsIn, says } from '../support/model.js';
import { of, start, until } from '../support/play.js';
import { askUserTool, COLOUR, DATABASE, PARTS } from '../support/questions.js';
import { sample } from '../support/effort.js';
import { quickly as countersign, linesOf } from './command.js';

const open: Gate[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((gate) => gate.close()));
});

/** An agent that waits for these questions. */
async function asked(...questions: Question[]) {
  const root = scratch();
  const ledger = `sqlite:${join(root, 'ledger.db')}` as const;
  const gate = createGate({ ledger });
  open.push(gate);
  const env = { COUNTERSIGN_LEDGER: ledger, HOME: root, XDG_CONFIG_HOME: join(root, 'config'), NO_COLOR: '1' };
  const turns = [calls(call('ask_user', { questions }, 'q1')), says('Done.')];
  const { run, prompts } = start({ turns, tools: { ask_user: askUserTool() }, gate });
  const { approvalId: id } = await until(run, 'question-asked');
  const end = async () => {
    const events: AgentEvent[] = await collect(run);
    return { told: resultsIn(prompts[1])['q1'], answered: of(events)('question-answered') };
  };
  return { gate, id, end, run: (...args: string[]) => countersign(args, { cwd: root, env }) };
}

const short = (id: string): string => id.slice(-8);

describe('looking', () => {
  it('pending has the first of them', async () => {
    const { run, end, gate, id } = await asked(DATABASE, COLOUR);
    const { stdout } = await run('pending');
    expect(linesOf(stdout)[1]).toMatch(/ - .*ask_user\s+Which database\? \(and 1 more\)$/);
    await gate.skip(id);
    await end();
  });

  it('show has all of them, and how to answer', async () => {
    const { run, end, gate, id } = await asked(DATABASE, PARTS);
    const { stdout } = await run('show', id);
    expect(stdout).toContain(
      [
        'ask_user',
        '│ 1: [Database] Which database? (one of these, or other words)',
        '│ 1-1: PostgreSQL: for many machines',
        '│ 1-2: SQLite',
        '│ 2: Which parts? (any of these; may be left out)',
        '│ 2-1: API',
        '│ 2-2: UI',
        '',
        `answer it: countersign respond ${short(id)} --answer TEXT, one for each question`,
      ].join('\n'),
    );
    expect(stdout).toMatch(/choices\s+reject, respond, skip/);
    expect(stdout).not.toMatch(/until/);
    await gate.skip(id);
    await end();
  });
});

describe('answering', () => {
  it.each(
    sample<[string, Question[], string[], string]>(
      [
        ['a text', [COLOUR], ['--answer', 'blue'], 'A: blue'],
        ['other words', [DATABASE], ['--answer', 'a file'], 'A: a file'],
        ['labels', [PARTS], ['--answer', 'API, UI'], 'A: API, UI'],
        ['nothing', [PARTS], ['--answer', ''], 'A: (left out)'],
        ['a label with a comma', [{ ...PARTS, options: [{ label: 'a, b' }] }], ['--answer', 'a, b'], 'A: a, b'],
        ['JSON', [PARTS], ['--json-output', '{"answers":[["UI"]]}'], 'A: UI'],
      ],
      1,
    ),
  )('%s', async (_, questions, answer, told) => {
    const { run, end, id } = await asked(...questions);
    const { code, stdout, stderr } = await run('respond', short(id), ...answer, '--by', 'ada');
    expect([code, stderr]).toEqual([0, '']);
    expect(linesOf(stdout).at(-1)).toBe(`answered  ${short(id)}  its run goes on`);
    const ended = await end();
    expect(ended.told).toMatchObject({ type: 'text', value: expect.stringContaining(told) as unknown });
    expect(ended.answered).toMatchObject([{ decidedBy: 'ada', answer: { status: 'answered' } }]);
  });

  it.each(
    sample<[string, Question[], string[], number, RegExp]>(
      [
        ['a wrong label', [PARTS], ['respond', '--answer', 'CLI'], 5, /labels of its options only: API, UI/],
        ['a required one left out', [COLOUR], ['respond', '--answer', ''], 5, /must be answered/],
        ['too few', [COLOUR, PARTS], ['respond', '--answer', 'blue'], 2, /2 questions/],
        ['a text for the lot', [COLOUR], ['respond', '--text', 'blue'], 5, /Answer with \{ answers/],
        ['an approval', [COLOUR], ['approve'], 5, /does not allow/],
        ['an edit', [COLOUR], ['edit', '--args', '{}'], 5, /does not allow/],
      ],
      2,
    ),
  )('not %s: it goes on waiting', async (_, questions, [command = '', ...args], exit, message) => {
    const { run, end, id, gate } = await asked(...questions);
    const { code, stderr } = await run(command, id, ...args);
    expect([code, message.test(stderr)], stderr).toEqual([exit, true]);
    expect(await gate.get(id)).toMatchObject({ status: 'pending' });
    await gate.skip(id);
    await end();
  });

  it('a rejection is that the human does not answer', async () => {
    const { run, end, id } = await asked(COLOUR);
    expect((await run('reject', id, '--reason', 'guess')).code).toBe(0);
    expect((await end()).answered).toMatchObject([{ answer: { status: 'cancelled', reason: 'guess' } }]);
  });

  it('--answer is for questions only', async () => {
    const { gate, run, end, id } = await asked(COLOUR);
    void gate.request({ toolName: 'delete_file', args: {}, toolCallId: 'c9' }).catch(() => {});
    const other = (await gate.pending()).find(({ toolName }) => toolName === 'delete_file')!;
    const { code, stderr } = await run('respond', other.approvalId, '--answer', 'x');
    expect([code, stderr]).toEqual([2, expect.stringContaining('this is not a question') as unknown]);
    await gate.skip(id);
    await end();
  });
});
