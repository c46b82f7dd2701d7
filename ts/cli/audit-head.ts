/** `countersign audit head | keygen`. */
import { readFile, writeFile } from 'node:fs/promises';
import { messageOf } from '../errors/message-of.js';
import { newAuditKey, signAuditHead } from '../native.js';
import { clock } from './duration.js';
import { Exit, UsageError } from './exit.js';
import { LEDGER, withLedger } from './open-ledger.js';
import { readOptions } from './options.js';
import { json, print, printJson } from './print.js';
import { oneLine } from './style.js';

export async function head(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, { ...LEDGER, sign: { type: 'string' }, origin: { type: 'string' } });
  if (values.origin !== undefined && values.sign === undefined) throw new UsageError('--origin is for --sign');
  const key = values.sign === undefined ? undefined : (await keyIn(values.sign)).trim();
  const now = await withLedger(values, 'look', (ledger) => ledger.head());
  if (key === undefined) {
    if (values.json === true) await printJson(now);
    else await print(`${now.size} ${now.hash} ${clock(now.at)}`);
    return Exit.ok;
  }
  // By convention a log has the name of its key.
  const origin = values.origin ?? key.split('+')[2] ?? '';
  const note = signAuditHead(now, origin, key);
  process.stdout.write(values.json === true ? `${json({ ...now, origin, note })}\n` : note);
  return Exit.ok;
}

/** @throws {UsageError} */
async function keyIn(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `--sign: the key cannot be read: ${messageOf(error)}. countersign audit keygen NAME makes one, in NAME.key`,
    );
  }
}

export async function keygen(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, { output: { type: 'string', short: 'o' }, json: LEDGER.json });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0)
    throw new UsageError(
      'audit keygen needs a name, by convention an address: countersign audit keygen example.com/ledger',
    );
  const { privateKey, publicKey } = newAuditKey(name);
  const file = values.output ?? `${name.replaceAll(/[^\w.-]+/g, '-')}.key`;
  try {
    // Never over a key that is there.
    await writeFile(file, `${privateKey}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new UsageError(`the key was not written: ${messageOf(error)}`);
  }
  if (values.json === true) await printJson({ file, publicKey });
  else await print(publicKey);
  process.stderr.write(`the private key is in ${oneLine(file)}: keep it away from anyone who can write the ledger\n`);
  return Exit.ok;
}
