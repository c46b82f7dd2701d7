/** Names by which somebody means that a human is asked, though the option has another name. */

/** Words that say so. Those of one name are told apart by capitals, `-` and `_`. */
const WORDS: ReadonlySet<string> = new Set([
  'approval',
  'approvals',
  'approve',
  'approver',
  'approvers',
  'confirm',
  'confirmation',
  'consent',
  'gate',
  'gates',
  'hitl',
  'interrupt',
  'interrupts',
  'permission',
  'permissions',
  'policies',
  'policy',
  'quorum',
]);

/** Words for what runs. */
const RUNS: ReadonlySet<string> = new Set(
  ['action', 'call', 'command', 'execution', 'function', 'tool'].flatMap((word) => [word, `${word}s`]),
);

/** How words begin that say, beside one for what runs, which of it may: `dangerousTools`, `excludeTools`, `beforeToolCall`. */
const RESTRICTING: readonly string[] = [
  'allow',
  'authori',
  'available',
  'before',
  'blacklist',
  'block',
  'danger',
  'denied',
  'deny',
  'destructive',
  'disable',
  'disallow',
  'enable',
  'except',
  'exclude',
  'exclusion',
  'filter',
  'forbid',
  'guard',
  'hidden',
  'hide',
  'human',
  'intercept',
  'omit',
  'pause',
  'permit',
  'prevent',
  'prohibit',
  'protect',
  'refuse',
  'reject',
  'require',
  'restrict',
  'review',
  'risk',
  'safe',
  'sensitive',
  'skip',
  'suspend',
  'trust',
  'unsafe',
  'untrust',
  'validat',
  'verif',
  'veto',
  'whitelist',
  'withh',
  'without',
];

/** The same, of words that others begin with as well. */
const RESTRICTING_WHOLE: ReadonlySet<string> = new Set([
  'ask',
  'asked',
  'ban',
  'banned',
  'can',
  'check',
  'checks',
  'gated',
  'held',
  'hold',
  'holds',
  'may',
  'only',
  'rule',
  'rules',
  'should',
]);

const isRestricting = (word: string): boolean =>
  RESTRICTING_WHOLE.has(word) || RESTRICTING.some((beginning) => word.startsWith(beginning));

const wordsOf = (name: string): string[] =>
  name.split(/(?<=[a-z\d])(?=[A-Z])|[-_\s]/).map((word) => word.toLowerCase());

/** Whether one of the words of a name says that somebody is asked. */
export const speaksOfApproval = (name: string): boolean => wordsOf(name).some((word) => WORDS.has(word));

/** Whether an option of this name was meant to say which tools run, or who is asked. */
export function restrictsTools(name: string): boolean {
  const words = wordsOf(name);
  return speaksOfApproval(name) || (words.some((word) => RUNS.has(word)) && words.some(isRestricting));
}
