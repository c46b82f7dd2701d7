/** A chat that does what a file says, to look at the screen alone. Each call that it gets is written to a file, a line each. */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { showChat } from '../../../ts/cli/chat/screen/index.js';
import type { Chat, ChatView, TranscriptEntry } from '../../../ts/cli/chat/view.js';

const [plan = '', log = ''] = process.argv.slice(2);
const read = () =>
  JSON.parse(readFileSync(plan, 'utf8')) as {
    view: Partial<ChatView>;
    emoji?: boolean;
    /** What the view becomes when a line is submitted. */
    on?: Record<string, Partial<ChatView>>;
    standsStill?: boolean;
  };
const script = read();

const listeners = new Set<() => void>();
let id = 1000;
let view: ChatView = {
  mode: 'safe',
  isBusy: false,
  model: 'demo-model',
  folder: '/home/me/project',
  entries: [],
  asks: [],
  decided: {},
  overtaken: [],
  todos: [],
  subagents: [],
};

/** Deadlines are given in ms from now. */
const change = (more: Partial<ChatView>): void => {
  const asks = more.asks?.map((ask) => {
    const { expiresAt } = ask.request;
    return { ...ask, request: { ...ask.request, expiresAt: expiresAt === null ? null : Date.now() + expiresAt } };
  });
  view = { ...view, ...more, ...(asks === undefined ? {} : { asks: asks as ChatView['asks'] }) };
  for (const listener of listeners) listener();
};
const note = (text: string): void => {
  const entry: TranscriptEntry = { kind: 'note', level: 'info', text, id: (id += 1), isDone: true, origin: ['main'] };
  change({ entries: [...view.entries, entry] });
};
/** Longer than anything has to be in sight before keys count. */
const LONG_ENOUGH_MS = 400;
/** Told by the clock that keys go by, however slow the machine is. */
const tellWhenSeen = (): void => {
  setTimeout(() => setImmediate(() => writeFileSync(`${log}.seen`, '')), LONG_ENOUGH_MS).unref();
};
const told = (...call: unknown[]): void => appendFileSync(log, `${JSON.stringify(call)}\n`);

const chat: Chat = {
  get view() {
    return view;
  },
  commands: [
    { name: 'approve', usage: '/approve', help: 'Auto-approve on or off' },
    { name: 'pending', usage: '/pending', help: 'what waits' },
    { name: 'policy', usage: '/policy', help: 'which policies hold' },
    { name: 'help', usage: '/help', help: 'this list' },
    { name: 'quit', usage: '/quit', help: 'leave' },
  ],
  subscribe: (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  submit: async (line) => {
    told('submit', line);
    if (line === 'crash')
      setImmediate(() => {
        throw new Error('the program crashed');
      });
    const next = script.on?.[line];
    if (next !== undefined) change(next);
    else note(`you said: ${line}`);
  },
  complete: (line) => chat.commands.map(({ name }) => `/${name}`).filter((name) => name.startsWith(line)),
  decide: async (approvalId, decision) => {
    told('decide', approvalId, decision);
    answered(approvalId);
  },
  reconsider: async (approvalId, args) => {
    const ask = view.asks.find(({ request }) => request.approvalId === approvalId);
    if (ask?.kind !== 'approval') throw new Error('it no longer waits');
    return { ...ask, request: { ...ask.request, args } };
  },
  refuse: async (approvalId) => {
    told('refuse', approvalId);
    answered(approvalId);
  },
  approveAlike: async (approvalId) => {
    told('approveAlike', approvalId);
    answered(approvalId);
  },
  always: async (approvalId, scope) => {
    told('always', approvalId, scope);
    answered(approvalId);
  },
  approveAll: async () => {
    told('approveAll');
    change({ mode: 'auto', asks: [] });
  },
  answer: async (approvalId, answers) => {
    told('answer', approvalId, answers);
    answered(approvalId);
  },
  interrupt: () => {
    told('interrupt');
    const { isBusy } = view;
    change({ isBusy: false, asks: [] });
    return isBusy;
  },
  isOver: false,
  close: async () => told('close'),
};

function answered(approvalId: string): void {
  view = { ...view, asks: view.asks.filter(({ request }) => request.approvalId !== approvalId) };
  note(`answered ${approvalId}`);
}

// As the program does it.
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.on(signal, () => process.exit(128));

// Another view, for another test.
process.on('SIGUSR2', () => {
  rmSync(`${log}.seen`, { force: true });
  change(read().view);
  tellWhenSeen();
});

change(script.view);
const shown = showChat(chat, script.emoji === undefined ? {} : { emoji: script.emoji });
tellWhenSeen();
// Behind what takes the keys: what stands there was taken.
process.stdin.on('data', (keys: Uint8Array) => appendFileSync(`${log}.keys`, keys));
// Before anything else can happen: what is drawn has been in sight for no time yet.
if (script.standsStill === true) {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(`${log}.on`)) Atomics.wait(cell, 0, 0, 5);
}
process.exitCode = await shown;
process.stdout.write('the end\n');
