/** `countersign webhooks`: what receivers did not take. */
import type { DeadLetter } from '../../webhooks.js';
import { GateValues } from '../gate/values.js';
import type { NativeLedger } from '../native.js';
import { askAgain, endpointsIn, letterOf, lookAt } from '../webhooks/keeping.js';
import { told } from './duration.js';
import { ExitError, Exit, UsageError } from './exit.js';
import { LEDGER, withLedger } from './open-ledger.js';
import { readOptions } from './options.js';
import { count, print, printJson } from './print.js';
import { fit, oneLine, style } from './style.js';
import { table, type TableColumn } from './table.js';

export async function webhooks(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, { ...LEDGER, retry: { type: 'string', multiple: true } });
  if (positionals.length > 0) throw new UsageError(`webhooks takes no ${JSON.stringify(positionals[0])}`);
  const { retry = [], json = false } = values;
  if (retry.length > 0) return withLedger(values, 'change', (ledger) => again(ledger, retry, json));
  return withLedger(values, 'look', async (ledger) => {
    const store = new GateValues(ledger);
    const letters: DeadLetter[] = [];
    const endpoints = await endpointsIn(store);
    if (endpoints.length === 0 && !json) await print('no webhooks have been set up on this ledger');
    for (const endpoint of endpoints) {
      const { waiting, dead, owner } = await lookAt(store, endpoint);
      letters.push(...dead.map((letter) => letterOf(letter, endpoint)));
      if (json) {
        const isSent = owner !== null;
        await printJson({ state: 'endpoint', endpoint, waiting: waiting.length, dead: dead.length, isSent });
        for (const { n, tries, due, error = null } of waiting)
          await printJson({ state: 'waiting', endpoint, number: n, attempts: tries, nextAt: due, error });
        continue;
      }
      const sends = owner === null && waiting.length > 0 ? `; ${style('yellow', 'no process is sending')}` : '';
      const failing = waiting.toSorted((one, other) => other.tries - one.tries).find(({ tries }) => tries > 0);
      await print(
        `${oneLine(endpoint)}: ${waiting.length} waiting, ${count(dead.length, 'dead letter')}${sends}`,
        ...(failing === undefined ? [] : [`  not accepted: ${trouble(failing, Date.now())}`]),
      );
    }
    if (json) for (const letter of letters) await printJson({ state: 'dead', ...letter });
    else if (letters.length > 0) await print('', ...table(letters, deadColumns(Date.now())));
    return Exit.ok;
  });
}

/** Why the receiver does not take one, how often it was tried, and when it is tried next. */
function trouble({ tries, due, error }: { tries: number; due: number; error?: string }, now: number): string {
  const next = due > now ? `next in ${told(due - now)}` : 'next at once';
  return `${oneLine(error ?? 'it is not known why')} (${count(tries, 'attempt')}, ${next})`;
}

async function again(ledger: NativeLedger, wanted: readonly string[], json: boolean): Promise<number> {
  const store = new GateValues(ledger);
  const endpoints = await endpointsIn(store);
  for (const id of wanted) {
    let found = 0;
    for (const endpoint of endpoints) found += await askAgain(store, endpoint, (one) => id === 'all' || one === id);
    if (found === 0 && id !== 'all')
      throw new ExitError(
        Exit.unknown,
        `there is no dead letter ${JSON.stringify(id)}: see countersign webhooks`,
        'ERR_UNKNOWN_DEAD_LETTER',
      );
    if (json) await printJson({ retry: id, found });
    else if (found === 0) await print('no dead letters: nothing to send again');
    else await print(`${count(found, 'dead letter')} will be sent again by the process that sends`);
  }
  return Exit.ok;
}

const deadColumns = (now: number): TableColumn<DeadLetter>[] => [
  { title: 'ID', text: ({ id }) => oneLine(id), style: () => 'cyan' },
  { title: 'ENDPOINT', text: ({ endpoint }) => fit(oneLine(endpoint), 30) },
  { title: 'EVENT', text: ({ type }) => oneLine(type.replace(/^approval\./, '')) },
  { title: 'AGE', text: ({ at }) => told(now - at), right: true },
  { title: 'TRIES', text: ({ attempts }) => String(attempts), right: true },
  { title: 'TRIED', text: ({ triedAt }) => `${told(now - triedAt)} ago`, right: true },
  { title: 'WHY', text: ({ error }) => oneLine(error), grows: true },
];
