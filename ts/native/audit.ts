/** Signed heads of audits, and exports that are verified. */
import { binding, open } from '../addon.js';
import { AuditHeadError } from '../errors/audit-head-error.js';

/** What the caller's own texts can make fail. */
type MadeOrInvalid<T> = { made: T } | { invalid: string };

function made<T>(text: string): T {
  const outcome = open<MadeOrInvalid<T>>(text);
  if ('invalid' in outcome) throw new AuditHeadError({ message: outcome.invalid });
  return outcome.made;
}

/** A new key to sign heads of audits with. Fails with `ERR_AUDIT_HEAD` for what is no name of a key. */
export function newAuditKey(name: string): { privateKey: string; publicKey: string } {
  return made(binding.newAuditKey(name));
}

/** A head as a signed note. Fails with `ERR_AUDIT_HEAD`. */
export function signAuditHead(
  head: { size: number; hash: string; at: number | null },
  origin: string,
  privateKey: string,
): string {
  return made(binding.signAuditHead(JSON.stringify(head), origin, privateKey));
}

/** The head in a note that at least one of these keys signed. Fails with `ERR_AUDIT_HEAD`. */
export function openAuditHead(
  note: string,
  publicKeys: string[],
): { origin: string; by: string[]; size: number; hash: string; at: number | null } {
  return made(binding.openAuditHead(note, publicKeys));
}

/** How a log stands to a head that was kept elsewhere, and by how many entries. */
export type NativeStanding = { word: 'same' | 'extended' | 'truncated' | 'forked' | 'unknown'; by: number };

/** Verifies an export of an audit, line by line. */
export class AuditVerifier {
  readonly #verifier: binding.AuditVerifier;

  /** `from`: the number of the entry that it begins with. */
  constructor(from: number, expected: { size: number; hash: string } | null) {
    const head = expected === null ? null : JSON.stringify({ ...expected, at: null });
    this.#verifier = new binding.AuditVerifier(from, head);
  }

  /** The next line, without its line end. */
  see(line: Uint8Array): void {
    this.#verifier.see(line);
  }

  finish(): {
    /** As many as are as they were written. */
    entries: number;
    head: { size: number; hash: string; at: number | null } | null;
    /** The first that is not. */
    broken: { seq: number; what: string } | null;
    standing: NativeStanding | null;
  } {
    return open(this.#verifier.finish());
  }
}
