/** `countersign policy suggest`: rules for the policy of a project, from what was asked about in it. */
import { resolve } from 'node:path';
import {
  acceptSuggestion,
  LEFT_OUT,
  mayTrust,
  proposalDiff,
  provenBy,
  suggestPolicy,
  whyNothing,
  type PolicySuggestion,
} from '../gate/suggesting.js';
import { safeText } from '../native.js';
import { canAsk, confirm } from './ask.js';
import { whoDecides } from './decisions.js';
import { Exit, UsageError } from './exit.js';
import { LEDGER, withLedger } from './open-ledger.js';
import { readOptions } from './options.js';
import { print, printJson } from './print.js';
import { colouredDiff, oneLine } from './style.js';

export async function policySuggest(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, {
    ...LEDGER,
    cwd: { type: 'string' },
    write: { type: 'boolean' },
    by: { type: 'string' },
  });
  if (positionals.length > 0) throw new UsageError(`policy suggest takes no ${JSON.stringify(positionals[0])}`);
  const cwd = resolve(values.cwd ?? '.');
  const suggestion = await withLedger(values, 'look', (ledger) => suggestPolicy(ledger, cwd));
  const asJson = values.json === true;
  if (!asJson) await tell(suggestion);
  const isWritten = suggestion.offers.length > 0 && (await isAccepted(values.write === true, asJson));
  const trust = isWritten && mayTrust(suggestion) && !asJson && canAsk() && (await confirm(TRUST));
  if (isWritten)
    await withLedger(values, 'change', (ledger) =>
      acceptSuggestion(suggestion, { by: whoDecides(values.by), trust, note: ledger.note }),
    );
  if (asJson) await printJson({ ...jsonOf(suggestion), written: isWritten, trusted: trust });
  else if (isWritten) await print(...written(suggestion, trust));
  else if (suggestion.offers.length > 0) await print('Nothing was written. To write it, add --write.');
  return Exit.ok;
}

const TRUST = 'Its allows count once you trust the file. Trust it in that form?';

/** Nothing is written without a yes: that of a human at the terminal, or `--write`. */
const isAccepted = async (write: boolean, asJson: boolean): Promise<boolean> =>
  write || (!asJson && canAsk() && (await confirm('Write these rules?')));

async function tell(suggestion: PolicySuggestion): Promise<void> {
  const { offers, leftOut } = suggestion;
  if (offers.length > 0)
    await print(
      ...colouredDiff(proposalDiff(suggestion).map(safeText)),
      '',
      ...offers.map(
        ({ effect, label, saves }) => `${effect.padEnd(5)} ${oneLine(label)}: would have saved ${saves} questions`,
      ),
      ...provenBy(suggestion),
    );
  else await print('Nothing to suggest.', ...whyNothing(suggestion));
  for (const { label, why } of leftOut) await print(`left out: ${oneLine(label)}: ${LEFT_OUT[why]}`);
}

function written(suggestion: PolicySuggestion, trust: boolean): string[] {
  const wrote = `wrote ${oneLine(suggestion.path)}`;
  if (trust) return [`${wrote}, and trusted it as it is now`];
  const more = mayTrust(suggestion) ? '' : ' It was not trusted before: read all of it first.';
  return [wrote, `Its allows count once you trust it: npx countersign policy trust.${more}`];
}

const jsonOf = ({ trusted: wasTrusted, ...suggestion }: PolicySuggestion) => ({ ...suggestion, wasTrusted });
