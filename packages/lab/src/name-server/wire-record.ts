import type { Answer } from 'dns-packet';
import { DEFAULT_TTL, plainName, type ZoneRecord } from './zone-record.ts';

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
