/** Keeps the beginning and the end of what is too long to keep: errors stand at either. In constant memory. */
export class BothEnds {
  /** Bytes of all that came. */
  bytes = 0;
  readonly #head: Buffer;
  /** A ring: the newest bytes, the oldest of them at `bytes` modulo its length. */
  readonly #tail: Buffer;

  /** `most`: how many bytes are kept. */
  constructor(most: number) {
    this.#head = Buffer.alloc(Math.ceil(most / 2));
    this.#tail = Buffer.alloc(Math.floor(most / 2));
  }

  get truncated(): boolean {
    return this.bytes > this.#head.length + this.#tail.length;
  }

  add(chunk: Uint8Array): void {
    const room = Math.max(this.#head.length - this.bytes, 0);
    this.#head.set(chunk.subarray(0, room), this.bytes - Math.max(this.bytes - this.#head.length, 0));
    this.#addToTail(chunk.subarray(room), Math.max(this.bytes - this.#head.length, 0));
    this.bytes += chunk.length;
  }

  #addToTail(chunk: Uint8Array, before: number): void {
    const size = this.#tail.length;
    if (size === 0) return;
    const last = chunk.subarray(Math.max(chunk.length - size, 0));
    const at = (before + chunk.length - last.length) % size;
    const fits = Math.min(last.length, size - at);
    this.#tail.set(last.subarray(0, fits), at);
    this.#tail.set(last.subarray(fits), 0);
  }

  /** As UTF-8; what is not one is U+FFFD. */
  text(): string {
    const behind = Math.max(this.bytes - this.#head.length, 0);
    const head = this.#head.subarray(0, Math.min(this.bytes, this.#head.length));
    if (!this.truncated) return Buffer.concat([head, this.#tail.subarray(0, behind)]).toString();
    const at = this.#tail.length === 0 ? 0 : behind % this.#tail.length;
    const tail = Buffer.concat([this.#tail.subarray(at), this.#tail.subarray(0, at)]);
    const start = head.subarray(0, wholeEnd(head));
    const end = tail.subarray(wholeStart(tail));
    const left = this.bytes - start.length - end.length;
    return `${start.toString()}\n[… ${left.toLocaleString('en')} bytes left out …]\n${end.toString()}`;
  }
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Where the last character ends that is there whole. */
function wholeEnd(bytes: Uint8Array): number {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && isContinuation(bytes[start])) start--;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + length > bytes.length ? Math.max(start, 0) : bytes.length;
}

/** Where the first character begins that is there whole. */
function wholeStart(bytes: Uint8Array): number {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  return start;
}
