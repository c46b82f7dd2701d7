/** A tool of a server has several names: an entry restricts it by each of them, and opens it by that which rules know alone. */
import { dynamicTool, jsonSchema, tool, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { createDeepAgent, createLocalBackend, createTaskTool, describeApprovals } from '../../ts/agent/index.js';
import type { ApprovalRequest, InterruptOn } from '../../index.js';
import { applyInterruptConfig, streamWithEvents } from '../../ts/index.js';
import { mcpTools } from '../../ts/protocols/mcp.js';
import { scratch } from '../policy/support.js';
import { sample } from '../support/effort.js';
import { waitingEntries } from '../support/entries.js';
import { call, calls, collect, says, scripted, type ModelTurn } from '../support/model.js';

const inputSchema = jsonSchema({ type: 'object' });

type Execute = () => Promise<unknown>;

const ofClient = (execute: Execute, more: object): never =>
  ({
    ...dynamicTool({ description: 'd', inputSchema, execute }),
    metadata: { clientName: 'github', ...more },
  }) as never;
const bare = async (execute: Execute): Promise<ToolSet> => ({ delete_repo: ofClient(execute, {}) });
const named = async (execute: Execute): Promise<ToolSet> =>
  mcpTools({ tools: () => bare(execute) } as never, { server: 'github' }) as Promise<ToolSet>;

/** The tool of one server, as it may be in a set. */
const SPELLINGS: [name: string, make: (execute: Execute) => Promise<ToolSet>][] = [
  ['by the name that its server gives it', bare],
  ['as mcpTools names it', named],
  ['renamed by its program', async (execute) => ({ remove: ofClient(execute, { toolName: 'delete_repo' }) })],
  ['that its program calls so', async (execute) => ({ mcp__github__delete_repo: tool({ inputSchema, execute }) })],
];

interface Play {
  turns: ModelTurn[];
  onApprovalRequest: (request: ApprovalRequest) => boolean;
}

/** What becomes of a call of the only one of these tools. */
async function became(make: (typeof SPELLINGS)[number][1], start: (tools: ToolSet, play: Play) => Promise<unknown>) {
  let ran = 0;
  const asked: ApprovalRequest[] = [];
  const tools = await make(async () => (ran += 1));
  const turns = [calls(call(Object.keys(tools)[0]!, { name: 'x' }, 'c1')), says('.')];
  await start(tools, { turns, onApprovalRequest: (request) => asked.push(request) < 0 });
  return { ran, asked: asked.length, needs: asked[0]?.needs ?? [] };
}

const RESTRICTING: InterruptOn[] = [
  { delete_repo: true },
  ['delete_repo'],
  { '*': false, delete_repo: true },
  { delete_repo: { approvers: ['bob'] } },
  { delete_repo: { shouldApprove: () => true } },
  { mcp__github__delete_repo: true },
  { github__delete_repo: true },
  { mcp__github: true },
];

describe.each(waitingEntries)('%s', (_, entry) => {
  it.each(SPELLINGS)('runs no tool %s unasked that any of its names restricts', async (__, make) => {
    for (const interruptOn of RESTRICTING) {
      const end = await became(make, (tools, play) => entry({ tools, interruptOn, ...play }));
      expect([end.ran, end.asked], JSON.stringify(interruptOn)).toEqual([0, 1]);
      if (JSON.stringify(interruptOn).includes('bob')) expect(end.needs).toMatchObject([{ approvers: ['bob'] }]);
    }
  });

  it('opens it by the name that rules know it by, and by no other', async () => {
    const opens = (interruptOn: InterruptOn) =>
      became(named, (tools, play) => entry({ tools, interruptOn, ...play })).then(({ ran }) => ran === 1);
    for (const name of ['delete_repo', 'github__delete_repo', 'mcp__github'])
      for (const open of [false, { shouldApprove: () => false }])
        expect(await opens({ '*': true, [name]: open } as InterruptOn), name).toBe(false);
    expect(await opens({ '*': true, mcp__github__delete_repo: false })).toBe(true);
    expect(await opens({ delete_repo: true, mcp__github__delete_repo: false })).toBe(false);
  });

  it('restricts it by the name of another tool of the set, unless it is named itself', async () => {
    const opens = (interruptOn: InterruptOn) =>
      became(
        async (execute) => ({ ...(await named(execute)), delete_repo: tool({ inputSchema, execute }) }),
        (tools, play) => entry({ tools, interruptOn, ...play }),
      ).then(({ ran }) => ran === 1);
    expect(await opens({ delete_repo: true })).toBe(false);
    expect(await opens({ delete_repo: true, mcp__github__delete_repo: false })).toBe(true);
  });
});

describe.each(waitingEntries.filter(([name]) => name.startsWith('streamWithEvents')))('%s', (_, entry) => {
  it.each(SPELLINGS)(
    'runs no tool %s that a toolApproval of the AI SDK restricts by any of its names',
    async (__, make) => {
      for (const name of ['delete_repo', 'mcp__github__delete_repo'])
        for (const status of ['denied', 'user-approval', () => 'denied']) {
          const toolApproval = { [name]: status };
          const end = await became(make, (tools, play) => entry({ tools, toolApproval, interruptOn: 'none', ...play }));
          expect([end.ran, end.asked], `${name} ${String(status)}`).toEqual([0, status === 'user-approval' ? 1 : 0]);
        }
    },
  );

  it('follows the strictest of several statuses', async () => {
    const toolApproval = { delete_repo: 'approved', mcp__github__delete_repo: 'user-approval', mcp__github: 'denied' };
    const end = await became(named, (tools, play) => entry({ tools, toolApproval, interruptOn: 'none', ...play }));
    expect([end.ran, end.asked]).toEqual([0, 0]);
  });
});

it.each(SPELLINGS)('applyInterruptConfig marks a tool %s by each of its names', async (_, make) => {
  for (const interruptOn of RESTRICTING) {
    const marked = applyInterruptConfig(await make(async () => 1), interruptOn as never);
    expect(Object.values(marked)[0]?.needsApproval, JSON.stringify(interruptOn)).toBeTruthy();
  }
});

it.each(SPELLINGS)('a model is told that a tool %s is asked about', async (_, make) => {
  const tools = await make(async () => 1);
  expect(describeApprovals(tools, { interruptOn: { delete_repo: true } })).toContain(Object.keys(tools)[0]!);
});

it('a name that is nearly that of a server’s tool is refused, and not warned about', async () => {
  const tools = await named(async () => 1);
  for (const name of ['delete-repo', 'delete_rep', 'Delete_Repo', 'github.delete_repo'])
    expect(() => applyInterruptConfig(tools, { [name]: true } as never), name).toThrow(
      expect.objectContaining({ code: 'ERR_UNKNOWN_TOOL' }),
    );
});

describe('in a subagent', () => {
  const task = calls(call('task', { description: 'x', subagent_type: 's' }, 't1'));
  const kinds: [string, (above: ToolSet, inside: object, config: object) => Promise<unknown>][] = [
    [
      'of createTaskTool',
      async (above, inside, config) => {
        const tools = { ...above, task: createTaskTool({ subagents: [inside as never] }) };
        await collect(
          streamWithEvents({ model: scripted([task, says('.')]).model, prompt: 'x', tools, ...config } as never),
        );
      },
    ],
    [
      'of a deep agent',
      async (
        above,
        inside,
        { interruptOn, onApprovalRequest }: { interruptOn?: object; onApprovalRequest?: unknown },
      ) => {
        const { model } = scripted([task, says('.')]);
        const backend = createLocalBackend({ root: scratch() });
        const subagents = [inside as never];
        const agent = createDeepAgent({ model, tools: above, backend, interruptOn, subagents } as never);
        await agent.generate({ prompt: 'x', onApprovalRequest } as never);
      },
    ],
  ];

  it.each(kinds)(
    '%s no tool runs that the agent above is asked about, whichever names the two have for it',
    async (_, start) => {
      const cases = [...SPELLINGS, ['not at all', async () => ({})] as const].flatMap(([above, has]) =>
        SPELLINGS.flatMap(([within, make]) =>
          [{ delete_repo: true }, { mcp__github__delete_repo: true }].flatMap((interruptOn) =>
            [{}, { interruptOn: { other: true } }].map((inside) => ({ above, has, within, make, interruptOn, inside })),
          ),
        ),
      );
      for (const { above, has, within, make, interruptOn, inside } of sample(cases, 2)) {
        const other = tool({ inputSchema, execute: async () => 1 });
        const end = await became(make, async (tools, { turns, onApprovalRequest }) =>
          start(
            await has(async () => 1),
            { name: 's', description: 'd', model: scripted(turns).model, tools: { ...tools, other }, ...inside },
            { interruptOn: { ...interruptOn, task: false }, onApprovalRequest },
          ),
        );
        const told = JSON.stringify({ above, within, interruptOn, inside });
        expect([end.ran, end.asked], told).toEqual([0, 1]);
      }
    },
  );

  it('no tool runs that its toolApproval above denies by its bare name', async () => {
    for (const [within, make] of SPELLINGS) {
      const end = await became(make, (tools, { turns, onApprovalRequest }) => {
        const inside = { name: 's', description: 'd', model: scripted(turns).model, tools };
        return collect(
          streamWithEvents({
            model: scripted([task, says('.')]).model,
            prompt: 'x',
            tools: { task: createTaskTool({ subagents: [inside] }) },
            toolApproval: { delete_repo: 'denied' },
            unknownTools: 'ignore',
            interruptOn: 'none',
            onApprovalRequest,
          } as never),
        );
      });
      expect([end.ran, end.asked], within).toEqual([0, 0]);
    }
  });
});
