/** What each example must and must not print, and how that is tried: on Node and Bun, with both answers and without any. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { exec, runOn, runtimes, type Finished } from '../runtimes.js';
import { isThorough } from '../support/effort.js';
import { together } from '../together.js';

export const root = join(import.meta.dirname, '../..');
export const bun = runtimes().find(({ kind }) => kind === 'bun');

export type Answer = 'approve' | 'reject';
export const answers: Answer[] = ['approve', 'reject'];

/** What must and what must not stand in the output. */
export interface Expected {
  shown?: string[];
  approve: { ran: string[]; not?: string[] };
  reject: { ran?: string[]; denied: string[]; not: string[] };
}

export function expectSuccess({ code, stdout, stderr }: Finished): string {
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return stdout;
}

export function expectOutput(stdout: string, answer: Answer, { shown = [], approve, reject }: Expected): void {
  const wanted = answer === 'approve' ? approve.ran : [...reject.denied, ...(reject.ran ?? [])];
  const unwanted = answer === 'approve' ? (approve.not ?? []) : reject.not;
  for (const text of [...shown, ...wanted]) expect(stdout).toContain(text);
  for (const text of unwanted) expect(stdout).not.toContain(text);
}

const startsOthers = (file: string): boolean =>
  readFileSync(join(root, 'examples', file), 'utf8').includes("'node:child_process'");

/** In `npm test` an example has no process of its own, unless it starts others, which write to where it does. */
export const onNode = (file: string, answer: Answer | ''): Promise<Finished> => {
  const options = { cwd: root, env: { COUNTERSIGN_AUTO: answer }, input: '' };
  return isThorough || startsOthers(file)
    ? exec(process.execPath, [`examples/${file}`], options)
    : together(join(root, 'examples', file), [], options);
};

/** @param answer `''`: a human is asked on the terminal, who types `input` */
export const onBun = (file: string, answer: Answer | '', input = '') =>
  runOn(bun!, [`examples/${file}`], { cwd: root, env: { COUNTERSIGN_AUTO: answer }, input });

/** Presses Ctrl+C when the script, on Bun, has asked this. */
export async function interrupted(file: string, question: string): Promise<{ code: number | null; stdout: string }> {
  const env = { ...process.env, COUNTERSIGN_AUTO: '' };
  const child = spawn(bun!.path, [`examples/${file}`], { cwd: root, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, seen] = ['', ''];
  const see = (text: string): void => {
    const asked = seen.includes(question);
    seen += text;
    if (!asked && seen.includes(question)) child.kill('SIGINT');
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    see(text);
  });
  // What is asked on a terminal does not stand in what a program gives.
  child.stderr.setEncoding('utf8').on('data', see);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout };
}

export function tryEach(examples: Record<string, Expected>): void {
  describe.each(Object.entries(examples))('%s', (file, expected) => {
    // In `npm test` one answer: to one example a yes, to the next a no. What starts others takes longest: there a yes alone.
    const turn = Object.keys(examples).indexOf(file) % answers.length;
    const given = startsOthers(file) ? answers.slice(0, 1) : answers.slice(turn, turn + 1);
    test.each(isThorough ? answers : given)('%s', async (answer) => {
      expectOutput(expectSuccess(await onNode(file, answer)), answer, expected);
    });

    test.skipIf(bun === undefined).each(answers)('%s, on Bun', async (answer) => {
      expectOutput(expectSuccess(await onBun(file, answer)), answer, expected);
    });

    test.runIf(isThorough || !startsOthers(file))('nobody at the terminal: nothing runs', async () => {
      const done = await onNode(file, '');
      expect(done.code).toBe(0);
      for (const text of expected.reject.not) expect(done.stdout).not.toContain(text);
    });
  });
}

/** @param folder below `examples/`; `''`: itself */
export function checkFolder(folder: string, { tried, helpers }: { tried: string[]; helpers: string[] }): void {
  const files = readdirSync(join(root, 'examples', folder), { withFileTypes: true }).flatMap((each) =>
    each.isFile() && /\.(mjs|ts)$/.test(each.name) ? [each.name] : [],
  );
  const sourceOf = (file: string) => readFileSync(join(root, 'examples', folder, file), 'utf8');

  test('every example is run', () => {
    expect(files.toSorted()).toEqual([...tried, ...helpers].toSorted());
  });

  test.each(files)('%s says what it shows', (file) => {
    expect(sourceOf(file)).toMatch(
      file.endsWith('.mjs') ? /^\/\/ @ts-check\n\/\*\*\s(?: \* )?\S/ : /^(?:#!.*\n)?\/\*\*\n \* \S/,
    );
  });

  test.each(files.filter((file) => !helpers.includes(file)))('%s says how to run it', (file) => {
    const path = folder === '' ? file : `${folder}/${file}`;
    expect(sourceOf(file)).toMatch(new RegExp(` \\* {5}(node|bun) examples/${path}`));
  });
}
