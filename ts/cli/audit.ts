/** `countersign audit …`. */
import { GateAudit } from '../gate/audit.js';
import { head, keygen } from './audit-head.js';
import { list } from './audit-list.js';
import { verify } from './audit-verify.js';
import { ExitError, Exit, unknownCommand, UsageError } from './exit.js';
import { subcommandsOf } from './manual.js';
import { LEDGER, withLedger } from './open-ledger.js';
import { readOptions, wholeNumber } from './options.js';
import { count, print } from './print.js';

export async function auditCommand(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  switch (command) {
    case 'list':
      return list(rest);
    case 'verify':
      return verify(rest);
    case 'export':
      return exportAll(rest);
    case 'head':
      return head(rest);
    case 'keygen':
      return keygen(rest);
    default:
      throw command === undefined
        ? new UsageError(`audit needs one of: ${subcommandsOf('audit').join(', ')}`)
        : unknownCommand(`audit ${command}`, subcommandsOf('audit'));
  }
}

async function exportAll(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, { ...LEDGER, from: { type: 'string' } });
  const from = wholeNumber('--from', values.from ?? '1', 1);
  return withLedger(values, 'look', async (ledger) => {
    let isEmpty = true;
    for await (const line of new GateAudit(ledger).export({ from })) {
      isEmpty = false;
      await print(line);
    }
    if (!isEmpty || values.from === undefined) return Exit.ok;
    const { size } = await ledger.head();
    // All before it may have been exported the last time.
    if (from <= size + 1) return Exit.ok;
    throw new ExitError(
      Exit.unknown,
      `there is no entry ${from}: the audit has ${count(size, 'entry', 'entries')}, see audit head`,
      'ERR_NO_SUCH_ENTRY',
    );
  });
}
