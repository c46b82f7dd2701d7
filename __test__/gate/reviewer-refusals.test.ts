/** Once a call of a tool was not approved in a run, a reviewer approves no other call of that tool in the run. */
import type { ModelMessage, ToolSet } from 'ai';
import { describe, expect, test } from 'vitest';
import type {
  ApprovalAnswer,
  ApprovalRequest,
  CallReviewer,
  Gate,
  PolicyDocument,
  ReviewOpinion,
} from '../../index.js';
import { createGate } from '../../ts/index.js';
import { createTaskTool } from '../../ts/agent/index.js';
import { stage as agentStage } from '../agent/deep-stage.js';
import { askThenLeave, goOn, stage } from '../resume/stage.js';
import { stoppingEntries, toolEntries, waitingEntries } from '../support/entries.js';
import { call, calls, collect, says, scripted, type ModelTurn } from '../support/model.js';
import { play, waiting } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

const marked: PolicyDocument = { version: 1, rule: [{ tools: ['del', 'read'], effect: 'ask', reviewer: true }] };
const del = (path: string, id: string) => calls(call('del', { path }, id));

type Said = ReviewOpinion['answer'] | (() => never);

/** A reviewer that gives these answers in turn, and how often it was asked. */
function answering(...answers: Said[]): { reviewer: CallReviewer; asked: () => number } {
  let asked = 0;
  const review = (): ReviewOpinion => {
    const answer = answers[asked++] ?? 'approve';
    return { answer: typeof answer === 'string' ? answer : answer(), reason: 'said' };
  };
  return { reviewer: { review, mayApprove: true }, asked: () => asked };
}

/** A human who gives these answers in turn, and what was shown. */
function answeringHuman(...answers: ApprovalAnswer[]) {
  const shown: ApprovalRequest[] = [];
  return {
    shown,
    bars: () => shown.map(({ toolCallId, review }) => [toolCallId, review?.bar]),
    onApprovalRequest: (request: ApprovalRequest) => {
      shown.push(request);
      return answers[shown.length - 1] ?? false;
    },
  };
}

async function played(
  answers: Said[],
  turns: ModelTurn[],
  more: { human?: ApprovalAnswer[]; [option: string]: unknown } = {},
) {
  const { human: given = [], ...options } = more;
  const { reviewer, asked } = answering(...answers);
  const human = answeringHuman(...given);
  const { ran, tools } = recordingTools();
  const { of } = await play({
    turns: [...turns, says('.')],
    tools: tools as ToolSet,
    onApprovalRequest: human.onApprovalRequest,
    // That of a gate is the gate's.
    ...('gate' in options ? {} : { policy: marked, reviewer }),
    ...options,
  });
  return { ran, of, asked: asked(), bars: human.bars() };
}

const throws = (): never => {
  throw new Error('overloaded');
};

