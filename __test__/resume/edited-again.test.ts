/** Calls that a person has changed, and that are asked about again: about what they made of it, not about what the model wrote. */
import { jsonSchema } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import type { AgentEvent, AgentRun, ApprovalRequest, Gate } from '../../index.js';
import { approvalDetails, definePolicy, resume, streamWithEvents } from '../../ts/index.js';
import { z } from 'zod';
import { PATIENTLY } from '../runtimes.js';
import { call, calls, collect, says, scripted, text, type ModelTurn } from '../support/model.js';
import { of, until } from '../support/play.js';
import { del, processOf, task } from './agents.js';
import { askThenLeave, askUnanswered, goOn, RUN, stage, type More, type Stage } from './stage.js';

const one = (): ModelTurn[] => [[...text('A'), ...calls(call('del', { path: '/model' }, 'c1'))]];
const edit = (path: string) => ({ type: 'edit', args: { path } });

/** A life in which the call is answered so and started, and its process gone before it has a result. */
async function startThenDie(on: Stage, answer: unknown, begin: (options: never) => unknown, more = {}) {
  const gate = on.gate();
  const tools = on.tools();
  let tellStarted = () => {};
  const started = new Promise<void>((resolve) => (tellStarted = resolve));
  const execute = ({ path }: { path: string }) => {
    on.ran.push(`begun ${path}`);
    tellStarted();
    return new Promise<never>(() => {});
  };
  const run = begin({
    model: scripted(one()).model,
    tools: { ...tools, del: { ...tools.del, execute } },
    interruptOn: { del: true },
    gate,
    runId: RUN,
    onApprovalRequest: () => answer,
    ...more,
  } as never);
  void collect(run as AgentRun);
  await started;
  await gate.close();
}

const startEdited = (on: Stage, who: { by?: string } = {}) =>
  startThenDie(on, { ...edit('/person'), ...who }, streamWithEvents, { prompt: 'go' });

/** A life in which it is decided so, and that ends before it runs. */
async function decideThenDie(on: Stage, answer: unknown, more: More = {}) {
  const { waiting } = await askThenLeave(on, one(), 1, more);
  await on.gate().decide(waiting[0]?.approvalId ?? '', answer as never);
}

/** A life that answers so, with what it was asked. */
async function answering(on: Stage, answer: unknown, more: More & { gate?: Gate } = {}) {
  const asked: ApprovalRequest[] = [];
  const onApprovalRequest = (request: ApprovalRequest) => {
    asked.push(request);
    return answer;
  };
  const told = await goOn(on, [says('done')], { onApprovalRequest, ...more });
  return { ...told, asked };
}

