import type { ZoneRecord } from '../name-server/zone-record.ts';
import type { Claim, Scenario } from './scenario.ts';

/** Addresses for documentation (RFC 5737, RFC 3849), as those of a former host. */
const OLD_IPV4 = '192.0.2.7';
const OLD_IPV6 = '2001:db8::7';

/** Mistakes in the records themselves. */
export const RECORD_SCENARIOS: readonly Scenario[] = [
  {
    id: 'right',
    title: 'Everything right',
    verdict: 'verified',
    expect: 'the certificate follows within seconds.',
    area: 'Records',
    setup: ({ records }) => ({ records }),
  },
  {
    id: 'no-record',
    title: 'No record',
    verdict: 'no_record',
    expect: 'with how long the zone lets resolvers remember that (a minute here).',
    area: 'Records',
    setup: () => ({ records: [] }),
  },
  {
    id: 'wrong-target',
    title: 'A CNAME that leads elsewhere',
    verdict: 'wrong_target',
    expect: 'and for a domain that is verified already: moved away.',
    area: 'Records',
    only: 'subdomain',
    setup: ({ hostname, zone }) => ({
      records: [
        { name: hostname, type: 'CNAME', value: `old-host.${zone}` },
        { name: `old-host.${zone}`, type: 'A', value: OLD_IPV4 },
      ],
    }),
  },
  {
    id: 'conflict-a',
    title: 'An A record in the place of the CNAME',
    verdict: 'conflicting_record',
    expect: 'with the A record to remove.',
    area: 'Records',
    only: 'subdomain',
    setup: ({ hostname, records }) => ({
      records: [{ name: hostname, type: 'A', value: OLD_IPV4 }, ...proofOf(records)],
    }),
  },
  {
    id: 'conflict-aaaa',
    title: 'An AAAA record beside the CNAME',
    verdict: 'conflicting_record',
    expect: 'although the CNAME is right: who has IPv6 would see the old host.',
    area: 'Records',
    only: 'subdomain',
    setup: ({ hostname, records }) => ({
      records: [...records, { name: hostname, type: 'AAAA', value: OLD_IPV6 }],
    }),
  },
  {
    id: 'apex-cname',
    title: 'A CNAME at the apex',
    verdict: 'apex_cname',
    expect: 'since an apex needs ALIAS or ANAME.',
    area: 'Records',
    only: 'apex',
    setup: ({ hostname, records }) => ({
      records: [
        { name: hostname, type: 'CNAME', value: targetOf(records) },
        // Only beside a CNAME: names below it are free.
        ...proofOf(records),
      ],
    }),
  },
  {
    id: 'apex-wrong-address',
    title: "An apex with another host's address",
    verdict: 'apex_wrong_address',
    expect: 'with the addresses found and those of the target.',
    area: 'Records',
    only: 'apex',
    setup: ({ hostname, records }) => ({
      records: [{ name: hostname, type: 'A', value: OLD_IPV4 }, ...proofOf(records)],
    }),
  },
  {
    id: 'missing-txt',
    title: 'No proof of ownership',
    verdict: 'ownership_missing',
    expect: 'since the TXT record is not there.',
    area: 'Records',
    only: 'proof',
    setup: ({ records }) => ({ records: records.filter(({ type }) => type !== 'TXT') }),
  },
  {
    id: 'wrong-txt',
    title: 'A proof of another claim',
    verdict: 'ownership_missing',
    expect: 'with the value found beside the one expected.',
    area: 'Records',
    only: 'proof',
    setup: ({ records }) => ({
      records: records.map((record) =>
        record.type === 'TXT' ? { ...record, value: 'the-proof-of-an-earlier-claim' } : record,
      ),
    }),
  },
  {
    id: 'doubled-zone',
    title: 'The zone twice in the name',
    verdict: 'near_miss',
    expect: 'since the panel added the zone to a name that had it.',
    area: 'Records',
    setup: ({ zone, records }) => ({
      records: records.map((record) => ({ ...record, name: `${record.name}.${zone}` })),
    }),
  },
  {
    id: 'typo',
    title: "One character off in the target's name",
    verdict: 'near_miss',
    expect: 'with both spellings.',
    area: 'Records',
    only: 'subdomain',
    setup: ({ hostname, records }) => ({
      records: [{ name: hostname, type: 'CNAME', value: oneCharacterOff(targetOf(records)) }],
    }),
  },
];

function targetOf(records: Claim['records']): string {
  return String(records[0]?.value ?? '');
}

function proofOf(records: Claim['records']): readonly ZoneRecord[] {
  return records.filter(({ type }) => type === 'TXT');
}

function oneCharacterOff(name: string): string {
  return name.slice(0, 3) + name.slice(4);
}
