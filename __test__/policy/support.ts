/** Tools with the usual names that write down what they ran, in a directory of their own. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tool } from 'ai';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

/** An empty directory, gone when the test is over. */
export function scratch(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-policy-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function usualTools(root: string) {
  const ran: string[] = [];
  const tools = {
    execute: tool({
      description: 'Runs a command',
      inputSchema: z.object({ command: z.string() }),
      execute: async ({ command }) => {
        ran.push(`$ ${command}`);
        return 'ok';
      },
    }),
    read_file: tool({
      description: 'Reads a file',
      inputSchema: z.object({ file_path: z.string() }),
      execute: async ({ file_path }) => {
        ran.push(`read ${file_path}`);
        return 'content';
      },
    }),
    write_file: tool({
      description: 'Writes a file',
      inputSchema: z.object({ file_path: z.string(), content: z.string() }),
      execute: async ({ file_path, content }) => {
        ran.push(`write ${file_path}`);
        writeFileSync(join(root, file_path), content);
        return 'written';
      },
    }),
    deploy: tool({
      description: 'Deploys',
      inputSchema: z.object({ to: z.string() }),
      execute: async ({ to }) => {
        ran.push(`deploy ${to}`);
        return 'deployed';
      },
    }),
  };
  return { ran, tools };
}
