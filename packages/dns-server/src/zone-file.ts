import { textStrings, type Zone, type ZoneRecord } from './zone-record.ts';

/** A zone in the form of a master file (RFC 1035, section 5), for other name servers to read. */
export function writeZoneFile({ origin, records }: Zone): string {
  const soaFirst = records.toSorted((a, b) => rank(a) - rank(b));
  const lines = soaFirst.map((record) =>
    [absolute(record.name), record.ttl, 'IN', record.type, dataOf(record)].join(' '),
  );
  return `$ORIGIN ${absolute(origin)}\n${lines.join('\n')}\n`;
}

/** Readers want the SOA first; the name servers follow. */
function rank({ type }: ZoneRecord): number {
  return type === 'SOA' ? 0 : type === 'NS' ? 1 : 2;
}

function absolute(name: string): string {
  return name.endsWith('.') ? name : `${name}.`;
}

function dataOf(record: ZoneRecord): string {
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return record.data;
    case 'NS':
    case 'CNAME':
      return absolute(record.data);
    case 'TXT':
      return textStrings(record.data)
        .map((string) => quoted(string))
        .join(' ');
    case 'CAA':
      return `${record.data.flags} ${record.data.tag} ${quoted(Buffer.from(record.data.value))}`;
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = record.data;
      return [absolute(mname), absolute(rname), serial, refresh, retry, expire, minimum].join(' ');
    }
  }
}

/** RFC 1035, section 5.1: quotes and backslashes are escaped, and bytes that are not printed are numbers. */
function quoted(bytes: Buffer): string {
  const escaped = [...bytes].map((byte) => {
    const char = String.fromCharCode(byte);
    if (char === '"' || char === '\\') return `\\${char}`;
    return byte >= 0x20 && byte < 0x7f ? char : `\\${String(byte).padStart(3, '0')}`;
  });
  return `"${escaped.join('')}"`;
}
