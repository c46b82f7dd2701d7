/** What the page says is so: how many wait, what is still to be done, what became of it; and nothing of it is out of sight. */
import { expect, test } from 'vitest';
import { collect, call as call_, calls, says, scripted } from '../../support/model.js';
import { describeInBrowser, lookTwice, openPage, seriousFindings, useBrowser } from '../../support/browser.js';
import { recordingTools } from '../../support/tools.js';
import { serveInbox } from '../../../ts/inbox/index.js';
import { gateTools, streamWithEvents } from '../../../ts/index.js';
import { BUILT, ask, decided, isLive, later, openInbox, shows, start, visit, waiting } from './support.js';
import { tool } from 'ai';
import { z } from 'zod';

describeInBrowser('the page says', () => {
  const browser = useBrowser();

  test('how many of a run wait, without the one that was decided while it is looked at', async () => {
    const inbox = await openInbox();
    const [first] = [
      await ask(inbox.gate, { args: { command: 'make one' } }),
      await ask(inbox.gate, { args: { command: 'make two' } }),
      await ask(inbox.gate, { args: { command: 'make three' } }),
    ];
    const { page, open } = await visit(browser(), inbox);
    await isLive(page);
    await open(first);
    await page.locator('.group').getByText('3 requests wait').waitFor();
    await inbox.gate.approve(first.approvalId, { by: 'noor' });
    await page.locator('.group').getByText('2 requests wait').waitFor();
    expect(await page.locator('.list h1 .count').innerText()).toBe('2');
    expect(await page.locator('.row.gone').count()).toBe(1);
  });

  test('what stands out as a filter, where no rule marks a risk', async () => {
    const inbox = await openInbox();
    await ask(inbox.gate, { args: { command: 'make' } });
    await ask(inbox.gate, { args: { command: 'rm -rf build' } });
    const { page } = await visit(browser(), inbox);
    await page.locator('.row').nth(1).waitFor();
    const risks = page.getByLabel('Only of these risks');
    expect(await risks.locator('option').allInnerTexts()).toEqual([
      'All risks',
      'Stands out (1)',
      'Nothing stands out (1)',
    ]);
    await risks.selectOption('stands-out');
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    await page.getByText('rm -rf build').waitFor();
    expect(await page.locator('.row .warns').count()).toBe(1);
  });

  test('of each argument what it is, in sentences', async () => {
    const inbox = await openInbox();
    const described = z.object({
      command: z.string(),
      timeout: z.number().optional().describe('How long it may take, in ms.'),
      shell: z.string().optional().describe('Which shell'),
      folder: z.string().optional(),
    });
    const tools = { execute: tool({ inputSchema: described, execute: async () => 'done' }) };
    start(gateTools(tools, { gate: inbox.gate, interruptOn: 'all' }).execute, { command: 'make' });
    const { page, open } = await visit(browser(), inbox);
    await open(await waiting(inbox.gate));
    await page.keyboard.press('e');
    await page.locator('.frame').waitFor();
    expect(await page.locator('.frame .field .quiet').allInnerTexts()).toEqual([
      'How long it may take, in ms. May be left out.',
      'Which shell. May be left out.',
      'may be left out',
    ]);
  });

  test('that Y again approves what stands out, and the next one is shown', async () => {
    const inbox = await openInbox();
    const [first, second] = [
      await ask(inbox.gate, { args: { command: 'rm -rf one' } }),
      await ask(inbox.gate, { args: { command: 'rm -rf two' } }),
    ];
    const { page, open } = await visit(browser(), inbox);
    await open(first);
    await page.keyboard.press('Y');
    const button = page.getByRole('button', { name: 'Approve all the same, and the next' });
    expect(await button.locator('kbd').innerText()).toBe('Y');
    await page.waitForTimeout(1_100);
    await page.keyboard.press('Y');
    expect((await decided(inbox.gate, first)).decidedBy).toBe('mia');
    await shows(page, second);
    // By mouse, too; and of the next one nothing is decided.
    await page.getByRole('button', { name: 'And the next' }).waitFor({ state: 'detached' });
    expect((await inbox.gate.get(second.approvalId))?.status).toBe('pending');
    await page.getByRole('button', { name: 'Approve' }).and(page.locator(':enabled')).click();
    await lookTwice(page.getByRole('button', { name: 'Approve all the same' }));
    expect((await decided(inbox.gate, second)).decidedBy).toBe('mia');
  });

  test('what becomes of the run in one place, which changes with it', async () => {
    const inbox = await openInbox();
    const { tools } = recordingTools();
    const { model } = scripted([calls(call_('read', { path: 'a' }, 'c1')), says('Done.')]);
    const run = streamWithEvents({ model, tools, prompt: 'go', interruptOn: 'all', gate: inbox.gate } as never);
    const over = collect(run);
    const request = await waiting(inbox.gate);
    const { page, open } = await visit(browser(), inbox);
    await open(request);
    await page.getByRole('button', { name: 'Approve' }).click();
    await decided(inbox.gate, request);
    await over;
    await page.locator('.outcome').getByText('its run is over').waitFor();
    expect(await page.locator('.told').innerText()).toContain('Done: approved');
    expect(await page.getByText('its run goes on').count()).toBe(0);
  });

  for (const viewport of [
    { width: 375, height: 740 },
    { width: 320, height: 740 },
    { width: 700, height: 740 },
    { width: 1280, height: 860 },
  ])
    test(`who decides, the keys and each view, ${viewport.width} px wide`, async () => {
      const inbox = await openInbox();
      const request = await ask(inbox.gate);
      const { page } = await visit(browser(), inbox, 'Mara Lind/release', { viewport });
      await page.locator('.row').waitFor();
      const inSight = await page.locator('.top :is(a, button, .person)').evaluateAll((all) =>
        all.map((each) => {
          const { left, right, width } = each.getBoundingClientRect();
          const isWhole = each.scrollWidth <= each.clientWidth || each.clientWidth === 0;
          return { text: each.textContent, ok: width > 0 && left >= 0 && right <= innerWidth && isWhole };
        }),
      );
      expect(inSight.length).toBeGreaterThan(6);
      expect(inSight.filter(({ ok }) => !ok)).toEqual([]);
      expect(await page.locator('.person').innerText()).toBe('Mara Lind');
      expect(await seriousFindings(page)).toEqual([]);
      for (const hash of [`#/waiting/${request.approvalId}`, '#/history', '#/suggestions', '#/audit']) {
        await page.goto(`${inbox.address}${hash}`);
        await page.locator('article, .empty, .report').first().waitFor();
        expect(await seriousFindings(page), hash).toEqual([]);
      }
    });

  test('in a second browser that its link is another’s, and to who is not signed in that', async () => {
    const inbox = await openInbox();
    const local = await serveInbox(inbox.gate, { assets: BUILT, by: 'ada' });
    later(() => local.close());
    const link = local.link();
    const [own, other] = [
      await openPage(browser(), new URL(link).origin),
      await openPage(browser(), new URL(link).origin),
    ];
    later(() => Promise.all([own, other].map(({ context }) => context.close())));
    await own.page.goto(link);
    await own.page.locator('.person').getByText('ada').waitFor();
    await other.page.goto(link);
    await other.page.getByText('which works only in the browser that follows it first').waitFor();
    expect(await seriousFindings(other.page)).toEqual([]);
    const { context, page } = await visit(browser(), inbox, 'mia', { hash: '#/history' });
    await page.getByText('Nothing is over yet').waitFor();
    // Signed out meanwhile.
    await context.setExtraHTTPHeaders({});
    await page.keyboard.press('3');
    await page.getByRole('heading', { level: 1, name: 'You are not signed in' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
});
