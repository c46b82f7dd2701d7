/** Tools of a hostile MCP server, through the AI SDK's own client: its names prove nothing, its hints only tighten. */
import { join } from 'node:path';
import type { Tool, ToolSet } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeepAgent } from '../../ts/agent/index.js';
import type { ApprovalRequest, PolicyDocument, PolicyEffect, PolicyInput } from '../../index.js';
import { createGate, definePolicy } from '../../ts/index.js';
import { mcpTools } from '../../ts/protocols/mcp.js';
import { waitingEntries, type Entry } from '../support/entries.js';
import { call, calls, major, says, scripted } from '../support/model.js';
import { play } from '../support/play.js';

interface Client {
  tools(): Promise<ToolSet>;
  close(): Promise<void>;
}

const SERVER = join(import.meta.dirname, 'programs/hostile-mcp-server.mjs');

/** The client that goes with this version of the AI SDK, with this server as its process. */
async function connect(name?: string): Promise<Client> {
  const client = major === 7 ? '@ai-sdk/mcp' : 'mcp-v1';
  const { createMCPClient } = (await import(client)) as { createMCPClient(options: object): Promise<Client> };
  const { Experimental_StdioMCPTransport: Transport } = (await import(`${client}/mcp-stdio`)) as {
    Experimental_StdioMCPTransport: new (options: object) => object;
  };
  const transport = new Transport({ command: process.execPath, args: [SERVER] });
  return createMCPClient({ transport, ...(name === undefined ? {} : { name }) });
}

const clients: Client[] = [];
let plain: ToolSet;
let named: ToolSet;
beforeAll(async () => {
  clients.push(await connect(), await connect('evil'));
  plain = await clients[0]!.tools();
  named = await clients[1]!.tools();
});
afterAll(async () => {
  for (const client of clients) await client.close();
});

/** What becomes of a call under a policy. */
async function became(
  tools: ToolSet,
  toolName: string,
  policy: PolicyInput | readonly PolicyInput[],
  args: object = { path: 'a.txt' },
) {
  const asked: ApprovalRequest[] = [];
  const { of } = await play({
    tools,
    policy,
    turns: [calls(call(toolName, args, 'c1')), says('.')],
    onApprovalRequest: (request) => asked.push(request) < 0,
  });
  const effect: PolicyEffect = asked.length > 0 ? 'ask' : of('tool-result').length > 0 ? 'allow' : 'deny';
  return { effect, asked };
}

const effectOf = async (...given: Parameters<typeof became>) => (await became(...given)).effect;
const rules = (...rule: object[]) => ({ version: 1, default: 'ask', rule }) as PolicyDocument;

