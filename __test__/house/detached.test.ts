/** `const { decide } = gate`: methods that were taken from their object work: a failure would be hard to explain. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDeepAgent, createLocalBackend } from '../../ts/agent/index.js';
import { serveInbox } from '../../ts/inbox/index.js';
import { createGate, streamWithEvents } from '../../ts/index.js';
import { createActionLinks, newWebhookSecret, sendWebhooks } from '../../ts/webhooks/index.js';
import { says, scripted } from '../support/model.js';

const gateOf = () => {
  const gate = createGate();
  onTestFinished(() => gate.close());
  return gate;
};

const model = () => scripted([says('done')]).model;

/** Each object with methods that the package gives to programs. */
const GIVEN: Record<string, () => object | Promise<object>> = {
  'a gate': gateOf,
  'its audit': () => gateOf().audit,
  'the list of its audit': () => gateOf().audit.list(),
  'the export of its audit': () => gateOf().audit.export(),
  'its grants': () => gateOf().grants,
  'its events': () => gateOf().events(),
  'a run': () => streamWithEvents({ model: model(), prompt: 'go', interruptOn: {} }),
  'a deep agent': () => createDeepAgent({ model: model() }),
  'a run of a deep agent': () => createDeepAgent({ model: model() }).streamWithEvents({ prompt: 'go' }),
  'a local backend': () => createLocalBackend({ root: '.' }),
  links: () => createActionLinks(gateOf(), { secret: newWebhookSecret(), url: 'https://example.com/decide' }),
  'a sender of webhooks': async () => {
    const sender = await sendWebhooks(gateOf(), {
      endpoints: [{ url: 'http://127.0.0.1:9/', secret: newWebhookSecret() }],
    });
    onTestFinished(() => sender.close());
    return sender;
  },
  'an inbox': async () => {
    const inbox = await serveInbox(gateOf(), { port: 0 });
    onTestFinished(() => inbox.close());
    return inbox;
  },
};

/** Of the object and of its classes. */
function methodsOf(object: object): (string | symbol)[] {
  const above = Object.getPrototypeOf(object) as object | null;
  const own = Reflect.ownKeys(object).filter(
    (name) => name !== 'constructor' && typeof Object.getOwnPropertyDescriptor(object, name)?.value === 'function',
  );
  return above === null || above === Object.prototype ? own : [...new Set([...own, ...methodsOf(above)])];
}

/** How it fails; `undefined`: not, or not yet. */
async function failureOf(method: () => unknown, enough: Promise<undefined>): Promise<string | undefined> {
  const begun = (async () => {
    const given = await method();
    // What is read later fails with its first item.
    if (typeof given === 'object' && given !== null && 'next' in given) await (given as AsyncGenerator).next();
  })();
  return Promise.race([begun.then(() => undefined, String), enough]);
}

/** A method that does not know its object fails before it waits for anything. */
const soon = () => new Promise<undefined>((resolve) => void setImmediate(() => resolve(undefined)));

/** More than any of them needs to fail. */
const late = () => new Promise<undefined>((resolve) => void setTimeout(() => resolve(undefined), 10_000).unref());

test.each(Object.entries(GIVEN))('%s: each method does alone what it does there', async (_, make) => {
  const object = await make();
  const names = methodsOf(object);
  expect(names.length).toBeGreaterThan(0);
  // Those that fail before they need their object would not be found below.
  expect(names.filter((name) => !Object.hasOwn(object, name))).toEqual([]);
  for (const name of names) {
    const [one, other] = [await make(), await make()] as Record<string | symbol, (...given: unknown[]) => unknown>[];
    const { [name]: method } = one!;
    const failure = await failureOf(method!, soon());
    if (failure !== undefined) expect(failure, String(name)).toBe(await failureOf(() => other![name]!(), late()));
  }
});

test('the list has each class of what programs get', async () => {
  const made = new Set<string>();
  for (const make of Object.values(GIVEN))
    for (let at: object | null = await make(); at !== null; at = Object.getPrototypeOf(at) as object | null)
      made.add(at.constructor.name);
  const declared = ['types', '.']
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((file) => file.endsWith('.d.ts'))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/^export interface (\w+)/gm)].map(([, name]) => name!));
  const classes = readdirSync('ts', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...readFileSync(join('ts', file), 'utf8').matchAll(/^(?:export )?class (\w+).* implements (.*) \{$/gm),
    ])
    .filter(([, , what]) => declared.some((name) => new RegExp(`\\b${name}\\b`).test(what!)))
    .map(([, name]) => name!);
  expect(classes.length).toBeGreaterThan(5);
  expect(classes.filter((name) => !made.has(name))).toEqual([]);
});

test('a method that was taken from a gate decides there', async () => {
  const { request, pending, approve, decideAll, get } = gateOf();
  const asked = [1, 2].map((at) => request({ toolName: 'deploy', args: { at } }));
  const [one, other] = await pending();
  await approve(one!.approvalId, { by: 'ada' });
  await decideAll([other!.approvalId], { type: 'reject' });
  expect((await Promise.all(asked)).map(({ approved }) => approved)).toEqual([true, false]);
  expect(await get(one!.approvalId)).toMatchObject({ decidedBy: 'ada' });
});

test('what disposes of a gate or a run, and what iterates one, work alone', async () => {
  const { [Symbol.asyncDispose]: close, request } = gateOf();
  await close();
  await expect(request({ toolName: 'deploy', args: {} })).rejects.toMatchObject({ code: 'ERR_GATE_CLOSED' });
  const { [Symbol.asyncIterator]: iterate, [Symbol.asyncDispose]: leave } = streamWithEvents({
    model: model(),
    prompt: 'go',
    interruptOn: {},
  });
  expect(await iterate().next()).toMatchObject({ done: false });
  await leave();
});

test('a list of the audit is read by a `next` that was taken from it', async () => {
  const gate = createGate({ ledger: 'sqlite:' });
  onTestFinished(() => gate.close());
  void gate.request({ toolName: 'deploy', args: {} }).catch(() => {});
  await gate.pending();
  for (const read of [gate.audit.list(), gate.audit.export()]) {
    const { next, return: leave } = read as AsyncGenerator<unknown>;
    expect((await next()).done).toBe(false);
    expect(await leave(undefined)).toEqual({ value: undefined, done: true });
  }
});

test('a gate is looked at as before: its methods are no properties that a copy would have', () => {
  const gate = gateOf();
  expect(Object.keys(gate)).not.toContain('decide');
  expect({ ...gate }).not.toHaveProperty('approve');
});
