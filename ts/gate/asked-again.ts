/** What must be said before a call that is asked about once more: why, what a person had made of it, and what was started. */
import type { ApprovalRequest } from '../../index.js';
import { oneLine } from './one-line.js';

/** A request, or as much as is known of it. */
export type AgainRequest = Partial<Pick<ApprovalRequest, 'askedAgain'>>;

/** It in one line that is safe to show; `undefined`: nothing. It stands before the call wherever a person decides. */
export const againLine = ({ askedAgain = null }: AgainRequest): string | undefined =>
  askedAgain === null ? undefined : `Asked again: ${oneLine(askedAgain.because)}`;

/** The description without that, in one line that is safe to show. */
export function describedBeside(request: AgainRequest & Pick<ApprovalRequest, 'description'>): string {
  const said = oneLine(request.description);
  const again = againLine(request);
  return again !== undefined && said.startsWith(again) ? said.slice(again.length).trimStart() : said;
}