describe('edited, started, and its process gone: it is asked about', () => {
  it('as it was started, says what the model wrote, and runs so', async () => {
    const on = stage();
    await startEdited(on);
    const { asked, prompts, of: told } = await answering(on, true);
    expect(asked).toMatchObject([
      { args: { path: '/person' }, editedFrom: { path: '/model' }, startedBefore: true, toolCallId: 'c1' },
    ]);
    expect(asked[0]?.description).toMatch(
      /^Asked again: It was started before, .*\. A person had changed the arguments\. The model wrote del: \/model\./,
    );
    expect(asked[0]?.description).not.toContain('other arguments');
    expect(asked[0]?.preview).toContain('/person');
    expect(on.ran).toEqual(['begun /person', 'del /person']);
    expect(told('tool-result')).toMatchObject([{ args: { path: '/person' } }]);
    expect(JSON.stringify(prompts)).toContain('the human changed the arguments of this call');
    expect(JSON.stringify(prompts)).not.toContain('/model');
  });

  it('with the name of the person who had edited it', async () => {
    const on = stage();
    await startEdited(on, { by: 'ada' });
    const { asked } = await answering(on, true);
    expect(asked[0]?.description).toMatch(
      / A person \(ada\) had changed the arguments\. The model wrote del: \/model\./,
    );
  });

  it('as it was started in each later life, whoever answers it there', async () => {
    const on = stage();
    await startEdited(on);
    for (let life = 2; life <= 3; life++) {
      const gate = on.gate();
      const run = askUnanswered(on, gate);
      expect(await until(run, 'approval-requested'), `life ${life}`).toMatchObject({ args: { path: '/person' } });
      await vi.waitUntil(async () => (await gate.pending()).length === 1, PATIENTLY);
      expect(await gate.pending()).toMatchObject([{ args: { path: '/person' }, editedFrom: { path: '/model' } }]);
      expect(await approvalDetails(gate, { runId: RUN })).toMatchObject([{ rows: [{ value: '/person' }] }]);
      await gate.close();
      for await (const _ of run);
    }
    const [waiting] = await on.gate().pending();
    await on.gate().approve(waiting?.approvalId ?? '');
    const { asked, of: told } = await answering(on, false);
    expect(asked).toEqual([]);
    expect(on.ran).toEqual(['begun /person', 'del /person']);
    expect(told('tool-result')).toMatchObject([{ args: { path: '/person' } }]);
  });

  it('as it was started, also when it was approved so and its process is gone again', async () => {
    const on = stage();
    await startEdited(on);
    await startThenDie(on, true, resume);
    const { asked } = await answering(on, true);
    expect(asked).toMatchObject([{ args: { path: '/person' }, editedFrom: { path: '/model' } }]);
    expect(on.ran).toEqual(['begun /person', 'begun /person', 'del /person']);
  });

  it('and edited once more: from what the model wrote, to the last word of a person', async () => {
    const on = stage();
    await startEdited(on);
    await startThenDie(on, edit('/other'), resume);
    const { asked } = await answering(on, true);
    expect(asked).toMatchObject([{ args: { path: '/other' }, editedFrom: { path: '/model' } }]);
    expect(asked[0]?.description).toContain('What was started had other arguments: del: /person.');
    expect(on.ran).toEqual(['begun /person', 'begun /other', 'del /other']);
  });

  it('and edited back to what the model wrote: it is the call of the model', async () => {
    const on = stage();
    await startEdited(on);
    await startThenDie(on, edit('/model'), resume);
    const { asked } = await answering(on, true);
    expect(asked).toMatchObject([{ args: { path: '/model' }, editedFrom: null }]);
    expect(asked[0]?.description).toContain('What was started had other arguments: del: /person.');
    expect(on.ran.at(-1)).toBe('del /model');
  });

  it('rejected: nothing runs', async () => {
    const on = stage();
    await startEdited(on);
    const { of: told } = await answering(on, false);
    expect(told('tool-denied')).toMatchObject([{ args: { path: '/person' } }]);
    expect(on.ran).toEqual(['begun /person']);
  });

  it('as the model wrote it, where the tool takes the edit no more: it says what was started', async () => {
    const on = stage();
    await startEdited(on);
    const tools = on.tools();
    const inputSchema = jsonSchema(
      { type: 'object' },
      {
        validate: (value) =>
          (value as { path: string }).path === '/person'
            ? { success: false, error: new Error('gone') }
            : { success: true, value },
      },
    );
    const { asked } = await answering(on, false, { tools: { ...tools, del: { ...tools.del, inputSchema } } });
    expect(asked).toMatchObject([{ args: { path: '/model' }, editedFrom: null, startedBefore: true }]);
    expect(asked[0]?.description).toContain('What was started had other arguments: del: /person.');
  });

  it('as it was started in a subagent', async () => {
    const on = stage();
    const script = { main: [calls(task('sub', 't1'))], sub: [del('/model')] };
    const ends = { sub: [says('sub is done')], main: [says('done')] };
    let tellStarted = () => {};
    const started = new Promise<void>((resolve) => (tellStarted = resolve));
    const execute = () => {
      tellStarted();
      return new Promise<never>(() => {});
    };
    const dying = {
      ...on,
      tools: () => {
        const tools = on.tools();
        return { ...tools, del: { ...tools.del, execute } };
      },
    } as unknown as Stage;
    const first = processOf(dying, script, { onApprovalRequest: () => edit('/person') });
    void collect(first.begin());
    await started;
    await first.gate.close();
    const asked: ApprovalRequest[] = [];
    const onApprovalRequest = (request: ApprovalRequest) => (asked.push(request), true);
    const events: AgentEvent[] = await collect(processOf(on, ends, { onApprovalRequest }).goOn());
    expect(asked).toMatchObject([
      {
        args: { path: '/person' },
        editedFrom: { path: '/model' },
        startedBefore: true,
        origin: ['main', 'task:t1', 'task'],
      },
    ]);
    expect(on.ran).toEqual(['del /person']);
    expect(of(events)('done')).toHaveLength(1);
  });
});

