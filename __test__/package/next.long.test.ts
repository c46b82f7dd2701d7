/** A Next.js application, built by Turbopack and by webpack, used in Chromium, and moved as `output: 'standalone'` has it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { environment } from '../runtimes.js';
import { lookTwice, noBrowser, openPage, useBrowser } from '../support/browser.js';
import { packed, project, tool, unreachable, write, type Packed } from './hosts/support.js';

const why = noBrowser ?? (await unreachable());

/** Nothing of countersign: docs/hosts.md says that none is needed. */
const PLAIN = 'export default { turbopack: { root: import.meta.dirname } };\n';
const page = readFileSync(join(import.meta.dirname, '../../docs/hosts.md'), 'utf8').replaceAll('\r\n', '\n');
/** As docs/hosts.md has it. */
const [, STANDALONE = ''] = /^```js\n([^`]*output: 'standalone'[^`]*)```$/m.exec(page) ?? [];

const FILES = {
  'next.config.mjs': PLAIN,
  'lib/gate.mjs': `
    import { createGate } from 'countersign';
    // A route is loaded anew when its file is saved: the gate must outlive that.
    export const gate = (globalThis.gate ??= createGate());`,
  'app/layout.jsx': `
    export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html>; }`,
  'app/api/chat/route.js': `
    import { convertToModelMessages, createUIMessageStream, createUIMessageStreamResponse, isStepCount, streamText, tool, toUIMessageStream } from 'ai';
    import { gateTools, verifyApprovals, withApprovalDetails } from 'countersign';
    import { z } from 'zod';
    import { gate } from '../../../lib/gate.mjs';
    import { call, modelOf, says } from '../../../scenario.mjs';
    const model = modelOf([
      [call('del', { path: 'a.txt' }), call('pay', { amount: 9 })],
      says('First turn is over.'),
    ]);
    const run = (text) => (globalThis.ran ??= []).push(text) && text;
    const tools = {
      del: tool({ inputSchema: z.object({ path: z.string() }), execute: ({ path }) => run('deleted ' + path) }),
      pay: tool({ inputSchema: z.object({ amount: z.number() }), execute: ({ amount }) => run('paid ' + amount) }),
    };
    export async function POST(request) {
      const { id, messages } = await request.json();
      const verified = await verifyApprovals(messages, gate, { runId: id, by: 'ada' });
      const gated = gateTools(tools, { gate, mode: 'stop', runId: id, interruptOn: { del: true, pay: true } });
      const { stream } = streamText({ model, tools: gated, messages: await convertToModelMessages(verified, { tools: gated }), stopWhen: isStepCount(5) });
      return createUIMessageStreamResponse({ stream: createUIMessageStream({
        originalMessages: verified,
        execute: ({ writer }) => {
          const chunks = toUIMessageStream({ stream, tools: gated, originalMessages: verified });
          writer.merge(withApprovalDetails(chunks, gate, { runId: id }));
        },
      }) });
    }
    export function GET() { return Response.json(globalThis.ran ?? []); }`,
  'app/api/edit/route.js': `
    import { gate } from '../../../lib/gate.mjs';
    export async function POST(request) {
      const { approvalId, args, reason } = await request.json();
      await gate.edit(approvalId, args, { by: 'ada', reason });
      return new Response(null, { status: 204 });
    }`,
  'app/page.jsx': `
    'use client';
    import { useChat } from '@ai-sdk/react';
    import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
    import { ApprovalCard, useApprovals } from 'countersign/react';
    import { useEffect, useState } from 'react';
    export default function Page() {
      const chat = useChat({ sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
      const { pending } = useApprovals({ ...chat, sendEdit: async (edit) => {
        const response = await fetch('/api/edit', { method: 'POST', body: JSON.stringify(edit) });
        if (!response.ok) throw new Error('not taken');
      } });
      // Drawn on the server, it is not alive at once.
      const [isAlive, setAlive] = useState(false);
      useEffect(() => setAlive(true), []);
      return <main>
        <button disabled={!isAlive} onClick={() => chat.sendMessage({ text: 'go' })}>Send</button>
        {pending.map((approval) => <ApprovalCard key={approval.toolCallId} approval={approval} />)}
        {chat.messages.map((message) => <div key={message.id}>{message.parts.map((part, at) =>
          <p key={at}>{part.type === 'text' ? part.text : part.output ?? ''}</p>)}</div>)}
      </main>;
    }`,
};

describe.skipIf(why !== undefined)(`Next.js${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
  let from: Packed;
  let folder: string;
  const browser = useBrowser();
  beforeAll(async () => {
    from = await packed();
    folder = await project(from, 'next-app', ['next', 'react', 'react-dom', '@ai-sdk/react'], FILES);
  }, 600_000);
  afterAll(() => from?.done());

  const env = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: undefined, CI: '1' };
  const build = async (config: string, flags: readonly string[]) => {
    write(folder, { 'next.config.mjs': config });
    const built = await tool(folder, 'next/dist/bin/next', ['build', ...flags], { env, timeout: 600_000 });
    expect(built.code, `${built.stdout}\n${built.stderr}`).toBe(0);
  };
  const start = (cwd: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
    spawn(process.execPath, args, { cwd, env: environment({ ...env, ...more }), stdio: ['ignore', 'pipe', 'inherit'] });

  test.each([
    ['Turbopack', []],
    ['webpack', ['--webpack']],
  ])(
    'built by %s, with two cards in a page: an edit runs, a rejection does not',
    async (_, flags) => {
      await build(PLAIN, flags);
      const server = start(folder, [join(folder, 'node_modules/next/dist/bin/next'), 'start', '-p', '0']);
      try {
        const origin = await ready(server);
        const { page, context, faults } = await openPage(browser(), origin);
        await page.goto(`${origin}/`);
        await page.getByRole('button', { name: 'Send' }).click();
        const card = (name: string) => page.locator(`[data-countersign=approval][data-tool=${name}]`);
        await card('del').getByRole('button', { name: 'Edit', exact: true }).click();
        await card('del').getByLabel('Arguments, as JSON').fill('{ "path": "b.txt" }');
        await card('del').getByRole('button', { name: 'Approve as edited' }).click();
        await lookTwice(card('del').getByRole('button', { name: 'I have looked twice: approve' }));
        await card('pay').getByRole('button', { name: 'Reject' }).click();
        await page.getByText('First turn is over.').waitFor();
        expect(await (await fetch(`${origin}/api/chat`)).json()).toEqual(['deleted b.txt']);
        await page.getByText('deleted b.txt').waitFor();
        await context.close();
        expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
      } finally {
        server.kill();
        await once(server, 'exit');
      }
    },
    1_200_000,
  );

  /** What the server in `at` answers, whose route has a gate and so needs the addon. */
  const answer = async (at: string, more: NodeJS.ProcessEnv = {}) => {
    // Its own script knows no free port.
    const script = readFileSync(join(at, 'server.js'), 'utf8').replace('parseInt(process.env.PORT, 10) || 3000', '0');
    expect(script).not.toContain('process.env.PORT');
    writeFileSync(join(at, 'server.js'), script);
    const server = start(at, ['server.js'], more);
    try {
      const response = await fetch(`${await ready(server)}/api/chat`);
      return [response.status, await response.text()];
    } finally {
      server.kill();
      await once(server, 'exit');
    }
  };

  test.each([
    ['Turbopack', [], [200, '[]']],
    ['webpack', ['--webpack'], [500, expect.anything()]],
  ] as const)(
    "output: 'standalone' by %s, where the project is gone and no node_modules is above: at its path, and elsewhere",
    async (_, flags, elsewhere) => {
      expect(STANDALONE).toContain('outputFileTracingIncludes');
      await build(STANDALONE.replace('{', '{ turbopack: { root: import.meta.dirname },'), flags);
      const other = mkdtempSync(join(tmpdir(), 'countersign-moved-'));
      const away = `${folder}-away`;
      renameSync(folder, away);
      try {
        const built = join(away, '.next/standalone');
        cpSync(built, join(other, 'app'), { recursive: true, verbatimSymlinks: true });
        expect(await answer(join(other, 'app'))).toEqual(elsewhere);
        // docs/hosts.md has this for webpack, which writes the path of the build into its bundle.
        const { name } = from.platform;
        const addon = `node_modules/${name}/${name.replace('countersign-', 'countersign.')}.node`;
        expect(await answer(join(other, 'app'), { COUNTERSIGN_ADDON: addon })).toEqual([200, '[]']);
        cpSync(built, folder, { recursive: true, verbatimSymlinks: true });
        expect(await answer(folder)).toEqual([200, '[]']);
      } finally {
        for (const gone of [other, folder]) rmSync(gone, { recursive: true, force: true, maxRetries: 3 });
        renameSync(away, folder);
      }
    },
    1_200_000,
  );
});

/** Where it listens, once it does. */
async function ready(server: ChildProcess): Promise<string> {
  let printed = '';
  return new Promise<string>((resolve, reject) => {
    server.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const [origin] = /http:\/\/localhost:\d+/.exec(printed) ?? [];
      if (origin !== undefined && /Ready in/.test(printed)) resolve(origin);
    });
    server.once('exit', () => reject(new Error(`the server ended: ${printed}`)));
  });
}
