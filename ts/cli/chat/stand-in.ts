/** Stands for the deep agent until that is here: a few of its tools, as small as they can be. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ToolSet } from 'ai';
import { resume } from '../../ai-sdk/resume.js';
import { streamWithEvents } from '../../ai-sdk/stream-with-events.js';
import type { AgentOptions } from './agent.js';
import type { ChatAgent } from './chat.js';

function takes(...names: string[]): never {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const field = () => ({ type: 'object', properties, required: names, additionalProperties: false });
  const validate = (value: unknown) => {
    const wrong = names.some((name) => typeof (value as Record<string, unknown> | null)?.[name] !== 'string');
    return wrong ? { issues: [{ message: `it needs ${names.join(', ')}` }] } : { value };
  };
  const jsonSchema = { input: field, output: field };
  return { '~standard': { version: 1, vendor: 'countersign', validate, jsonSchema } } as never;
}

export function standIn({ folder, ...rest }: AgentOptions): ChatAgent {
  const tools = {
    read_file: {
      description: 'Reads a file',
      inputSchema: takes('file_path'),
      execute: ({ file_path }: { file_path: string }) => readFile(resolve(folder, file_path), 'utf8'),
    },
    write_file: {
      description: 'Writes a file',
      inputSchema: takes('file_path', 'content'),
      execute: async ({ file_path, content }: { file_path: string; content: string }) => {
        await writeFile(resolve(folder, file_path), content);
        return `Wrote ${file_path}.`;
      },
    },
    execute: {
      description: 'Runs a command',
      inputSchema: takes('command'),
      execute: ({ command }: { command: string }, { abortSignal }: { abortSignal?: AbortSignal }) =>
        new Promise<string>((done) => {
          execFile('sh', ['-c', command], { cwd: folder, signal: abortSignal }, (_, out, err) => done(out + err));
        }),
    },
  } as unknown as ToolSet;
  return {
    streamWithEvents: (options) => streamWithEvents({ ...rest, ...options, tools }),
    resume: (options) => resume({ ...rest, ...options, tools }),
  };
}
