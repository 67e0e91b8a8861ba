import { createHmac, timingSafeEqual } from 'node:crypto';
import { randomId } from '../secrets.ts';

// Codes of authenticator apps: RFC 6238 with what every app assumes, which is SHA-1, six digits and 30 seconds.

const STEP_MS = 30_000;
const DIGITS = 6;

/** How many steps a phone's clock may be ahead or behind. */
const SKEW = 1;

/** 160 bits, as RFC 4226 recommends (section 4, R6), in base32. */
const SECRET_LENGTH = 32;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret, in base32. */
export function makeTotpSecret(): string {
  return randomId(SECRET_LENGTH).toUpperCase();
}

/**
 * The time step whose code this is; undefined where it is none of those that may be shown now. `secret`: in base32;
 * `now`: in milliseconds since 1970.
 */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  const given = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(given)) return undefined;
  const current = Math.floor(now / STEP_MS);
  const key = fromBase32(secret);
  let found: number | undefined;
  // Compared with every one, so that the time taken tells nothing.
  for (let step = current - SKEW; step <= current + SKEW; step++) {
    if (timingSafeEqual(Buffer.from(codeAt(key, step)), Buffer.from(given))) found = step;
  }
  return found;
}

/** The code of a time step: RFC 4226, section 5.3. */
function codeAt(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', key).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return `${number % 10 ** DIGITS}`.padStart(DIGITS, '0');
}

function fromBase32(text: string): Buffer {
  let bits = 0n;
  for (const character of text) bits = (bits << 5n) | BigInt(BASE32.indexOf(character));
  const length = (text.length * 5) / 8;
  return Buffer.from(bits.toString(16).padStart(length * 2, '0'), 'hex');
}

/** What the QR code says: the secret, whose it is, and where. */
export function otpauthAddress(secret: string, email: string, host: string): string {
  const issuer = `Dashboard at ${host}`;
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}
