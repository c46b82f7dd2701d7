/** Several people, each with a browser of their own. */
import { expect, test } from 'vitest';
import { describeInBrowser, openPage, useBrowser } from '../../support/browser.js';
import { isThorough } from '../../support/effort.js';
import { ask, call, decided, faultsOf, openInbox, visit, waiting } from './support.js';

describeInBrowser('people', () => {
  const browser = useBrowser();

  test('who race for one request: one wins, the other is told who was faster', async () => {
    const inbox = await openInbox();
    const request = await ask(inbox.gate, { args: { command: 'make' } });
    const [mia, noor] = await Promise.all(['mia', 'noor'].map((name) => visit(browser(), inbox, name)));
    await mia!.open(request);
    await noor!.open(request);
    // Neither hears of the other before both have pressed.
    await Promise.all([mia!, noor!].map(({ page }) => page.route('**/api/events', (route) => route.abort())));
    await Promise.all([
      mia!.page.getByRole('button', { name: 'Approve' }).click(),
      noor!.page.getByRole('button', { name: 'Skip' }).click(),
    ]);
    // She may have been told before she could send it.
    const skip = noor!.page.locator('.frame').getByRole('button', { name: 'Skip' });
    const told = noor!.page.getByText('by mia in an inbox').first();
    await Promise.race([skip.click(), told.waitFor()].map((either) => either.catch(() => {})));
    const { decidedBy } = await decided(inbox.gate, request);
    const loser = decidedBy === 'mia' ? noor! : mia!;
    await loser.page
      .getByText(new RegExp(`by ${decidedBy} in an inbox`))
      .first()
      .waitFor();
    expect(await loser.page.locator('.decide .bar').count()).toBe(0);
    expect(faultsOf(mia!)).toEqual([]);
    expect(faultsOf(noor!)).toEqual([]);
  });

  test.runIf(isThorough)('who is late is told by the answer itself, with who and when', async () => {
    const inbox = await openInbox();
    const request = await ask(inbox.gate, { args: { command: 'make' } });
    const { page, open } = await visit(browser(), inbox);
    await open(request);
    // The answer overtakes the news of the other decision.
    await page.route('**/decision', async (route) => {
      await inbox.gate.reject(request.approvalId, 'I was here first', { by: 'noor', via: 'inbox' });
      await route.continue();
    });
    await page.getByRole('button', { name: 'Approve' }).click();
    await page
      .getByRole('alert')
      .getByText(/Somebody was faster: rejected by noor in an inbox, .*\d/)
      .waitFor();
    expect((await inbox.gate.get(request.approvalId))?.status).toBe('rejected');
  });

  test('who must agree with others: each signs, and it runs when enough have', async () => {
    const inbox = await openInbox();
    const { ran, result } = call(inbox.gate, { command: 'make' }, { approvers: ['group:ops', 'ida'], quorum: 2 });
    const request = await waiting(inbox.gate);
    const [mia, ida, kim] = await Promise.all(
      ['mia/ops', 'ida', 'kim/sales'].map((name) => visit(browser(), inbox, name)),
    );
    await kim!.open(request);
    await kim!.page.getByText('Others are named as approvers').waitFor();
    expect(await kim!.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await mia!.open(request);
    expect(await mia!.page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await mia!.page.getByRole('button', { name: 'Approve' }).click();
    await mia!.page.getByText('Your approval counts. Others have to agree').waitFor();
    expect(ran).toEqual([]);
    // Everyone else sees the signature.
    await kim!.page.locator('.line.signed').getByText('mia').waitFor();
    await ida!.open(request);
    expect(await ida!.page.locator('.signatures').innerText()).toMatch(/1 of 2[\s\S]*mia[\s\S]*not signed yet/);
    await ida!.page.getByRole('button', { name: 'Approve' }).click();
    await ida!.page.getByText('Done: approved').waitFor();
    expect(await result).toBe('done');
    await mia!.page.locator('.outcome').getByText('by ida').waitFor();
    for (const each of [mia!, ida!, kim!]) expect(faultsOf(each)).toEqual([]);
  });

  test('who is refused by the program is told why, and the request waits on', async () => {
    const inbox = await openInbox({ authorize: (_, { by }) => by !== 'mia' || 'not during the freeze' });
    const request = await ask(inbox.gate, { args: { command: 'make' } });
    const { page, open } = await visit(browser(), inbox);
    await open(request);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('alert').getByText('not during the freeze').waitFor();
    expect((await inbox.gate.get(request.approvalId))?.status).toBe('pending');
    // It may be tried again.
    await page.getByRole('button', { name: 'Approve' }).waitFor();
  });

  test.runIf(isThorough)('who may only look see everything and decide nothing', async () => {
    const inbox = await openInbox();
    const request = await ask(inbox.gate);
    const { page, open } = await visit(browser(), inbox, '-mia');
    await open(request);
    await page.locator('.decide').getByText('You may look, and not decide').waitFor();
    await page.keyboard.press('y');
    await page.keyboard.press('n');
    expect(await page.locator('.frame').count()).toBe(0);
    expect((await inbox.gate.get(request.approvalId))?.status).toBe('pending');
  });

  test('who is not known sees nothing but that', async () => {
    const inbox = await openInbox(
      {},
      { authenticate: (request) => (request.url.includes('/api/') ? null : { name: 'x' }) },
    );
    const { context, page } = await openPage(browser(), new URL(inbox.address).origin);
    await page.goto(inbox.address);
    await page.getByText('You are not signed in').waitFor();
    expect(await page.locator('.list').count()).toBe(0);
    await context.close();
  });
});