describe('edited, and gone before it ran: it is asked about as it was edited', () => {
  it('by a program whose tool is another one', async () => {
    const on = stage();
    await decideThenDie(on, edit('/person'));
    const tools = on.tools();
    const changed = { ...tools, del: { ...tools.del, description: 'Deletes a file, and its backups' } };
    const { asked } = await answering(on, true, { tools: changed });
    expect(asked).toMatchObject([{ args: { path: '/person' }, editedFrom: { path: '/model' }, startedBefore: false }]);
    expect(on.ran).toEqual(['del /person']);
    const taken = (await on.gate().history({ runId: RUN })).find(({ status }) => status === 'cancelled');
    expect(taken?.decision?.reason).toMatch(/^The tool del has changed .* A person had changed it to del: \/person\.$/);
  });

  const policy = (tools: string[]) => ({ policy: definePolicy([{ tools, effect: 'ask' }]) });

  it('by a program whose policy is another one', async () => {
    const on = stage();
    const { waiting } = await askThenLeave(on, one(), 1, policy(['del']));
    await on.gate().decide(waiting[0]?.approvalId ?? '', edit('/person') as never);
    const { asked } = await answering(on, true, policy(['del', 'read']));
    expect(asked).toMatchObject([{ args: { path: '/person' }, editedFrom: { path: '/model' } }]);
    expect(on.ran).toEqual(['del /person']);
  });

  it('it runs as it was edited, where nothing has changed', async () => {
    const on = stage();
    await decideThenDie(on, edit('/person'));
    const { asked } = await answering(on, false);
    expect(asked).toEqual([]);
    expect(on.ran).toEqual(['del /person']);
  });

  it('with secrets that were redacted it cannot be had back: it is denied, and nothing is asked', async () => {
    const on = stage();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const { waiting } = await askThenLeave(on, one(), 1);
    await on.gate({ redact: 'secrets' }).decide(waiting[0]?.approvalId ?? '', edit(`/${secret}`) as never);
    const { asked, of: told } = await answering(on, true);
    expect(asked).toEqual([]);
    expect(on.ran).toEqual([]);
    const [denied] = told('tool-denied');
    expect(denied?.reason).toMatch(
      /^The edit of this call was approved, and cannot run\. A person had changed it to del: .*\[redacted: github-token\]\. The reason: it was redacted/,
    );
  });

  /** A schema that takes no `/person` any more. */
  const strict = (description: string) => {
    const inputSchema = z.object({ path: z.string().refine((path) => path !== '/person', 'gone') });
    return (on: Stage) => ({ ...on.tools(), del: { ...on.tools().del, description, inputSchema } });
  };

  it('by a program whose tool takes it no more, it is denied, and what the model wrote is not asked about', async () => {
    const on = stage();
    await decideThenDie(on, edit('/person'));
    const { asked, of: told } = await answering(on, true, { tools: strict('Another tool')(on) });
    expect(asked).toEqual([]);
    expect(on.ran).toEqual([]);
    expect(told('tool-denied')[0]?.reason).toMatch(/A person had changed it to del: \/person\. The reason: [^]*gone/);
  });

  it('where the tool never took it, it is asked about as the model wrote it, and says what the person did', async () => {
    const on = stage();
    const { waiting } = await askThenLeave(on, one(), 1);
    await on.gate().edit(waiting[0]?.approvalId ?? '', { path: 5 });
    const { asked } = await answering(on, false);
    expect(asked).toMatchObject([{ args: { path: '/model' }, editedFrom: null }]);
    expect(asked[0]?.description).toMatch(/^Asked again: .*A person had changed it to del: path=5\./);
  });
});
