/** The browser that other tests stand on: it runs, it tells what goes wrong, and it goes nowhere else. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openPage, seriousFindings, useBrowser } from '../support/browser.js';

const PAGE = `<!doctype html><html lang="en"><title>t</title><main><h1>one</h1><img src="/a.png"><button>two</button></main>
<script src="/s.js"></script><script>inline()</script>`;
const SCRIPT = `document.querySelector('button').onclick = async () => {
  await fetch('https://example.com/x').catch(() => {});
  document.querySelector('h1').textContent = 'clicked';
  throw new Error('thrown');
}`;

describeInBrowser('the browser', () => {
  const browser = useBrowser();
  let server: Server;
  let origin: string;
  beforeAll(async () => {
    server = createServer(({ url }, response) => {
      const script = url === '/s.js';
      response.setHeader('Content-Type', script ? 'text/javascript' : 'text/html');
      // The request beyond the origin must be seen even where the policy would allow it.
      response.setHeader('Content-Security-Policy', "script-src 'self'");
      response.end(script ? SCRIPT : PAGE);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server?.closeAllConnections();
    server?.close();
  });

  test('runs pages and tells their faults', async () => {
    const { page, faults, strangers, context } = await openPage(browser(), origin);
    await page.goto(origin);
    await expect.poll(() => faults.join('\n')).toMatch(/Content Security Policy/);
    await page.getByRole('button').click();
    await page.getByText('clicked').waitFor();
    await expect.poll(() => faults.join('\n')).toMatch(/thrown/);
    await expect.poll(() => strangers).toEqual(['https://example.com/x']);
    expect((await seriousFindings(page)).join('\n')).toMatch(/^image-alt: .*\(img\)$/m);
    await context.close();
  });
});
