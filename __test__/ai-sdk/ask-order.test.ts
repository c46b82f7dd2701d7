/** Who is called when: callbacks that ask one human cannot ask two things at once. */
import { setImmediate as tick } from 'node:timers/promises';
import * as ai from 'ai';
import { tool, type ToolSet } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { ApprovalAnswer, ApprovalRequest, QuestionRequest } from '../../index.js';
import { createGate, gateTools, InvalidConfigError, streamWithEvents, toolApproval } from '../../ts/index.js';
import { PATIENTLY } from '../runtimes.js';
import { call, calls, collect, major, resultsIn, says, scripted, stepCount } from '../support/model.js';
import { play, start, types } from '../support/play.js';
import { askUserTool, COLOUR } from '../support/questions.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

const two = () => [calls(call('del', { path: '/1' }, 'c1'), call('del', { path: '/2' }, 'c2')), says('.')];

/** A dialogue of a program: it shows one thing at a time, and knows whom to tell the answer. */
function oneSlot() {
  let slot: { id: string; resolve: (answer: never) => void } | undefined;
  const shown: string[] = [];
  const lost: string[] = [];
  const ask = ({ toolCallId }: { toolCallId: string }): Promise<never> => {
    if (slot !== undefined) lost.push(slot.id);
    shown.push(toolCallId);
    return new Promise((resolve) => (slot = { id: toolCallId, resolve }));
  };
  const answer = (value: unknown): void => {
    const asked = slot;
    slot = undefined;
    asked?.resolve(value as never);
  };
  return { ask, answer, shown, lost };
}

/** A task tool whose agent says these turns. */
const taskTool = (tools: ToolSet, turns: Parameters<typeof scripted>[0]): ToolSet[string] =>
  tool({
    inputSchema: z.object({ description: z.string() }),
    execute: async ({ description }, options) =>
      (
        await streamWithEvents({ model: scripted(turns).model, tools, prompt: description, parent: options } as never)
          .result
      ).text,
  });

describe('two calls in one step, and a program with one dialogue', () => {
  it('no answer gets lost: the second is shown when the first is answered, and waits at the gate meanwhile', async () => {
    const { ran, tools } = recordingTools();
    const { ask, answer, shown, lost } = oneSlot();
    const gate = createGate();
    const { run } = start({ turns: two(), tools, interruptOn: 'all', onApprovalRequest: ask, gate });
    const done = run.result;
    done.catch(() => {});
    await expect.poll(() => shown).toEqual(['c1']);
    expect((await gate.pending()).map(({ toolCallId }) => toolCallId)).toEqual(['c1', 'c2']);
    answer(true);
    await expect.poll(() => shown).toEqual(['c1', 'c2']);
    answer(false);
    await done;
    expect(ran).toEqual(['del /1']);
    expect(lost).toEqual([]);
  });

  it('a question is not put beside a call', async () => {
    const { tools } = recordingTools();
    let open = 0;
    const seen: string[] = [];
    const ask =
      <T>(what: string, answer: T) =>
      async () => {
        seen.push(`${what} beside ${open++}`);
        await tick();
        open--;
        return answer;
      };
    await play({
      turns: [
        calls(
          call('del', { path: '/1' }, 'c1'),
          call('ask_user', { questions: [COLOUR] }, 'c2'),
          call('del', { path: '/2' }, 'c3'),
        ),
        says('.'),
      ],
      tools: { ...tools, ask_user: askUserTool() },
      interruptOn: { del: true },
      onApprovalRequest: ask('approval', true),
      onQuestion: ask('question', ['red']),
    });
    expect(seen).toEqual(['approval beside 0', 'question beside 0', 'approval beside 0']);
  });

  it('a subagent does not ask beside its parent, nor beside another', async () => {
    const { tools, ran } = recordingTools();
    let open = 0;
    let most = 0;
    const child = (path: string) => taskTool(tools, [calls(call('del', { path }, 'k')), says('.')]);
    await play({
      turns: [
        calls(
          call('one', { description: 'x' }, 'c1'),
          call('two', { description: 'x' }, 'c2'),
          call('del', { path: '/0' }, 'c3'),
        ),
        says('.'),
      ],
      tools: { ...tools, one: child('/1'), two: child('/2') },
      interruptOn: { del: true },
      onApprovalRequest: async () => {
        most = Math.max(most, ++open);
        await tick();
        open--;
        return true;
      },
    });
    expect(most).toBe(1);
    expect(ran.toSorted()).toEqual(['del /0', 'del /1', 'del /2']);
  });

  it('nor do calls in a loop that is not ours', async () => {
    const { ran, tools } = recordingTools();
    let open = 0;
    let most = 0;
    const onApprovalRequest = async (): Promise<boolean> => {
      most = Math.max(most, ++open);
      await tick();
      open--;
      return true;
    };
    await ai.generateText({
      model: scripted(two()).model,
      tools: gateTools(tools, { interruptOn: 'all', onApprovalRequest }),
      prompt: 'go',
      stopWhen: stepCount(3),
    } as never);
    expect([most, ran]).toEqual([1, ['del /1', 'del /2']]);
    if (major !== 7) return;
    await ai.generateText({
      model: scripted(two()).model,
      tools,
      prompt: 'go',
      stopWhen: stepCount(3),
      toolApproval: toolApproval({ interruptOn: 'all', onApprovalRequest }),
    } as never);
    expect([most, ran.length]).toEqual([1, 4]);
  });

  it('askOrder at-once: all are asked', async () => {
    const { tools } = recordingTools();
    const { ask, shown } = oneSlot();
    const { run } = start({ turns: two(), tools, interruptOn: 'all', onApprovalRequest: ask, askOrder: 'at-once' });
    const first = run.result;
    first.catch(() => {});
    await expect.poll(() => shown).toEqual(['c1', 'c2']);
    await run.return();
  });
});

