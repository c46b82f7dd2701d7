/** Runs in processes of their own, which are killed, on the built package. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Gate } from '../../index.js';
import { createGate } from '../../ts/index.js';
import { installIn, linkIn } from '../support/installed.js';
import { ledgerIn } from '../support/ledger.js';
import { major, sleep } from '../support/model.js';

/** How long to wait for what never comes, in ms. */
const HANGS = 500_000;

/** What the model says in one turn. */
export type Said = { text: string } | { tool: string; args: object; id: string };

export interface Orders {
  /** Which program of `programs/` it is. @default 'agent' */
  program?: string;
  turns?: Said[][];
  /** Where it kills itself. */
  die?: string;
  /** What its callback answers; without one, somebody else has to. */
  answer?: unknown;
  /** What it answers to questions; without them, somebody else has to. */
  answers?: unknown;
  [more: string]: unknown;
}

export interface Process {
  /** Resolves when it is gone. */
  gone: Promise<{ code: number | null; signal: string | null }>;
  kill(): void;
}

export interface Theatre {
  start(way: 'start' | 'resume', orders: Orders): Process;
  /** Starts it and waits for its end. */
  play(way: 'start' | 'resume', orders: Orders): Promise<{ code: number | null; signal: string | null }>;
  /** What all processes wrote down, in its order. */
  lines(): string[];
  /** Resolves when there is such a line. */
  saw(line: string): Promise<void>;
  /** A gate of this process on the same ledger. */
  gate: Gate;
  /** Where all of them are. */
  folder: string;
}

export function theatre(): Theatre {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-processes-'));
  installIn(folder);
  linkIn(folder, 'ai', `ai${major}`);
  cpSync(join(import.meta.dirname, 'programs'), folder, { recursive: true });
  const ledger = ledgerIn(folder);
  const log = join(folder, 'log.txt');
  const gate = createGate({ ledger });
  const processes: Process[] = [];
  onTestFinished(async () => {
    for (const each of processes) each.kill();
    await gate.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : []);
  const start: Theatre['start'] = (way, { program = 'agent', ...orders }) => {
    const told = JSON.stringify({ way, ledger, log, folder, ...orders });
    const child = spawn(process.execPath, [join(folder, `${program}.mjs`), told], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '', AI_SDK_LOG_WARNINGS: 'false' },
    });
    const gone = once(child, 'close').then(([code, signal]) => ({ code, signal }) as { code: number; signal: string });
    const made = { gone, kill: () => void child.kill('SIGKILL') };
    processes.push(made);
    return made;
  };
  return {
    start,
    play: (way, orders) => start(way, orders).gone,
    lines,
    async saw(line) {
      const until = Date.now() + HANGS;
      while (!lines().includes(line)) {
        if (Date.now() > until) throw new Error(`never saw ${line} in\n${lines().join('\n')}`);
        await sleep(5);
      }
    },
    gate,
    folder,
  };
}
