/** What happens while somebody looks. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RequestDetail } from '../../../ts/inbox/protocol.js';
import { describeInBrowser, useBrowser } from '../../support/browser.js';
import { isThorough } from '../../support/effort.js';
import { ask, decided, faultsOf, isLive, openInbox, sentBy, shows, visit } from './support.js';

const command = (text: string) => ({ args: { command: text } });

describeInBrowser('while somebody looks', () => {
  const browser = useBrowser();

  test('what arrives appears and is said; what is decided elsewhere goes', async () => {
    const inbox = await openInbox();
    const { page } = await visit(browser(), inbox);
    await isLive(page);
    await page.getByText('Nothing waits').waitFor();
    const request = await ask(inbox.gate, command('make'));
    await page.locator('.row').waitFor();
    await expect.poll(() => page.locator('p[aria-live=polite]').innerText()).toBe('1 new request waits, 1 in all');
    await expect.poll(() => page.title()).toBe('(1) countersign');
    await inbox.gate.approve(request.approvalId);
    await page.getByText('Nothing waits').waitFor();
  });

  test('what is shown stays what it is, whatever comes and goes around it', async () => {
    const inbox = await openInbox();
    const [first, second] = [await ask(inbox.gate, command('one')), await ask(inbox.gate, command('two'))];
    const { page, open } = await visit(browser(), inbox);
    await open(second);
    const box = () => page.getByRole('button', { name: 'Approve' }).boundingBox();
    const before = await box();
    await inbox.gate.approve(first.approvalId);
    const third = await ask(inbox.gate, command('three'));
    await page.locator(`.rows a[data-id="${third.approvalId}"]`).waitFor();
    await expect.poll(() => page.locator('.row').count()).toBe(2);
    await shows(page, second);
    expect(await box()).toEqual(before);
    // Decided elsewhere: it says so, in the same place, and nothing else takes that place.
    await inbox.gate.reject(second.approvalId, 'no', { by: 'noor' });
    await page.locator('.outcome').getByText('Rejected by noor').waitFor();
    await shows(page, second);
    await page.locator('.row.gone').waitFor();
    expect(await page.locator('.decide .bar').count()).toBe(0);
  });

  test('a click that began on one request does not end on another', async () => {
    const inbox = await openInbox();
    const [first, second] = [await ask(inbox.gate, command('one')), await ask(inbox.gate, command('two'))];
    const { page, open } = await visit(browser(), inbox);
    const sent = sentBy(page);
    await open(first);
    const button = (await page.getByRole('button', { name: 'Approve' }).boundingBox())!;
    await page.mouse.move(button.x + 20, button.y + 10);
    await page.mouse.down();
    await page.keyboard.press('j');
    await shows(page, second);
    await page.mouse.up();
    // Nor does a click or a key that was meant for what was there a moment ago.
    await page.evaluate(async (id) => {
      const press = (key: string) => window.dispatchEvent(new KeyboardEvent('keydown', { key }));
      const drawn = new Promise<HTMLElement>((resolve) => {
        new MutationObserver(() => {
          const button = document.querySelector<HTMLElement>(`article[data-id="${id}"] .bar button`);
          if (button) resolve(button);
        }).observe(document.body, { subtree: true, childList: true });
      });
      press('k');
      (await drawn).click();
      press('y');
    }, first.approvalId);
    await shows(page, first);
    expect(await page.locator('.told').count()).toBe(0);
    expect(sent).toEqual([]);
    // What is meant is sent; what had been sent before it would have come before.
    await page.getByRole('button', { name: 'Approve' }).click();
    await decided(inbox.gate, first);
    expect(sent).toEqual([expect.stringContaining(first.approvalId)]);
    expect((await inbox.gate.pending()).map(({ approvalId }) => approvalId)).toEqual([second.approvalId]);
  });

  test('nothing is said to be approved before the inbox has said so, nor sent twice', async () => {
    const inbox = await openInbox();
    const request = await ask(inbox.gate, command('make'));
    const { page, open } = await visit(browser(), inbox);
    let sent = 0;
    let go = () => {};
    const held = new Promise<void>((resolve) => (go = resolve));
    await page.route('**/decision', async (route) => {
      sent++;
      await held;
      await route.continue();
    });
    await open(request);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approving…').waitFor();
    await page.keyboard.press('y');
    await page.keyboard.press('y');
    expect(await page.getByText('Done').count()).toBe(0);
    go();
    await page.getByText('Done: approved').waitFor();
    expect(sent).toBe(1);
    expect(await decided(inbox.gate, request)).toMatchObject({ decision: { type: 'approve' }, decidedBy: 'mia' });
  });

  test.runIf(isThorough)('no answer is no approval: what stands is read again', async () => {
    const inbox = await openInbox();
    const request = await ask(inbox.gate, command('make'));
    const { page, open } = await visit(browser(), inbox);
    await open(request);
    await page.route('**/decision', (route) => route.abort());
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('alert').getByText('It may have been decided or not').waitFor();
    expect(await page.locator('.outcome').count()).toBe(0);
    await page.unroute('**/decision');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Done: approved').waitFor();
  });

  test('a server that goes away and comes back: the page says so, and reads everything again', async () => {
    const inbox = await openInbox();
    const visitor = await visit(browser(), inbox);
    const { page } = visitor;
    await isLive(page);
    await inbox.stop();
    await page.getByText('Not connected').waitFor();
    const request = await ask(inbox.gate, command('make'));
    // With a handler that knows nothing of the one before: its token is another one.
    await inbox.start();
    await isLive(page);
    await page.getByText('Not connected').waitFor({ state: 'detached' });
    await visitor.open(request);
    await page.getByRole('button', { name: 'Approve' }).click();
    expect(await decided(inbox.gate, request)).toMatchObject({ decision: { type: 'approve' }, decidedBy: 'mia' });
    expect(faultsOf(visitor)).toEqual([]);
  });

  test('time runs: the last minute is marked, and what is due cannot be decided', async () => {
    const inbox = await openInbox();
    const request = await ask(inbox.gate, command('make'));
    const { page, open } = await visit(browser(), inbox);
    // Whenever the page asks, there are three seconds left: however slow the machine is, it gets to see them.
    await page.route(`**/api/requests/${request.approvalId}`, async (route) => {
      const response = await route.fetch();
      const { record, ...rest } = (await response.json()) as RequestDetail;
      await route.fulfill({ response, json: { ...rest, record: { ...record, expiresAt: rest.now + 3_000 } } });
    });
    await open(request);
    await page
      .locator('.head .left.soon')
      .getByText(/0:0\d left/)
      .waitFor();
    await page.getByText('Its time is up').waitFor();
    expect(await page.locator('.decide .bar').count()).toBe(0);
    // The page does not decide that.
    expect((await inbox.gate.get(request.approvalId))?.status).toBe('pending');
  });

  test.runIf(isThorough)('what has expired is shown as such', async () => {
    const inbox = await openInbox();
    const request = await ask(inbox.gate, { ...command('make'), timeout: 2_000 });
    const { page } = await visit(browser(), inbox, 'mia', { hash: `#/waiting/${request.approvalId}` });
    await page.locator('.outcome').getByText('Expired').waitFor();
    expect(await page.locator('.decide .bar').count()).toBe(0);
    expect((await inbox.gate.get(request.approvalId))?.status).toBe('expired');
  });

  test.runIf(isThorough)('what is typed is kept while other things change', async () => {
    const inbox = await openInbox();
    const request = await ask(inbox.gate, command('make'));
    const { page, open } = await visit(browser(), inbox);
    await open(request);
    await page.keyboard.press('n');
    await page.getByLabel('Reason').fill('because');
    await ask(inbox.gate, command('another'));
    await expect.poll(() => page.locator('.row').count()).toBe(2);
    expect(await page.getByLabel('Reason').inputValue()).toBe('because');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
  });

  test.runIf(isThorough)('the list is searched and filtered, and all its pages are shown', async () => {
    const inbox = await openInbox();
    for (let n = 0; n < 205; n++) {
      // What came at one moment is on one page.
      if (n === 200) await delay(5);
      const asked = { toolName: 'execute', args: { command: `make part-${n}` }, runId: n % 2 ? 'odd' : 'even' };
      inbox.gate.request(asked).catch(() => {});
    }
    await ask(inbox.gate, { toolName: 'web_fetch', args: { url: 'https://example.com' }, origin: ['main', 'scout'] });
    const { page } = await visit(browser(), inbox);
    await expect.poll(() => page.locator('.row').count()).toBe(200);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => page.locator('.row').count()).toBe(206);
    await page.getByLabel('Only of these tools').selectOption('web_fetch');
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    await page.getByLabel('Only of these tools').selectOption('');
    await page.getByLabel('Only of these runs').selectOption('odd');
    await expect.poll(async () => page.locator('h1 .count').innerText()).toBe('102');
    await page.getByRole('searchbox').fill('make part-77');
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByRole('button', { name: 'Show all that waits' }).click();
    await expect.poll(async () => page.locator('h1 .count').innerText()).toBe('206');
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
  });
});
