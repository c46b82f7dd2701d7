// @ts-check
// One run of P6 through `streamWithEvents` on a ledger in a file; prints the bytes that it left, and those that the whole
// history would have taken, written down at each approval.

import { tool } from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { z } from 'zod';
import { countersign } from '../app.mjs';
import { gatedTool, lastWords, question, system, toolResult, turns } from './long-run.mjs';
import { directory } from './task.mjs';

const approvals = Number(process.argv[2]);
const script = turns(approvals);

let turn = 0;
const model = new MockLanguageModelV4({
  doStream: async () => {
    const now = script[turn++];
    const chunks = [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: now?.text ?? lastWords },
      { type: 'text-end', id: '1' },
      ...(now ? [{ type: 'tool-call', toolCallId: now.id, toolName: now.tool, input: JSON.stringify(now.args) }] : []),
      {
        type: 'finish',
        finishReason: { unified: now ? 'tool-calls' : 'stop', raw: 'stop' },
        usage: {
          inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: 5, text: 5, reasoning: undefined },
        },
      },
    ];
    return { stream: convertArrayToReadableStream(/** @type {any[]} */ (chunks)) };
  },
});
const tools = {
  read_file: tool({ inputSchema: z.object({ path: z.string() }), execute: async () => toolResult() }),
  [gatedTool]: tool({ inputSchema: z.object({ command: z.string() }), execute: async () => toolResult() }),
};

const file = join(directory('bytes'), 'ledger.db');
const gate = countersign.createGate({ ledger: `sqlite:${file}` });
let asked = 0;
const run = countersign.streamWithEvents({
  model,
  tools,
  system,
  messages: [{ role: 'user', content: question }],
  interruptOn: { [gatedTool]: true },
  onApprovalRequest: () => {
    asked += 1;
    return true;
  },
  maxSteps: script.length + 2,
  gate,
});
let ran = 0;
const start = performance.now();
/** When each approval was asked for. @type {number[]} */
const times = [];
for await (const event of run) {
  if (event.type === 'tool-result') ran += 1;
  if (event.type === 'approval-requested') times.push(performance.now() - start);
}
const { messages } = await run.result;
assert.deepEqual([asked, ran], [approvals, script.length]);
await gate.close();

// It is no longer open anywhere.
const db = new DatabaseSync(file);
db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
const number = (/** @type {string} */ sql) => Number(Object.values(db.prepare(sql).get() ?? {})[0]);
const tables = db.prepare(`
  SELECT s.tbl_name AS name, sum(d.pgsize) AS bytes FROM dbstat d JOIN sqlite_schema s ON s.name = d.name
  GROUP BY s.tbl_name ORDER BY bytes DESC`);
const result = {
  approvals,
  file: number('PRAGMA page_count') * number('PRAGMA page_size'),
  tables: Object.fromEntries(tables.all().map(({ name, bytes }) => [name, bytes])),
  entries: number('SELECT count(*) FROM audit'),
  ...wholeHistories(),
};
process.stdout.write(JSON.stringify(result));
process.exit();

/** The JSON of all messages so far, once for each approval. */
function wholeHistories() {
  const all = [{ role: 'system', content: system }, { role: 'user', content: question }, ...messages];
  let [history, fullJson, fullJsonZstd] = [0, 0, 0];
  for (const [index, { role, content }] of all.entries()) {
    const calls = role === 'assistant' && Array.isArray(content) ? content : [];
    const isLast = index === all.length - 1;
    const isAsked = calls.some((part) => part.type === 'tool-call' && part.toolName === gatedTool);
    if (!isAsked && !isLast) continue;
    const json = Buffer.from(JSON.stringify(all.slice(0, index + 1)));
    if (isLast) history = json.length;
    else {
      fullJson += json.length;
      fullJsonZstd += zstdCompressSync(json).length;
    }
  }
  return { history, fullJson, fullJsonZstd };
}
