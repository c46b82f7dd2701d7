/** Names of ledgers in errors. */

/**
 * What may be shown of a text that is no ledger. It may hold a password all the same, in any form that others have
 * (`jdbc:postgresql://…?password=…`, `host=… password=…`): all behind its first `:`, `=` or blank is left out, and all of one with an `@`.
 */
export function toldLedger(named: string): string {
  if (named.includes('@')) return '"…"';
  const [beginning = ''] = /^[^:= ]*[:= ]?/.exec(named) ?? [];
  return JSON.stringify(beginning === named ? named : `${beginning}…`);
}
