import { isIPv4, isIPv6 } from 'node:net';
import { UserError } from '@petstore/service/user-error.ts';
import { plainName, type ZoneRecord } from './name-server/zone-record.ts';

/** The types that can be added by hand. */
export const RECORD_TYPES = ['A', 'AAAA', 'ALIAS', 'CAA', 'CNAME', 'MX', 'NS', 'TXT'] as const;

type RecordType = (typeof RECORD_TYPES)[number];

/** A record as someone typed it. Throws a UserError that says what is wrong with it. */
export function readRecord(typed: Readonly<Record<string, string | undefined>>): ZoneRecord {
  const { name = '', type = '', value = '', ttl = '300' } = typed;
  const known = RECORD_TYPES.find((each) => each === type.toUpperCase());
  if (known === undefined)
    throw new UserError(
      `The type must be one of ${RECORD_TYPES.join(', ')}; got ${JSON.stringify(type)}.`,
    );
  if (!isName(name))
    throw new UserError(`The name must be a whole name; got ${JSON.stringify(name)}.`);
  const { is, example } = VALUES[known];
  if (!is(value))
    throw new UserError(
      `The value of ${known} must be such as ${example}; got ${JSON.stringify(value)}.`,
    );
  if (!/^\d{1,9}$/.test(ttl)) throw new UserError('The TTL must be a number of seconds.');
  return { name: plainName(name), type: known, value, ttl: Number(ttl) };
}

/** The values that a name server can encode. */
const VALUES: Readonly<Record<RecordType, { is(value: string): boolean; example: string }>> = {
  A: { is: isIPv4, example: '192.0.2.7' },
  AAAA: { is: isIPv6, example: '2001:db8::7' },
  ALIAS: { is: isName, example: 'host.example.test' },
  CAA: {
    is: (value) => /^(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5]) [a-z0-9-]{1,30} "[ -!#-~]*"$/i.test(value),
    example: '0 issue "letsencrypt.org"',
  },
  CNAME: { is: isName, example: 'host.example.test' },
  MX: {
    is: (value) => /^\d{1,4} \S+$/.test(value) && isName(value.split(' ')[1]),
    example: '10 mail.example.test',
  },
  NS: { is: isName, example: 'ns1.example.test' },
  TXT: { is: (value) => value !== '' && value.length <= 1_000, example: 'any text' },
};

function isName(text = ''): boolean {
  return text.length <= 253 && /^([a-z0-9_*-]{1,63}\.)*[a-z0-9_*-]{1,63}\.?$/i.test(text);
}
