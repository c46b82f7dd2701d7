/** Times and durations, as they are typed and as they are told. */
import { UsageError } from './exit.js';

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** `90s`, `1h30m`, `30d`, in ms; `undefined` for anything else. */
export function readDuration(text: string): number | undefined {
  if (!/^(\d+(ms|[smhdw]))+$/.test(text)) return undefined;
  let ms = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|[smhdw])/g))
    ms += Number(count) * UNITS[unit as keyof typeof UNITS];
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** @throws {UsageError} */
export function durationOf(option: string, text: string): number {
  const ms = readDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new UsageError(`${option} must be a duration such as 90s, 12h, 30d or 1h30m, not ${JSON.stringify(text)}`);
}

/** A time, or so long before now, in ms since the epoch. @throws {UsageError} */
export function timeOf(option: string, text: string, now: number): number {
  const before = readDuration(text);
  if (before !== undefined) return now - before;
  // Only what begins with a year: Date would read far more.
  const time = /^\d{4}-/.test(text) ? new Date(text).getTime() : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new UsageError(
    `${option} must be a time such as 2026-05-04T12:00:00Z or a duration such as 2h, not ${JSON.stringify(text)}`,
  );
}

/** So long, short: `850 ms` is `0s`, 90 minutes are `1h`. */
export function told(ms: number): string {
  const unit = (['d', 'h', 'm', 's'] as const).find((each) => ms >= UNITS[each]) ?? 's';
  return `${Math.max(0, Math.floor(ms / UNITS[unit]))}${unit}`;
}

/** A time in the time zone of the user, to the second. */
export function clock(at: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return '?';
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}
