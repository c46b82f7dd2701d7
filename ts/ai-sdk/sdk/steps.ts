import type { SdkStep } from './sdk.js';

/** A step with some fields changed. It keeps its class, whose getters (`text`, `toolCalls`, …) read the other fields. */
export function changeStep(step: SdkStep, changes: Partial<SdkStep>): SdkStep {
  return Object.assign(Object.create(Object.getPrototypeOf(step) as object) as SdkStep, step, changes);
}

/** Adds up token counts, nested ones too. A missing count stays `undefined`. */
export function addUsage(left: unknown, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  if (isRecord(left) && isRecord(right)) {
    return Object.fromEntries(Object.keys({ ...left, ...right }).map((key) => [key, addUsage(left[key], right[key])]));
  }
  return left ?? right;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
