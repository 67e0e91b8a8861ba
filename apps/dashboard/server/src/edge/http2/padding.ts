import { ConnectionError } from './connection-error.ts';
import { ERROR_CODE, FLAG } from './frames.ts';

/** Of a payload with padding (RFC 9113, section 6.1). Throws ConnectionError. */
export function withoutPadding(flags: number, payload: Buffer): Buffer {
  if (!(flags & FLAG.padded)) return payload;
  const padding = payload[0];
  if (padding === undefined) throw new ConnectionError(ERROR_CODE.frameSizeError, 'no padding');
  if (padding >= payload.length)
    throw new ConnectionError(ERROR_CODE.protocolError, 'padding alone');
  return payload.subarray(1, payload.length - padding);
}