describe("a human's no", () => {
  const doubts: [name: string, said: Said][] = [
    ['is unsure', 'unsure'],
    ['throws', throws],
  ];
  const noes: [name: string, answer: ApprovalAnswer][] = [
    ['no', false],
    ['a rejection', { type: 'reject', reason: 'never' }],
    ['an answer in its place', { type: 'respond', output: 'leave it' }],
    ['a skip', { type: 'skip' }],
  ];
  for (const [name, said] of doubts)
    test.each(noes)(
      `after a reviewer that ${name}: %s holds for the same call, and for others of the tool`,
      async (_, no) => {
        using _warnings = listenToWarnings();
        const turns = [del('a', 'c1'), del('a', 'c2'), del('b', 'c3')];
        const { ran, bars } = await played([said], turns, { human: [no] });
        expect(ran).toEqual([]);
        expect(bars).toEqual([
          ['c1', null],
          ['c2', 'refused'],
          ['c3', 'refused'],
        ]);
      },
    );

  test('that is an edit holds for what the model asked for', async () => {
    const { ran, bars } = await played(['unsure'], [del('prod', 'c1'), del('prod', 'c2')], {
      human: [{ type: 'edit', args: { path: 'staging' } }],
    });
    expect([ran, bars.at(-1)]).toEqual([['del staging'], ['c2', 'refused']]);
  });

  test.each(waitingEntries)('holds with the reviewer of a gate: %s', async (_, entry) => {
    const { reviewer } = answering('unsure');
    await using gate = createGate({ policy: marked, reviewer });
    const { ran, tools } = recordingTools();
    const { bars, onApprovalRequest } = answeringHuman();
    await entry({
      turns: [del('a', 'c1'), del('a', 'c2'), says('.')],
      tools: tools as ToolSet,
      gate,
      onApprovalRequest,
    });
    expect([ran, bars()]).toEqual([
      [],
      [
        ['c1', null],
        ['c2', 'refused'],
      ],
    ]);
  });

  test('holds for other arguments of a command in a deep agent', async () => {
    const { reviewer } = answering('unsure');
    const { bars, onApprovalRequest } = answeringHuman({ type: 'reject', reason: 'never' });
    const write = (content: string, id: string) => calls(call('write_file', { file_path: 'a.txt', content }, id));
    const { agent, backend } = agentStage([write('1', 'c1'), write('1', 'c2'), write('2', 'c3'), says('.')], {
      policy: { version: 1, rule: [{ tools: 'write_file', effect: 'ask', reviewer: true }] },
      reviewer,
    });
    await collect(agent.streamWithEvents({ prompt: 'go', onApprovalRequest }));
    expect(backend.files.has('a.txt')).toBe(false);
    // The same call is answered without a question, by the option `repeatedRejections`.
    expect(bars()).toEqual([
      ['c1', null],
      ['c3', 'refused'],
    ]);
  });

  test('holds in a subagent, and for the run above it', async () => {
    const { reviewer } = answering('unsure');
    const { bars, onApprovalRequest } = answeringHuman();
    const { ran, tools } = recordingTools();
    const worker = (turn: ModelTurn) => ({
      name: 'worker',
      description: 'Works.',
      model: scripted([turn, says('.')]).model,
      tools,
    });
    const task = (id: string) => calls(call('task', { description: 'do it', subagent_type: 'worker' }, id));
    await play({
      turns: [task('t1'), del('b', 'c2'), says('.')],
      tools: { ...tools, task: createTaskTool({ subagents: [worker(del('a', 'c1'))] }) } as ToolSet,
      policy: { version: 1, rule: [...marked.rule!, { tools: 'task', effect: 'allow' }] },
      reviewer,
      onApprovalRequest,
    });
    expect([ran, bars()]).toEqual([
      [],
      [
        ['c1', null],
        ['c2', 'refused'],
      ],
    ]);
  });

  test('holds where the run is continued by another process', async () => {
    const on = stage();
    const run = { policy: marked, interruptOn: {} };
    const { waiting: asked } = await askThenLeave(on, [del('a', 'c1')], 1, {
      ...run,
      reviewer: answering('unsure').reviewer,
    });
    await on.gate().reject(asked[0]!.approvalId, 'never');
    const { bars, onApprovalRequest } = answeringHuman();
    const { reviewer } = answering();
    await goOn(on, [del('a', 'c2'), says('.')], { ...run, reviewer, onApprovalRequest });
    expect([on.ran, bars()]).toEqual([[], [['c2', 'refused']]]);
  });

  test.each(stoppingEntries)('holds where the turn ends at each question: %s', async (_, chatOf) => {
    const { reviewer } = answering('unsure');
    await using gate = createGate({ policy: marked, reviewer });
    const { ran, tools } = recordingTools();
    const speak = (messages: ModelMessage[], turns: ModelTurn[]) =>
      chatOf({ gate, tools: tools as ToolSet }).speak(messages, turns);
    await speak([{ role: 'user', content: 'go' }], [del('a', 'c1')]);
    const [first] = await waiting(gate);
    await gate.reject(first!.approvalId, 'never');
    await speak([{ role: 'user', content: 'once more' }], [del('a', 'c2')]);
    const [second] = await gate.pending();
    expect([ran, second?.toolCallId, second?.review?.bar]).toEqual([[], 'c2', 'refused']);
  });

  test('holds where the ledger has forgotten it', async () => {
    const { reviewer } = answering('unsure');
    await using gate = createGate({ policy: marked, reviewer, keepDecided: 1 });
    const read = (id: string) => calls(call('read', { path: 'x' }, id));
    const turns = [del('a', 'c1'), read('r1'), read('r2'), del('a', 'c2')];
    const { ran, bars } = await played([], turns, { gate });
    expect(ran).toEqual(['read x', 'read x']);
    expect(bars.map(([id]) => id)).toEqual(['c1', 'c2']);
  });

  test('holds where it came before the reviewer did', async () => {
    const approves: CallReviewer = { review: () => ({ answer: 'approve', reason: 'fine' }), mayApprove: true };
    await using gate = createGate({ policy: marked, reviewer: approves });
    // Somebody at the gate, faster than any reviewer's yes is written down.
    const first = gate.constructor.prototype as { decideByReviewer: (id: string) => Promise<boolean> };
    const original = first.decideByReviewer;
    let times = 0;
    first.decideByReviewer = async function decide(this: Gate, id: string, ...more) {
      if (times++ === 0) await this.reject(id, 'I was first');
      return Reflect.apply(original, this, [id, ...more]) as Promise<boolean>;
    };
    try {
      const { ran, bars } = await played([], [del('a', 'c1'), del('a', 'c2')], { gate });
      expect([ran, bars]).toEqual([[], [['c2', 'refused']]]);
    } finally {
      first.decideByReviewer = original;
    }
  });

  test('of another tool says nothing of this one', async () => {
    const { ran } = await played(['unsure'], [del('a', 'c1'), calls(call('read', { path: 'a' }, 'c2'))]);
    expect(ran).toEqual(['read a']);
  });

  test('in one run says nothing of another', async () => {
    await using gate = createGate({ policy: marked, reviewer: answering('unsure').reviewer });
    const asOne = { gate };
    expect((await played([], [del('a', 'c1')], asOne)).ran).toEqual([]);
    expect((await played([], [del('a', 'c1')], asOne)).ran).toEqual(['del a']);
  });
});

