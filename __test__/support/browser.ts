/**
 * A real Chromium for tests: the one that `COUNTERSIGN_CHROMIUM` names; else, on Linux with an x64 processor, the one inside the
 * development dependency `@sparticuz/chromium`, so that a fresh machine has it and each machine has the same; else one on `PATH`.
 * Without a Chromium the tests are skipped, and their names say why.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { withLock } from '../../scripts/lock.mjs';
import { exec } from '../runtimes.js';

const root = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);

interface Program {
  executablePath: string;
  /** Where it finds libraries and fonts that the machine may lack. */
  env?: Record<string, string>;
}

/** Where a Chromium comes from; it may have to be unpacked first. */
type Source = (() => Promise<Program>) | { missing: string };

function findSource(): Source {
  const named = process.env.COUNTERSIGN_CHROMIUM;
  if (named) {
    // A name that leads nowhere is a mistake, not a machine without a browser.
    if (!existsSync(named)) throw new Error(`COUNTERSIGN_CHROMIUM names ${named}, which does not exist`);
    return async () => ({ executablePath: named });
  }
  // Built with glibc. npm installs it everywhere.
  const { glibcVersionRuntime } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header;
  if (process.platform === 'linux' && process.arch === 'x64' && glibcVersionRuntime) return unpacked;
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
  if (found) return async () => ({ executablePath: found });
  return { missing: `no ${names.join(', ')} on PATH, and COUNTERSIGN_CHROMIUM is not set` };
}

/** Unpacks (about 2 s, 210 MB) what the package carries, once for all processes. */
async function unpacked(): Promise<Program> {
  const entry = require.resolve('@sparticuz/chromium');
  const manifest = join(dirname(entry), '../../package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const folder = join(root, '.build', `chromium-${version}`);
  const unpack = async () => {
    if (existsSync(folder)) return;
    mkdirSync(dirname(folder), { recursive: true });
    const temporary = mkdtempSync(`${folder}-`);
    try {
      const script = "import('@sparticuz/chromium').then(({ default: { executablePath } }) => executablePath())";
      // It unpacks into the temporary directory, and its libraries only on the machine that it is meant for.
      const env = { TMPDIR: temporary, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' };
      const { code, stderr } = await exec(process.execPath, ['-e', script], { cwd: root, env });
      if (code !== 0) throw new Error(`@sparticuz/chromium could not be unpacked: ${stderr}`);
      writeFileSync(join(temporary, 'fonts.conf'), fontsConfig(folder));
      renameSync(temporary, folder);
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  };
  if (!existsSync(folder)) await withLock(`${folder}.lock`, unpack, () => {});
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  };
}

const fontsConfig = (folder: string) =>
  `<?xml version="1.0"?><fontconfig><dir>${folder}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${folder}/cache</cachedir></fontconfig>\n`;

const source = findSource();

/** Why tests in a browser are skipped here; `undefined` where they run. */
export const noBrowser = typeof source === 'function' ? undefined : source.missing;

/** So long, in ms, does a page wait for anything, for hangs alone: less than its test may take, so that the test says what for. */
export const PATIENCE = 400_000;

/** `describe` for tests in a browser. */
export function describeInBrowser(name: string, tests: () => void): void {
  const why = noBrowser === undefined ? '' : ` (skipped: ${noBrowser})`;
  describe.skipIf(noBrowser !== undefined)(`${name}${why}`, () => {
    tests();
  });
}

/** Pages of different people share a process: starting one for each takes longer than what is done in it. */
const ONE_PROCESS = ['--renderer-process-limit=1', '--disable-site-isolation-trials'];

/** Chromium without a window, for the tests of a file. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  return () => browser!;
}

async function launch(): Promise<Browser> {
  if (typeof source !== 'function') throw new Error(`There is no browser: ${source.missing}`);
  const { executablePath, env } = await source();
  return await chromium.launch({
    executablePath,
    args: ONE_PROCESS,
    env: { ...process.env, ...env },
    timeout: PATIENCE,
  });
}

/** A page of its own (cookies, storage), and what went wrong in it so far. */
export interface Watched {
  context: BrowserContext;
  page: Page;
  /** Errors of scripts, errors on the console (violations of the content security policy are among them), failed requests. */
  faults: string[];
  /** Addresses beyond `origin` that the page asked for. They are refused. */
  strangers: string[];
}

/** Opens a page that may speak to `origin` only. */
export async function openPage(
  browser: Browser,
  origin: string,
  options?: Parameters<Browser['newContext']>[0],
): Promise<Watched> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  const faults: string[] = [];
  const strangers: string[] = [];
  await context.route(
    (url) => /^https?:$/.test(url.protocol) && url.origin !== origin,
    async (route) => {
      strangers.push(route.request().url());
      await route.abort();
    },
  );
  const page = await context.newPage();
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  return { context, page, faults, strangers };
}

/** Stops the clock of a page that has one of the test's (`page.clock.install()`), a minute later than it shows. */
export async function stopClock(page: Page): Promise<void> {
  for (;;) {
    const at = (await page.evaluate(() => Date.now())) + 60_000;
    try {
      return await page.clock.pauseAt(at);
    } catch (error) {
      // It went on for that minute before it was told: then once more.
      if (!String(error).includes('to the past')) throw error;
    }
  }
}

interface Finding {
  id: string;
  impact?: string | null;
  help: string;
  nodes: { target: unknown[]; failureSummary?: string }[];
}

interface Axe {
  run(options: { resultTypes: string[] }): Promise<{ violations: Finding[] }>;
}

/** Of what axe finds moderate, what counts as well: a page without its first heading has no beginning for who hears it. */
const ALSO: readonly string[] = ['page-has-heading-one'];

/** What axe finds serious or critical in the page as it is now, or no first heading, one line for each place. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Evaluated, not added as a script: the page's content security policy does not apply to it.
  await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const found = await page.evaluate(
    async () => (await (globalThis as unknown as { axe: Axe }).axe.run({ resultTypes: ['violations'] })).violations,
  );
  return found
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || ALSO.includes(id))
    .flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help} (${node.target.join(' ')})`));
}

/**
 * Gives the second yes, as often as it takes: one that comes before what it is about was in sight for long enough counts for nothing.
 *
 * @param isTaken whether it was. @default the button is gone, or can no longer be pressed
 */
export async function lookTwice(
  button: Locator,
  isTaken = async () => !(await button.isVisible()) || (await button.isDisabled().catch(() => true)),
): Promise<void> {
  await button.waitFor();
  for (;;) {
    await button.page().waitForTimeout(1_100);
    if (await isTaken()) return;
    await button.click();
  }
}

/** Holds a key down, as long as a keyboard needs to repeat it, and for some repetitions. */
export async function holdDown(page: Page, key: string): Promise<void> {
  await page.keyboard.down(key);
  await page.waitForTimeout(520);
  for (let times = 0; times < 5; times++) {
    await page.keyboard.down(key);
    await page.waitForTimeout(33);
  }
  await page.keyboard.up(key);
}
