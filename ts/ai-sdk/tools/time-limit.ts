/**
 * The SDK's own limit of a whole call, a second time. The SDK makes it an `AbortSignal.timeout` that nothing holds but an
 * `AbortSignal.any`; Node 20 collects such a signal while it is waited for, and the call never ends
 * (https://github.com/nodejs/node/issues/57736).
 */
import { LONGEST_TIMER_MS } from '../../values/longest-timer.js';
import type { CallOptions } from '../sdk/sdk.js';
import { isRecord } from './tools.js';

/** The limit that stands in the first of these options that has one, in ms. What is no number of ms is left to the SDK. */
export function timeLimitOf(...options: readonly CallOptions[]): number | undefined {
  const timeout = options.map((each) => each['timeout']).find((each) => each !== undefined && each !== null);
  const total = isRecord(timeout) ? timeout['totalMs'] : timeout;
  return typeof total === 'number' && total >= 0 && total <= LONGEST_TIMER_MS ? total : undefined;
}

/** The signal, which the limit aborts as well, from now on until `end` is called: what is over holds no timer. */
export function limited(signal: AbortSignal, limit: number | undefined): { signal: AbortSignal; end: () => void } {
  if (limit === undefined) return { signal, end: () => {} };
  // The timer holds its controller.
  const controller = new AbortController();
  const expire = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  const timer = setTimeout(expire, limit);
  timer.unref();
  return { signal: AbortSignal.any([signal, controller.signal]), end: () => clearTimeout(timer) };
}
