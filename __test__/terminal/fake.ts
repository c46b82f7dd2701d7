/** The screen over a chat that does what it is told to: what is drawn, and which keys ask for what. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll } from 'vitest';
import type { ApprovalRequest, Question } from '../../index.js';
import type { WaitingAsk, ChatView, TranscriptEntry } from '../../ts/cli/chat/view.js';
import { preview } from '../../ts/native.js';
import { Terminal, type KEYS, type TerminalOptions } from './terminal.js';

const root = join(import.meta.dirname, '../..');
/** One for each process that tests, since several do so at once. */
const NAME = `fake-chat-${process.pid}`;
const PROGRAM = join(root, '.build', `${NAME}.js`);
const SCREEN = join(root, 'dist/screen.js');

/** Compiles the program, for all tests of a file. The screen in it is the one that ships. */
export function withFake(): void {
  beforeAll(async () => {
    const bundle = await rolldown({
      cwd: root,
      input: { [NAME]: '__test__/terminal/programs/fake-chat.ts' },
      platform: 'node',
      plugins: [
        {
          name: 'screen',
          resolveId: (source) =>
            source.endsWith('/screen/index.js') ? { id: pathToFileURL(SCREEN).href, external: true } : undefined,
        },
      ],
    });
    await bundle.write({ dir: '.build', format: 'esm', entryFileNames: '[name].js', codeSplitting: false });
    await bundle.close();
  });
  afterAll(() => rmSync(PROGRAM, { force: true }));
}

export interface Script {
  view: Partial<ChatView>;
  emoji?: boolean;
  /** What the view becomes when a line is submitted. */
  on?: Record<string, Partial<ChatView>>;
  /** Whether it stands still as soon as it has drawn its first screen, until {@link Fake.goOn}. */
  standsStill?: boolean;
}

export interface Fake {
  terminal: Terminal;
  /** What the screen asked the chat for so far: the name of the method and its arguments. */
  calls(): unknown[][];
  /** Changes what it shows, and forgets the calls. */
  show(view: Partial<ChatView>): void;
  goOn(): void;
  /** When what was shown last is there for so long that keys count. */
  seen(): Promise<void>;
  /** One key; resolves when it was taken, whether or not the screen says so. */
  taken(key: keyof typeof KEYS | (string & {})): Promise<void>;
  close(): Promise<void>;
}

export function startFake(script: Script, options: TerminalOptions & { runtime?: string } = {}): Fake {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-screen-'));
  const [plan, log] = [join(folder, 'plan.json'), join(folder, 'calls')];
  writeFileSync(plan, JSON.stringify(script));
  writeFileSync(log, '');
  const terminal = new Terminal(options.runtime ?? process.execPath, [PROGRAM, plan, log], options);
  const keys = (): number => statSync(`${log}.keys`, { throwIfNoEntry: false })?.size ?? 0;
  return {
    terminal,
    calls: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as unknown[]),
    show: (view) => {
      writeFileSync(plan, JSON.stringify({ view }));
      writeFileSync(log, '');
      rmSync(`${log}.seen`, { force: true });
      process.kill(terminal.pid, 'SIGUSR2');
    },
    seen: () => terminal.waitUntil(() => existsSync(`${log}.seen`), 'what is shown to be there for long enough'),
    taken: async (key) => {
      const before = keys();
      terminal.press(key);
      await terminal.waitUntil(() => keys() > before, `${key} to be taken`);
    },
    goOn: () => writeFileSync(`${log}.on`, ''),
    close: async () => {
      await terminal.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let ids = 0;

type Asked = Partial<Omit<Extract<WaitingAsk, { kind: 'approval' }>, 'request' | 'kind'>>;

/** A call that waits. `expiresAt` is in ms from the start. */
export function approval(
  toolName: string,
  args: unknown,
  more: Partial<ApprovalRequest> = {},
  ask: Asked = {},
): WaitingAsk {
  const shown = preview(toolName, args);
  return {
    kind: 'approval',
    request: request(toolName, args, { preview: shown.text, flags: shown.flags, ...more }),
    index: 1,
    of: 1,
    from: '',
    why: 'this tool is always asked about',
    warnings: [],
    dangers: [],
    always: { label: `every call of ${toolName}`, also: [] },
    alike: [],
    isHarmless: (ask.warnings ?? []).length + (ask.dangers ?? []).length === 0,
    ...ask,
  };
}

export function request(toolName: string, args: unknown, more: Partial<ApprovalRequest> = {}): ApprovalRequest {
  ids += 1;
  return {
    kind: 'approval',
    needs: [],
    requester: null,
    votes: [],
    escalatedAt: null,
    startedBefore: false,
    editedFrom: null,
    askedAgain: null,
    proven: null,
    review: null,
    askedBy: null,
    agentReason: null,
    approvalId: `a${ids}`,
    runId: 'run',
    toolCallId: `call_${ids}`,
    toolName,
    args,
    origin: ['main'],
    step: null,
    rows: [],
    description: `Run tool "${toolName}"?`,
    preview: '',
    flags: [],
    allowedDecisions: ['approve', 'edit', 'reject', 'respond', 'skip'],
    createdAt: 0,
    expiresAt: null,
    digest: 'd'.repeat(64),
    verdict: null,
    always: { allow: null, deny: null },
    changes: [],
    contents: 'kept',
    ...more,
  };
}

/** One thing that was said or done. */
export function entry(what: Record<string, unknown>): TranscriptEntry {
  ids += 1;
  return { id: ids, isDone: true, origin: ['main'], ...what } as unknown as TranscriptEntry;
}

/** Questions that wait. */
export const questions = (all: Question[]): WaitingAsk => ({
  kind: 'question',
  request: request(
    'ask_user',
    { questions: all },
    { kind: 'question', allowedDecisions: ['respond', 'reject', 'skip'] },
  ),
  index: 1,
  of: 1,
  from: '',
  questions: all,
});
