/** What a client says in its OPT record (RFC 6891). */
export interface Edns {
  /** The longest response that it takes over UDP, in bytes. */
  readonly udpBytes: number;
  readonly version: number;
  /** It wants DNSSEC's records, of which this server has none. */
  readonly isDnssecOk: boolean;
  /** RFC 7873: the client's eight bytes, and the server's where it has them from an earlier response. */
  readonly cookie?: Buffer | undefined;
  /** Over TCP it wants to know how long the connection may be idle (RFC 7828). */
  readonly wantsKeepAlive: boolean;
}

const COOKIE = 10;
const KEEP_ALIVE = 11;

export const CLIENT_COOKIE_BYTES = 8;

/**
 * Reads an OPT record after its type: class, TTL, length and options. Unknown options are passed over (RFC 6891,
 * section 6.1.2). undefined where an option is malformed.
 */
export function readEdns(opt: Buffer): Edns | undefined {
  let cookie: Buffer | undefined;
  let wantsKeepAlive = false;
  let at = 8;
  while (at < opt.length) {
    if (at + 4 > opt.length) return undefined;
    const code = opt.readUInt16BE(at);
    const end = at + 4 + opt.readUInt16BE(at + 2);
    if (end > opt.length) return undefined;
    const data = opt.subarray(at + 4, end);
    if (code === COOKIE) {
      const isSized = data.length === 8 || (data.length >= 16 && data.length <= 40);
      if (!isSized) return undefined;
      cookie ??= data;
    }
    if (code === KEEP_ALIVE) {
      if (data.length > 0) return undefined;
      wantsKeepAlive = true;
    }
    at = end;
  }
  return {
    udpBytes: opt.readUInt16BE(0),
    version: opt.readUInt8(3),
    isDnssecOk: (opt.readUInt8(4) & 0x80) !== 0,
    cookie,
    wantsKeepAlive,
  };
}

/** A message of this size is fragmented nowhere (RFC 9715). */
export const UDP_BYTES = 1_232;

interface OptRecord {
  readonly rcode: number;
  readonly isDnssecOk: boolean;
  /** The whole cookie. */
  readonly cookie?: Buffer | undefined;
  /** How long a connection may be idle, in milliseconds. */
  readonly keepAliveMs?: number | undefined;
}

/** The server's own OPT record. The rcode's upper bits are in it (RFC 6891, section 6.1.3). */
export function writeOpt({ rcode, isDnssecOk, cookie, keepAliveMs }: OptRecord): Buffer {
  const options: Buffer[] = [];
  if (cookie) options.push(option(COOKIE, cookie));
  if (keepAliveMs !== undefined) {
    const tenths = Buffer.alloc(2);
    tenths.writeUInt16BE(Math.min(0xffff, Math.round(keepAliveMs / 100)));
    options.push(option(KEEP_ALIVE, tenths));
  }
  const fixed = Buffer.alloc(11);
  fixed.writeUInt16BE(41, 1);
  fixed.writeUInt16BE(UDP_BYTES, 3);
  fixed.writeUInt8(rcode >> 4, 5);
  // RFC 3225, section 3: the bit comes back as it was sent.
  fixed.writeUInt8(isDnssecOk ? 0x80 : 0, 7);
  fixed.writeUInt16BE(
    options.reduce((sum, { length }) => sum + length, 0),
    9,
  );
  return Buffer.concat([fixed, ...options]);
}

function option(code: number, data: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(code, 0);
  head.writeUInt16BE(data.length, 2);
  return Buffer.concat([head, data]);
}
