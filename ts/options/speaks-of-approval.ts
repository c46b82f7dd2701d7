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

/** Words that say which tools may run, beside the word for them: `dangerousTools`, `toolsToAsk`. */
const OF_TOOLS: ReadonlySet<string> = new Set([
  'allow',
  'allowed',
  'ask',
  'asked',
  'block',
  'blocked',
  'danger',
  'dangerous',
  'denied',
  'deny',
  'destructive',
  'disallow',
  'disallowed',
  'forbid',
  'forbidden',
  'gated',
  'guard',
  'guarded',
  'human',
  'protect',
  'protected',
  'require',
  'required',
  'restrict',
  'restricted',
  'review',
  'risky',
  'rule',
  'rules',
  'safe',
  'sensitive',
  'unsafe',
]);

const wordsOf = (name: string): string[] =>
  name.split(/(?<=[a-z\d])(?=[A-Z])|[-_\s]/).map((word) => word.toLowerCase());

/** Whether one of the words of a name says that somebody is asked. */
export const speaksOfApproval = (name: string): boolean => wordsOf(name).some((word) => WORDS.has(word));

/** Whether an option of this name was meant to say which tools run, or who is asked. */
export function restrictsTools(name: string): boolean {
  const words = wordsOf(name);
  const isOfTools = words.some((word) => word === 'tool' || word === 'tools');
  return speaksOfApproval(name) || (isOfTools && words.some((word) => OF_TOOLS.has(word)));
}
