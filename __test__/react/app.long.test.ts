/** The example app in Chromium, from typing to the tool having run, on AI SDK 7 and 6; and pages that do not play fair. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { checkFolder } from '../examples/tried.js';
import { describeInBrowser, lookTwice, openPage, seriousFindings, useBrowser } from '../support/browser.js';
import { isThorough } from '../support/effort.js';

const root = join(import.meta.dirname, '../..');

/** The example's server, as a process. */
class Server {
  /** What it has said on its own behalf: what ran, and what was refused. */
  printed = '';
  origin = '';
  readonly #child: ChildProcess;
  readonly #listening: Promise<string>;

  constructor(major: 6 | 7, env: Record<string, string> = {}) {
    const preload = major === 6 ? ['--import', pathToFileURL(join(import.meta.dirname, 'on-ai6.mjs')).href] : [];
    this.#child = spawn(process.execPath, [...preload, 'examples/react-app/server.mjs'], {
      cwd: root,
      env: { ...process.env, PORT: '0', NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#listening = new Promise((resolve, reject) => {
      this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        this.printed += text;
        const [, origin] = /listening on (\S+)\n/.exec(this.printed) ?? [];
        if (origin !== undefined) resolve(origin);
      });
      this.#child.once('exit', () => reject(new Error(`the server ended: ${this.printed}`)));
    });
    this.#listening.catch(() => {});
  }

  async listening(): Promise<this> {
    this.origin = await this.#listening;
    return this;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill();
    await once(this.#child, 'exit');
  }
}

describe('its folder', () => {
  checkFolder('react-app', { tried: ['server.mjs'], helpers: ['page.mjs'] });
});

