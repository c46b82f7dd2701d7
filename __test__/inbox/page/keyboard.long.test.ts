/** Without a mouse, and for people who do not see the page as drawn. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, seriousFindings, stopClock, useBrowser } from '../../support/browser.js';
import { isThorough } from '../../support/effort.js';
import { COLOUR, DATABASE, PARTS } from '../../support/questions.js';
import { ask, call, decided, faultsOf, openInbox, sentBy, shows, start, visit, waiting } from './support.js';

const command = (text: string) => ({ args: { command: text } });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.id ?? '');

describeInBrowser('with keys alone', () => {
  const browser = useBrowser();

  test('requests are gone through and decided', async () => {
    const inbox = await openInbox();
    const requests = [];
    for (const name of ['one', 'two', 'three']) requests.push(await ask(inbox.gate, command(name)));
    const [first, second, third] = requests;
    const visitor = await visit(browser(), inbox);
    const { page } = visitor;
    await page.locator('.row').nth(2).waitFor();
    await page.keyboard.press('j');
    await shows(page, first!);
    await page.keyboard.press('ArrowDown');
    await shows(page, second!);
    await page.keyboard.press('k');
    await shows(page, first!);
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('request-title');
    await page.keyboard.press('y');
    expect(await decided(inbox.gate, first!)).toMatchObject({ decision: { type: 'approve' }, decidedBy: 'mia' });
    await page.getByText('Done: approved').waitFor();
    await page.keyboard.press('j');
    await shows(page, second!);
    await page.keyboard.press('n');
    await page.keyboard.type('no, sir');
    await page.keyboard.press('Control+Enter');
    expect((await decided(inbox.gate, second!)).decision).toMatchObject({ type: 'reject', reason: 'no, sir' });
    await page.getByText('Done: rejected').waitFor();
    await page.keyboard.press('j');
    await shows(page, third!);
    await page.keyboard.press('x');
    await page.getByLabel('Reason').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.frame').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('request-title');
    await page.keyboard.press('Escape');
    await page.getByText('Choose a request').waitFor();
    expect((await inbox.gate.get(third!.approvalId))?.status).toBe('pending');
    expect(faultsOf(visitor)).toEqual([]);
  });

  test('what stands out is approved by a second key only, and never by Enter or a key held down', async () => {
    const inbox = await openInbox();
    const request = await ask(inbox.gate, command('rm -rf build'));
    const { page, open } = await visit(browser(), inbox);
    const sent = sentBy(page);
    await open(request);
    for (const key of ['Enter', 'Enter', ' ']) await page.keyboard.press(key);
    // The key that opens the second look, pressed twice, does not approve.
    await page.evaluate(() => {
      for (let n = 0; n < 2; n++) window.dispatchEvent(new KeyboardEvent('keydown', { key: 'y' }));
    });
    await page.getByText('Look twice').waitFor();
    for (const key of ['a', 'Enter', ' ', 'j']) await page.keyboard.press(key);
    await page.evaluate(() => {
      for (let n = 0; n < 5; n++) window.dispatchEvent(new KeyboardEvent('keydown', { key: 'y', repeat: true }));
    });
    expect((await inbox.gate.get(request.approvalId))?.status).toBe('pending');
    await shows(page, request);
    expect(sent).toEqual([]);
    // Once it was seen for a while, with no key pressed.
    while (sent.length === 0) {
      await page.waitForTimeout(1_100);
      await page.keyboard.press('y');
    }
    expect(await decided(inbox.gate, request)).toMatchObject({ decision: { type: 'approve' }, decidedBy: 'mia' });
    // What another key had sent would have come before.
    expect(sent).toHaveLength(1);
  });

  test('a key that came too early: what is typed after it decides nothing either', async () => {
    const inbox = await openInbox();
    const request = await ask(inbox.gate, command('make'));
    const { page } = await visit(browser(), inbox);
    await page.clock.install();
    await page.locator('.row').waitFor();
    await stopClock(page);
    await page.keyboard.press('j');
    // It is read after a moment, and drawn when its answer has come.
    await page.clock.runFor(50);
    await page.locator(`article[data-id="${request.approvalId}"]`).waitFor();
    const approve = page.getByRole('button', { name: 'Approve' });
    for (const key of 'ny bad idea') {
      await page.clock.runFor(300);
      await page.keyboard.press(key);
    }
    expect(await page.locator('.frame, .told').count()).toBe(0);
    expect((await inbox.gate.get(request.approvalId))?.status).toBe('pending');
    await page.clock.runFor(399);
    expect(await approve.isDisabled()).toBe(true);
    await page.clock.runFor(1);
    await page.keyboard.press('y');
    expect(await decided(inbox.gate, request)).toMatchObject({ decision: { type: 'approve' }, decidedBy: 'mia' });
  });

  test('keys that are typed into a field do nothing else', async () => {
    const inbox = await openInbox();
    const request = await ask(inbox.gate, command('make'));
    const { page, open } = await visit(browser(), inbox);
    await open(request);
    await page.keyboard.press('/');
    await expect.poll(() => focused(page)).toBe('search');
    await page.keyboard.type('ynrjske?2');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('searchbox').inputValue()).toBe('ynrjske?2');
    expect(await page.locator('.frame, dialog[open]').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('approve; if something stands out').waitFor();
    await page.keyboard.press('y');
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    expect((await inbox.gate.get(request.approvalId))?.status).toBe('pending');
  });

  test('all is reached with Tab, in the order in which it stands', async () => {
    const inbox = await openInbox();
    await ask(inbox.gate, command('make'));
    const { page } = await visit(browser(), inbox);
    await page.locator('.row').waitFor();
    await page.keyboard.press('j');
    await page.getByRole('button', { name: 'Approve' }).and(page.locator(':enabled')).waitFor();
    const reached: string[] = [];
    for (let n = 0; n < 25; n++) {
      await page.keyboard.press('Tab');
      const what = await page.evaluate(() => {
        const element = document.activeElement;
        return element?.closest('.top, .list, .scroll, .decide')?.className ?? '';
      });
      if (what !== '' && reached.at(-1) !== what) reached.push(what);
    }
    // It begins where the reader is.
    const top = reached.indexOf('top');
    expect([...reached.slice(top), ...reached.slice(0, top)].slice(0, 4)).toEqual(['top', 'list', 'scroll', 'decide']);
  });
});

describeInBrowser('axe finds nothing serious', () => {
  const browser = useBrowser();
  const policy = { version: 1, rule: [{ effect: 'ask', tools: ['execute'], commands: ['npm test'] }] } as const;

  const wide = { width: 1280, height: 860 };
  const narrow = { width: 360, height: 740 };
  for (const colorScheme of isThorough ? (['light', 'dark'] as const) : (['dark'] as const)) {
    for (const viewport of isThorough ? [wide, narrow] : [narrow]) {
      test(`${colorScheme}, ${viewport.width} px wide`, async () => {
        const inbox = await openInbox({ policy });
        const { gated } = call(inbox.gate, { command: 'npm test' });
        const request = await waiting(inbox.gate);
        start(gated.ask_user, { questions: [COLOUR, DATABASE, PARTS] });
        await expect.poll(async () => (await inbox.gate.pending()).length).toBe(2);
        const asks = (await inbox.gate.pending()).find(({ kind }) => kind === 'question')!;
        const over = await ask(inbox.gate, command('make'));
        await inbox.gate.reject(over.approvalId, 'no', { by: 'noor' });
        const warned = await ask(inbox.gate, { args: { command: 'make \u202e' }, runId: request.runId });
        const visitor = await visit(browser(), inbox, 'mia', { colorScheme, viewport });
        const { page } = visitor;
        const look = async (what: string) => expect(await seriousFindings(page), what).toEqual([]);
        const show = async ({ approvalId }: { approvalId: string }, view = 'waiting') => {
          await page.goto(`${inbox.address}#/${view}/${approvalId}`);
          await shows(page, { approvalId });
          await page.locator('.decide .bar button:disabled').waitFor({ state: 'detached' });
        };
        await page.locator('.row').first().waitFor();
        await look('the list');
        await show(request);
        await look('a request');
        for (const [key, sheet] of Object.entries({ n: 'Reject', e: 'Edit', r: 'Answer', s: 'Always', t: 'Several' })) {
          await page.keyboard.press(key);
          await page.locator('.frame').waitFor();
          await look(sheet);
          await page.keyboard.press('Escape');
        }
        await show(warned);
        await page.keyboard.press('y');
        await page.locator('.frame').waitFor();
        await look('a second look');
        await page.keyboard.press('Escape');
        await show(asks);
        await page.keyboard.press('r');
        await page.locator('.frame').waitFor();
        await look('questions');
        await page.keyboard.press('Escape');
        await show(over, 'history');
        await look('history');
        await page.keyboard.press('3');
        await page.getByRole('button', { name: 'Verify now' }).click();
        await page.getByText('As it was written').waitFor();
        await look('audit');
        await page.keyboard.press('?');
        await page.getByRole('dialog').waitFor();
        await look('help');
        expect(faultsOf(visitor)).toEqual([]);
      });
    }
  }
});
