/** What a program says of a call, told apart from what is made of the call itself. */
import type { ApprovalRequest } from '../../index.js';
import { oneLine } from './in-a-line.js';

/** Its own words in one line that is safe to show; `undefined`: it has none. */
export function ownWords({
  kind,
  toolName,
  description,
  verdict,
}: Pick<ApprovalRequest, 'kind' | 'toolName' | 'description' | 'verdict'>): string | undefined {
  const said = oneLine(description);
  if (kind === 'question' || said === '') return undefined;
  const tool = oneLine(toolName);
  const isMade =
    !isAskedAgain(said) &&
    ([`${tool}(`, `Run tool "${tool}"?`].some((start) => said.startsWith(start)) ||
      (verdict !== null && said.includes(oneLine(verdict.reason))));
  return isMade ? undefined : said;
}

/** Why it is asked about once more stands nowhere else. */
const isAskedAgain = (said: string): boolean => said.startsWith('Asked again: ');

/** What the description says beside why a person is asked; empty: no more than that and the call. */
export function saidBeside(request: Pick<ApprovalRequest, 'description' | 'verdict'>, why: string): string {
  const said = oneLine(request.description);
  const reason = request.verdict === null ? undefined : oneLine(request.verdict.reason);
  const isMade =
    !isAskedAgain(said) &&
    (said.startsWith('Run tool ') ||
      (reason !== undefined && /^[.)]*$/.test(said.split(reason).at(-1)!) && said.includes(reason)));
  return isMade || why.includes(said) ? '' : said;
}
