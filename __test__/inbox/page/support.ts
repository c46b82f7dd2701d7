/** The page in a real browser, over the real handler and a gate with a ledger of its own. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { tool } from 'ai';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { z } from 'zod';
import type { InboxOptions } from '../../../inbox.js';
import type { ApprovalRecord, Gate, GateOptions, InterruptOptions } from '../../../index.js';
import { toNodeListener } from '../../../ts/inbox/index.js';
import { gateTools } from '../../../ts/index.js';
import { openPage, type Watched } from '../../support/browser.js';
import { askUserTool } from '../../support/questions.js';
import { gateOf, inboxOf, later } from '../support.js';

export { ask, later } from '../support.js';

/** The page as it was built. */
export const BUILT = join(import.meta.dirname, '../../../dist/inbox');

export interface Opened {
  gate: Gate;
  /** With the `/` at its end. */
  address: string;
  /** Ends all connections and takes no more. */
  stop(): Promise<void>;
  /** On the same port, with a handler of its own. */
  start(): Promise<void>;
}

/** An inbox on this machine. Who comes says who they are in a header. */
export async function openInbox(
  options: GateOptions = {},
  inbox: Partial<InboxOptions> = {},
  base = '/inbox/',
): Promise<Opened> {
  const gate = gateOf(options);
  let server: Server | undefined;
  let port = 0;
  const start = async () => {
    const listening = createServer(toNodeListener(inboxOf(gate, { assets: BUILT, rateLimit: false, ...inbox })));
    server = listening;
    await new Promise<void>((resolve) => listening.listen(port, '127.0.0.1', resolve));
    ({ port } = listening.address() as AddressInfo);
  };
  const stop = async () => {
    const closing = server;
    server = undefined;
    if (closing === undefined) return;
    const closed = new Promise((resolve) => closing.close(resolve));
    closing.closeAllConnections();
    await closed;
  };
  await start();
  later(stop);
  return { gate, address: `http://127.0.0.1:${port}${base}`, start, stop };
}

export interface Visitor extends Watched {
  /** Opens a request by its row, and waits until it can be decided. */
  open(record: { approvalId: string }): Promise<void>;
}

type PageOptions = NonNullable<Parameters<Browser['newContext']>[0]>;

/** Somebody with a browser of their own: `mia`, `mia/ops`, `-mia` for one who may only look. */
export async function visit(
  browser: Browser,
  { address }: Opened,
  person = 'mia',
  { hash = '', ...options }: PageOptions & { hash?: string } = {},
): Promise<Visitor> {
  const { origin } = new URL(address);
  const watched = await openPage(browser, origin, { extraHTTPHeaders: { 'x-person': person }, ...options });
  later(() => watched.context.close());
  const { page } = watched;
  await page.goto(`${address}${hash}`);
  await page.getByRole('banner').waitFor();
  const open = async ({ approvalId }: { approvalId: string }) => {
    await page.locator(`.rows a[data-id="${approvalId}"]`).click();
    await shows(page, { approvalId });
  };
  return { ...watched, open };
}

/** Waits until this request is shown and can be decided (or never will be). */
export async function shows(page: Page, { approvalId }: { approvalId: string }): Promise<void> {
  await page.locator(`article[data-id="${approvalId}"]`).waitFor();
  await page.locator('.decide .bar button:enabled, .decide .why-not, .decide .told, .outcome').first().waitFor();
}

/** Waits until the page hears of changes. */
export const isLive = (page: Page): Promise<void> =>
  page.locator('.connection[data-state=live]').waitFor({ state: 'attached' });

/** What went wrong in the page, but for answers of the API that tell of an error, which browsers also log. */
export const faultsOf = ({ faults }: Pick<Watched, 'faults'>): string[] =>
  faults.filter((fault) => !fault.startsWith('Failed to load resource'));

/** Where this page sends decisions from now on, in their order: what it did not send in between it has not decided. */
export function sentBy(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/\/decisions?$/.test(pathname)) sent.push(pathname);
  });
  return sent;
}

/** The record, once it has been decided. */
export async function decided(gate: Gate, { approvalId }: { approvalId: string }): Promise<ApprovalRecord> {
  await expect.poll(async () => (await gate.get(approvalId))?.status).not.toBe('pending');
  return (await gate.get(approvalId))!;
}

/** A call of a tool that has a schema. What came of it is its promise. */
export function call(
  gate: Gate,
  args: { command: string; timeout?: number },
  options: Pick<InterruptOptions, 'approvers' | 'quorum' | 'timeout'> = {},
) {
  const ran: unknown[] = [];
  const tools = {
    execute: tool({
      description: 'Runs a command',
      inputSchema: z.object({ command: z.string(), timeout: z.number().int().max(600).optional() }),
      execute: async (given) => {
        ran.push(given);
        return 'done';
      },
    }),
    ask_user: askUserTool(),
  };
  const gated = gateTools(tools, { gate, interruptOn: { execute: { ...options } } });
  return { ran, gated, result: start(gated.execute, args) };
}

/** Starts a gated tool as a loop would. */
export function start(gated: unknown, args: unknown): Promise<unknown> {
  const { execute } = gated as { execute: (args: unknown, options: unknown) => unknown };
  const result = Promise.resolve(execute(args, { toolCallId: crypto.randomUUID(), messages: [] }));
  result.catch(() => {});
  return result;
}

/** The only request that waits, when one does. */
export async function waiting(gate: Gate): Promise<ApprovalRecord> {
  await expect.poll(async () => (await gate.pending()).length).toBe(1);
  return (await gate.pending())[0] as ApprovalRecord;
}
