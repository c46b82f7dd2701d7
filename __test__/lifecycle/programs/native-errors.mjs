/** The native layer answers any wrong input with an error. */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { say } from './lib.mjs';

const binding = await import(
  pathToFileURL(join(import.meta.dirname, 'node_modules/countersign/binding/binding.js')).href
);
/** How long the longest text is, and how deep the deepest. */
const LONG = Number(process.argv[2]);
const DEEP = Math.min(LONG, 100_000);
const TEXTS = [
  '',
  'null',
  '{',
  '[]',
  '"x"',
  '1e999',
  '-0',
  '\u0000',
  '\ud800',
  '{"a":1,"a":2}',
  '{"__proto__":{}}',
  '{"maxArgumentBytes":-1,"keepDecided":1e300}',
  '{"toolName":"\ud800","args":{}}',
  '{"type":"approve","reason":5}',
  '{"type":"edit"}',
  '{"runId":"r","toolCallId":"c","toolName":"t","args":{},"origin":[],"description":null,"allowedDecisions":["fly"],"timeoutMs":null}',
  '{"runId":"r","toolCallId":"c","toolName":"t","args":{},"origin":[],"description":null,"allowedDecisions":null,"timeoutMs":1e300}',
  '{"runId":"r","toolCallId":"c","toolName":"t","args":{},"origin":[],"description":null,"allowedDecisions":null,"timeoutMs":-5}',
  '[',
  '['.repeat(DEEP),
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  `{"toolName":"t","args":${'{"a":'.repeat(DEEP / 2)}1${'}'.repeat(DEEP / 2)}}`,
  `"${'x'.repeat(LONG)}"`,
  `{"toolName":"${'x'.repeat(DEEP)}","args":{},"width":0}`,
  '{"toolName":"t","args":{},"width":-1}',
  '{"toolName":"t","args":{},"width":1e12}',
  '018f0000-0000-7000-8000-000000000000',
];
const VALUES = [undefined, null, 0, NaN, 1n, Symbol('x'), () => {}, {}, [], new Date(), new Proxy({}, {}), ...TEXTS];

/** Those that answer with text of their own instead of an envelope. */
const PLAIN = ['checkLine', 'previewLine', 'safeText'];
/** Those that write the user's files. */
const WRITES = ['trust', 'untrust', 'trusted'];
const later = [];

let answered = 0;
let refused = 0;
/** One call: an answer in an envelope, or an ordinary error. */
function attempt(what, call) {
  try {
    const answer = call();
    if (answer instanceof Promise) later.push([what, answer]);
    else if (typeof answer === 'string' && !PLAIN.includes(what)) {
      const { ok, error } = JSON.parse(answer);
      if (ok === undefined && typeof error?.code !== 'string') say('ODD', what, answer.slice(0, 200));
    }
    answered++;
  } catch (error) {
    if (!(error instanceof Error)) say('NOT AN ERROR', what);
    else if (/panic/i.test(error.message)) say('PANIC', what, error.message.slice(0, 200));
    refused++;
  }
}

for (const value of VALUES) attempt('new NativeGate', () => void new binding.NativeGate(value));
const gate = new binding.NativeGate('{"maxArgumentBytes":4194304,"keepDecided":10}');
for (const value of VALUES) attempt('new NativePolicies', () => new binding.NativePolicies(value).status());
const policies = new binding.NativePolicies('{"documents":[],"files":"none","cwd":"/","project":"/","home":"/"}');
const methodsOf = (Class) =>
  Object.getOwnPropertyNames(Class.prototype).filter((name) => !['constructor', 'close', 'grant'].includes(name));
for (const [target, Class] of [
  [gate, binding.NativeGate],
  [policies, binding.NativePolicies],
]) {
  for (const name of methodsOf(Class)) {
    for (const value of VALUES) {
      attempt(name, () => target[name](value));
      for (const second of [...TEXTS.slice(0, 12), undefined, 5])
        attempt(name, () => target[name](value, second, value));
    }
  }
}
for (const [name, value] of Object.entries(binding)) {
  if (typeof value !== 'function' || name.startsWith('Native') || WRITES.includes(name)) continue;
  for (const argument of VALUES) {
    attempt(name, () => value(argument));
    attempt(name, () => value(argument, argument, argument));
    attempt(name, () => value({ a: {} }, argument));
  }
}
for (const [what, promise] of later) {
  const answer = JSON.parse(await promise);
  if (answer.ok === undefined && typeof answer.error?.code !== 'string') say('ODD', what, JSON.stringify(answer));
}
gate.callNow('{"close":{"reason":"done"}}');
for (const name of methodsOf(binding.NativeGate)) attempt(name, () => gate[name]('{}', '{}', '{}'));
say('answered', answered > 100, 'refused', refused > 100);

// And it still works.
const fresh = new binding.NativeGate('{"maxArgumentBytes":4194304,"keepDecided":10}');
const request = {
  runId: 'r',
  toolCallId: 'c',
  toolName: 't',
  args: {},
  origin: [],
  description: null,
  allowedDecisions: null,
  timeoutMs: null,
};
const [answer] = JSON.parse(fresh.callNow(JSON.stringify({ request: { requests: [request] } }))).ok;
say(answer.ok.record.status);