describe('a turn that would never end', () => {
  it('ends when the call is decided elsewhere: the callback is told, and its late answer counts for nothing', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate();
    const asked: string[] = [];
    const told: string[] = [];
    let late: ((answer: ApprovalAnswer) => void) | undefined;
    const { run } = start({
      turns: two(),
      tools,
      interruptOn: 'all',
      gate,
      onApprovalRequest: ({ toolCallId }: ApprovalRequest, { abortSignal }: { abortSignal: AbortSignal }) => {
        asked.push(toolCallId);
        abortSignal.addEventListener('abort', () => told.push(toolCallId));
        if (toolCallId === 'c2') return true;
        return new Promise<ApprovalAnswer>((resolve) => (late = resolve));
      },
    });
    const done = run.result;
    done.catch(() => {});
    await expect.poll(() => asked).toEqual(['c1']);
    const [first] = await gate.pending();
    await gate.reject(first!.approvalId, 'not this');
    await expect.poll(() => asked).toEqual(['c1', 'c2']);
    late?.(true);
    await done;
    expect(told).toEqual(['c1']);
    expect(ran).toEqual(['del /2']);
  });

  it('one that was decided while it was waiting for its turn is not asked', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate();
    const { ask, answer, shown } = oneSlot();
    const turns = [calls(...['1', '2', '3'].map((n) => call('del', { path: `/${n}` }, `c${n}`))), says('.')];
    const { run } = start({ turns, tools, interruptOn: 'all', gate, onApprovalRequest: ask });
    const done = run.result;
    done.catch(() => {});
    await expect.poll(() => shown).toEqual(['c1']);
    await gate.approve((await gate.pending())[1]!.approvalId);
    answer(true);
    await expect.poll(() => shown).toEqual(['c1', 'c3']);
    answer(true);
    await done;
    expect(ran.toSorted()).toEqual(['del /1', 'del /2', 'del /3']);
  });

  it('one whose time is up while it waits for its turn is not asked', async () => {
    const { ran, tools } = recordingTools();
    const { ask, answer, shown } = oneSlot();
    const interruptOn = { del: { timeout: 1 }, read: true };
    const turns = [calls(call('read', { path: '/1' }, 'c1'), call('del', { path: '/2' }, 'c2')), says('.')];
    const { run } = start({ turns, tools, interruptOn, onApprovalRequest: ask });
    const responses: string[] = [];
    for await (const event of run) {
      if (event.type !== 'approval-response') continue;
      responses.push(`${event.toolCallId} ${event.decision.type}`);
      if (event.decision.type === 'expired') answer(true);
    }
    expect(responses).toEqual(['c2 expired', 'c1 approve']);
    expect([shown, ran]).toEqual([['c1'], ['read /1']]);
  });

  it('an abort: nobody else is asked', async () => {
    const { tools } = recordingTools();
    const { ask, shown } = oneSlot();
    const abort = new AbortController();
    const { run } = start({
      turns: two(),
      tools,
      interruptOn: 'all',
      onApprovalRequest: ask,
      abortSignal: abort.signal,
    });
    const done = run.result;
    done.catch(() => {});
    await expect.poll(() => shown).toEqual(['c1']);
    abort.abort();
    await expect(done).rejects.toThrow(/abort/i);
    await tick();
    expect(shown).toEqual(['c1']);
  });
});

