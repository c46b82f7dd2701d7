/** G11: the audit chain shows any change (flip, drop, reorder, truncate, insert), and verifying names the first bad record. */
import { createHash } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import type { AuditHead } from '../../index.js';
import { AuditHeadError, signAuditHead, verifyAuditHead } from '../../ts/index.js';
import { AuditVerifier, newAuditKey } from '../../ts/native.js';

const GENESIS = '0'.repeat(64);

/** The chain as docs/ledger.md has it, written once more: so that what the core makes is what is documented. */
function link(prev: string, body: string): string {
  const hash = createHash('sha256').update('countersign-audit-v1\0').update(Buffer.from(prev, 'hex')).update(body);
  return hash.digest('hex');
}

/** An export of a log of our own making. */
function madeUp(count: number, what = 'honest'): string[] {
  let prev = GENESIS;
  return Array.from({ length: count }, (_, index) => {
    const seq = index + 1;
    const body = `{"at":${1000 + seq},"kind":"decided","reason":"${what} ${seq}","seq":${seq}}`;
    const hash = link(prev, body);
    const line = `${body.slice(0, -1)},"prev":"${prev}","hash":"${hash}"}`;
    prev = hash;
    return line;
  });
}

const headOf = (lines: readonly string[]): AuditHead => {
  const { hash, at } = JSON.parse(lines.at(-1)!) as { hash: string; at: number };
  return { size: lines.length, hash, at };
};

function verified(lines: readonly (string | Buffer)[], head: AuditHead | null = null, from = 1) {
  const verifier = new AuditVerifier(from, head);
  for (const line of lines) verifier.see(typeof line === 'string' ? Buffer.from(line) : line);
  return verifier.finish();
}

const lines = madeUp(12);
const published = headOf(lines);

describe('an export', () => {
  test('as it was written is intact, and leads to the same head', () => {
    expect(verified(lines)).toEqual({ entries: 12, head: published, broken: null, standing: null });
    expect(verified([])).toMatchObject({ entries: 0, head: { size: 0, hash: GENESIS }, broken: null });
  });

  test('any bit of any entry', () => {
    for (const [index, line] of lines.entries()) {
      const bytes = Buffer.from(line);
      // Every byte of two entries, and a sample of the others.
      const step = index === 0 || index === 6 ? 1 : 7;
      for (let at = 0; at < bytes.length; at += step) {
        for (const bit of [1, 32, 128]) {
          const flipped = Buffer.from(bytes);
          flipped[at]! ^= bit;
          // A line feed in it would be two lines: the first of them is as bad.
          const { broken, entries } = verified([...lines.slice(0, index), flipped, ...lines.slice(index + 1)]);
          expect([at, bit, broken?.seq, entries]).toEqual([at, bit, index + 1, index]);
        }
      }
    }
  });

  test.each(lines.map((_, index) => index))(
    'entry %i dropped, moved, doubled, or another one put before it',
    (index) => {
      const before = lines.slice(0, index);
      const line = lines[index]!;
      const after = lines.slice(index + 1);
      const seq = index + 1;
      // The last one dropped is what a log without it looks like: see below.
      if (after.length > 0) {
        expect(verified([...before, ...after]).broken?.seq).toBe(seq);
        expect(verified([...before, after[0]!, line, ...after.slice(1)]).broken?.seq).toBe(seq);
        expect(verified([...before, ...after, line]).broken?.seq).toBe(seq);
      }
      expect(verified([...before, line, line, ...after]).broken?.seq).toBe(seq + 1);
      const forged = madeUp(12, 'forged')[index]!;
      expect(verified([...before, forged, ...(index === 0 ? lines : [line, ...after])]).broken?.seq ?? seq).toBe(
        index === 0 ? 2 : seq,
      );
    },
  );

  test('one entry rewritten with a hash that fits it breaks the next', () => {
    const body = `{"at":1004,"kind":"decided","reason":"forged","seq":4}`;
    const prev = (JSON.parse(lines[3]!) as { prev: string }).prev;
    const forged = `${body.slice(0, -1)},"prev":"${prev}","hash":"${link(prev, body)}"}`;
    expect(verified([...lines.slice(0, 3), forged, ...lines.slice(4)]).broken?.seq).toBe(5);
  });

  it.each([
    ['an empty line', ''],
    ['other spaces', lines[4]!.replace('{"', '{ "')],
    ['another order', `{"kind":"decided","at":1005,${lines[4]!.slice(lines[4]!.indexOf('"reason"'))}`],
    ['a key given twice', lines[4]!.replace('"seq":5', '"seq":5,"seq":5')],
    ['no JSON', 'x'],
    ['a return', `${lines[4]!}\r`],
  ])('%s is no entry', (_, line) => {
    expect(verified([...lines.slice(0, 4), line, ...lines.slice(5)]).broken?.seq).toBe(5);
  });

  test('that begins later is verified from there on', () => {
    expect(verified(lines.slice(4), published, 5)).toMatchObject({
      entries: 8,
      broken: null,
      standing: { word: 'same' },
    });
    expect(verified(lines.slice(5), null, 5).broken?.seq).toBe(5);
    expect(verified(lines.slice(4)).broken?.seq).toBe(1);
  });
});

