/** The site in Chromium: wide and on a phone, light and dark, with the keyboard alone, and without a word to any other server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exec } from '../runtimes.js';
import { describeInBrowser, openPage, seriousFindings, useBrowser, type Watched } from '../support/browser.js';

const root = join(import.meta.dirname, '../..');
const out = mkdtempSync(join(tmpdir(), 'countersign-site-'));
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};
/** Each is of another kind: much code, wide tables, pictures, long lists, declarations. */
const PAGES = ['index', 'policy', 'inbox', 'errors', 'ai-sdk', 'recipes', 'testing', 'architecture', 'api-gate'];
const SIZES = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;

describeInBrowser('the site', () => {
  const browser = useBrowser();
  let server: Server;
  let origin: string;

  beforeAll(async () => {
    const { code, stderr } = await exec(process.execPath, [join(root, 'scripts/site.mjs'), '--out', out]);
    expect(code, stderr).toBe(0);
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      readFile(join(out, pathname)).then(
        (body) => response.writeHead(200, { 'content-type': TYPES[extname(pathname)] ?? 'text/plain' }).end(body),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(out, { recursive: true, force: true });
  });

  async function visit(
    file: string,
    size: keyof typeof SIZES,
    colorScheme: 'light' | 'dark' = 'light',
  ): Promise<Watched> {
    const watched = await openPage(browser(), origin, { viewport: SIZES[size], colorScheme });
    await watched.page.goto(`${origin}/${file}.html`);
    return watched;
  }
  const isOver = (page: Page): Promise<boolean> =>
    page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

  const cases = PAGES.flatMap(
    (page) =>
      [
        [page, 'wide', 'light'],
        [page, 'phone', 'dark'],
      ] as const,
  );

  test.each(cases)(
    '%s, %s, %s: axe finds nothing serious, and it does not scroll sideways',
    async (file, size, scheme) => {
      const { page, context, faults, strangers } = await visit(file, size, scheme);
      expect(await seriousFindings(page)).toEqual([]);
      expect(await isOver(page)).toBe(false);
      expect(await page.locator('main h1').count()).toBe(1);
      expect({ faults, strangers }).toEqual({ faults: [], strangers: [] });
      await context.close();
    },
  );

  test('no page scrolls sideways on a phone, or fails to load something', async () => {
    const { page, context, faults, strangers } = await visit('index', 'phone');
    const files = await page
      .locator('#pages a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')!));
    expect(files.length).toBeGreaterThan(50);
    const over: string[] = [];
    for (const file of files) {
      await page.goto(`${origin}/${file}`);
      if (await isOver(page)) over.push(file);
    }
    expect({ over, faults, strangers }).toEqual({ over: [], faults: [], strangers: [] });
    await context.close();
  });

  test('the other themes have contrast, too', async () => {
    for (const [size, scheme] of [
      ['wide', 'dark'],
      ['phone', 'light'],
    ] as const) {
      const { page, context } = await visit('index', size, scheme);
      expect(await seriousFindings(page)).toEqual([]);
      await context.close();
    }
  });

  test('the search finds a section, with the keyboard alone', async () => {
    const { page, context, faults } = await visit('index', 'wide');
    await page.keyboard.press('/');
    await page.keyboard.type('quorum');
    await page.getByRole('option').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\.html#/);
    expect(await page.locator('main').innerText()).toMatch(/quorum/i);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('on a phone the pages are behind a button; the theme that was chosen stays', async () => {
    const { page, context } = await visit('index', 'phone');
    const link = page.locator('#pages').getByRole('link', { name: 'Cookbook', exact: true });
    expect(await link.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Pages' }).click();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Light or dark' }).click();
    const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await link.click();
    await page.waitForURL(/policy-cookbook/);
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(dark);
    await context.close();
  });

  test('the page that is open is seen in the list of pages, however long that is', async () => {
    const { page, context, faults } = await visit('decisions-ledger', 'wide');
    const box = await page.locator('#pages [aria-current]').boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(SIZES.wide.height);
    expect(await page.evaluate(() => scrollY)).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('without scripts every page can be read and reached', async () => {
    const { page, context } = await openPage(browser(), origin, { javaScriptEnabled: false, viewport: SIZES.phone });
    await page.goto(`${origin}/index.html`);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('countersign');
    expect(await page.locator('#pages').getByRole('link', { name: 'Cookbook', exact: true }).isVisible()).toBe(true);
    await context.close();
  });
});
