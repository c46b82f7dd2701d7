/** Where options belong that people give elsewhere, in the form in which they are written there. */

const ofTool = (form: string): string =>
  `it is said of a tool: interruptOn: { NAME: { ${form} } }, where '*' means all others.`;
const ofDecision = (form: string): string =>
  `it is said with a decision: onApprovalRequest: () => ({ type: 'approve', ${form} }), or gate.approve(approvalId, { ${form} }).`;

/** What is no option of a run, a gate or an agent, by its name. An entry that has one of that name means something else by it. */
export const HOMES: Readonly<Record<string, string>> = {
  allowedDecisions: ofTool("allowedDecisions: ['approve', 'reject']"),
  approvers: ofTool("approvers: ['mia']"),
  by: ofDecision("by: 'mia'"),
  escalate: ofTool("approvers: ['mia'], escalate: { after: 60_000, to: ['bo'] }"),
  excludeRequester: ofTool('excludeRequester: true'),
  quorum: ofTool("approvers: ['mia', 'bo'], quorum: 2"),
  remember: ofDecision("remember: 'run'"),
  remind: ofTool('timeout: 60_000, remind: 30_000'),
  shouldApprove: ofTool('shouldApprove: (args) => true'),
};

/** Entries that are no function of their name. */
const NO_CALLS: Readonly<Record<string, (name: string) => string>> = {
  'createTaskTool: subagent': (name) =>
    `it is said of each subagent: createTaskTool({ subagents: [{ name, description, ${name}: … }] }).`,
  endpoint: (name) => `it is said of each endpoint: sendWebhooks(gate, { endpoints: [{ url, secret, ${name}: … }] }).`,
  link: (name) => `it is said of each link: await createActionLinks({ … })({ approvalId, decision, ${name}: … }).`,
  subagent: (name) => `it is said of a subagent: createDeepAgent({ subagents: [{ name, description, ${name}: … }] }).`,
};

/**
 * How an option of another entry is given there.
 *
 * @param hasGate whether the entry at which it was given can be given a gate
 */
export function givenTo(entry: string, name: string, hasGate: boolean): string {
  const form = Object.hasOwn(NO_CALLS, entry) ? NO_CALLS[entry] : undefined;
  if (form !== undefined) return form(name);
  const call = `${entry}({ ${name}: … })`;
  return `give it to ${entry}: ${entry === 'createGate' && hasGate ? `{ gate: ${call} }` : call}.`;
}
