/** Which rules the chat gives beside the policy files of the machine. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PolicyDocument, PolicyInput } from '../../../index.js';
import { loadPolicy } from '../../policy/check.js';
import { TOOLS, type ChatConfig } from './config.js';

/** The policy by default: what only looks runs unasked, since a person who is asked about each `ls` stops reading. */
export const UNSAID = 'preset:read-only';

/** Whether neither settings nor flags nor policy files of this user and this project speak of what is asked about. */
export function isFresh({ isBare, settings, project }: ChatConfig): boolean {
  const files = [join(project, '.countersign'), ...(settings === undefined ? [] : [settings])].flatMap((folder) =>
    ['policy.toml', 'policy.json'].map((name) => join(folder, name)),
  );
  return isBare && !files.some((file) => existsSync(file));
}

/** The names of the policies that are given. */
export const givenIn = (config: ChatConfig): readonly string[] => (isFresh(config) ? [UNSAID] : config.policies);

/** What is given, with what the settings say of tools. @throws PolicyError (`ERR_POLICY_…`) */
export const rulesOf = async (config: ChatConfig): Promise<PolicyInput[]> => [
  ownRules(config.needApproval),
  ...(await inputs(givenIn(config))),
];

export const inputs = (names: readonly string[]): Promise<PolicyInput[]> =>
  Promise.all(names.map((name) => (name.startsWith('preset:') ? (name as PolicyInput) : loadPolicy(name))));

/** What no rule speaks of is asked about: only what needs no approval is spoken of here, so that policies can say more. */
function ownRules(needApproval: readonly string[]): PolicyDocument {
  const tools = needApproval.includes('*') ? [] : TOOLS.filter((name) => !needApproval.includes(name));
  return {
    version: 1,
    rule: tools.length === 0 ? [] : [{ tools, effect: 'allow', reason: 'it is not among tools.need_approval' }],
  };
}
