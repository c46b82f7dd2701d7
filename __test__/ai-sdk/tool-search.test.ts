/** `toolSearch` of AI SDK 7: the SDK runs an `execute` of its own in its place, and forgets what it found at each stop. */
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../index.js';
import { createGate, gateTools, streamWithEvents } from '../../ts/index.js';
import { denying, human, toolEntries } from '../support/entries.js';
import { call, calls, collect, major, resultsIn, says, scripted } from '../support/model.js';
import { programTool } from '../support/tool-caller.js';
import { recordingTools } from '../support/tools.js';

const search = (query: string, id: string) => call('search', { query }, id);
const del = (path: string, id: string) => call('del', { path }, id);

function set(own?: (query: string) => string[]) {
  const { ran, tools } = recordingTools();
  const searched: string[] = [];
  const find = ({ query }: { query: string }) => {
    searched.push(query);
    return own?.(query) ?? ['del'];
  };
  const all = {
    search: ai.toolSearch(own === undefined ? {} : { search: find }),
    del: { ...tools.del, deferLoading: true },
    read: { ...tools.read, deferLoading: true },
  } as ai.ToolSet;
  return { ran, searched, tools: all };
}

/** The tools that the model was shown, call by call. */
function showing(turns: Parameters<typeof scripted>[0]) {
  const { model, prompts } = scripted(turns);
  const shown: string[][] = [];
  const watched = ai.wrapLanguageModel({
    model: model as never,
    middleware: {
      specificationVersion: 'v4',
      transformParams: async ({ params }: { params: { tools?: { name: string }[] } }) => {
        shown.push((params.tools ?? []).map(({ name }) => name));
        return params;
      },
    } as never,
  });
  return { model: watched, shown, prompts };
}

describe.runIf(major === 7)('toolSearch', () => {
  it('shows what it found after a stop, too', async () => {
    const { ran, tools } = set();
    const { model, shown } = showing([
      calls(search('delete a file', 's1')),
      calls(del('/a', 'd1')),
      calls(del('/b', 'd2')),
      says('Done.'),
    ]);
    await collect(
      streamWithEvents({
        model,
        prompt: 'go',
        tools,
        interruptOn: { del: true },
        onApprovalRequest: () => true,
      } as never),
    );
    expect(ran).toEqual(['del /a', 'del /b']);
    expect(shown).toEqual([
      ['search'],
      ['search', 'del', 'read'],
      ['search', 'del', 'read'],
      ['search', 'del', 'read'],
    ]);
  });

  it('that was asked about finds what it is to find, and shows it', async () => {
    const { ran, tools } = set();
    const { model, shown, prompts } = showing([calls(search('deletes', 's1')), calls(del('/a', 'd1')), says('Done.')]);
    const asked: string[] = [];
    await collect(
      streamWithEvents({
        model,
        prompt: 'go',
        tools,
        interruptOn: 'all',
        onApprovalRequest: ({ toolName, toolCallId }: { toolName: string; toolCallId: string }) =>
          asked.push(`${toolName} ${toolCallId}`) > 0,
      } as never),
    );
    expect(asked).toEqual(['search s1', 'del d1']);
    expect(resultsIn(prompts[1])['s1']).toEqual({
      type: 'json',
      value: { tools: [{ name: 'del', description: 'Deletes a file' }] },
    });
    expect(shown).toEqual([['search'], ['search', 'del'], ['search', 'del']]);
    expect(ran).toEqual(['del /a']);
  });

  it.each(toolEntries)('is not run when a human rejects it: %s', async (_, run) => {
    const { searched, tools } = set(() => ['del']);
    const asked: string[] = [];
    await run({
      turns: [calls(search('del', 's1')), says('Done.')],
      tools,
      interruptOn: { search: true },
      onApprovalRequest: ({ toolName, toolCallId }) => {
        asked.push(`${toolName} ${toolCallId}`);
        return { type: 'reject', reason: 'no' };
      },
    });
    expect({ searched, asked }).toEqual({ searched: [], asked: ['search s1'] });
  });

  it.each(toolEntries)('is not run when a policy denies it: %s', async (_, run) => {
    const { searched, tools } = set(() => ['del']);
    await using gate = denying('search');
    await run({ turns: [calls(search('del', 's1')), says('Done.')], tools, gate });
    expect(searched).toEqual([]);
  });

  it.each(toolEntries)('runs once when a human approves it, with what the human wrote: %s', async (_, run) => {
    const { ran, searched, tools } = set((query) => (query === 'better' ? ['del', 'nothing'] : []));
    await run({
      turns: [calls(search('bad', 's1')), calls(del('/a', 'd1')), says('Done.')],
      tools,
      interruptOn: { search: true },
      onApprovalRequest: () => ({ type: 'edit', args: { query: 'better' } }),
    });
    expect(searched).toEqual(['better']);
    expect(ran).toEqual(['del /a']);
  });

  it('gateTools: an abort withdraws what waits', async () => {
    const { searched, tools } = set(() => ['del']);
    const abort = new AbortController();
    const gate = createGate();
    const run = ai.generateText({
      model: scripted([calls(search('del', 's1')), says('Done.')]).model,
      prompt: 'go',
      tools: gateTools(tools, { interruptOn: { search: true }, gate }),
      abortSignal: abort.signal,
    });
    run.then(undefined, () => {});
    await expect.poll(() => gate.pending()).toHaveLength(1);
    abort.abort();
    await expect.poll(() => gate.pending()).toEqual([]);
    expect(searched).toEqual([]);
    await gate.close();
  });

  it.each(toolEntries)('is asked about once when a program makes the search: %s', async (_, run) => {
    const { searched, tools } = set(() => ['del']);
    const { asked, onApprovalRequest } = human(true);
    const program = ai.experimental_toolCaller(programTool({}), {
      type: 'local',
      bind: (bound) => programTool(bound),
      prepareModelMessage: () => undefined,
    });
    await run({
      turns: [calls(call('program', { calls: [{ tool: 'search', input: { query: 'x' } }] }, 'c1')), says('Done.')],
      tools: { ...tools, program },
      experimental_toolCallers: { search: ['program'], del: ['program'], read: ['program'] },
      interruptOn: { search: true },
      onApprovalRequest,
    });
    expect({ searched, asked }).toEqual({ searched: ['x'], asked: ['search'] });
  });

  it('that was gated before, by another, is refused', () => {
    const { tools } = set(() => ['del']);
    const gated = (given: ai.ToolSet) =>
      gateTools(given, { interruptOn: { search: true }, onApprovalRequest: () => true });
    expect(() => gated(gated(tools))).toThrow(/the tool "search" is gated already, by gateTools/);
  });

  it('the run tells of an ordinary search, and nobody is asked', async () => {
    const { tools } = set();
    const events = await collect<AgentEvent>(
      streamWithEvents({
        model: scripted([calls(search('read', 's1')), says('Done.')]).model,
        prompt: 'go',
        tools,
        interruptOn: { del: true },
        onApprovalRequest: () => false,
      } as never),
    );
    expect(events.filter(({ type }) => /approval|tool-result/.test(type)).map(({ type }) => type)).toEqual([
      'tool-result',
    ]);
  });
});
