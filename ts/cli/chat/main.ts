/** `countersign` without a command: the chat, with the front end that fits. */
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import type { AgentEvent } from '../../../index.js';
import { whoDecides } from '../decisions.js';
import { Exit, UsageError } from '../exit.js';
import { linesOf } from '../lines.js';
import { CHAT, COMMAND_NAMES, helpText, pageOf } from '../manual.js';
import { folderOf, readOptions, type OptionTypes } from '../options.js';
import { NOTIFY, readNotify } from '../notify.js';
import { whenUnread } from '../output.js';
import { PersonCall, type NotifyWay } from '../../terminal/call-person.js';
import { SeenOutput, seenOutput } from '../../terminal/seen.js';
import { windowOf } from '../../terminal/window.js';
import { tellError } from '../tell-error.js';
import { createAgent } from './agent.js';
import { createChat } from './chat.js';
import { version } from '../version.js';
import { readConfig, type ChatConfig } from './config.js';
import { lineOf, showJson } from './json.js';
import { showLines } from './lines.js';
import { openModel } from './model.js';
import { historyFile, openHistory } from './prompt-history.js';
import type { LocalChat } from './parts.js';
import { openGate } from './open-gate.js';
import { UNSAID } from './rules.js';

const OPTIONS = {
  model: { type: 'string' },
  'base-url': { type: 'string' },
  cwd: { type: 'string' },
  policy: { type: 'string', short: 'p', multiple: true },
  ledger: { type: 'string', short: 'l' },
  auto: { type: 'boolean' },
  plan: { type: 'boolean' },
  prompt: { type: 'string' },
  json: { type: 'boolean' },
  plain: { type: 'boolean' },
  ...NOTIFY,
  help: { type: 'boolean', short: 'h' },
} as const;

type ChatFlags = ReturnType<typeof readFlags>;

/** Runs the chat to its end. Never throws. @param keepsPrompts where the settings want it, too @returns the exit code */
export async function chatCommand(args: readonly string[], { keepsPrompts = true } = {}): Promise<number> {
  try {
    const flags = readFlags(args);
    if (flags.help === true) {
      process.stdout.write(helpText(pageOf([CHAT])!));
      return Exit.ok;
    }
    return await run(flags, keepsPrompts);
  } catch (error) {
    // 3 and the like mean something else here than in commands on a ledger.
    return tellError(error, ['chat']) === Exit.usage ? Exit.usage : Exit.failure;
  }
}

/** @param more options that are known beside those of the chat @throws {UsageError} */
export function readFlags(args: readonly string[], more: OptionTypes = {}) {
  const { values, positionals } = readOptions(args, { ...more, ...OPTIONS });
  const [first] = positionals;
  if (first !== undefined)
    throw new UsageError(
      COMMAND_NAMES.includes(first)
        ? `write the command first, and its options behind it: countersign ${first} …`
        : `there is no command ${JSON.stringify(first)}: see countersign --help`,
    );
  if (values.auto === true && values.plan === true)
    throw new UsageError('--auto and --plan do not go together: give one of them');
  if (values.prompt?.trim() === '') throw new UsageError('--prompt needs a text');
  return values;
}

async function run(flags: ChatFlags, keepsPrompts: boolean): Promise<number> {
  const folder = folderOf('--cwd', flags.cwd);
  const way = readNotify(flags.notify);
  const read = await readConfig(folder, flags);
  const config = { ...read, history: read.history && keepsPrompts };
  const model = await openModel(config);
  const mode = flags.auto === true ? 'auto' : flags.plan === true ? 'plan' : 'safe';
  const { gate, narrowing, policies, watch, beforeAuto } = await openGate(config, folder, mode);
  const emoji = config.emoji && hasUnicode();
  let chat: LocalChat;
  try {
    chat = await createChat({
      gate,
      folder,
      model,
      openModel: (id) => openModel({ ...config, model: id }),
      createAgent: (options) => createAgent({ ...options, folder, policy: narrowing }),
      by: whoDecides(undefined),
      emoji,
      policies,
      watch,
      ...(usesScreen(flags, config.plain) ? { greeting: greeting(policies), window: windowSize } : {}),
      beforeAuto,
      ...(flags.json === true ? { onEvent: printEvent } : {}),
    });
  } catch (error) {
    await gate.close();
    throw error;
  }
  const isPressed = flags.json !== true && !usesScreen(flags, config.plain) && process.stdin.isTTY === true;
  const left = onSignals(chat, isPressed);
  try {
    const exit = await show(chat, flags, config, { emoji, way });
    return left.by ?? exit;
  } finally {
    await chat.close();
    left.stop();
  }
}

