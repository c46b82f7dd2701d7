/** Warnings that a process shows once, or seldom, even when this package is loaded twice. */
const SHOWN = Symbol.for('countersign.warnings');

/** How often each was to be shown. */
const shown = (): Map<string, number> =>
  ((globalThis as Record<symbol, unknown>)[SHOWN] ??= new Map<string, number>()) as Map<string, number>;

/** Of these, those that no warning was shown of yet; from now on one was. */
export function newWarnings(keys: readonly string[]): string[] {
  const counts = shown();
  const fresh = keys.filter((key) => !counts.has(key));
  for (const key of fresh) counts.set(key, 1);
  forgetOldest(counts);
  return fresh;
}

/** Keys may have messages or names in them, which never end. */
function forgetOldest(counts: Map<string, number>): void {
  const [oldest] = counts.size > MOST ? counts.keys() : [];
  if (oldest !== undefined) counts.delete(oldest);
}

export function warn(message: string): void {
  process.emitWarning(message, { type: TYPE });
  if (pending.size === 0) process.once('exit', tellPending);
  pending.add(message);
  process.nextTick(() => {
    pending.delete(message);
    if (pending.size === 0) process.off('exit', tellPending);
  });
}

const TYPE = 'CountersignWarning';

/** The process shows warnings in its next turn. A program that ends itself before that would never show them. */
const pending = new Set<string>();

const tellPending = (): void => warnAtExit([...pending]);

/** Shows warnings while the process ends, when it has no next turn. */
export function warnAtExit(messages: readonly string[]): void {
  if (process.execArgv.includes('--no-warnings') || process.env['NODE_NO_WARNINGS'] === '1') return;
  // Written at once, but for pipes on Windows.
  for (const message of messages) process.stderr.write(`(countersign) ${TYPE}: ${message}\n`);
}

/** How many are counted. */
const MOST = 10_000;

export function warnOnce(key: string, message: string): void {
  if (newWarnings([key]).length > 0) warn(message);
}

/** Of what goes on and on in a process that lives long: the first time, the tenth, the hundredth, with the count. */
export function warnSeldom(key: string, message: string): void {
  const counts = shown();
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  forgetOldest(counts);
  if (count === 1) warn(message);
  else if (/^10+$/.test(String(count))) warn(`${message} This happened ${count} times so far.`);
}
