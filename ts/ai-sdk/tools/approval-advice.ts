/** What a prompt says of approvals: it is made of `interruptOn`, the tools and the rules, and not of what somebody writes to the model. */

/** Behind what is said of the tools: the end of all that is said of approvals. */
export const ADVICE: readonly string[] = [
  'The human may take their time, and may run a call with other arguments: its result says so.',
  'A rejected call did not run. Never make it again unchanged, and do not reach for the same end by other means:',
  'take the reason into account. Without one, go on without the call, or say what you need it for and stop.',
];

/** The prompt without it; the very same if it is no text. */
export const withoutAdvice = (prompt: unknown): unknown =>
  typeof prompt === 'string'
    ? prompt
        .split('\n\n')
        .filter((paragraph) => !paragraph.endsWith(ADVICE.join('\n')))
        .join('\n\n')
        .trimEnd()
    : prompt;
