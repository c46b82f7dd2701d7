/** There is more than is read. */
export class TooLarge extends Error {}

/** The body of a request. @throws {TooLarge} when there are more bytes than that; no more are read */
export async function bodyOf({ body }: Request, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  // An early end cancels the stream.
  for await (const piece of body ?? []) {
    pieces.push(piece);
    length += piece.length;
    if (length > most) throw new TooLarge(`its body has more than ${most} bytes`);
  }
  return Buffer.concat(pieces);
}
