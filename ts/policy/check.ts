/** Policies outside a run: read, checked, explained, compared. */
import { isAbsolute } from 'node:path';
import type * as Api from '../../index.js';
import type { CheckedCall, Policy, PolicyEffect, PolicyInput, PolicyPlace, RecordedCall } from '../../index.js';
import { messageOf } from '../errors/message-of.js';
import { InvalidConfigError, PolicyError } from '../errors/index.js';
import { systemWords } from '../errors/system-words.js';
import { checkDocuments, lintDocuments } from '../native.js';
import { toldValue } from '../errors/told-value.js';
import { checkForm } from '../options/forms.js';
import { checkList, checkRecord, kindOf } from '../options/names.js';
import { readable, takeNeeded, takeOptions } from '../options/check.js';
import { takeValue } from '../options/plain.js';
import { readAtMost } from '../values/read-at-most.js';
import { snapshot, type ValueSnapshot } from '../values/snapshot.js';
import { documentsOf, isMade, madePolicy } from './documents.js';
import { Policies, takePlace, type JudgedByPolicy } from './policies.js';

/** @see types/ */
export const parsePolicy: typeof Api.parsePolicy = (text, options = {}) => {
  const { name = 'policy', format } = takeOptions('parsePolicy', options);
  if (format !== undefined && format !== 'toml' && format !== 'json')
    throw new InvalidConfigError({
      message: `parsePolicy: format must be 'toml' or 'json', not ${toldValue(format)}.`,
    });
  checkForm('text', text ?? null, 'parsePolicy: text');
  const policy = { name, text, format: format ?? (/\.jsonc?$/.test(name) ? 'json' : 'toml'), conditions: [] } as const;
  checkDocuments([{ name, text, format: policy.format }]);
  return madePolicy(policy);
};

/** More is no policy, in bytes. */
const MOST = 1 << 20;

/** @see types/ */
export const loadPolicy: typeof Api.loadPolicy = async (path) => {
  checkForm('text', path ?? null, 'loadPolicy: path');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readAtMost(path, MOST));
  } catch (cause) {
    const message = `${path}: the policy cannot be read: ${systemWords(cause) ?? messageOf(cause)}`;
    throw new PolicyError({
      problems: [{ code: 'ERR_POLICY_FILE', message, source: path, line: null, column: null }],
      cause,
    });
  }
  return parsePolicy(text, { name: path });
};

/** @see types/ */
export const checkPolicy: typeof Api.checkPolicy = async (policy, call, place) => {
  const judged = new JudgedAlone(takeNeeded('checkPolicy', call));
  return policies(policy, place, 'checkPolicy').judge(judged);
};

/** @see types/ */
export const explainPolicy: typeof Api.explainPolicy = async (policy, call, place) => {
  const judged = new JudgedAlone(takeNeeded('checkPolicy', call, 'explainPolicy'));
  const made = policies(policy, place, 'explainPolicy');
  return { ...(await made.judge(judged)), text: await made.explain(judged) };
};

/** @see types/ */
export const lintPolicy: typeof Api.lintPolicy = (policy, options = {}) => {
  const { toolNames = null } = takeOptions('lintPolicy', options);
  return lintDocuments(documentsOf(policy, 'lintPolicy').documents, toolNames);
};

/** @see types/ */
export const replayPolicy: typeof Api.replayPolicy = async (calls, given, place) => {
  const policy = takeValue(given, 'replayPolicy: policy');
  const paths = takePlace(place, 'replayPolicy');
  const byCwd = new Map<string | undefined, Policies>();
  const effects: Record<PolicyEffect, number> = { allow: 0, ask: 0, deny: 0 };
  const changed: Awaited<ReturnType<typeof Api.replayPolicy>>['changed'] = [];
  let total = 0;
  checkCalls(calls);
  for await (const call of calls) {
    checkRecord(call ?? null, 'replayPolicy', 'a call');
    const made = at(byCwd, call, policy, paths);
    const verdict = await made.judge(new JudgedAlone(call));
    total++;
    effects[verdict.effect]++;
    if (call.effect !== undefined && call.effect !== verdict.effect)
      changed.push({ call, from: call.effect, to: verdict });
  }
  return { total, effects, changed };
};