describe('a signed head tells what the log alone cannot', () => {
  const { privateKey, publicKey } = newAuditKey('example.com/ledger');
  const note = signAuditHead(published, { privateKey });
  const head = verifyAuditHead(note, publicKey);

  test('it is what was signed, and by whom', () => {
    expect(head).toEqual({ ...published, origin: 'example.com/ledger', by: ['example.com/ledger'] });
    expect(verifyAuditHead(signAuditHead(published, { privateKey, origin: 'prod' }), [publicKey]).origin).toBe('prod');
  });

  it.each<[name: string, word: string, by: number, log: readonly string[]]>([
    ['the same', 'same', 0, lines],
    ['more of it', 'extended', 3, madeUp(15)],
    ['its end dropped', 'truncated', 3, lines.slice(0, 9)],
    ['all of it dropped', 'truncated', 12, []],
    ['written anew', 'forked', 0, madeUp(12, 'forged')],
    ['written anew, and longer', 'forked', 0, madeUp(20, 'forged')],
    ['its end written anew', 'forked', 0, [...lines.slice(0, 11), ...forgedAfter(11)]],
  ])('%s: %s', (_, word, by, log) => {
    expect(verified(log, head)).toMatchObject({ broken: null, standing: { word, by } });
  });

  function forgedAfter(count: number): string[] {
    const prev = (JSON.parse(lines[count]!) as { prev: string }).prev;
    const body = `{"at":1012,"kind":"decided","reason":"forged","seq":${count + 1}}`;
    return [`${body.slice(0, -1)},"prev":"${prev}","hash":"${link(prev, body)}"}`];
  }

  test('any byte of the note', () => {
    const bytes = Buffer.from(note);
    for (let at = 0; at < bytes.length; at++) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1;
      expect(() => verifyAuditHead(flipped.toString('latin1'), publicKey), `byte ${at}`).toThrow(AuditHeadError);
      expect(() => verifyAuditHead(flipped.toString('utf8'), publicKey), `byte ${at}`).toThrow(AuditHeadError);
    }
  });

  test('another key, and no key', () => {
    const other = newAuditKey('example.com/ledger');
    expect(() => verifyAuditHead(note, other.publicKey)).toThrow(AuditHeadError);
    expect(() => verifyAuditHead(note, [])).toThrow(AuditHeadError);
    expect(verifyAuditHead(note, [other.publicKey, publicKey]).by).toEqual(['example.com/ledger']);
    for (const key of ['', 'x', publicKey, privateKey.slice(0, -2), privateKey.replace('example', 'exomple')]) {
      expect(() => signAuditHead(published, { privateKey: key }), key).toThrow(AuditHeadError);
    }
    for (const name of ['', 'a b', 'a+b', 'a\u0007']) expect(() => newAuditKey(name), name).toThrow(AuditHeadError);
  });
});