describeInBrowser('the example app', () => {
  const browser = useBrowser();

  describe.each([7, 6] as const)('AI SDK %i', (major) => {
    /** On AI SDK 6 `npm test` has one flow that runs, and one that does not. */
    const isWhole = major === 7 || isThorough;

    let server: Server;
    beforeAll(async () => {
      server = await new Server(major).listening();
    });
    afterAll(() => server?.close());

    /** A new chat, and what the server prints from now on. */
    async function chat(at: Server = server, options?: Parameters<typeof openPage>[2]) {
      const start = at.printed.length;
      const opened = await openPage(browser(), at.origin, options);
      await opened.page.goto(at.origin);
      const { page, faults, strangers, context } = opened;
      onTestFinished(async () => {
        await context.close();
        expect(strangers).toEqual([]);
      });
      const say = async (text: string) => {
        await page.getByLabel('Message').fill(text);
        await page.getByRole('button', { name: 'Send', exact: true }).click();
      };
      const card = (tool: string) => page.getByRole('region', { name: `Run ${tool}?` });
      return { page, faults, say, card, printed: () => at.printed.slice(start) };
    }

    const said = (page: Page, text: string) => page.getByText(text).waitFor();

    /** What is sent cannot be taken back: it takes a second look. */
    async function approveMail(card: (tool: string) => Locator) {
      await card('send_email').getByRole('button', { name: 'Approve' }).click();
      await lookTwice(card('send_email').getByRole('button', { name: 'I have looked twice: approve' }));
    }

    test('both calls are approved, and run when the last has its answer', async () => {
      const { page, say, card, printed, faults } = await chat();
      await say('Book Lisbon to Oslo, tell Ada we are coming');
      await said(page, '0 of 2 answered');
      expect(await card('book_flight').getByLabel('What would run').innerText()).toContain('│ from: Lisbon');
      expect(await card('book_flight').getByText('Expires in').innerText()).toMatch(
        /^Expires in (5 min 0|4 min \d+) s$/,
      );
      await card('book_flight').getByRole('button', { name: 'Approve' }).click();
      await said(page, '1 of 2 answered');
      expect(printed()).toBe('');
      await approveMail(card);
      await said(page, 'Well: booked Lisbon to Oslo, told Ada.');
      expect(printed()).toBe('ran book_flight Lisbon Oslo\nran send_email Ada we are coming\n');
      expect(await page.getByRole('region', { name: 'Approvals' }).count()).toBe(0);
      expect(faults).toEqual([]);
    });

    test.runIf(isWhole)('a rejection: the model is told the reason, and the other call runs', async () => {
      const { page, say, card, printed } = await chat();
      await say('Book Lisbon to Oslo, tell Ada we are coming');
      await card('book_flight').getByLabel('Reason').fill('by train, please');
      await card('book_flight').getByRole('button', { name: 'Reject' }).click();
      await approveMail(card);
      await said(page, 'Well: ');
      expect(await page.getByText('Well: ').innerText()).toContain('by train, please');
      expect(printed()).toBe('ran send_email Ada we are coming\n');
      await said(page, 'tool-book_flight: output-denied');
    });

    test.runIf(isThorough)('a second turn in the same chat asks again', async () => {
      const { page, say, card, printed } = await chat();
      for (const to of ['Oslo', 'Bergen']) {
        await say(`Book Lisbon to ${to}`);
        await said(page, '0 of 1 answered');
        await card('book_flight').getByRole('button', { name: 'Approve' }).click();
        await page
          .getByText(/^Well: /)
          .nth(to === 'Oslo' ? 0 : 1)
          .waitFor();
      }
      expect(printed()).toBe('ran book_flight Lisbon Oslo\nran book_flight Lisbon Bergen\n');
    });

    test.runIf(isThorough)('opened again while it waits, by the keyboard alone', async () => {
      const { page, say, card, printed } = await chat();
      await say('Book Lisbon to Oslo');
      await card('book_flight').waitFor();
      await page.reload();
      await said(page, '0 of 1 answered');
      expect(await card('book_flight').getByLabel('What would run').innerText()).toContain('│ to: Oslo');
      await page.getByLabel('What would run').focus();
      // The reason, Reject, Approve.
      for (let step = 0; step < 3; step += 1) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await said(page, 'Well: booked Lisbon to Oslo.');
      expect(printed()).toBe('ran book_flight Lisbon Oslo\n');
    });

    test.runIf(isThorough)('an answer that did not reach the server is sent again, and runs once', async () => {
      const { page, say, card, printed } = await chat();
      await say('Book Lisbon to Oslo');
      await card('book_flight').waitFor();
      await page.route('**/api/chat', (route) => route.abort(), { times: 1 });
      await card('book_flight').getByRole('button', { name: 'Approve' }).click();
      await page.getByRole('button', { name: 'Send the answers again' }).click();
      await said(page, 'Well: booked Lisbon to Oslo.');
      expect(printed()).toBe('ran book_flight Lisbon Oslo\n');
    });

    test.runIf(isWhole)('a double click answers one card, not the one that takes its place', async () => {
      const { page, say, card, printed } = await chat();
      await say('Book Lisbon to Oslo, tell Ada we are coming');
      const first = card('book_flight').getByRole('button', { name: 'Approve' });
      await first.waitFor();
      const box = (await first.boundingBox())!;
      const place = [box.x + box.width / 2, box.y + box.height / 2] as const;
      await page.mouse.click(...place);
      await said(page, '1 of 2 answered');
      let sent = 0;
      page.on('request', (request) => void (sent += request.url().endsWith('/api/chat') ? 1 : 0));
      const second = (await card('send_email').getByRole('button', { name: 'Approve' }).boundingBox())!;
      // It stands where the first stood: the test would show nothing otherwise.
      expect(Math.abs(second.y - box.y)).toBeLessThan(box.height);
      await page.mouse.down({ clickCount: 2 });
      await page.mouse.up({ clickCount: 2 });
      // React has drawn the outcome before the next task.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
      expect(await page.getByText('1 of 2 answered').isVisible()).toBe(true);
      expect(sent).toBe(0);
      expect(printed()).toBe('');
      await approveMail(card);
      await said(page, 'Well: ');
      expect(sent).toBe(1);
    });

    test.runIf(isThorough)('an answer that is sent once more runs nothing once more', async () => {
      const { page, say, card, printed } = await chat();
      await say('Book Lisbon to Oslo');
      await card('book_flight').waitFor();
      const sent = page.waitForRequest('**/api/chat');
      await card('book_flight').getByRole('button', { name: 'Approve' }).click();
      const body = (await sent).postData()!;
      await said(page, 'Well: booked Lisbon to Oslo.');
      const again = await fetch(`${server.origin}/api/chat`, { method: 'POST', body });
      await again.text();
      await expect
        .poll(printed)
        .toBe(
          'ran book_flight Lisbon Oslo\nrefused call_1: This request is over (succeeded): an answer counts once.\n',
        );
    });

    const liars = [
      [
        'other arguments',
        '"to":"Oslo"',
        '"to":"Rio"',
        'The call in the conversation is not the one that was asked about.',
      ],
      ['another call', '"toolCallId":"call_1"', '"toolCallId":"call_9"', 'Nobody was asked about this call here.'],
    ] as const;
    test.each(isWhole ? liars : liars.slice(0, 1))('a page that approves %s runs nothing', async (_, from, to, why) => {
      const { page, say, card, printed } = await chat();
      await say('Book Lisbon to Oslo');
      await card('book_flight').waitFor();
      await page.route('**/api/chat', (route) =>
        route.continue({ postData: route.request().postData()!.replaceAll(from, to) }),
      );
      await card('book_flight').getByRole('button', { name: 'Approve' }).click();
      await expect.poll(printed).toContain(`: ${why}`);
      // The turn is over.
      await page.getByText(/^(Well: |Something went wrong)/).waitFor();
      expect(printed()).not.toContain('ran ');
    });

    test.runIf(isThorough)('what would deceive the eye is shown for what it is', async () => {
      const { page, say, card } = await chat();
      await say('Book Lis\u202Ebon\u200B to <img/src=x/onerror=alert(1)>');
      const shown = card('book_flight');
      await shown.waitFor();
      expect(await shown.getByLabel('What would run').innerText()).toContain('Lis\\u{202E}bon\\u{200B}');
      expect(await shown.locator('[data-part=warnings]').innerText()).toContain('characters that cannot be seen');
      expect(await shown.locator('img').count()).toBe(0);
      expect(await page.getByRole('region', { name: 'Approvals' }).innerText()).not.toMatch(/[\u202E\u200B]/);
    });

    test.runIf(isThorough).each(['light', 'dark'] as const)('axe finds nothing serious, %s', async (colorScheme) => {
      const { page, say, card, faults } = await chat(server, { colorScheme, viewport: { width: 360, height: 740 } });
      await say('Book Lis\u202Ebon to Oslo, tell Ada we are coming');
      await card('send_email').waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(faults).toEqual([]);
    });

    describe.runIf(isThorough)('with a short time to answer', () => {
      const timeout = 1_000;
      let soon: Server;
      beforeAll(async () => {
        soon = await new Server(major, { APPROVAL_TIMEOUT: String(timeout) }).listening();
      });
      afterAll(() => soon?.close());

      test('expired: it cannot be approved any more, and the model is told', async () => {
        const { page, say, card, printed } = await chat(soon);
        await say('Book Lisbon to Oslo');
        await card('book_flight').getByText('It has expired.').waitFor();
        expect(await card('book_flight').getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
        await card('book_flight').getByRole('button', { name: 'Reject' }).click();
        await said(page, 'Well: not run (The request has expired.)');
        expect(printed()).not.toContain('ran ');
      });

      test('approved in the last moment, and late at the server: it does not run', async () => {
        const { page, say, card, printed } = await chat(soon);
        // For this page the last moment lasts.
        await page.clock.setFixedTime(Date.now());
        await say('Book Lisbon to Oslo');
        await card('book_flight').waitFor();
        await page.route('**/api/chat', async (route) => {
          await new Promise((resolve) => setTimeout(resolve, timeout));
          await route.continue();
        });
        await card('book_flight').getByRole('button', { name: 'Approve' }).click();
        await said(page, 'Well: not run (The request has expired.)');
        expect(printed()).not.toContain('ran ');
      });
    });
  });
});
