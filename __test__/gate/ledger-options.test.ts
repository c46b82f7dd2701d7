/** Where a gate keeps what it keeps: as the options and the environment say. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createGate, InvalidConfigError, LedgerError } from '../../ts/index.js';
import { ledgerOptions } from '../../ts/gate/ledger-options.js';

beforeEach(() => {
  vi.unstubAllEnvs();
  for (const name of ['COUNTERSIGN_LEDGER', 'COUNTERSIGN_LEDGER_KEY', 'OTHER_KEY']) vi.stubEnv(name, undefined);
  return () => vi.unstubAllEnvs();
});

const place = { cwd: '/work' };

describe('the ledger', () => {
  it.each([
    [undefined, undefined, 'memory:'],
    ['memory:', 'sqlite:/other.db', 'memory:'],
    [undefined, 'sqlite:a.db', 'sqlite:/work/a.db'],
    [undefined, '', 'memory:'],
    ['sqlite:', undefined, 'sqlite:'],
    ['sqlite:a.db', undefined, 'sqlite:/work/a.db'],
    ['sqlite:./b/../a.db', undefined, 'sqlite:/work/a.db'],
    ['sqlite:/var/a.db', undefined, 'sqlite:/var/a.db'],
    ['postgres://u@h/d?schema=a', undefined, 'postgres://u@h/d?schema=a'],
  ])('%s, in the environment %s: %s', (ledger, environment, expected) => {
    if (environment !== undefined) vi.stubEnv('COUNTERSIGN_LEDGER', environment);
    expect(ledgerOptions({ ledger: ledger as 'memory:', place }).ledger).toBe(expected);
  });

  it.each([
    ['postgres:localhost', /must be/],
    ['sqlite://a.db', /not a URL/],
    ['sqlite::memory:', /'memory:'/],
    ['sqlite:a\0b', /NUL/],
    ['redis:', /must be/],
    ['memory', /must be/],
    [7, /must be/],
    [null, /must be/],
  ])('%s is refused', (ledger, message) => {
    const make = () => createGate({ ledger: ledger as 'memory:' });
    expect(make).toThrow(InvalidConfigError);
    expect(make).toThrow(message);
  });

  it.each(['postgres:u:hunter2@h/d', 'pg://u:hunter2@h/d'])(
    '%s is refused without what may be a password',
    (ledger) => {
      const make = () => createGate({ ledger: ledger as 'memory:' });
      expect(make).toThrow(/must be/);
      expect(make).not.toThrow(/hunter2/);
    },
  );

  it('of the environment is refused by its name', () => {
    vi.stubEnv('COUNTERSIGN_LEDGER', 'redis:');
    expect(() => createGate()).toThrow(/COUNTERSIGN_LEDGER/);
  });
});

describe('the key', () => {
  it('stands in the environment', () => {
    vi.stubEnv('COUNTERSIGN_LEDGER_KEY', 'one');
    vi.stubEnv('OTHER_KEY', 'other');
    const keyOf = (encryption: { keyEnv?: string } | undefined, ledger: 'memory:' | 'sqlite:' = 'sqlite:') =>
      ledgerOptions(encryption === undefined ? { ledger } : { ledger, encryption }).key;
    expect(keyOf({})).toBe('one');
    expect(keyOf({ keyEnv: 'OTHER_KEY' })).toBe('other');
    // It was not requested, and nothing is stored.
    expect(keyOf(undefined)).toBe(null);
    expect(keyOf({}, 'memory:')).toBe(null);
    // Both from the environment.
    vi.stubEnv('COUNTERSIGN_LEDGER', 'sqlite:');
    expect(ledgerOptions({}).key).toBe('one');
  });

  it('that is not there is told at once', () => {
    const failure = (() => {
      try {
        return createGate({ ledger: 'sqlite:', encryption: { keyEnv: 'OTHER_KEY' } });
      } catch (error) {
        return error;
      }
    })();
    expect(LedgerError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({ code: 'ERR_LEDGER_KEY', message: expect.stringContaining('OTHER_KEY') as unknown });
  });

  it.each([[null], ['key'], [{ keyEnv: 7 }], [{ keyEnv: '' }]])('%j is refused', (encryption) => {
    expect(() => createGate({ encryption: encryption as object })).toThrow(InvalidConfigError);
  });
});

describe('the retention', () => {
  it('is in ms, and left to the core where it is not said', () => {
    expect(ledgerOptions({ retention: { contents: 5 } })).toMatchObject({ retainContentsMs: 5, retainRecordsMs: null });
    expect(ledgerOptions({})).toMatchObject({ retainContentsMs: null, retainRecordsMs: null });
  });

  it.each([[null], [5], [{ contents: 0 }], [{ records: -1 }], [{ contents: '1' }], [{ records: Infinity }]])(
    '%j is refused',
    (retention) => {
      expect(() => createGate({ retention: retention as object })).toThrow(InvalidConfigError);
    },
  );
});
