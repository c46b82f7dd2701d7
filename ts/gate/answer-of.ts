import type { CallAsker, OpenedRequest } from './asker.js';
import type { DecidedRecord } from './records.js';
import type { ValueSnapshot } from '../values/snapshot.js';
import { whenAborted } from '../values/when-aborted.js';

/**
 * Asks the human and waits for the decision. With the abort of the call it is withdrawn.
 *
 * @param stop ends what the human wants to end; absent: all that the asker asks for
 */
export async function answerOf(
  asker: CallAsker,
  { record, decided }: Pick<OpenedRequest, 'record' | 'decided'>,
  args: ValueSnapshot,
  abortSignal: AbortSignal,
  stop?: (reason: unknown) => void,
): Promise<DecidedRecord> {
  const withdraw = () => void asker.gate.withdraw(record.approvalId, 'The call was aborted.');
  const forget = whenAborted(abortSignal, withdraw);
  try {
    if (abortSignal.aborted) withdraw();
    else asker.human.ask(record, args, decided, abortSignal, stop);
    const answer = await decided;
    abortSignal.throwIfAborted();
    return answer;
  } finally {
    forget();
  }
}
