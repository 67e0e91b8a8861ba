import type { Answer } from 'dns-packet';

/** The types that a zone can have. Clients never see an ALIAS: the server answers with addresses. */
export type ZoneRecordType = 'A' | 'AAAA' | 'ALIAS' | 'CAA' | 'CNAME' | 'MX' | 'NS' | 'SOA' | 'TXT';

/** A record. Its value is written as in a zone file: `0 issue "letsencrypt.org"`, `10 mail.example.test`. */
export interface ZoneRecord {
  /** The whole name. Case and a last dot make no difference. */
  readonly name: string;
  readonly type: ZoneRecordType;
  /** For TXT: the text itself, without quotes; a list for a record of several strings. */
  readonly value: string | readonly string[];
  /** In seconds; 300 by default. */
  readonly ttl?: number;
}

const DEFAULT_TTL = 300;

/** A name in the form in which zones compare it. */
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

/** The most that one string of a TXT record can hold, in bytes (RFC 1035, section 3.3). */
const STRING_BYTES = 255;

/** A zone's record in the form of an answer. Throws RangeError for ALIAS, which has none. */
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

/** Splits a text into strings that fit a TXT record. */
function strings(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const count = Math.max(1, Math.ceil(bytes.length / STRING_BYTES));
  return Array.from({ length: count }, (_, i) =>
    bytes.subarray(i * STRING_BYTES, (i + 1) * STRING_BYTES),
  );
}

type CaaData = Extract<Answer, { type: 'CAA' }>['data'];

/** `0 issue "letsencrypt.org"`. The type knows three tags; some tests need others. */
function caa(text: string): CaaData {
  const [, flags = '0', tag = '', quoted, bare = ''] =
    /^\s*(\d+)\s+(\S+)\s+(?:"(.*)"|(.*?))\s*$/s.exec(text) ?? [];
  return { flags: Number(flags), tag: tag as CaaData['tag'], value: quoted ?? bare };
}
