/** The body of a request, as JSON. */
import { badRequest, RefusedRequest } from './refusal.js';
import { brief } from './view.js';

/**
 * @param most in bytes
 * @param fields what may stand in it: anything else may be meant for another request, or for another server
 * @throws {RefusedRequest} 400, 413, 415
 */
export async function readBody(
  request: Request,
  most: number,
  fields: readonly string[],
): Promise<Record<string, unknown>> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new RefusedRequest(415, 'ERR_UNSUPPORTED_MEDIA_TYPE', 'Send content-type: application/json.');
  let value: unknown;
  try {
    // A body with bytes that are no UTF-8 would be read as something else than was sent.
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await readBytes(request, most)));
  } catch (error) {
    if (error instanceof RefusedRequest) throw error;
    throw badRequest('The body is not JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('The body must be an object.');
  const unknown = Object.keys(value).find((name) => !fields.includes(name));
  if (unknown === undefined) return value as Record<string, unknown>;
  const known = fields.length === 0 ? 'it has no fields' : `its fields are ${fields.join(', ')}`;
  throw badRequest(`The body has a field that is not known (${brief(JSON.stringify(unknown), 80)}): ${known}.`);
}

async function readBytes(request: Request, most: number): Promise<Uint8Array> {
  const tooLarge = () => new RefusedRequest(413, 'ERR_TOO_LARGE', `The body has more than ${most} bytes.`);
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge();
  if (request.body === null) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    length += piece.value.length;
    if (length > most) {
      // A client that goes on sending is not waited for.
      void reader.cancel().catch(() => {});
      throw tooLarge();
    }
    pieces.push(piece.value);
  }
  return Buffer.concat(pieces);
}
