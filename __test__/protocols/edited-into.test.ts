/** An edit into a call that stands out: each place where somebody edits looks at it as at a call that was made so. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { tool, type ToolSet } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { ApprovalRequest, Gate, RunOptions } from '../../index.js';
import { editedAsk } from '../../ts/cli/watch-edit.js';
import { editedThere } from '../../ts/cli/read-edit.js';
import { dangersInWords } from '../../ts/gate/danger.js';
import { localGate } from '../../ts/gate/gate.js';
import { createGate, parsePolicy, terminalApprover } from '../../ts/index.js';
import { check } from '../../ts/inbox/deciding.js';
import { NativeLedger } from '../../ts/native.js';
import { fromElicitResult, mcpApprover } from '../../ts/protocols/mcp.js';
import { call, calls, collect, says } from '../support/model.js';
import { play, start, until } from '../support/play.js';
import { requestWith } from './asked.js';

/** A folder with a file that is there. */
function folder(): string {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-edited-into-')));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }));
  mkdirSync(join(cwd, '.git'));
  writeFileSync(join(cwd, 'README.md'), 'old\nlines\n');
  return cwd;
}

const RISKY = `
version = 1
[[rule]]
effect = "ask"
commands = ["./migrate.sh --prod"]
risk = "high"
because = "customers use it"
`;

interface EditedInto {
  toolName: string;
  args: object;
  edited: object;
  why: string;
  /** Rules of the run alone, which no gate has. */
  more: (cwd: string) => object;
}

const INTO: [string, EditedInto][] = [
  [
    'a rule marks as a risk',
    {
      toolName: 'execute',
      args: { command: 'ls' },
      edited: { command: './migrate.sh --prod' },
      why: 'it is a high risk: customers use it',
      more: (cwd) => ({ gate: createGate({ place: { cwd } }), policy: parsePolicy(RISKY) }),
    },
  ],
  [
    'writes over what is there',
    {
      toolName: 'write_file',
      args: { file_path: 'fresh.md', content: 'new\n' },
      edited: { file_path: 'README.md', content: 'new\n' },
      why: 'it writes over what is there',
      more: (cwd) => ({ gate: createGate({ place: { cwd } }) }),
    },
  ],
];

type Ask = NonNullable<RunOptions<ToolSet>['onApprovalRequest']>;

/**
 * Somebody who edits so, says so many yeses to what they are shown then, and all that they were shown.
 *
 * @param meanwhile before each of the yeses
 */
type Person = (edited: object, yeses: number, meanwhile?: () => void) => { ask: Ask; shown: () => string };

const terminal: Person = (edited, yeses, meanwhile = () => {}) => {
  let [shown, said] = ['', 0];
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const write = (chunk: unknown, _: unknown, done: () => void) => {
    shown += String(chunk);
    if (String(chunk).endsWith('Why? ')) input.write('\r');
    if (String(chunk).includes('Run it? ')) {
      if (said > 0 && said <= yeses) meanwhile();
      input.write(said === 0 ? `e ${JSON.stringify(edited)}\r` : said <= yeses ? 'y\r' : 'n\r');
      said++;
    }
    done();
  };
  const output = Object.assign(new Writable({ write }), { isTTY: true });
  return { ask: terminalApprover({ input, output }) as Ask, shown: () => shown };
};

const mcp: Person = (edited, yeses, meanwhile = () => {}) => {
  const forms: string[] = [];
  const elicitInput = async ({ message }: { message: string }) => {
    const said = forms.push(message) - 1;
    if (said > 0 && said <= yeses) meanwhile();
    const yes = { decision: 'approve', confirm: said <= yeses ? 'yes' : 'no' };
    const content = forms.length === 1 ? { decision: 'edit', args: JSON.stringify(edited) } : yes;
    return { action: 'accept', content };
  };
  return { ask: mcpApprover({ elicitInput }) as Ask, shown: () => forms.join('\n') };
};

/** A tool of this name, and what it ran. */
function toolNamed(name: string) {
  const ran: unknown[] = [];
  const execute = async (args: unknown) => void ran.push(args);
  return { ran, tools: { [name]: tool({ inputSchema: z.looseObject({}), execute } as never) } as ToolSet };
}

async function run({ toolName, args, more }: EditedInto, { ask }: ReturnType<Person>, cwd: string): Promise<unknown[]> {
  const { ran, tools } = toolNamed(toolName);
  const turns = [calls(call(toolName, args, 'c1')), says('.')];
  await play({ turns, tools, interruptOn: 'all', onApprovalRequest: ask, ...more(cwd) });
  return ran;
}

