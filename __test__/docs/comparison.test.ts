/** What `docs/why-countersign.md` says that it has seen the AI SDK do. When this fails, the SDK got better: change the page. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as six from 'ai6';
import * as testSix from 'ai6/test';
import * as seven from 'ai7';
import * as testSeven from 'ai7/test';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const page = readFileSync(join(import.meta.dirname, '../../docs/why-countersign.md'), 'utf8');
const usage = { inputTokens: { total: 1, noCache: 1 }, outputTokens: { total: 1, text: 1 } } as never;
const inputSchema = z.object({ path: z.string() });

/** Calls `delete_file` once, then says that it is done. */
const doGenerate = async ({ prompt }: { prompt: readonly { role: string }[] }) => ({
  content: prompt.some(({ role }) => role === 'tool')
    ? [{ type: 'text' as const, text: 'done' }]
    : [{ type: 'tool-call' as const, toolCallId: 'c1', toolName: 'delete_file', input: '{"path":"a.txt"}' }],
  finishReason: { unified: 'stop' as const, raw: undefined },
  usage,
  warnings: [],
});
const modelSix = () => new testSix.MockLanguageModelV3({ doGenerate });
const modelSeven = () => new testSeven.MockLanguageModelV4({ doGenerate });

describe.each([undefined, 'a secret of forty characters and some more'])('with the secret %s', (secret) => {
  const options = secret === undefined ? {} : { experimental_toolApprovalSecret: secret };
  const yes = (approvalId: string) => [{ type: 'tool-approval-response' as const, approvalId, approved: true }];

  test('AI SDK 6: the same approval, sent twice, runs the tool twice', async () => {
    let ran = 0;
    const tools = {
      delete_file: six.tool({ inputSchema, needsApproval: true, execute: async () => `run ${(ran += 1)}` }),
    };
    const messages: six.ModelMessage[] = [{ role: 'user', content: 'Delete it' }];
    const first = await six.generateText({ model: modelSix(), tools, messages, ...options });
    const request = first.content.find((part) => part.type === 'tool-approval-request')!;
    messages.push(...first.response.messages, { role: 'tool', content: yes(request.approvalId) });
    for (let n = 0; n < 2; n++) await six.generateText({ model: modelSix(), tools, messages, ...options });
    expect(ran).toBe(2);
  });

  test('AI SDK 7: the same', async () => {
    let ran = 0;
    const tools = { delete_file: seven.tool({ inputSchema, execute: async () => `run ${(ran += 1)}` }) };
    const toolApproval = { delete_file: 'user-approval' as const };
    const messages: seven.ModelMessage[] = [{ role: 'user', content: 'Delete it' }];
    const first = await seven.generateText({ model: modelSeven(), tools, toolApproval, messages, ...options });
    const request = first.content.find((part) => part.type === 'tool-approval-request')!;
    messages.push(...first.responseMessages, { role: 'tool', content: yes(request.approvalId) });
    for (let n = 0; n < 2; n++) {
      await seven.generateText({ model: modelSeven(), tools, toolApproval, messages, ...options });
    }
    expect(ran).toBe(2);
  });
});

test.each(['maybe', true, { type: 'nope' }])('AI SDK 7: with the status %o the tool runs', async (status) => {
  let ran = 0;
  const tools = { delete_file: seven.tool({ inputSchema, execute: async () => `run ${(ran += 1)}` }) };
  const toolApproval = { delete_file: status as 'user-approval' };
  await seven.generateText({ model: modelSeven(), tools, toolApproval, prompt: 'Delete it' });
  expect(ran).toBe(1);
});

test('the page names the versions of other libraries that the benchmark installs', () => {
  const manifest = readFileSync(join(import.meta.dirname, '../../bench/package.json'), 'utf8');
  const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> };
  for (const [, name = '', version = ''] of page.matchAll(/`(langchain|@openai\/agents)` ([\d.]+)/g))
    expect(`${dependencies[name]}.`, name).toContain(`${version}.`);
});

test('the page names the versions that this has seen', () => {
  const versionOf = (name: string): string => {
    const manifest = readFileSync(join(import.meta.dirname, '../../node_modules', name, 'package.json'), 'utf8');
    return (JSON.parse(manifest) as { version: string }).version;
  };
  expect(page).toContain(`Seen on \`ai\` ${versionOf('ai6')} and ${versionOf('ai7')}`);
});