describe("a human's yes", () => {
  test('to what the reviewer was unsure of leaves it the next call', async () => {
    const { ran, bars } = await played(['unsure'], [del('a', 'c1'), del('b', 'c2')], { human: [true] });
    expect([ran, bars]).toEqual([['del a', 'del b'], [['c1', null]]]);
  });

  test('takes back no rejection of the reviewer', async () => {
    const turns = [del('a', 'c1'), del('b', 'c2'), del('c', 'c3')];
    const { ran, bars } = await played(['reject'], turns, { human: [true, true] });
    expect([ran, bars]).toEqual([
      ['del b', 'del c'],
      [
        ['c2', 'refused'],
        ['c3', 'refused'],
      ],
    ]);
  });
});

describe("a reviewer's own answer", () => {
  test('that rejects bars its yes to other calls of the tool', async () => {
    const { ran, asked, bars } = await played(['reject'], [del('a', 'c1'), del('a ', 'c2')]);
    expect([ran, asked, bars]).toEqual([[], 2, [['c2', 'refused']]]);
  });

  test('where nobody was there to ask after it bars its yes', async () => {
    const { ran } = await played(['unsure'], [del('a', 'c1'), del('a', 'c2')], { onApprovalRequest: undefined });
    expect(ran).toEqual([]);
  });
});

describe('several calls of one tool in one step', () => {
  const both = [calls(call('del', { path: 'a' }, 'c1'), call('del', { path: 'a' }, 'c2'))];
  const answers: [first: Said, second: Said][] = [
    ['reject', 'approve'],
    ['approve', 'reject'],
    ['unsure', 'approve'],
    ['approve', 'unsure'],
    [throws, 'approve'],
  ];

  test.each(answers)('of which one is not approved: none runs without the human (%s, %s)', async (...said) => {
    using _warnings = listenToWarnings();
    expect((await played(said, both)).ran).toEqual([]);
  });

  test('that are the same have the same answer, if it is a rejection', async () => {
    for (const said of [
      ['reject', 'approve'],
      ['approve', 'reject'],
    ] as const) {
      const { of, bars } = await played([...said], both);
      expect([
        of('tool-denied')
          .map(({ toolCallId }) => toolCallId)
          .toSorted(),
        bars,
      ]).toEqual([['c1', 'c2'], []]);
    }
  });

  test('are all approved where each is', async () => {
    const { ran, bars } = await played([], both);
    expect([ran, bars]).toEqual([['del a', 'del a'], []]);
  });

  test.each(toolEntries)('wait for the human who was asked about one of them: %s', async (_, entry) => {
    const { reviewer } = answering('unsure');
    await using gate = createGate({ policy: marked, reviewer });
    const { ran, tools } = recordingTools();
    const running = entry({ turns: [...both, says('.')], tools: tools as ToolSet, gate });
    const open = await waiting(gate, 2);
    // Which of the two is asked about first is not said.
    expect([ran, new Set(open.map(({ review }) => review?.bar))]).toEqual([[], new Set([null, 'open'])]);
    for (const { approvalId } of open) await gate.reject(approvalId, 'never');
    await running;
    expect(ran).toEqual([]);
  });

  test('once the human has approved the one, the reviewer has the next step', async () => {
    const { ran, bars } = await played(['unsure'], [...both, del('b', 'c3')], { human: [true, true] });
    expect(ran).toEqual(['del a', 'del a', 'del b']);
    // Which of the two is asked about first is not said.
    expect(new Set(bars.map(([, bar]) => bar))).toEqual(new Set([null, 'open']));
  });
});
