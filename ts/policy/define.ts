/** Policies in code. */
import type * as Api from '../../index.js';
import type { PolicyMatcher, PolicyRule } from '../../index.js';
import { InvalidConfigError } from '../errors/index.js';
import { toldValue } from '../errors/told-value.js';
import { checkDocuments } from '../native.js';
import { takeOptions } from '../options/check.js';
import { checkList } from '../options/names.js';
import { plainData, plainProperties } from '../options/plain.js';
import { madePolicy, textOf } from './documents.js';

/** A rule as {@link definePolicy} takes it. */
type DefinedRule = Parameters<typeof Api.definePolicy>[0][number];

type ConditionFunction = PolicyMatcher['matches'];

const EVERYTHING = {
  command: { commands: ['**'] },
  read: { reads: '/**' },
  write: { writes: '/**' },
  url: { urls: '*' },
  env: { env: '*' },
} satisfies Record<string, ConditionFunction>;

/** @see types/ */
export const anyOfKind: typeof Api.anyOfKind = (...kinds) => {
  const unknown = kinds.find((kind) => typeof kind !== 'string' || !Object.hasOwn(EVERYTHING, kind));
  if (unknown !== undefined || kinds.length === 0) {
    throw new InvalidConfigError({
      message: `anyOfKind takes ${Object.keys(EVERYTHING).join(', ')}, not ${toldValue(unknown ?? null)}.`,
    });
  }
  return { matches: Object.assign({}, ...kinds.map((kind) => EVERYTHING[kind])) as ConditionFunction };
};

/** @see types/ */
export const fsGlob: typeof Api.fsGlob = (patterns, options = {}) => {
  const { access } = takeOptions('fsGlob', options);
  if (access !== undefined && access !== 'read' && access !== 'write')
    throw new InvalidConfigError({ message: `fsGlob: access must be 'read' or 'write', not ${toldValue(access)}.` });
  for (const pattern of checkPatterns('fsGlob', [patterns].flat()))
    if (pattern === '')
      throw new InvalidConfigError({ message: 'fsGlob: a pattern is empty: write one, or leave it out.' });
  const read = access === 'write' ? {} : { reads: patterns };
  const write = access === 'read' ? {} : { writes: patterns };
  return { matches: { ...read, ...write } };
};

/** @see types/ */
export const shellGlob: typeof Api.shellGlob = (...patterns) => ({
  matches: { commands: checkPatterns('shellGlob', patterns) },
});

/** @see types/ */
export const urlPattern: typeof Api.urlPattern = (...patterns) => ({
  matches: { urls: checkPatterns('urlPattern', patterns) },
});

/** A list in the place of a pattern would be taken for the words of one command. @throws {InvalidConfigError} */
function checkPatterns(place: string, patterns: readonly unknown[]): string[] {
  const wrong = patterns.length === 0 ? { value: undefined } : patterns.map((value) => ({ value })).find(isNoPattern);
  if (wrong === undefined) return patterns as string[];
  const given = wrong.value === undefined ? 'nothing' : toldValue(wrong.value);
  throw new InvalidConfigError({
    message: `${place} takes one text or several, not ${given}: write ${place}('…', '…'), and ...patterns for a list.`,
  });
}

const isNoPattern = ({ value }: { value: unknown }): boolean => typeof value !== 'string';

/** @see types/ */
export const definePolicy: typeof Api.definePolicy = (rules, given = {}) => {
  const options = takeOptions('definePolicy', given);
  checkList(rules ?? null, 'definePolicy', 'rules');
  const { name = 'definePolicy', match = 'first', tools } = options;
  const conditions: Api.PolicyCondition[] = [];
  const document: object = {
    version: 1,
    match,
    default: options.default ?? (match === 'first' ? 'deny' : 'ask'),
    ...(tools === undefined ? {} : { tools }),
    rule: Array.from(rules as readonly DefinedRule[], (each, index) => {
      const given = plainProperties(each, `definePolicy: rule[${index}]`) as Partial<DefinedRule>;
      const { when, if: condition, ...rule } = given;
      for (const name of ['when', 'if'] as const) {
        // Without it the rule would speak of more than it was written for.
        if (given[name] === undefined && Object.hasOwn(given, name)) {
          throw new InvalidConfigError({
            message: `definePolicy: \`${name}\` of rule[${index}] is undefined: leave it out if that is meant.`,
          });
        }
      }
      if (condition === undefined) return { ...rule, ...merged(when, index) };
      if (typeof condition !== 'function') {
        throw new InvalidConfigError({ message: `definePolicy: \`if\` of rule[${index}] must be a function.` });
      }
      return { ...rule, ...merged(when, index), condition: conditions.push(condition) - 1 };
    }),
  };
  const text = textOf(document, 'definePolicy: policy');
  checkDocuments([{ name, text, format: 'object' }]);
  return madePolicy({ name, text, format: 'object', conditions });
};

/** One of several: their patterns together. */
function merged(when: PolicyMatcher | readonly PolicyMatcher[] | undefined, index: number): Partial<PolicyRule> {
  const place = `definePolicy: rule[${index}].when`;
  const given = when === undefined ? [] : plainData(when, place, ': a function goes into `if`');
  const all: Record<string, unknown[]> = {};
  for (const matcher of (Array.isArray(given) ? given : [given]) as (Partial<PolicyMatcher> | null)[]) {
    if (typeof matcher?.matches !== 'object' || matcher.matches === null)
      throw new InvalidConfigError({
        message: `${place} takes what anyOfKind, fsGlob, shellGlob and urlPattern give.`,
      });
    for (const [key, patterns] of Object.entries(matcher.matches)) {
      (all[key] ??= []).push(...(typeof patterns === 'string' ? [patterns] : (patterns as unknown[])));
    }
  }
  if (when !== undefined && Object.keys(all).length === 0) {
    throw new InvalidConfigError({
      message: `definePolicy: \`when\` of rule[${index}] is empty, so that it would mean every call.`,
    });
  }
  return all as Partial<PolicyRule>;
}
