/** Names that no tool has: what plainly means a tool is an error, and all else is told of each set of tools that it leaves open. */
import { ToolLoopAgent, tool, type ToolSet } from 'ai';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { applyInterruptConfig, definePolicy, gateTools, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, major, says, scripted } from '../support/model.js';
import { of } from '../support/play.js';
import { listenToWarnings } from '../support/warnings.js';

const toolsNamed = (...names: string[]): ToolSet =>
  Object.fromEntries(names.map((name) => [name, tool({ inputSchema: z.object({}), execute: async () => name })]));

const run = (tools: ToolSet, more: object) =>
  streamWithEvents({ model: scripted([says('.')]).model, prompt: 'go', tools, ...more } as never);

/** Each place where tools are named. */
const PLACES: [string, (tools: ToolSet, names: string[]) => unknown][] = [
  ['a list of interruptOn', (tools, names) => run(tools, { interruptOn: names })],
  ['interruptOn', (tools, names) => run(tools, { interruptOn: Object.fromEntries(names.map((each) => [each, true])) })],
  ['gateTools', (tools, names) => gateTools(tools, { interruptOn: names })],
  ['applyInterruptConfig', (tools, names) => applyInterruptConfig(tools, names)],
  ['a policy', (tools, names) => run(tools, { policy: definePolicy([{ tools: names, effect: 'deny' }]) })],
  ...(major === 7
    ? ([
        [
          'toolApproval',
          (tools, names) =>
            run(tools, { toolApproval: Object.fromEntries(names.map((name) => [name, 'user-approval'])) }),
        ],
      ] satisfies [string, (tools: ToolSet, names: string[]) => unknown][])
    : []),
];

describe.each(PLACES)('in %s', (_, name) => {
  it.each(['delete_fil', 'file_delete', 'FileDelete', 'tools.delete_file', 'fs:deleteFile', 'mcp__fs__delete_file'])(
    '%s is an error where delete_file is there, and would run unasked',
    (written) => {
      expect(() => name(toolsNamed('read_file', 'delete_file'), [written])).toThrow(
        expect.objectContaining({ code: 'ERR_UNKNOWN_TOOL', nearest: 'delete_file' }) as Error,
      );
    },
  );

  it.each([
    'delete_file,read_file',
    'read_file delete_file',
    'delete_file;read_file',
    'delete_file: true',
    'delete_file.execute',
  ])('%s is an error, which says that an entry is one name', (written) => {
    expect(() => name(toolsNamed('read_file', 'delete_file'), [written])).toThrow(
      expect.objectContaining({
        code: 'ERR_UNKNOWN_TOOL',
        nearest: expect.stringMatching(/^(?:delete|read)_file$/),
      }) as Error,
    );
  });

  it('it is a warning where that tool is not there, or has an entry, or the name is that of a server that is there', () => {
    using heard = listenToWarnings();
    name(toolsNamed('read_file', `x${_.length}`), ['file_delete', 'read_file']);
    name(toolsNamed('delete_file', `x${_.length}`), ['file_delete', 'delete_file']);
    name(toolsNamed('delete_file', 'mcp__fs__read_file', `x${_.length}`), ['mcp__fs__delete_file']);
    const told = (written: string) => expect.stringContaining(`do not have: "${written}"`) as unknown;
    expect(heard.warnings.filter((each) => each.includes('do not have'))).toEqual([
      told('file_delete'),
      told('file_delete'),
      told('mcp__fs__delete_file'),
    ]);
  });

  it('an unknown name is told for each set of tools, and once for each', () => {
    using heard = listenToWarnings();
    const sets = [toolsNamed('one', `y${_.length}`), toolsNamed('two', `y${_.length}`)];
    for (const tools of [...sets, ...sets]) name(tools, ['nowhere']);
    expect(heard.warnings.filter((each) => each.includes('"nowhere"'))).toHaveLength(2);
  });
});

describe('a tool that prepareCall adds', () => {
  /** Of an agent that has one tool, and gets another when it is called. */
  async function preparing(interruptOn: string[], more: object = {}) {
    using heard = listenToWarnings();
    const agent = new ToolLoopAgent({
      model: scripted([calls(call('delete_file', {}, 'c1')), says('.')]).model,
      tools: toolsNamed('read'),
      prepareCall: (options: { tools?: ToolSet }) => ({
        ...options,
        tools: { ...options.tools, ...toolsNamed('delete_file') },
      }),
    } as never);
    const started = streamWithEvents({
      agent,
      prompt: 'go',
      interruptOn,
      onApprovalRequest: () => false,
      ...more,
    } as never);
    const events = await collect(started);
    return { told: of(events), warnings: [...heard.warnings] };
  }

  test('by its very name is asked about, and nothing says that it is not', async () => {
    for (const unknownTools of [undefined, 'error', 'warn']) {
      const { told, warnings } = await preparing(['delete_file'], unknownTools === undefined ? {} : { unknownTools });
      expect(told('approval-requested')).toHaveLength(1);
      expect(warnings).toEqual([]);
    }
  });

  test('by a name that it has not is an error before the model is called', async () => {
    const { told } = await preparing(['file_delete']);
    expect(told('error')).toMatchObject([{ error: { code: 'ERR_UNKNOWN_TOOL', nearest: 'delete_file' } }]);
    expect(told('tool-call')).toEqual([]);
  });

  test('is one of the tools that nothing gates, where none is named', async () => {
    const { warnings } = await preparing(['other_one']);
    expect(warnings).toEqual([
      expect.stringContaining('do not have: "other_one". They are not gated.') as unknown,
      expect.stringContaining('nothing is gated') as unknown,
    ]);
  });
});