const windowSize = () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 });

const printEvent = (event: AgentEvent): void => void process.stdout.write(`${lineOf(event)}\n`);

/** The front end that fits where it runs. */
async function show(
  chat: LocalChat,
  flags: ChatFlags,
  { plain, history, project }: Pick<ChatConfig, 'plain' | 'history' | 'project'>,
  { emoji, way }: { emoji: boolean; way: NotifyWay },
): Promise<number> {
  const input = process.stdin as Readable & { isTTY?: boolean };
  const { prompt } = flags;
  if (flags.json === true) return showJson(chat, prompt === undefined ? linesOf(input) : [prompt]);
  if (usesScreen(flags, plain)) {
    const { showChat } = await import('./screen/index.js');
    // The terminal is gone.
    const stop = whenUnread(() => void chat.letGo().finally(() => process.exit(Exit.failure)));
    const file = history ? historyFile() : undefined;
    const kept = file === undefined ? undefined : openHistory(file, project);
    return showChat(chat, { emoji, notify: way, history: kept }).finally(stop);
  }
  const output = seenOutput(input, process.stdout);
  const seen = output && new SeenOutput(output);
  const write = (text: string): void => {
    if (output === process.stdout) seen?.write(text);
    else process.stdout.write(text);
  };
  // One prompt without a terminal: stdin holds no answers. Nor does typed text where nothing is shown.
  const canAsk = seen !== undefined && (prompt === undefined || input.isTTY === true);
  const ask = (text: string): void => seen?.write(text);
  const isSeen = async (): Promise<boolean> => seen !== undefined && !(await seen.isUnread());
  const person = new PersonCall({ way, write: canAsk && input.isTTY === true ? ask : undefined, hasTitle: false });
  const window = () => windowOf(output);
  return showLines(chat, { input, write, ask, window, isSeen, prompt, canAsk, emoji, person });
}

const usesScreen = ({ json, prompt }: ChatFlags, isPlain: boolean): boolean =>
  json !== true && !isPlain && prompt === undefined && isScreen();

/** What this is, and what to try. */
const greeting = (policies: readonly string[]): string =>
  [
    `countersign ${version()}: an agent in this folder that asks you before it acts.`,
    policies.includes(`Policy: ${UNSAID}`)
      ? `Read-only calls run without asking (${UNSAID}): /policy has the rules.`
      : 'Only what your rules allow runs without asking. See /policy.',
    'Try: what is in this folder?',
  ].join('\n');

/** Whether this is a terminal that can be drawn on, with a keyboard. */
const isScreen = (): boolean =>
  process.stdin.isTTY === true && process.stdout.isTTY === true && process.env.TERM !== 'dumb';

/** Whether the terminal can be expected to show more than ASCII. */
function hasUnicode({ LC_ALL, LC_CTYPE, LANG, TERM } = process.env): boolean {
  if (process.platform === 'win32') return true;
  return TERM !== 'linux' && /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
}

/** How long a Ctrl+C waits for the one that leaves, in ms. */
const PATIENCE = 5_000;

/**
 * An interrupt cancels, then leaves. `isPressed`: it is Ctrl+C, which may come when the run has just ended: then the second one
 * leaves. Where the terminal goes away, the run is let go of, so that it can be continued.
 */
function onSignals(chat: LocalChat, isPressed: boolean): { by: number | undefined; stop(): void } {
  const left: { by: number | undefined; stop(): void } = { by: undefined, stop: () => {} };
  let pressed = -Infinity;
  const interrupt = (): void => {
    // It was told to end, and does not.
    if (chat.isOver) process.exit(128 + constants.signals.SIGINT);
    const isAgain = performance.now() < pressed + PATIENCE;
    pressed = performance.now();
    if (chat.interrupt()) return;
    if (isPressed && !isAgain) return chat.say('Press Ctrl+C again to leave.');
    left.by = 128 + constants.signals.SIGINT;
    chat.leave();
  };
  const leave = (signal: 'SIGTERM' | 'SIGHUP') => (): void => {
    left.by = 128 + constants.signals[signal];
    void chat.letGo().finally(() => process.exit(128 + constants.signals[signal]));
  };
  const handlers = { SIGINT: interrupt, SIGTERM: leave('SIGTERM'), SIGHUP: leave('SIGHUP') };
  for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler);
  left.stop = () => {
    for (const [signal, handler] of Object.entries(handlers)) process.off(signal, handler);
  };
  return left;
}
