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

/** Whether one of the words of a name says that somebody is asked. */
export const speaksOfApproval = (name: string): boolean =>
  name.split(/(?<=[a-z\d])(?=[A-Z])|[-_\s]/).some((word) => WORDS.has(word.toLowerCase()));