describe('names', () => {
  it('are those that the server gave', () => {
    expect(Object.keys(plain)).toEqual(expect.arrayContaining(['read_file', 'write_todos', 'ls', 'execute']));
  });

  it.each(['read_file', 'write_todos', 'ls'])('%s is not allowed by a preset', async (name) => {
    for (const preset of ['preset:read-only', 'preset:developer'] as const)
      for (const tools of [plain, named]) expect(await effectOf(tools, name, preset)).toBe('ask');
  });

  // The client of AI SDK 6 does not tell the name that the server gives.
  const isTold = major === 7;

  it.each(isTold ? ['read_file', 'mcp__evil__read_file', 'mcp__evil', 'evil_read'] : ['mcp__evil', 'evil_read'])(
    'a tool that the program calls otherwise is denied under %s, and asked about',
    async (name) => {
      const tools = { evil_read: named['read_file'] } as ToolSet;
      const open = { mcp: 'evil', effect: 'allow' };
      const how = name === 'mcp__evil' ? { mcp: 'evil' } : { tools: [name] };
      expect(await effectOf(tools, 'evil_read', rules(open))).toBe('allow');
      for (const effect of ['deny', 'ask'])
        expect(await effectOf(tools, 'evil_read', rules(open, { ...how, effect }))).toBe(effect);
    },
  );

  it.runIf(isTold).each([
    ['deny', true],
    ['allow', false],
  ] as const)('a deny under a condition holds for such a tool: %s where it says %s', async (effect, holds) => {
    const tools = { evil_read: named['read_file'] } as ToolSet;
    const policy = definePolicy([
      { tools: ['read_file'], effect: 'deny', if: () => holds },
      { tools: ['mcp__evil__*'], effect: 'allow' },
    ]);
    expect(await effectOf(tools, 'evil_read', policy)).toBe(effect);
  });

  it.runIf(isTold)(
    'a rule of its server speaks of the names that the server gives, and of the names here',
    async () => {
      const tools = { evil_read: named['read_file'] } as ToolSet;
      const open = { mcp: 'evil', effect: 'allow' };
      for (const name of ['read_file', 'evil_read', '*_read', 'read_*'])
        expect(await effectOf(tools, 'evil_read', rules(open, { mcp: 'evil', tools: [name], effect: 'deny' }))).toBe(
          'deny',
        );
      // The name that the server gives opens nothing.
      for (const opened of [{ mcp: 'evil', tools: ['read_file'] }, { tools: ['read_file'] }])
        expect(await effectOf(tools, 'evil_read', rules({ ...opened, effect: 'allow' }))).toBe('ask');
    },
  );

  it.each(['read_file', 'write_todos'])('%s: plan mode does not run it', async (name) => {
    const gate = createGate();
    await gate.setMode('plan');
    const { events } = await play({ tools: plain, gate, turns: [calls(call(name, {}, 'c1')), says('.')] });
    expect(events.map(({ type }) => type)).not.toContain('tool-result');
    await gate.close();
  });

  it('an allow of a tool of one’s own does not mean it', async () => {
    const allow = { effect: 'allow', tools: ['read_file', 'list'] };
    expect(await effectOf(plain, 'list', rules(allow))).toBe('ask');
    expect(await effectOf(plain, 'read_file', rules(allow, { effect: 'allow', reads: '**' }))).toBe('ask');
  });

  it('a deny of the name that it has in the set means it', async () => {
    const deny = rules({ effect: 'deny', tools: 'list' }, { effect: 'allow', tools: '*' });
    for (const tools of [plain, named]) expect(await effectOf(tools, 'list', deny)).toBe('deny');
  });

  it('what its arguments say only tightens', async () => {
    const policy = rules({ effect: 'allow', tools: 'mcp__*' }, { effect: 'deny', reads: 'secret/**' });
    expect(await effectOf(named, 'read_file', policy)).toBe('allow');
    expect(await effectOf(named, 'read_file', policy, { path: 'secret/key' })).toBe('deny');
    expect(await effectOf(named, 'execute', rules({ effect: 'allow', commands: 'ls' }), { command: 'ls' })).toBe('ask');
  });

  it('rules know the client by its name', async () => {
    const allow = rules({ effect: 'allow', tools: 'mcp__evil__*' });
    expect(await effectOf(named, 'list', allow)).toBe('allow');
    expect(await effectOf(plain, 'list', allow)).toBe('ask');
  });

  it.each([{ mcp: 'evil' }, { tools: 'mcp__evil__list' }, { tools: 'mcp__evil__*' }])(
    'a program that gives it the name of a tool of another server takes it away from no deny: %o',
    async (denied) => {
      const deny = rules({ effect: 'deny', ...denied }, { effect: 'allow', tools: '*' });
      const list = named['list'] as Tool;
      // The client of AI SDK 6 does not tell whose tool it is.
      if (major === 7) expect(await effectOf({ mcp__other__list: list }, 'mcp__other__list', deny)).toBe('deny');
      const ofServer = await mcpTools({ tools: () => Promise.resolve({ list }) }, { server: 'evil' });
      for (const name of ['mcp__other__list', 'other_list', 'mcp__other__else'])
        expect(await effectOf({ [name]: ofServer['mcp__evil__list'] as Tool }, name, deny)).toBe('deny');
    },
  );

  it('no server can take the name of another', async () => {
    const allow = rules({ effect: 'allow', tools: 'mcp__github__*' });
    for (const tools of [plain, named]) expect(await effectOf(tools, 'mcp__github__list', allow)).toBe('ask');
  });

  describe('of a tool that is made at run time, as older clients do, which say nothing of its origin', () => {
    /** @param name as the server chose it */
    const made = async (name: string): Promise<ToolSet> => {
      const { dynamicTool, jsonSchema } = await import('ai');
      return { [name]: dynamicTool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'ran' }) };
    };

    it('are none of one’s own', async () => {
      expect(await effectOf(await made('read_file'), 'read_file', 'preset:read-only')).toBe('ask');
    });

    it('are none of another server: an allow of that does not mean it, a deny does', async () => {
      const tools = await made('mcp__github__list');
      for (const allow of [{ tools: 'mcp__github__*' }, { mcp: 'github' }] as const)
        expect(await effectOf(tools, 'mcp__github__list', rules({ effect: 'allow', ...allow }))).toBe('ask');
      const deny = rules({ effect: 'deny', tools: 'mcp__github__*' }, { effect: 'allow', tools: '*' });
      expect(await effectOf(tools, 'mcp__github__list', deny)).toBe('deny');
    });

    it('are those of the server that the user names', async () => {
      const tools = await mcpTools({ tools: () => made('list') }, { server: 'github' });
      expect(await effectOf(tools, 'mcp__github__list', rules({ effect: 'allow', mcp: 'github' }))).toBe('allow');
    });
  });

  it('"always" is offered for the tool of that server alone', async () => {
    const { asked } = await became(named, 'read_file', 'preset:read-only');
    expect(asked[0]?.always.allow?.rules).toEqual([{ tools: ['mcp__evil__read_file'], effect: 'allow' }]);
  });

  it.each(['mcp__evil__list', 'mcp__evil__*'])('one that is denied as %s is not shown to the model', async (name) => {
    let active: readonly string[] | undefined;
    const model = scripted([says('.')]).model as unknown as {
      doStream: (options: { tools?: { name: string }[] }) => unknown;
    };
    const { doStream } = model;
    model.doStream = (options) => {
      active = options.tools?.map((each) => each.name) ?? [];
      return doStream(options);
    };
    const policy = rules({ effect: 'deny', tools: name });
    await play({ model, tools: named, policy, hideDeniedTools: true, turns: [] } as never);
    expect(active).not.toContain('list');
  });

  it.each<[string, Entry]>(waitingEntries)('are asked about whatever the entry: %s', async (_, run) => {
    const gate = createGate({ policy: 'preset:read-only' });
    const asked: string[] = [];
    await run({
      turns: [calls(call('read_file', { path: 'a' }, 'c1'), call('write_todos', {}, 'c2')), says('.')],
      tools: plain,
      gate,
      onApprovalRequest: ({ toolName }) => asked.push(toolName) < 0,
    });
    expect(asked.toSorted()).toEqual(['read_file', 'write_todos']);
    await gate.close();
  });
});

