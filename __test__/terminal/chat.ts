/** The real program in a real terminal: `countersign` in a folder of its own, with the embedded model behind HTTP. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { isThorough } from '../support/effort.js';
import { Terminal, type TerminalOptions } from './terminal.js';

const root = join(import.meta.dirname, '../..');
const CLI = join(root, 'dist/cli.js');

let url: string;

interface ModelServer {
  url: string;
  close(): Promise<void>;
}

/** The embedded model, for all tests of a file. */
export function withModel(): void {
  let server: ModelServer;
  beforeAll(async () => {
    const module = new URL('../../examples/start/model-server.mjs', import.meta.url);
    const { startModelServer } = (await import(module.href)) as { startModelServer(): Promise<ModelServer> };
    server = await startModelServer();
    url = server.url;
  });
  afterAll(async () => {
    await shared?.close();
    await server.close();
  });
}

export interface Chat {
  terminal: Terminal;
  folder: string;
  /** The content of a file of the folder; `undefined`: no such file. */
  file(name: string): string | undefined;
  /** Enters a line. */
  say(line: string): void;
  /** Until it asks, and takes keys. @returns the screen */
  asks(text?: string): Promise<string>;
  /** Until nothing goes on. @returns the screen */
  idle(): Promise<string>;
}

export interface ChatSetting extends TerminalOptions {
  args?: readonly string[];
  /** Files of the folder. */
  files?: Readonly<Record<string, string>>;
  /** Node, or another program that runs the command. */
  runtime?: string;
  folder?: string;
}

const SETTINGS = '[tools]\nneed_approval = ["execute", "write_file", "edit_file"]\n';

/** It takes a prompt, and nothing goes on. */
const READY = 'what should I do?';

/** Starts it for one test, and waits until it takes prompts. @param ready what it shows then */
export async function startChat(setting: ChatSetting = {}, ready = READY): Promise<Chat> {
  const chat = open(setting);
  onTestFinished(chat.close);
  await chat.terminal.waitFor(ready);
  return chat;
}

/** An editor that turns `hi` into `servus`. */
const EDITABLE: ChatSetting = {
  files: { editor: '#!/bin/sh\nsed -i s/hi/servus/ "$1"\n' },
  env: { VISUAL: 'sh ./editor' },
};

let shared: (Chat & { close(): Promise<void> }) | undefined;

/**
 * One that takes prompts, for a test that leaves it so, in Safe mode, and whose files no other test has: in `npm test` these share
 * one program, since to start it takes longer than what they do. `npm run test:all` starts one for each.
 */
export async function anyChat(): Promise<Chat> {
  if (isThorough) return startChat(EDITABLE);
  // A test that failed may have left it anywhere.
  if (shared?.terminal.screen().includes(READY) !== true) {
    await shared?.close();
    shared = open(EDITABLE);
    await shared.terminal.waitFor(READY);
  }
  return shared;
}

function open({ args = [], files = {}, runtime, folder, ...terminalOptions }: ChatSetting) {
  const place = folder ?? realpathSync(mkdtempSync(join(tmpdir(), 'cs-')));
  mkdirSync(join(place, '.countersign'), { recursive: true });
  // As somebody has it who says what is asked about: else what only looks would not be.
  mkdirSync(join(place, '.config/countersign'), { recursive: true });
  writeFileSync(join(place, '.config/countersign/config.toml'), SETTINGS);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(place, name), content);
  const terminal = new Terminal(
    runtime ?? process.execPath,
    [CLI, '--model', 'countersign-demo', ...(args.includes('--base-url') ? [] : ['--base-url', url]), ...args],
    { cwd: place, ...terminalOptions, env: { HOME: place, ...terminalOptions.env } },
  );
  return {
    close: async () => {
      await terminal.close();
      rmSync(place, { recursive: true, force: true, maxRetries: 3 });
    },
    terminal,
    folder: place,
    file: (name: string) => (existsSync(join(place, name)) ? readFileSync(join(place, name), 'utf8') : undefined),
    say: (line: string) => terminal.type(`${line}\r`),
    asks: (text = '') =>
      terminal.waitFor((screen) => screen.includes('? help') && screen.includes(text), `a question about ${text}`),
    idle: () => terminal.waitFor((screen) => screen.includes(READY), 'the end of the run'),
  };
}

/** A screen without what differs from run to run: the folder, and where the model is. */
export const normal = (screen: string, { folder }: Pick<Chat, 'folder'>): string =>
  screen
    .replaceAll(folder, '/project')
    // Where a long line is cut depends on where the folder is.
    .replace(/(and always: writing \/).*$/m, '$1…')
    .replace(/( · countersign-demo).*$/m, '$1 …');
