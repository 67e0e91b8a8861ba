import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { CLIENT_COOKIE_BYTES } from './edns.ts';

/** How old a server cookie may be, and how far in the future, in seconds (RFC 9018, section 4.3). */
const MAX_AGE = 3_600;
const MAX_AHEAD = 300;

/**
 * DNS cookies (RFC 7873): a client that returns the server's cookie has received one at its address, so that its
 * address is its own. They have the form of RFC 9018, with another hash: no other server needs to know them.
 */
export interface Cookies {
  /** A new cookie for a client: its own eight bytes, then the server's sixteen. */
  make(received: Buffer, client: string): Buffer;
  /** Whether the client's cookie is one of this server's, for its address. */
  isValid(received: Buffer, client: string): boolean;
}

/** `now`: milliseconds since 1970. */
export function createCookies(now: () => number): Cookies {
  const secret = randomBytes(32);
  const seconds = () => Math.floor(now() / 1_000);
  function cookie(received: Buffer, client: string, at: number): Buffer {
    const bytes = Buffer.alloc(24);
    received.copy(bytes, 0, 0, CLIENT_COOKIE_BYTES);
    bytes.writeUInt8(1, 8);
    bytes.writeUInt32BE(at >>> 0, 12);
    const hash = createHmac('sha256', secret).update(bytes.subarray(0, 16)).update(client).digest();
    hash.copy(bytes, 16, 0, 8);
    return bytes;
  }
  return {
    make: (received, client) => cookie(received, client, seconds()),
    isValid(received, client) {
      if (received.length !== 24) return false;
      const at = received.readUInt32BE(12);
      const age = seconds() - at;
      if (age > MAX_AGE || age < -MAX_AHEAD) return false;
      return timingSafeEqual(received, cookie(received, client, at));
    },
  };
}
