import { frameSizeError, protocolError } from './connection-error.ts';
import { FLAG } from './frames.ts';

/** Of a payload with padding (RFC 9113, section 6.1). Throws ConnectionError. */
export function withoutPadding(flags: number, payload: Buffer): Buffer {
  if (!(flags & FLAG.padded)) return payload;
  const padding = payload[0];
  if (padding === undefined) throw frameSizeError('the frame has no length of its padding');
  if (padding >= payload.length) throw protocolError('the padding is as long as the frame');
  return payload.subarray(1, payload.length - padding);
}
