/** Tools that write down what they ran. */
import { tool } from 'ai';
import { z } from 'zod';

/** @param ran where they write it */
export function recordingTools(ran: string[] = []) {
  const path = z.object({ path: z.string() });
  const tools = {
    del: tool({
      description: 'Deletes a file',
      inputSchema: path,
      execute: async ({ path }) => {
        ran.push(`del ${path}`);
        return `deleted ${path}`;
      },
    }),
    read: tool({
      description: 'Reads a file',
      inputSchema: path,
      execute: async ({ path }) => {
        ran.push(`read ${path}`);
        return `content of ${path}`;
      },
    }),
  };
  return { ran, tools };
}
