export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

/** A frame (RFC 9113, section 4.1). */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