function checkCalls(calls: unknown): void {
  const isIterable = readable('replayPolicy: calls', () => {
    const { [Symbol.iterator]: sync, [Symbol.asyncIterator]: later } = Object(calls) as Record<symbol, unknown>;
    return typeof sync === 'function' || typeof later === 'function';
  });
  if (isIterable) return;
  throw new InvalidConfigError({ message: `replayPolicy: calls must be a list, or a stream, not ${kindOf(calls)}.` });
}

function at(
  made: Map<string | undefined, Policies>,
  { cwd }: RecordedCall,
  policy: PolicyInput | readonly PolicyInput[],
  place: PolicyPlace | undefined,
): Policies {
  let found = made.get(cwd);
  if (found === undefined) {
    found = policies(policy, cwd === undefined ? place : { ...place, cwd }, 'replayPolicy');
    made.set(cwd, found);
  }
  return found;
}

/** @see types/ */
export const importPolicy: typeof Api.importPolicy = async (format, text, options = {}) => {
  checkForm('text', format ?? null, 'importPolicy: format');
  checkForm('text', text ?? null, 'importPolicy: text');
  const { name = format } = takeOptions('importPolicy', options);
  // A tool for the first day: nothing else loads it.
  const { importDocument } = await import('../policy-import/index.js');
  const { toml, losses } = importDocument(format, text, name);
  return { toml, policy: parsePolicy(toml, { name, format: 'toml' }), losses };
};

/** What was made ready of a policy, for as long as somebody holds it. */
const READY = new WeakMap<Policy, { cwd: string; policies: Policies }>();

function policies(
  policy: PolicyInput | readonly PolicyInput[],
  place: PolicyPlace | undefined,
  name: string,
): Policies {
  if (!isMade(policy) || place !== undefined) return new Policies({ policy, files: 'none', place }, name);
  const cwd = process.cwd();
  const ready = READY.get(policy);
  if (ready?.cwd === cwd) return ready.policies;
  const fresh = new Policies({ policy, files: 'none', place }, name);
  READY.set(policy, { cwd, policies: fresh });
  return fresh;
}

/** A call that no run makes. */
class JudgedAlone implements JudgedByPolicy {
  readonly toolName: string;
  readonly args: ValueSnapshot;
  readonly annotations: Record<string, unknown> | undefined;
  readonly confined: { writes: readonly string[] } | undefined;
  #toolCallId: string | undefined;

  constructor({ toolName, args, annotations, confined }: CheckedCall) {
    checkForm('text', toolName ?? null, 'checkPolicy: toolName');
    checkRecord(annotations, 'checkPolicy', 'annotations');
    this.toolName = toolName;
    this.args = snapshot(args);
    this.annotations = annotations as Record<string, unknown> | undefined;
    this.confined = confined === undefined ? undefined : checkedRun(confined);
  }

  /** Made when it is asked for: only the functions of a policy see it. */
  get toolCallId(): string {
    this.#toolCallId ??= crypto.randomUUID();
    return this.#toolCallId;
  }
}

/** @throws {InvalidConfigError} */
function checkedRun(confined: unknown): { writes: readonly string[] } {
  checkRecord(confined ?? null, 'checkPolicy', 'confined');
  const { writes } = confined as { writes?: unknown };
  checkList(writes ?? null, 'checkPolicy: confined', 'writes');
  const isPath = (path: unknown) => typeof path === 'string' && isAbsolute(path) && !path.includes('\0');
  if (!(writes as unknown[]).every(isPath))
    throw new InvalidConfigError({ message: 'checkPolicy: confined: writes must be a list of absolute paths.' });
  return { writes: [...(writes as string[])] };
}
