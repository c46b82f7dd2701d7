/** Where a gate keeps what it keeps, and for how long: as the options and the environment say. */
import { resolve, sep } from 'node:path';
import type { GateOptions } from '../../index.js';
import { InvalidConfigError, LedgerError } from '../errors/index.js';
import type { NativeGateOptions } from '../native.js';
import { takeOptions } from '../options/check.js';
import { toldLedger } from '../values/told-ledger.js';
import { checkPositive } from './check-positive.js';

const LEDGER_ENV = 'COUNTERSIGN_LEDGER';
const KEY_ENV = 'COUNTERSIGN_LEDGER_KEY';
const MEMORY = 'memory:';
const SQLITE = 'sqlite:';
const POSTGRES = /^postgres(ql)?:\/\//;

type LedgerOptions = Pick<NativeGateOptions, 'ledger' | 'key' | 'retainContentsMs' | 'retainRecordsMs'>;

/**
 * @throws {InvalidConfigError}
 * @throws {LedgerError} `ERR_LEDGER_KEY` when contents are to be encrypted and there is no key
 */
export function ledgerOptions({ ledger: given, place, encryption, retention }: GateOptions): LedgerOptions {
  const fromEnvironment = given === undefined ? process.env[LEDGER_ENV] || undefined : undefined;
  const where = fromEnvironment === undefined ? 'createGate: ledger' : `the environment's ${LEDGER_ENV}`;
  const ledger = checkLedger(
    where,
    given === undefined ? (fromEnvironment ?? MEMORY) : given,
    place?.cwd ?? process.cwd(),
  );
  const key = keyOf(encryption, ledger, fromEnvironment !== undefined);
  return { ledger, key, ...retained(retention) };
}

/** The files in which a ledger lies; the others are called like them. */
export function filesOf({ ledger }: LedgerOptions): string[] {
  if (!ledger.startsWith(SQLITE) || ledger === SQLITE) return [];
  const path = ledger.slice(SQLITE.length);
  return [sep === '/' ? path : path.replaceAll(sep, '/')];
}

/** The ledger; a file with an absolute path. */
function checkLedger(where: string, ledger: unknown, cwd: string): string {
  const refuse = (why: string) => new InvalidConfigError({ message: `${where} ${why}` });
  if (ledger === MEMORY || ledger === SQLITE) return ledger;
  const one = `'${MEMORY}', '${SQLITE}<path>' or 'postgres://<user>@<host>/<database>'`;
  if (typeof ledger !== 'string') throw refuse(`must be ${one}, not ${typeof ledger}.`);
  if (POSTGRES.test(ledger)) return ledger;
  if (!ledger.startsWith(SQLITE)) throw refuse(`must be ${one}, not ${toldLedger(ledger)}.`);
  const path = ledger.slice(SQLITE.length);
  if (path.startsWith('//')) {
    throw refuse(`is a path, not a URL: write '${SQLITE}approvals.db' or '${SQLITE}/var/lib/approvals.db'.`);
  }
  if (path === ':memory:') throw refuse(`must be '${MEMORY}' to be kept in memory.`);
  if (path.includes('\0')) throw refuse('has a path with a NUL in it.');
  return `${SQLITE}${resolve(cwd, path)}`;
}

function keyOf(encryption: unknown, ledger: string, isFromEnvironment: boolean): string | null {
  if (encryption === undefined) return (isFromEnvironment && ledger !== MEMORY && process.env[KEY_ENV]) || null;
  const keyEnv: unknown =
    typeof encryption === 'object' && encryption !== null
      ? ((encryption as { keyEnv?: unknown }).keyEnv ?? KEY_ENV)
      : undefined;
  if (typeof keyEnv !== 'string' || keyEnv === '') {
    throw new InvalidConfigError({
      message:
        'createGate: encryption must be an object; its keyEnv names the environment variable that holds the key.',
    });
  }
  takeOptions('createGate: encryption', encryption);
  // Nothing is stored.
  if (ledger === MEMORY) return null;
  const key = process.env[keyEnv];
  if (key !== undefined && key !== '') return key;
  throw new LedgerError({
    code: 'ERR_LEDGER_KEY',
    message: `createGate: the ledger is to be encrypted, but the environment has no ${keyEnv}. Set it to the key.`,
  });
}

function retained(retention: unknown): Pick<LedgerOptions, 'retainContentsMs' | 'retainRecordsMs'> {
  if (retention === undefined) return { retainContentsMs: null, retainRecordsMs: null };
  if (typeof retention !== 'object' || retention === null) {
    throw new InvalidConfigError({
      message: 'createGate: retention must be an object with contents and records, in ms.',
    });
  }
  takeOptions('createGate: retention', retention);
  const ms = (name: 'contents' | 'records'): number | null => {
    const value: unknown = (retention as Record<string, unknown>)[name];
    return value === undefined ? null : checkPositive(`createGate: retention.${name}`, value);
  };
  return { retainContentsMs: ms('contents'), retainRecordsMs: ms('records') };
}
