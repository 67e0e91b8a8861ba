import type { Answer } from 'dns-packet';

/** The types that a zone can hold. ALIAS is the one that no client ever sees: the server answers with addresses. */
export type ZoneRecordType = 'A' | 'AAAA' | 'ALIAS' | 'CAA' | 'CNAME' | 'MX' | 'NS' | 'SOA' | 'TXT';

/** A record, its value written as in a zone file: `0 issue "letsencrypt.org"`, `10 mail.example.test`. */
export interface ZoneRecord {
  /** The whole name. Case and a last dot make no difference. */
  readonly name: string;
  readonly type: ZoneRecordType;
  /** Of TXT: the text as it is, without quotes; a list for a record of several strings. */
  readonly value: string | readonly string[];
  /** Seconds; 300 where it is left out. */
  readonly ttl?: number;
}

const DEFAULT_TTL = 300;

/** A name as zones compare it. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** Whether a name is `ancestor` or below it; everything is below the root, ''. */
export function isAtOrBelow(name: string, ancestor: string): boolean {
  return ancestor === '' || name === ancestor || name.endsWith(`.${ancestor}`);
}

/** A name without its first label; '' is the root. */
export function parentOf(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1);
}

/** What a TXT record's one string can hold, in bytes (RFC 1035, section 3.3). */
const STRING_BYTES = 255;

/** A zone's record as an answer holds it. ALIAS has no such form: a RangeError. */
export function wireRecord({ name, type, value, ttl = DEFAULT_TTL }: ZoneRecord): Answer {
  const text = typeof value === 'string' ? value : value.join('');
  const words = text.trim().split(/\s+/);
  const [first = '', second = ''] = words;
  switch (type) {
    case 'A':
    case 'AAAA':
      return { name, type, ttl, data: text.trim() };
    case 'CNAME':
    case 'NS':
      return { name, type, ttl, data: plainName(text.trim()) };
    case 'MX':
      return { name, type, ttl, data: { preference: Number(first), exchange: second } };
    case 'SOA': {
      const [serial = 1, refresh = 0, retry = 0, expire = 0, minimum = 0] = words
        .slice(2)
        .map(Number);
      const data = { mname: first, rname: second, serial, refresh, retry, expire, minimum };
      return { name, type, ttl, data };
    }
    case 'TXT':
      return { name, type, ttl, data: typeof value === 'string' ? strings(value) : [...value] };
    case 'CAA':
      return { name, type, ttl, data: caa(text) };
    case 'ALIAS':
      throw new RangeError('ALIAS records are answered with addresses.');
  }
}

/** A text of any length in strings that the wire can carry. */
function strings(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const count = Math.max(1, Math.ceil(bytes.length / STRING_BYTES));
  return Array.from({ length: count }, (_, i) =>
    bytes.subarray(i * STRING_BYTES, (i + 1) * STRING_BYTES),
  );
}

type CaaData = Extract<Answer, { type: 'CAA' }>['data'];

/** `0 issue "letsencrypt.org"`. Its type knows three tags; any other is just what some tests need. */
function caa(text: string): CaaData {
  const [, flags = '0', tag = '', quoted, bare = ''] =
    /^\s*(\d+)\s+(\S+)\s+(?:"(.*)"|(.*?))\s*$/s.exec(text) ?? [];
  return { flags: Number(flags), tag: tag as CaaData['tag'], value: quoted ?? bare };
}
