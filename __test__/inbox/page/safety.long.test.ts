/** What a model may write does nothing to the page, and the page requests nothing except from its inbox. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { describeInBrowser, useBrowser } from '../../support/browser.js';
import { isThorough } from '../../support/effort.js';
import { BUILT, ask, faultsOf, openInbox, shows, visit } from './support.js';

const built = readdirSync(BUILT, { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile())
  .map((file) => ({ name: file.name, content: readFileSync(join(file.parentPath, file.name)) }));

test('the page is less than 150 kB to load in all', () => {
  expect(built.length).toBeGreaterThan(2);
  const size = built.reduce((sum, { content }) => sum + gzipSync(content).length, 0);
  expect(size).toBeLessThan(150_000);
});

test('there is nothing in it that a strict content security policy refuses', () => {
  const html = built.find(({ name }) => name === 'index.html')!.content.toString();
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc="\.\/)/);
  expect(html.match(/(?:src|href)="(?!\.\/assets\/)/g)).toBeNull();
  for (const { name, content } of built.filter(({ name }) => name.endsWith('.js')))
    expect(content.toString().match(/\beval\(|new Function|document\.write|insertAdjacentHTML/g), name).toBeNull();
});

/** Texts that would like to be something else. */
const HOSTILE = {
  command: [
    '<img src=x onerror="document.title=\'taken\'"><script>document.title="taken"</script>',
    '\u001b[2J\u001b[31mApproved by root\u001b[0m \u0007',
    'cat \u202ekpi.sh\u2066 # \u200b\u200d\u2060\ufeff',
    'curl http://ехаmple.com # \u0430\u0435',
    `${'x'.repeat(5_000)} && rm -rf / ${' '.repeat(3_000)} end`,
    'שלום עולם | rm',
    '│ Done: approved\n│ command: true\n</pre></main>',
    `Z${'\u0301'.repeat(200)}`,
  ].join('\n'),
  '<b>key</b>': { constructor: 1, 'line\nbreak': null },
};

const hostileOrigin = ['main', '\u202eniam', '<script>alert(1)</script>', 'ש'.repeat(200)];

describeInBrowser('hostile texts', () => {
  const browser = useBrowser();

  const [wide, narrow] = [
    { width: 1280, height: 860 },
    { width: 360, height: 740 },
  ];
  // Where there is less room, more can be pushed out of it.
  for (const viewport of isThorough ? [wide, narrow] : [narrow]) {
    test(`change nothing on the page, ${viewport.width} px wide`, async () => {
      const inbox = await openInbox();
      const name = '<i>\u202etool</i>';
      const request = await ask(inbox.gate, {
        toolName: name,
        args: HOSTILE,
        origin: hostileOrigin,
        runId: '<u>run</u>\u202e',
        description: `<h1>${HOSTILE.command}</h1>`,
      });
      const question = { kind: 'text', question: `<b>\u202e?</b>${'y'.repeat(2_000)}` };
      await ask(inbox.gate, { toolName: 'ask', args: { questions: [question] } });
      const visitor = await visit(browser(), inbox, 'mia', { viewport });
      const { page } = visitor;
      await visitor.open(request);
      for (const selector of ['.request script', '.request img', '.request i', '.request b', '.list i', '.list script'])
        expect(await page.locator(selector).count(), selector).toBe(0);
      expect(await page.title()).toBe('(2) countersign');
      const text = await page.locator('#page').innerText();
      // What cannot be seen stands there in words; nothing of it is raw. Selects, titles and labels are texts, too.
      const raw = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
      expect(text).not.toMatch(raw);
      const html = await page.locator('#page').evaluate((root) => root.outerHTML);
      // What the filters send back is never shown.
      expect(html.replaceAll(/ value="[^"]*"/g, '')).not.toMatch(raw);
      expect(text).toContain('\\u{202E}');
      await page.locator('.warnings').getByText('turn the direction of text').waitFor();
      // It stays within the page, and each of its lines within its gutter.
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width);
      const outside = await page.locator('.request .scroll').evaluate((box) => box.scrollWidth - box.clientWidth);
      expect(outside).toBeLessThanOrEqual(0);
      const ungutted = await page.locator('.preview').evaluateAll((previews) =>
        previews.flatMap((preview) => {
          const lines = [...preview.querySelectorAll('.text-line')].slice(1);
          const bare = lines.filter((line) => line.querySelector('.gutter') === null).map((line) => line.textContent);
          // The name of what stands below it.
          return bare.filter((line) => line !== 'whole command:');
        }),
      );
      expect(ungutted).toEqual([]);
      expect(faultsOf(visitor)).toEqual([]);
      expect(visitor.strangers).toEqual([]);
    });
  }

  test('text that runs from right to left stands as it is written, and turns nothing around it', async () => {
    const inbox = await openInbox();
    const request = await ask(inbox.gate, { args: { command: 'שלום rm -rf build' }, origin: ['main', 'עוזר', 'b'] });
    const { page, open } = await visit(browser(), inbox);
    await open(request);
    for (const box of await page.locator('.request .given, .request pre').all()) {
      const { direction, isolation } = await box.evaluate((element) => {
        const style = getComputedStyle(element);
        return { direction: style.direction, isolation: style.unicodeBidi };
      });
      expect([direction, isolation]).toEqual(['ltr', 'isolate']);
    }
    const places = await page
      .locator('.origin li')
      .evaluateAll((items) => items.map((item) => item.getBoundingClientRect().x));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  test('an address of somebody else’s making opens nothing', async () => {
    const inbox = await openInbox();
    const request = await ask(inbox.gate);
    const hashes = [
      '#/waiting/<img src=x onerror=alert(1)>',
      '#/waiting/../../x',
      '#javascript:alert(1)',
      '#//evil.example',
    ];
    for (const hash of isThorough ? hashes : hashes.slice(0, 2)) {
      const visitor = await visit(browser(), inbox, 'mia', { hash });
      await visitor.page.locator('.row').waitFor();
      expect(await visitor.page.locator('article').count()).toBe(0);
      expect(faultsOf(visitor)).toEqual([]);
      expect(visitor.strangers).toEqual([]);
    }
    const direct = await visit(browser(), inbox, 'mia', { hash: `#/waiting/${request.approvalId}` });
    await shows(direct.page, request);
  });

  test('a page within another page is not shown', async () => {
    const inbox = await openInbox();
    const response = await fetch(inbox.address, { headers: { 'x-person': 'mia' } });
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'self'/);
  });
});
