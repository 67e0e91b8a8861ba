/** A zone: all that the server answers. */
export interface Zone {
  /** The zone's own name, such as `acme.docs.example.com`. */
  readonly origin: string;
  /** One SOA and the NS records at the origin, and any others at it or below. */
  readonly records: readonly ZoneRecord[];
}

interface Named {
  /** The whole name. `*` as its first label stands for names that do not exist (RFC 4592). */
  readonly name: string;
  /** In seconds; the same for all records of a name and type (RFC 2181, section 5.2). */
  readonly ttl: number;
}

/** A record. Names are written without escapes, and with or without a dot at their end. */
export type ZoneRecord = Named &
  (
    | { readonly type: 'A' | 'AAAA' | 'CNAME' | 'NS'; readonly data: string }
    /** The text itself, of any length. */
    | { readonly type: 'TXT'; readonly data: string }
    | { readonly type: 'SOA'; readonly data: Soa }
    | { readonly type: 'CAA'; readonly data: { flags: number; tag: string; value: string } }
  );

/** RFC 1035, section 3.3.13. `rname` has the mailbox with a dot for its @. Times are in seconds. */
interface Soa {
  readonly mname: string;
  readonly rname: string;
  readonly serial: number;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly minimum: number;
}

/** One string of a TXT record holds 255 bytes (RFC 1035, section 3.3). */
const STRING_BYTES = 255;

/** The strings of a TXT record with a text. */
export function textStrings(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const count = Math.max(1, Math.ceil(bytes.length / STRING_BYTES));
  return Array.from({ length: count }, (_, i) =>
    bytes.subarray(i * STRING_BYTES, (i + 1) * STRING_BYTES),
  );
}