describe('Ctrl+C in a question of readline', () => {
  const interrupted = () => {
    throw new DOMException('Aborted with Ctrl+C', 'AbortError');
  };

  it('ends the run instead of being a no to one call', async () => {
    const { ran, tools } = recordingTools();
    const { run, events, prompts } = await play({
      turns: two(),
      tools,
      interruptOn: 'all',
      onApprovalRequest: interrupted,
    });
    expect(types(events).slice(-1)).toEqual(['abort']);
    await expect(run.result).rejects.toThrow('Aborted with Ctrl+C');
    expect([ran, prompts.length]).toEqual([[], 1]);
  });

  it('in a subagent it ends all of it; in a question too', async () => {
    const { ran, tools } = recordingTools();
    const { run, prompts } = await play({
      turns: [calls(call('task', { description: 'x' }, 'c1')), says('.')],
      tools: { task: taskTool(tools, [calls(call('del', { path: '/1' }, 'k')), says('.')]) },
      interruptOn: { del: true },
      unknownTools: 'ignore',
      onApprovalRequest: interrupted,
    });
    await expect(run.result).rejects.toThrow('Aborted with Ctrl+C');
    expect([ran, prompts.length]).toEqual([[], 1]);
    const asking = await play({
      turns: [calls(call('ask_user', { questions: [COLOUR] }, 'c1')), says('.')],
      tools: { ask_user: askUserTool() },
      onQuestion: interrupted as (request: QuestionRequest) => never,
    });
    await expect(asking.run.result).rejects.toThrow('Aborted with Ctrl+C');
  });

  it('in a loop that is not ours nothing runs any more', async () => {
    const { ran, tools } = recordingTools();
    const { model, prompts } = scripted([
      calls(call('del', { path: '/1' }, 'c1'), call('del', { path: '/2' }, 'c2')),
      calls(call('read', { path: '/3' }, 'c3')),
      says('.'),
    ]);
    let asked = 0;
    const onApprovalRequest = (): never => {
      asked++;
      return interrupted();
    };
    await ai.generateText({
      model,
      tools: gateTools(tools, { interruptOn: 'all', onApprovalRequest }),
      prompt: 'go',
      stopWhen: stepCount(5),
    } as never);
    expect([ran, asked]).toEqual([[], 1]);
    expect(JSON.stringify(resultsIn(prompts[2]))).toContain('Ctrl+C');
  });
});