describe.each([
  ['terminalApprover', terminal],
  ['mcpApprover', mcp],
])('%s', (_name, person) => {
  it.each(INTO)('wants a second yes for an edit into a call that %s', async (_, into) => {
    const [once, twice] = [person(into.edited, 0), person(into.edited, 1)];
    expect(await run(into, once, folder())).toEqual([]);
    expect(once.shown()).toContain(`Careful: ${into.why}`);
    expect(await run(into, twice, folder())).toEqual([into.edited]);
  });

  it('shows the change of a file that an edit makes', async () => {
    const [, into] = INTO[1]!;
    const one = person(into.edited, 0);
    await run(into, one, folder());
    expect(one.shown().replaceAll(/[^\x20-\x7e\n]/g, '')).toMatch(/like this[^]*- old\r?\n[^]*- lines\r?\n[^]*\+ new/);
  });

  it('asks again where the file of an edit changes between what was shown and the second yes', async () => {
    const [, into] = INTO[1]!;
    const cwd = folder();
    const one = person(into.edited, 1, () => writeFileSync(join(cwd, 'README.md'), 'precious\n'));
    expect(await run(into, one, cwd)).toEqual([]);
    const said = one.shown().replaceAll(/[^\x20-\x7e\n]/g, '');
    expect(said).toMatch(/Asked again: .*README\.md.* has changed since it was edited[^]*- precious/);
  });

  it('wants none for an edit of a risky call into one that is none, and reads it by the rules', async () => {
    const [, into] = INTO[0]!;
    const one = person(into.args, 0);
    expect(await run({ ...into, args: into.edited, edited: into.args }, one, folder())).toEqual([into.args]);
    expect(one.shown()).toContain('high risk');
  });

  it('wants one where nothing knows the rules that the call stands under', async () => {
    const verdict = { effect: 'ask', rule: null, reason: 'asks', actions: [] } as unknown as ApprovalRequest['verdict'];
    const request = await requestWith({ toolName: 'execute', args: { command: 'ls' }, verdict });
    const one = person({ command: 'ls -l' }, 0);
    const signal = new AbortController().signal;
    expect(await one.ask(request as never, { abortSignal: signal } as never)).toMatchObject({ type: 'reject' });
    expect(one.shown()).toContain('Careful: it was edited, and not all of its rules and files were looked at');
  });
});

it('fromElicitResult takes no edit of a call that stands under rules, or that may write over a file', async () => {
  const verdict = { effect: 'ask', rule: null, reason: 'asks', actions: [] } as unknown as ApprovalRequest['verdict'];
  const content = { decision: 'edit', args: '{"command":"ls -l"}' };
  for (const more of [{ toolName: 'execute', verdict }, { toolName: 'write_file' }])
    expect(fromElicitResult({ action: 'accept', content }, await requestWith(more))).toMatchObject({
      type: 'reject',
      reason: expect.stringMatching(/only mcpApprover asks for[^]*not all of its rules and files/) as unknown,
    });
});

/** A call that waits in a ledger, and what looks at that. */
async function waiting({ toolName, args, more }: Omit<EditedInto, 'more'> & { more: object }, cwd: string) {
  const ledger = `sqlite:${join(cwd, 'l.db')}` as const;
  const gate = createGate({ ledger, place: { cwd }, ...more });
  const { run: asking } = start({
    turns: [calls(call(toolName, args, 'c1')), says('.')],
    tools: toolNamed(toolName).tools,
    interruptOn: 'all',
    gate,
  });
  const { approvalId } = await until(asking, 'approval-requested');
  onTestFinished(async () => {
    await gate.close();
    await collect(asking).catch(() => {});
  });
  return { gate, ledger, approvalId };
}

const LOOKS = { person: { mayDecide: true } } as Parameters<typeof check>[3];
const dangersOf = async (gate: Gate, approvalId: string, args: object) =>
  (await check(localGate(gate, 'test'), approvalId, { args }, LOOKS)).dangers;

describe('the check of the inbox', () => {
  it.each(INTO)('says that an edit into a call %s', async (_, into) => {
    const more = into.toolName === 'execute' ? { policy: parsePolicy(RISKY) } : {};
    const { gate, ledger, approvalId } = await waiting({ ...into, more }, folder());
    expect(await dangersOf(gate, approvalId, into.edited)).toEqual([expect.stringContaining(into.why) as unknown]);
    expect(await dangersOf(gate, approvalId, { ...into.args, more: 1 })).toEqual([]);
    // As that of another program, which has not the policy.
    await using other = createGate({ ledger });
    const seen = await dangersOf(other, approvalId, into.edited);
    expect(seen.join()).toContain('not all of its rules and files were looked at');
  });
});

describe('countersign edit and watch', () => {
  /** The record, as a command has it. */
  async function looking(ledger: string, approvalId: string) {
    const native = new NativeLedger({ ledger, key: null, readOnly: true });
    await native.open();
    onTestFinished(() => native.close());
    const record = (await native.pending(null)).find((each) => each.approvalId === approvalId)!;
    return { native, record };
  }

  it('say what stands out by the policy files of the project', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, '.countersign'));
    writeFileSync(join(cwd, '.countersign', 'policy.toml'), RISKY);
    const [, into] = INTO[0]!;
    const { ledger, approvalId } = await waiting({ ...into, more: { policyFiles: true } }, cwd);
    const { native, record } = await looking(ledger, approvalId);
    expect(dangersInWords((await editedThere(native, record, into.edited)).call)).toEqual([
      expect.stringMatching(/^it is a high risk: customers use it \(.*policy\.toml:3\)$/) as unknown,
    ]);
    expect((await editedAsk(native, record, { command: 'ls -l' })).doubts).toEqual([]);
    const over = { ...record, toolName: 'write_file' };
    const wrote = await editedAsk(native, over, { file_path: 'README.md', content: 'new\n' });
    expect(wrote.doubts).toEqual(['it writes over what is there']);
    expect(wrote.lines.join('\n')).toMatch(/old[^]*new/);
  });

  it('say that not all was looked at, where the program has rules of its own', async () => {
    const [, into] = INTO[0]!;
    const { ledger, approvalId } = await waiting({ ...into, more: { policy: parsePolicy(RISKY) } }, folder());
    const { native, record } = await looking(ledger, approvalId);
    expect((await editedAsk(native, record, { command: 'ls -l' })).doubts).toEqual([
      'it was edited, and not all of its rules and files were looked at for that',
    ]);
  });
});
