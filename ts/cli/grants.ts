/** `countersign grants`: decisions that are remembered for ever, of this user and this project. */
import { homedir } from 'node:os';
import type { Grant } from '../../index.js';
import { NativePolicies } from '../native.js';
import { clock } from './duration.js';
import { ExitError, Exit, UsageError } from './exit.js';
import { matching, shortId } from './ids.js';
import { folderOf, readOptions } from './options.js';
import { print, printJson } from './print.js';
import { columns, oneLine } from './style.js';
import { table, type TableColumn } from './table.js';

export async function grants(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, { cwd: { type: 'string' }, json: { type: 'boolean' } });
  const [verb, ...ids] = positionals;
  if ((verb !== undefined && verb !== 'revoke') || (verb === 'revoke' && ids.length === 0))
    throw new UsageError('grants takes nothing, or revoke with the id of a grant: countersign grants revoke ID');
  const cwd = folderOf('--cwd', values.cwd);
  const policies = new NativePolicies({ documents: [], files: 'all', cwd, project: null, home: homedir() });
  const all = await policies.grants(Date.now());
  if (verb === undefined) {
    if (values.json === true) for (const grant of all) await printJson(grant);
    else if (all.length === 0) await print('nothing is remembered for this project');
    else await print(...table(all, COLUMNS, columns()));
    return Exit.ok;
  }
  // All of them are looked up before any is taken back.
  for (const { id, label } of ids.map((typed) => theOne(all, typed))) {
    await policies.revoke(id);
    if (values.json === true) await printJson({ id, revoked: true });
    else await print(`revoked  ${shortId(id)}  ${oneLine(label)}`);
  }
  return Exit.ok;
}

const COLUMNS: readonly TableColumn<Grant>[] = [
  { title: 'ID', text: ({ id }) => shortId(id), style: () => 'cyan' },
  { title: 'EFFECT', text: ({ effect }) => effect, style: ({ effect }) => (effect === 'allow' ? 'green' : 'red') },
  { title: 'BY', text: ({ by }) => oneLine(by) },
  { title: 'UNTIL', text: ({ expiresAt }) => (expiresAt === null ? '-' : clock(expiresAt)) },
  { title: 'LEFT', text: ({ times }) => (times === undefined ? '-' : `${times}x`), right: true },
  { title: 'WHAT', text: ({ label }) => oneLine(label), grows: true },
];

function theOne(all: readonly Grant[], typed: string): Grant {
  const ids = all.map(({ id }) => id);
  const [first, ...others] = ids.includes(typed) ? [typed] : matching(ids, typed);
  if (first === undefined)
    throw new ExitError(
      Exit.unknown,
      `nothing is remembered as ${JSON.stringify(typed)}: see countersign grants`,
      'ERR_UNKNOWN_GRANT',
    );
  if (others.length > 0)
    throw new UsageError(`${JSON.stringify(typed)} may be ${others.length + 1} of them: give more of it`);
  return all.find(({ id }) => id === first)!;
}
