/** What is shown where: changes of files, the audit, and all of it on a phone. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tool } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { serveInbox } from '../../../ts/inbox/index.js';
import { gateTools } from '../../../ts/index.js';
import { describeInBrowser, openPage, useBrowser } from '../../support/browser.js';
import { BUILT, ask, decided, faultsOf, later, openInbox, shows, start, visit, waiting } from './support.js';

describeInBrowser('the page shows', () => {
  const browser = useBrowser();

  test('what a call changes in a file: by sign and number, not by colour alone; and the call itself', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-page-'));
    later(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'a.txt'), 'one\ntwo\nthree\n');
    const inbox = await openInbox({ place: { cwd: folder, project: folder } });
    const inputSchema = z.object({ file_path: z.string(), content: z.string() });
    const tools = { write_file: tool({ inputSchema, execute: async () => 'written' }) };
    const gated = gateTools(tools, { gate: inbox.gate, interruptOn: 'all' });
    start(gated.write_file, { file_path: 'a.txt', content: 'one\n<b>2</b>\nthree\n' });
    const request = await waiting(inbox.gate);
    const visitor = await visit(browser(), inbox);
    const { page } = visitor;
    await visitor.open(request);
    const rows = page.locator('.change tr');
    const told = await rows.evaluateAll((all) =>
      all.map((row) => [
        row.className,
        ...[...row.querySelectorAll<HTMLElement>('.line')].map(({ dataset }) => dataset['line'] ?? ''),
        row.querySelector('.sign')?.textContent ?? '',
        row.querySelector('.text')?.textContent ?? '',
      ]),
    );
    expect(told.slice(2)).toEqual([
      ['same', '1', '1', ' ', 'one'],
      ['removed', '2', '', '−', 'removed: two'],
      ['added', '', '2', '+', 'added: <b>2</b>'],
      ['same', '3', '3', ' ', 'three'],
    ]);
    await page.keyboard.press('d');
    await page.locator('.preview').getByText('write_file').waitFor();
    expect(await rows.count()).toBe(0);
    await page.keyboard.press('d');
    await rows.first().waitFor();
    expect(faultsOf(visitor)).toEqual([]);
  });

  test('the audit: what was found when it was verified, a fault by its place', async () => {
    const inbox = await openInbox();
    await ask(inbox.gate);
    const { page } = await visit(browser(), inbox, 'mia', { hash: '#/audit' });
    await page.getByText('Not verified yet').waitFor();
    const { hash, size } = await inbox.gate.audit.head();
    await page.getByText(hash).waitFor();
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page.getByText('As it was written').waitFor();
    await page.getByText(`${size} ${size === 1 ? 'entry' : 'entries'}`).waitFor();
    await page.route('**/audit/verify', async (route) => {
      const real = await route.fetch();
      const state = (await real.json()) as { report: object };
      const faults = [{ seq: 7, record: null, what: '<i>changed</i>' }];
      await route.fulfill({ response: real, json: { ...state, report: { ...state.report, ok: false, faults } } });
    });
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page.getByText('1 fault found').waitFor();
    expect(await page.locator('.faults li').innerText()).toMatch(/<i>changed<\/i>\s*entry 7/);
  });

  test('where no audit is kept, that', async () => {
    const inbox = await openInbox({ ledger: 'memory:' });
    const { page } = await visit(browser(), inbox, 'mia', { hash: '#/audit' });
    await page.getByText('No audit is kept').waitFor();
    expect(await page.getByRole('button', { name: 'Verify now' }).count()).toBe(0);
  });

  test('all of it on this machine, by a link that counts once', async () => {
    const inbox = await openInbox();
    const request = await ask(inbox.gate, { args: { command: 'make' } });
    const local = await serveInbox(inbox.gate, { assets: BUILT, by: 'ada' });
    later(() => local.close());
    const link = local.link();
    const watched = await openPage(browser(), new URL(link).origin);
    later(() => watched.context.close());
    await watched.page.goto(link);
    await watched.page.locator('.person').getByText('ada').waitFor();
    await watched.page.locator(`.rows a[data-id="${request.approvalId}"]`).click();
    await shows(watched.page, request);
    await watched.page.getByRole('button', { name: 'Approve' }).click();
    expect(await decided(inbox.gate, request)).toMatchObject({ decidedBy: 'ada', via: 'inbox' });
    await watched.page.getByText('Done: approved').waitFor();
    // It stays open over a reload; another browser gets nothing of the same link.
    await watched.page.reload();
    await watched.page.locator('.person').getByText('ada').waitFor();
    const other = await openPage(browser(), new URL(link).origin);
    later(() => other.context.close());
    await other.page.goto(link);
    expect(await other.page.getByText('ada').count()).toBe(0);
    await local.close();
    await watched.page.getByText(/The inbox was closed|Not connected/).waitFor();
    expect(faultsOf(watched)).toEqual([]);
    expect(watched.strangers).toEqual([]);
  });

  test('one thing at a time on a phone: the list, a request, and the way back', async () => {
    const inbox = await openInbox();
    const [first, second] = [
      await ask(inbox.gate, { args: { command: 'make one' } }),
      await ask(inbox.gate, { args: { command: 'make two' } }),
    ];
    const viewport = { width: 360, height: 740 };
    const visitor = await visit(browser(), inbox, 'mia', { viewport, hasTouch: true, isMobile: true });
    const { page } = visitor;
    await page.locator(`.rows a[data-id="${first.approvalId}"]`).tap();
    await shows(page, first);
    expect(await page.locator('.list').isVisible()).toBe(false);
    for (const name of ['Approve', 'Reject', 'Edit', 'Answer', 'Skip', 'All 2'])
      expect(await page.getByRole('button', { name }).isVisible(), name).toBe(true);
    // What decides is large enough for a thumb, and in sight.
    const box = (await page.getByRole('button', { name: 'Approve' }).boundingBox())!;
    expect(box.height).toBeGreaterThanOrEqual(44);
    expect(box.y + box.height).toBeLessThanOrEqual(viewport.height);
    await page.getByRole('button', { name: 'Approve' }).tap();
    expect((await decided(inbox.gate, first)).decidedBy).toBe('mia');
    await page.getByText('Done: approved').waitFor();
    await page.getByRole('link', { name: 'All' }).tap();
    await page.locator(`.rows a[data-id="${second.approvalId}"]`).waitFor();
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    await page.goBack();
    await page.locator(`article[data-id="${first.approvalId}"]`).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
    expect(faultsOf(visitor)).toEqual([]);
  });
});
