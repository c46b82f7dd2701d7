/** A run in a process of its own that waits for a human, while something happens to the server or the way to it. */
import { expect } from 'vitest';
import type { Stage, StartOptions, Worker } from '../processes.js';

export interface Waiting {
  ledger: string;
  /** The file of what ran. */
  ran: string;
  waiter: Worker;
  approvalId: string;
}

export interface WaitingOptions extends StartOptions {
  /** Of the approval, in ms. @default an hour: for tests that are not about it */
  timeout?: number;
}

/** Starts a run and resolves when it has asked. */
export async function waiting(on: Stage, ledger: string, options: WaitingOptions = {}): Promise<Waiting> {
  const { timeout = 3_600_000, ...how } = options;
  const ran = on.path();
  const waiter = on.start('waiter', [ledger, 'run', ran, 'start', String(timeout)], how);
  return { ledger, ran, waiter, approvalId: await waiter.says('asked') };
}

/** It was approved: its tool runs once, the run comes to its end, and so does its process. */
export async function goesOn(on: Stage, { waiter, ran }: Waiting): Promise<void> {
  await waiter.says('end');
  expect(on.lines(ran), waiter.all).toEqual(['del /a']);
  expect(await waiter.ended, waiter.all).toEqual({ code: 0, signal: null });
  expect(waiter.said('error'), waiter.all).toEqual([]);
}
