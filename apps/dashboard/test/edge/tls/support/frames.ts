export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

/** A frame (RFC 9113, section 4.1). */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The frames that have come whole. */
export function framesOf(bytes: Buffer): { type: number; stream: number; payload: Buffer }[] {
  const frames = [];
  for (let at = 0; at + 9 <= bytes.length; ) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    if (end > bytes.length) break;
    const [type, stream] = [bytes.readUInt8(at + 3), bytes.readUInt32BE(at + 5)];
    frames.push({ type, stream, payload: bytes.subarray(at + 9, end) });
    at = end;
  }
  return frames;
}
