import type { Zone, ZoneRecord } from '../../src/zone-record.ts';

export const ORIGIN = 'acme.docs.example.com';

export const SOA: ZoneRecord = {
  name: ORIGIN,
  type: 'SOA',
  ttl: 300,
  data: {
    mname: `ns1.${ORIGIN}`,
    rname: `hostmaster.${ORIGIN}`,
    serial: 7,
    ...{ refresh: 3_600, retry: 600, expire: 604_800, minimum: 30 },
  },
};

/** Names of every kind: with addresses, texts, aliases that end, leave or loop, a wildcard, and nothing of their own. */
export const ZONE: Zone = {
  origin: ORIGIN,
  records: [
    SOA,
    { name: ORIGIN, type: 'NS', ttl: 300, data: `ns1.${ORIGIN}` },
    { name: ORIGIN, type: 'NS', ttl: 300, data: `ns2.${ORIGIN}` },
    { name: ORIGIN, type: 'CAA', ttl: 300, data: { flags: 0, tag: 'issue', value: 'ca.test' } },
    { name: `ns1.${ORIGIN}`, type: 'A', ttl: 300, data: '192.0.2.1' },
    { name: `ns1.${ORIGIN}`, type: 'AAAA', ttl: 300, data: '2001:db8::1' },
    { name: `ns2.${ORIGIN}`, type: 'A', ttl: 300, data: '192.0.2.2' },
    { name: `claim.${ORIGIN}`, type: 'TXT', ttl: 1, data: 'first' },
    { name: `claim.${ORIGIN}`, type: 'TXT', ttl: 1, data: 'second' },
    { name: `long.${ORIGIN}`, type: 'TXT', ttl: 1, data: `${'x'.repeat(300)} "quoted" \\ é` },
    ...Array.from(
      { length: 40 },
      (_, i) => ({ name: `many.${ORIGIN}`, type: 'TXT', ttl: 1, data: `${i}`.repeat(43) }) as const,
    ),
    { name: `a.b.c.${ORIGIN}`, type: 'TXT', ttl: 1, data: 'deep' },
    { name: `alias.${ORIGIN}`, type: 'CNAME', ttl: 60, data: `claim.${ORIGIN}` },
    { name: `away.${ORIGIN}`, type: 'CNAME', ttl: 60, data: 'elsewhere.example.org' },
    { name: `dead.${ORIGIN}`, type: 'CNAME', ttl: 60, data: `nothing.${ORIGIN}` },
    { name: `loop.${ORIGIN}`, type: 'CNAME', ttl: 60, data: `pool.${ORIGIN}` },
    { name: `pool.${ORIGIN}`, type: 'CNAME', ttl: 60, data: `loop.${ORIGIN}` },
    { name: `*.wild.${ORIGIN}`, type: 'A', ttl: 60, data: '192.0.2.9' },
    { name: `real.wild.${ORIGIN}`, type: 'TXT', ttl: 60, data: 'real' },
  ],
};
