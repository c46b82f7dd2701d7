/** Ways to decide, and ways around: comments, the next one, taking back, what was written, filters in the address, entries. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDeepAgent, createLocalBackend } from '../../../ts/agent/index.js';
import { scratch } from '../../policy/support.js';
import { call as call_, calls, says, scripted } from '../../support/model.js';
import { describeInBrowser, lookTwice, seriousFindings, useBrowser } from '../../support/browser.js';
import { ask, call, decided, faultsOf, later, openInbox, sentBy, shows, visit, waiting } from './support.js';

describeInBrowser('on the page', () => {
  const browser = useBrowser();

  test('a call is approved with a comment, which is in the record', async () => {
    const inbox = await openInbox();
    call(inbox.gate, { command: 'make' });
    const request = await waiting(inbox.gate);
    const mia = await visit(browser(), inbox);
    await mia.open(request);
    await mia.page.keyboard.press('c');
    await mia.page.locator('.frame textarea').fill('only this once');
    expect(await seriousFindings(mia.page)).toEqual([]);
    await mia.page.keyboard.press('Control+Enter');
    expect(await decided(inbox.gate, request)).toMatchObject({
      decision: { type: 'approve', reason: 'only this once' },
    });
    await mia.page.getByText('“only this once”').waitFor();
    expect(faultsOf(mia)).toEqual([]);
  });

  test('what is not proven harmless has no marked choice', async () => {
    const policy = { version: 1 } as const;
    const inbox = await openInbox({ policy });
    const [reads, runs] = [
      await ask(inbox.gate, { toolName: 'execute', args: { command: 'ls -la' } }),
      await ask(inbox.gate, { toolName: 'execute', args: { command: 'make all' } }),
    ];
    const { page, open } = await visit(browser(), inbox);
    const marked = page.locator('.decide .bar button.primary');
    await open(reads);
    expect(await marked.allInnerTexts()).toEqual([expect.stringContaining('Approve')]);
    await open(runs);
    expect(await marked.count()).toBe(0);
  });

  test('approve and the next: the next one is shown, and nothing of it is decided', async () => {
    const inbox = await openInbox();
    const [first, second] = [
      await ask(inbox.gate, { args: { command: 'make one' } }),
      await ask(inbox.gate, { args: { command: 'make two' } }),
    ];
    const { page, open } = await visit(browser(), inbox);
    await open(first);
    const sent = sentBy(page);
    await page.keyboard.press('Y');
    expect((await decided(inbox.gate, first)).decidedBy).toBe('mia');
    await shows(page, second);
    expect(sent).toHaveLength(1);
    expect((await inbox.gate.get(second.approvalId))?.status).toBe('pending');
  });

  test('what was decided can be taken back for a while: until then nothing has left the page', async () => {
    const inbox = await openInbox({}, { undo: 60_000 });
    const request = await ask(inbox.gate, { args: { command: 'make' } });
    const mia = await visit(browser(), inbox);
    const { page } = mia;
    await mia.open(request);
    const sent = sentBy(page);
    const held = page.locator('.held p');
    for (const takeBack of [() => page.keyboard.press('z'), () => page.getByRole('button', { name: 'Undo' }).click()]) {
      await page.getByRole('button', { name: 'Approve' }).click();
      await held.waitFor();
      // It is on its way: nothing else can be decided about it.
      expect(await page.locator('.decide .bar').count()).toBe(0);
      expect(await seriousFindings(page)).toEqual([]);
      await takeBack();
      await page.getByRole('button', { name: 'Approve' }).waitFor();
      expect(await held.count()).toBe(0);
    }
    expect([sent, (await inbox.gate.get(request.approvalId))?.status]).toEqual([[], 'pending']);
    expect(faultsOf(mia)).toEqual([]);
  });

  test('what is not taken back is sent when its time is over', async () => {
    const inbox = await openInbox({}, { undo: 20 });
    const request = await ask(inbox.gate, { args: { command: 'make' } });
    const { page, open } = await visit(browser(), inbox);
    await open(request);
    await page.getByRole('button', { name: 'Approve' }).click();
    expect((await decided(inbox.gate, request)).decidedBy).toBe('mia');
    await page.getByText('Done: approved').waitFor();
  });

  test('what was being written stays when somebody else is faster, and when one goes elsewhere', async () => {
    const inbox = await openInbox();
    const [first, second] = [
      await ask(inbox.gate, { args: { command: 'make one' } }),
      await ask(inbox.gate, { args: { command: 'make two' } }),
    ];
    const { page, open } = await visit(browser(), inbox);
    await open(first);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByLabel('Reason').fill('because of the long weekend');
    await open(second);
    // The sheet that was open there is open again.
    await page.locator(`.rows a[data-id="${first.approvalId}"]`).click();
    await page.locator(`article[data-id="${first.approvalId}"]`).waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('because of the long weekend');
    await inbox.gate.reject(first.approvalId, { by: 'noor', reason: 'no' });
    await page.getByText('that you were writing: it was not sent').waitFor();
    expect(await page.locator('.left-over textarea').inputValue()).toBe('because of the long weekend');
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Forget it' }).click();
    await expect.poll(() => page.locator('.left-over').count()).toBe(0);
    // What was sent is no draft any more.
    await open(second);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByLabel('Reason').fill('sent');
    await page.keyboard.press('Control+Enter');
    await decided(inbox.gate, second);
    await page.getByText('“sent”').waitFor();
    expect(await page.locator('.left-over').count()).toBe(0);
  });

  test('filters stand in the address: a link has them, and the way back takes them off', async () => {
    const inbox = await openInbox();
    await ask(inbox.gate, { toolName: 'execute', args: { command: 'make' } });
    const mail = await ask(inbox.gate, { toolName: 'send_mail', args: { to: 'ada' } });
    const { page, open } = await visit(browser(), inbox, 'mia', { hash: '#/waiting?tool=send_mail' });
    const rows = page.locator('.rows .row');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByLabel('Only of these tools').selectOption('');
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel('Only of these tools').selectOption('execute');
    await expect.poll(() => rows.count()).toBe(1);
    expect(new URL(page.url()).hash).toBe('#/waiting?tool=execute');
    await page.goBack();
    await expect.poll(() => rows.count()).toBe(2);
    // They stay while one goes through the list.
    await page.getByLabel('Only of these tools').selectOption('send_mail');
    await expect.poll(() => rows.count()).toBe(1);
    await open(mail);
    expect(new URL(page.url()).hash).toBe(`#/waiting/${mail.approvalId}?tool=send_mail`);
  });

  test('the history says why, and its filters stand in the address, too', async () => {
    const inbox = await openInbox();
    for (const [toolName, reason] of [
      ['execute', 'not today'],
      ['send_mail', 'not to them'],
    ] as const) {
      const { approvalId } = await ask(inbox.gate, { toolName, args: {} });
      await inbox.gate.reject(approvalId, { by: 'noor', reason });
    }
    const { page } = await visit(browser(), inbox, 'mia', { hash: '#/history' });
    await page.getByText('“not today”').waitFor();
    await page.getByLabel('Only of these tools').selectOption('send_mail');
    await expect.poll(() => page.locator('.rows .row').count()).toBe(1);
    expect(new URL(page.url()).hash).toBe('#/history?tool=send_mail');
    await page.reload();
    await page.getByText('“not to them”').waitFor();
    expect(await page.locator('.rows .row').count()).toBe(1);
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('the audit has its entries, the latest first, and leads to their requests', async () => {
    const inbox = await openInbox();
    const request = await ask(inbox.gate, { toolName: 'send_mail', args: { to: 'ada' } });
    await inbox.gate.reject(request.approvalId, { by: 'noor', reason: 'not to them' });
    const { page } = await visit(browser(), inbox, 'mia', { hash: '#/audit' });
    const entries = page.locator('.entries li');
    await entries.getByText('“not to them”').waitFor();
    await page.getByLabel('Only of this kind').selectOption('requested');
    await expect.poll(() => entries.count()).toBe(1);
    expect(await entries.innerText()).toContain('send_mail');
    expect(await seriousFindings(page)).toEqual([]);
    await entries.getByRole('link').click();
    await shows(page, request);
  });

  test('the row begins with what the call is for, where somebody said it', async () => {
    const inbox = await openInbox();
    await ask(inbox.gate, { toolName: 'execute', args: { command: 'make' }, description: 'Builds the release' });
    const { page } = await visit(browser(), inbox);
    await page.locator('.rows .row .said').getByText('Builds the release').waitFor();
  });

  test('a text is edited as the text that it is; what a field would not show is edited as JSON', async () => {
    const inbox = await openInbox();
    const content = 'one "quoted"\n\ttwo\n';
    const [plain, hidden] = [
      await ask(inbox.gate, { toolName: 'write_file', args: { file_path: 'a.txt', content } }),
      await ask(inbox.gate, { toolName: 'write_file', args: { file_path: 'a.txt', content: 'one\u202e' } }),
    ];
    const mia = await visit(browser(), inbox);
    const { page } = mia;
    await mia.open(hidden);
    await page.keyboard.press('e');
    expect(await page.getByLabel(/^Arguments/).inputValue()).toContain('one\\u202e');
    await page.keyboard.press('Escape');
    await mia.open(plain);
    await page.keyboard.press('e');
    const field = page.getByLabel(/^content/);
    expect(await field.inputValue()).toBe(content);
    await field.fill('one "quoted"\n\tzwei\n');
    await page.locator('.frame .diff tr.added .text').getByText('zwei').waitFor();
    expect(await page.locator('.frame .diff tr.added').count()).toBe(1);
    expect(await seriousFindings(page)).toEqual([]);
    // The rest stays as it was asked for, and can be changed as JSON.
    await page.getByLabel('All arguments, as JSON').check();
    expect(JSON.parse(await page.getByLabel(/^Arguments/).inputValue())).toEqual({
      file_path: 'a.txt',
      content: 'one "quoted"\n\tzwei\n',
    });
    await page.getByLabel('All arguments, as JSON').uncheck();
    expect(await field.inputValue()).toBe('one "quoted"\n\tzwei\n');
    await page.getByRole('button', { name: 'Approve with these changes' }).and(page.locator(':enabled')).click();
    // Without policies, nothing there knows which file that is.
    await lookTwice(page.getByRole('button', { name: 'Approve all the same' }));
    expect((await decided(inbox.gate, plain)).decision).toEqual({
      type: 'edit',
      args: { file_path: 'a.txt', content: 'one "quoted"\n\tzwei\n' },
    });
    expect(faultsOf(mia)).toEqual([]);
  });

  test('arguments are edited in a form, by the schema of the tool', async () => {
    const inbox = await openInbox();
    const { ran } = call(inbox.gate, { command: 'make' });
    const request = await waiting(inbox.gate);
    const mia = await visit(browser(), inbox);
    const { page } = mia;
    await mia.open(request);
    await page.keyboard.press('e');
    const [command, timeout] = [page.getByLabel(/^command/), page.getByLabel(/^timeout/)];
    expect(await command.inputValue()).toBe('make');
    await command.fill('make docs');
    await timeout.fill('700');
    await page.locator('.problems li').getByText('timeout').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    // It is another number in JavaScript.
    await timeout.fill('9007199254740993');
    await page.getByLabel('All arguments, as JSON').check();
    expect(await page.getByLabel(/^Arguments/).inputValue()).toContain('"timeout": "9007199254740993"');
    await page.getByLabel('All arguments, as JSON').uncheck();
    await timeout.fill('60');
    const send = page.getByRole('button', { name: 'Approve with these changes' });
    await send.and(page.locator(':enabled')).waitFor();
    await page.getByLabel('All arguments, as JSON').check();
    expect(JSON.parse(await page.getByLabel(/^Arguments/).inputValue())).toEqual({ command: 'make docs', timeout: 60 });
    await page.getByLabel('All arguments, as JSON').uncheck();
    expect(await timeout.inputValue()).toBe('60');
    // What was not there before is left out again.
    await timeout.fill('');
    await send.and(page.locator(':enabled')).click();
    expect((await decided(inbox.gate, request)).decision).toEqual({ type: 'edit', args: { command: 'make docs' } });
    await expect.poll(() => ran).toEqual([{ command: 'make docs' }]);
    expect(faultsOf(mia)).toEqual([]);
  });

  test('the requests of a run stand together, below its prompt and what it called, and what comes moves none of them', async () => {
    const folder = scratch();
    const inbox = await openInbox({ ledger: `sqlite:${join(folder, 'ledger.db')}`, place: { cwd: folder } });
    const { gate } = inbox;
    const { model } = scripted([
      calls(call_('ls', { path: 'src' }, 'c1')),
      calls(
        call_('execute', { command: 'make one', description: 'To see whether it builds.' }, 'c2'),
        call_('execute', { command: 'make two' }, 'c3'),
      ),
      says('Done.'),
    ]);
    const backend = createLocalBackend({ root: folder });
    const agent = createDeepAgent({ model, gate, interruptOn: { execute: true }, backend });
    const abort = new AbortController();
    later(async () => abort.abort());
    agent.generate({ prompt: 'Build all of it, please', runId: 'build', abortSignal: abort.signal }).catch(() => {});
    await expect.poll(async () => (await gate.pending()).length).toBe(2);
    const { page } = await visit(browser(), inbox);
    const group = page.locator('.group');
    await group.getByRole('heading', { name: 'Build all of it, please' }).waitFor();
    expect(await group.locator('.row').count()).toBe(2);
    await group.getByText('The agent says: “To see whether it builds.”').waitFor();
    expect(await group.locator('> p').innerText()).toMatch(/Run build\s+2 requests wait/);
    expect(await page.getByLabel('Only of these runs').innerText()).toContain('Build all of it, please · build (2)');
    await group.getByText('What it called before').click();
    await group.getByText('ls src').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    // Another run, and then one more of the first: it stands below, in a group of its own.
    const rows = (): Promise<string[]> => page.locator('.row .summary.call').allInnerTexts();
    const before = await rows();
    await ask(gate, { toolName: 'deploy', args: { to: 'test' }, runId: 'other' });
    await expect.poll(() => page.locator('.row').count()).toBe(3);
    await ask(gate, { toolName: 'deploy', args: { to: 'prod' }, runId: 'build' });
    await expect.poll(() => page.locator('.row').count()).toBe(4);
    expect((await rows()).slice(0, 2)).toEqual(before);
    expect(await page.locator('.group').count()).toBe(2);
    await page.reload();
    await expect.poll(() => page.locator('.group .row').count()).toBe(3);
    // On a phone each way to decide is in sight, however many there are.
    await page.setViewportSize({ width: 360, height: 720 });
    await page.locator('.group .row a').first().click();
    await page.getByRole('button', { name: 'All 3' }).waitFor();
    const rights = await page
      .locator('.decide .bar button, #request-title')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().right));
    expect(rights.length).toBeGreaterThan(6);
    for (const right of rights) expect(right).toBeLessThanOrEqual(360);
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('calls the person who does not look: title, icon, badge, and a notification of the tool alone', async () => {
    const inbox = await openInbox();
    const { context, page, ...mia } = await visit(browser(), inbox);
    await context.addInitScript(() => {
      const told = { shown: [] as unknown[], badges: [] as number[] };
      class Shown extends EventTarget {
        static permission = 'default';
        static requestPermission = async () => (Shown.permission = 'granted');
        constructor(title: string, options: object) {
          super();
          told.shown.push({ title, ...options });
        }
      }
      const badge = async (count: number) => void told.badges.push(count);
      Object.assign(window, { told, Notification: Shown });
      Object.defineProperty(navigator, 'setAppBadge', { value: badge });
      Object.defineProperty(document, 'hasFocus', { value: () => false });
    });
    await page.reload();
    const told = () =>
      page.evaluate(() => (window as unknown as { told: { shown: unknown[]; badges: number[] } }).told);
    await page.getByText('Nothing waits').waitFor();
    // Nobody has asked for notifications yet.
    await ask(inbox.gate, { args: { command: 'make secret' } });
    await expect.poll(() => page.title()).toBe('(1) countersign');
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/^data:image\/svg/);
    expect((await told()).shown).toEqual([]);
    await page.getByRole('button', { name: 'Notify me', pressed: false }).click();
    await page.getByRole('button', { name: 'Notify me', pressed: true }).waitFor();
    const second = await ask(inbox.gate, { toolName: 'deploy', args: { to: 'production' } });
    await expect
      .poll(async () => (await told()).shown)
      .toEqual([{ title: 'countersign: 2 waiting', body: 'deploy', tag: 'countersign' }]);
    expect((await told()).badges.slice(-2)).toEqual([1, 2]);
    // A request that goes notifies no one, nor does a new one when it is turned off. A filter changes nothing of what waits.
    await page.getByRole('searchbox').fill('nothing like this');
    await page.getByText('Nothing that waits fits').waitFor();
    expect(await page.title()).toBe('(2) countersign');
    await page.getByRole('button', { name: 'Notify me', pressed: true }).click();
    await inbox.gate.reject(second.approvalId);
    await expect.poll(() => page.title()).toBe('(1) countersign');
    await ask(inbox.gate, { args: { command: 'make' } });
    await expect.poll(() => page.title()).toBe('(2) countersign');
    expect((await told()).shown).toHaveLength(1);
    expect(await seriousFindings(page)).toEqual([]);
    expect(faultsOf(mia)).toEqual([]);
  });
});
