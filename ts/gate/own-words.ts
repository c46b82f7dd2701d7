/** What a program says of a call, told apart from what is made of the call itself. */
import type { ApprovalRequest } from '../../index.js';
import { describedBeside, type AgainRequest } from './asked-again.js';
import { oneLine } from './in-a-line.js';

/** Its own words in one line that is safe to show; `undefined`: it has none. */
export function ownWords(
  request: Pick<ApprovalRequest, 'kind' | 'toolName' | 'description' | 'verdict'> & AgainRequest,
): string | undefined {
  const { kind, toolName, verdict } = request;
  const said = describedBeside(request);
  if (kind === 'question' || said === '') return undefined;
  const tool = oneLine(toolName);
  const isMade =
    [`${tool}(`, `Run tool "${tool}"?`].some((start) => said.startsWith(start)) ||
    (verdict !== null && said.includes(oneLine(verdict.reason)));
  return isMade ? undefined : said;
}

/** What the description says beside why a person is asked; empty: no more than that and the call. */
export function saidBeside(
  request: Pick<ApprovalRequest, 'description' | 'verdict'> & AgainRequest,
  why: string,
): string {
  const said = describedBeside(request);
  const reason = request.verdict === null ? undefined : oneLine(request.verdict.reason);
  const isMade =
    said.startsWith('Run tool ') ||
    (reason !== undefined && /^[.)]*$/.test(said.split(reason).at(-1)!) && said.includes(reason));
  return isMade || why.includes(said) ? '' : said;
}