describe('hints', () => {
  const hinted = (annotations: object, effect: PolicyEffect = 'deny') =>
    rules({ effect: 'allow', tools: '*' }, { effect, tools: '*', annotations });

  it('are read where the client puts them', async () => {
    expect(await effectOf(plain, 'ls', hinted({ destructiveHint: true }))).toBe('deny');
    expect(await effectOf(plain, 'list', hinted({ destructiveHint: true }))).toBe('allow');
    expect(await effectOf(plain, 'read_file', hinted({ readOnlyHint: false }))).toBe('allow');
    expect(await effectOf(plain, 'execute', hinted({ readOnlyHint: false }))).toBe('deny');
  });

  it('allow nothing', async () => {
    expect(await effectOf(plain, 'list', 'preset:read-only')).toBe('ask');
  });
});

describe('mcpTools', () => {
  it('names the tools by their server', async () => {
    const tools = await mcpTools(clients[0]!, { server: 'github' });
    expect(Object.keys(tools)).toEqual(Object.keys(plain).map((name) => `mcp__github__${name}`));
    expect(await effectOf(tools, 'mcp__github__list', rules({ effect: 'allow', tools: 'mcp__github__*' }))).toBe(
      'allow',
    );
    expect(await effectOf(tools, 'mcp__github__list', rules({ effect: 'allow', tools: 'mcp__evil__*' }))).toBe('ask');
  });

  it('rules name a server', async () => {
    const tools = await mcpTools(clients[0]!, { server: 'github' });
    const policy = rules({ effect: 'allow', mcp: 'github' }, { effect: 'deny', mcp: 'github', tools: 'ls' });
    expect(await effectOf(tools, 'mcp__github__list', policy)).toBe('allow');
    expect(await effectOf(tools, 'mcp__github__ls', policy)).toBe('deny');
    expect(await effectOf(named, 'list', policy)).toBe('ask');
  });

  it('what is of two servers does not meet', async () => {
    const both = {
      ...(await mcpTools(clients[0]!, { server: 'one' })),
      ...(await mcpTools(clients[1]!, { server: 'two' })),
    };
    expect(Object.keys(both)).toHaveLength(2 * Object.keys(plain).length);
  });

  it.each(['', 'a__b', '_a', 'a_', 'a b', 'a*', undefined])(
    'a name that rules could take for another is refused: %j',
    async (server) => {
      await expect(mcpTools(clients[0]!, { server: server as string })).rejects.toMatchObject({
        code: 'ERR_INVALID_CONFIG',
      });
    },
  );
});

describe('createDeepAgent', () => {
  const { model } = scripted([]);
  const one = (name: string) => ({ [name]: plain[name] as Tool }) as ToolSet;

  it.each(['read_file', 'write_todos', 'ls', 'execute'])('takes no foreign %s for its own', (name) => {
    expect(() => createDeepAgent({ model, tools: one(name) })).toThrow(/mcpTools/);
    const helper = { name: 'helper', description: 'Helps', tools: one(name) };
    expect(() => createDeepAgent({ model, subagents: [helper] })).toThrow(/mcpTools/);
  });

  it('takes them under the name of their server', async () => {
    const agent = createDeepAgent({ model, tools: await mcpTools(clients[0]!, { server: 'github' }) });
    expect(Object.keys(agent.tools)).toEqual(expect.arrayContaining(['read_file', 'mcp__github__read_file']));
  });
});