describe('a callback that does not do its work tells its developer', () => {
  const heardOf = async (onApprovalRequest: () => never | Promise<never>): Promise<string> => {
    using heard = listenToWarnings();
    const turns = [calls(call('del', { path: '/hunter2' }, 'c1')), says('.')];
    await play({ turns, tools: recordingTools().tools, interruptOn: 'all', onApprovalRequest });
    return heard.warnings.join('\n');
  };

  it.each([
    ['that throws', () => Promise.reject(new Error('slack is down')), 'the callback failed ('],
    ['that answers in words', () => 'yes' as never, 'it answered a string, which is not a decision (true, false or {'],
    [
      'that answers with a field too many',
      () => ({ type: 'approve', input: { path: '/hunter2' } }) as never,
      "it answered { type: 'approve', input: an object }, which is not a decision",
    ],
    [
      'that answers with an edit that the tool does not take',
      () => ({ type: 'edit', args: { path: ['/hunter2'] } }) as never,
      'the arguments of its edit were not accepted (ERR_INVALID_DECISION)',
    ],
    [
      'that answers with a Proxy',
      () => new Proxy({ type: 'approve', reason: 'hunter2' }, {}) as never,
      'it answered a Proxy',
    ],
  ])('one %s', async (_, onApprovalRequest, said) => {
    const heard = await heardOf(onApprovalRequest);
    expect(heard).toContain(`onApprovalRequest: del did not run: ${said}`);
    expect(heard).not.toContain('hunter2');
  });

  it.each<[unknown, string]>([
    [new Proxy({ type: 'approve' }, {}), 'write the object itself'],
    [{ type: 'edit', args: new Proxy({ path: '/b' }, {}) }, 'args: a Proxy'],
    [{ type: 'respond', result: 'hunter2' }, "the decision has 'result', which is not known: it can have `type`"],
    [{ type: 'respond' }, "'respond' needs an `output`"],
    [{ type: 'approve', args: { path: '/hunter2' } }, "an approval has no `args`: use { type: 'edit' }"],
    [{ type: "a'hunter2'b" }, "`type` cannot be '…'"],
    [{ type: 'approve', 'hunter2 x': 1 }, "the decision has '…', which is not known"],
    [{ type: 'edit', editedAction: { name: 'hunter2', args: {} } }, "`editedAction.name` is '…'"],
  ])('%j: the cause and the cure, without what it says', async (answer, said) => {
    const heard = await heardOf(() => answer as never);
    expect(heard).toContain(said);
    expect(heard).not.toContain('hunter2');
  });

  it('again after a while, with the count', async () => {
    using heard = listenToWarnings();
    for (let time = 0; time < 10; time++) {
      const turns = [calls(call('del', { path: '/1' }, 'c1')), says('.')];
      const more = { interruptOn: 'all', onApprovalRequest: () => 'yes' as never } as const;
      await play({ turns, tools: recordingTools().tools, ...more });
    }
    expect(heard.warnings).toEqual([
      expect.stringContaining('it answered a string'),
      expect.stringMatching(/it answered a string.* This happened 10 times so far\.$/),
    ]);
  });

  it('without the message where secrets are redacted: it may quote them', async () => {
    using heard = listenToWarnings();
    const failing = () => Promise.reject(new Error('no answer about /hunter2'));
    const turns = [calls(call('del', { path: '/hunter2' }, 'c1')), says('.')];
    const gate = createGate({ redact: [/hunter2/] });
    await play({ turns, tools: recordingTools().tools, interruptOn: 'all', gate, onApprovalRequest: failing });
    expect(heard.warnings.join()).toContain('the callback failed (Error at');
    expect(heard.warnings.join()).not.toContain('hunter2');
  });

  it('of undefined, without advice for the model', async () => {
    const turns = [calls(call('del', { path: '/1' }, 'c1')), says('.')];
    const { events } = await play({
      turns,
      tools: recordingTools().tools,
      interruptOn: 'all',
      onApprovalRequest: (() => undefined) as never,
    });
    expect(JSON.stringify(events)).toContain('"The answer was not taken: it is undefined."');
  });

  it('each cause once, with its place', async () => {
    using heard = listenToWarnings();
    const failures = [
      () => Promise.reject(new TypeError('first')),
      () => Promise.reject(Object.assign(new Error('second'), { code: 'ECONNREFUSED' })),
    ];
    for (const onApprovalRequest of [...failures, ...failures]) {
      const turns = [calls(call('del', { path: '/1' }, 'c1')), says('.')];
      await play({
        turns,
        tools: recordingTools().tools,
        interruptOn: 'all',
        onApprovalRequest: onApprovalRequest as never,
      });
    }
    expect(heard.warnings).toEqual([
      expect.stringMatching(/the callback failed \(TypeError at ask-order\.test\.ts:\d+:\d+\): first\. /),
      expect.stringMatching(/the callback failed \(Error ECONNREFUSED at ask-order\.test\.ts:\d+:\d+\): second\. /),
    ]);
  });

  it('whose yes is not taken: the call goes on waiting, and that is told', async () => {
    using heard = listenToWarnings();
    const gate = createGate({
      authorize: () => {
        throw new Error('the directory is down');
      },
    });
    const { run } = start({
      turns: [calls(call('del', { path: '/1' }, 'c1'))],
      tools: recordingTools().tools,
      interruptOn: 'all',
      gate,
      onApprovalRequest: () => true,
    });
    const ended = collect(run);
    await vi.waitUntil(() => heard.warnings.length > 0, PATIENTLY);
    expect(heard.warnings.join()).toContain('the answer for del was not accepted, so the call still waits');
    expect(await gate.pending()).toHaveLength(1);
    await gate.close();
    await ended;
  });

  it.each([
    ['answered', () => ({ type: 'hunter2' }) as never],
    ['asked', () => Promise.reject(new Error('cannot post hunter2'))],
  ])('without what was %s: it may be secret', async (_, onApprovalRequest) => {
    const heard = await heardOf(onApprovalRequest);
    expect(heard).toContain('del did not run');
    expect(heard).not.toContain('hunter2');
  });
});

describe('a wrong askOrder is an error', () => {
  const { tools } = recordingTools();
  const options = { model: scripted([]).model, tools, prompt: 'x' };

  it.each([
    ['streamWithEvents', () => streamWithEvents({ ...options, askOrder: 'one' } as never)],
    ['gateTools', () => gateTools(tools, { interruptOn: 'all', askOrder: true } as never)],
    ['toolApproval', () => toolApproval({ interruptOn: 'all', askOrder: '' } as never)],
  ])('%s', (name, make) => {
    expect(make).toThrow(InvalidConfigError);
    expect(make).toThrow(`${name}: askOrder must be 'in-turn' or 'at-once'`);
  });

  it('with a parent, whose it is', async () => {
    const failing = tool({
      inputSchema: z.object({}),
      execute: (_, parent) => void streamWithEvents({ ...options, parent, askOrder: 'at-once' } as never),
    });
    const { of } = await play({ turns: [calls(call('task', {}, 'c1')), says('.')], tools: { task: failing } });
    expect(String(of('tool-error')[0]?.error)).toContain('leave askOrder out');
  });
});
