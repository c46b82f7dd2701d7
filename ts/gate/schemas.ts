/**
 * What the tools of requests take, as JSON Schema, so that others than their own process can say whether edited arguments fit.
 * Each schema is kept once, under its digest.
 */
import { messageOf } from '../errors/message-of.js';
import { canonicalize } from '../native.js';
import type { GateInternals } from './inside.js';
import type { GateValues } from './values.js';

/** Where a schema comes from. */
export interface SchemaSource {
  /** The same object for the same schema. */
  of: object;
  json: () => Promise<unknown>;
}

/** Larger ones are not kept, in UTF-16 units of JSON. */
const LARGEST = 262_144;

export class ToolSchemas {
  readonly #inside: GateInternals;
  readonly #values: GateValues;
  readonly #digests = new WeakMap<object, Promise<string | null>>();

  constructor(inside: GateInternals, values: GateValues) {
    this.#inside = inside;
    this.#values = values;
  }

  /** The digest of a schema, which is on its way into the ledger; `null`: no usable schema. Never rejects. */
  digestOf(source: SchemaSource): Promise<string | null> {
    let digest = this.#digests.get(source.of);
    if (digest === undefined) {
      digest = this.#keep(source);
      this.#digests.set(source.of, digest);
    }
    return digest;
  }

  /** The schema of this digest; `null`: it is not known. */
  async get(digest: string): Promise<object | null> {
    const kept = await this.#values.get<object>(keyOf(digest));
    return kept?.value ?? null;
  }

  async #keep({ json }: SchemaSource): Promise<string | null> {
    try {
      const schema = await json();
      if (typeof schema !== 'object' || schema === null) return null;
      const { text, digest } = canonicalize(JSON.stringify(schema));
      if (text.length > LARGEST) return null;
      // Nothing waits for it: without it, an edit is checked by the process that runs it.
      void this.#inside.beforeClose(this.#write(digest, schema));
      return digest;
    } catch {
      // A schema that cannot be said as JSON is looked at by the loop alone.
      return null;
    }
  }

  async #write(digest: string, schema: object): Promise<void> {
    try {
      await this.#values.update<object>(keyOf(digest), (kept) => (kept === undefined ? schema : undefined));
    } catch (error) {
      this.#inside.logger?.debug?.('a schema was not kept', { digest, reason: messageOf(error) });
    }
  }
}

const keyOf = (digest: string): string => `schema:${digest}`;
