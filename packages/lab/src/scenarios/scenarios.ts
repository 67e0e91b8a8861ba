import { IDENTITY } from '../certificate-authority/authority.ts';
import type { ServerFault } from '../name-server/faults.ts';
import type { ZoneRecord } from '../name-server/zone-record.ts';
import { type Claim, challengeOf, type Scenario, type Setup } from './scenario.ts';

/** Addresses for documentation (RFC 5737, RFC 3849), as those of a former host. */
const OLD_IPV4 = '192.0.2.7';
const OLD_IPV6 = '2001:db8::7';

/** Mistakes in the records themselves. */
const RECORD_SCENARIOS: readonly (Omit<Scenario, 'area' | 'setup'> & {
  recordsOf(claim: Claim): readonly ZoneRecord[];
})[] = [
  {
    id: 'right',
    title: 'Everything right',
    verdict: 'verified',
    expect: 'the certificate follows within seconds.',
    recordsOf: ({ records }) => records,
  },
  {
    id: 'no-record',
    title: 'No record',
    verdict: 'no_record',
    expect: 'with how long the zone lets resolvers remember that (a minute here).',
    recordsOf: () => [],
  },
  {
    id: 'wrong-target',
    title: 'A CNAME that leads elsewhere',
    verdict: 'wrong_target',
    expect: 'and for a domain that is verified already: moved away.',
    only: 'subdomain',
    recordsOf: ({ hostname, zone }) => [
      { name: hostname, type: 'CNAME', value: `old-host.${zone}` },
      { name: `old-host.${zone}`, type: 'A', value: OLD_IPV4 },
    ],
  },
  {
    id: 'conflict-a',
    title: 'An A record in the place of the CNAME',
    verdict: 'conflicting_record',
    expect: 'with the A record to remove.',
    only: 'subdomain',
    recordsOf: ({ hostname, records }) => [
      { name: hostname, type: 'A', value: OLD_IPV4 },
      ...proofOf(records),
    ],
  },
  {
    id: 'conflict-aaaa',
    title: 'An AAAA record beside the CNAME',
    verdict: 'conflicting_record',
    expect: 'although the CNAME is right: who has IPv6 would see the old host.',
    only: 'subdomain',
    recordsOf: ({ hostname, records }) => [
      ...records,
      { name: hostname, type: 'AAAA', value: OLD_IPV6 },
    ],
  },
  {
    id: 'apex-cname',
    title: 'A CNAME at the apex',
    verdict: 'apex_cname',
    expect: 'since an apex needs ALIAS or ANAME.',
    only: 'apex',
    recordsOf: ({ hostname, records }) => [
      { name: hostname, type: 'CNAME', value: targetOf(records) },
      // Only beside a CNAME: names below it are free.
      ...proofOf(records),
    ],
  },
  {
    id: 'apex-wrong-address',
    title: "An apex with another host's address",
    verdict: 'apex_wrong_address',
    expect: 'with the addresses found and those of the target.',
    only: 'apex',
    recordsOf: ({ hostname, records }) => [
      { name: hostname, type: 'A', value: OLD_IPV4 },
      ...proofOf(records),
    ],
  },
  {
    id: 'missing-txt',
    title: 'No proof of ownership',
    verdict: 'ownership_missing',
    expect: 'since the TXT record is not there.',
    only: 'proof',
    recordsOf: ({ records }) => records.filter(({ type }) => type !== 'TXT'),
  },
  {
    id: 'wrong-txt',
    title: 'A proof of another claim',
    verdict: 'ownership_missing',
    expect: 'with the value found beside the one expected.',
    only: 'proof',
    recordsOf: ({ records }) =>
      records.map((record) =>
        record.type === 'TXT' ? { ...record, value: 'the-proof-of-an-earlier-claim' } : record,
      ),
  },
  {
    id: 'doubled-zone',
    title: 'The zone twice in the name',
    verdict: 'near_miss',
    expect: 'since the panel added the zone to a name that had it.',
    recordsOf: ({ zone, records }) =>
      records.map((record) => ({ ...record, name: `${record.name}.${zone}` })),
  },
  {
    id: 'typo',
    title: "One character off in the target's name",
    verdict: 'near_miss',
    expect: 'with both spellings.',
    only: 'subdomain',
    recordsOf: ({ hostname, records }) => [
      {
        name: hostname,
        type: 'CNAME',
        value: targetOf(records).slice(0, 3) + targetOf(records).slice(4),
      },
    ],
  },
];

function targetOf(records: Claim['records']): string {
  return String(records[0]?.value ?? '');
}

function proofOf(records: Claim['records']): readonly ZoneRecord[] {
  return records.filter(({ type }) => type === 'TXT');
}

/** The move of a site that another host serves, for a domain that is prepared. "right" moves it. */
const MOVE_SCENARIOS: readonly Scenario[] = [
  move(
    'prepare-first',
    'Prepared: the old host serves, and the _acme-challenge record is there',
    'verified',
    'and the certificate follows while the old host still serves. Then apply "right": it is moved.',
    (challenge) => [challenge],
  ),
  move(
    'challenge-missing',
    'The _acme-challenge record is missing',
    'no_record',
    'since only the old host is there. After a move the owner is told, and the certificate is renewed over ports 80 and 443.',
    () => [],
  ),
  move(
    'challenge-elsewhere',
    'The _acme-challenge record leads to the old host’s service',
    'wrong_target',
    'with the record to replace.',
    (challenge, { zone }) => [{ ...challenge, value: `dcv.old-host.${zone}` }],
  ),
];

function move(
  id: string,
  title: string,
  verdict: string,
  expect: string,
  challengesOf: (challenge: ZoneRecord, claim: Claim) => readonly ZoneRecord[],
): Scenario {
  return {
    ...{ id, title, verdict, expect, area: 'Move', only: 'prepared' },
    setup(claim) {
      const challenge = challengeOf(claim);
      const old = { name: claim.hostname, type: 'A', value: OLD_IPV4 } as const;
      return { records: [old, ...(challenge ? challengesOf(challenge, claim) : [])] };
    },
  };
}

/** Mistakes of name servers, and in chains of names. */
const SERVER_SCENARIOS: readonly Omit<Scenario, 'area' | 'verdict'>[] = [
  serverFault('servfail', 'SERVFAIL', 'servfail', 'since the name servers fail at the name.'),
  serverFault('timeout', 'No response', 'drop', 'after some seconds, since nobody answers.'),
  serverFault('refused', 'REFUSED', 'refused', 'since the name servers refuse to answer.'),
  {
    id: 'disagree',
    title: 'Two name servers that disagree',
    expect: 'since ns1 has the right record, and ns2 has none yet.',
    setup: ({ records }) => ({ records, recordsOfSecond: [] }),
  },
  {
    id: 'loop',
    title: 'A CNAME that leads back to itself',
    expect: 'since the two names go round in a circle.',
    only: 'subdomain',
    setup: ({ hostname, zone }) => ({
      records: [
        { name: hostname, type: 'CNAME', value: `loop.${zone}` },
        { name: `loop.${zone}`, type: 'CNAME', value: hostname },
      ],
    }),
  },
  {
    id: 'dead-end',
    title: 'A chain of CNAMEs that ends nowhere',
    expect: 'with the name that does not exist.',
    only: 'subdomain',
    setup: ({ hostname, zone }) => ({
      records: [
        { name: hostname, type: 'CNAME', value: `next.${zone}` },
        { name: `next.${zone}`, type: 'CNAME', value: `gone.${zone}` },
      ],
    }),
  },
];

function serverFault(id: string, title: string, how: ServerFault, expect: string) {
  const setup = ({ hostname, records }: Claim): Setup => ({
    records,
    faults: [{ to: 'everyone', how, scope: { name: hostname } }],
  });
  return { id, title, expect, setup };
}

/** Reasons why the authority issues no certificate though the records are right. */
const AUTHORITY_SCENARIOS: readonly Scenario[] = [
  caa(
    'caa-parent',
    'A CAA record of the zone for another authority',
    '0 issue "other-authority.test"',
    'with the name that carries the record and the line to add.',
  ),
  caa(
    'caa-critical',
    'A critical CAA property that nobody knows',
    '128 unknown-property "what is this"',
    'since an authority must refuse what it does not understand.',
  ),
  caa(
    'caa-account',
    "A CAA record for another account's certificates",
    `0 issue "${IDENTITY}; accounturi=https://${IDENTITY}/account/another"`,
    'since the record allows this authority for another account alone (RFC 8657).',
  ),
  {
    id: 'authority-fails',
    title: 'The authority cannot look the name up',
    verdict: 'verified',
    expect:
      'and then a failed certificate, with the problem in plain words, what is left of the budget, and when the next try is safe.',
    area: 'Authority',
    only: 'unprepared',
    setup: ({ hostname, records }) => ({
      records,
      // Only its addresses: the names below an apex have their own, and get their CAA records from it.
      faults: ['A', 'AAAA'].map((type) => ({
        to: 'authority',
        how: 'servfail',
        scope: { exactName: hostname, type },
      })),
    }),
  },
  {
    id: 'authority-rate-limited',
    title: 'The authority refuses orders (rateLimited)',
    verdict: 'verified',
    expect: 'and then rateLimited, with the time from which orders are taken again.',
    area: 'Authority',
    setup: ({ records }) => ({ records, isRateLimited: true }),
  },
];

function caa(id: string, title: string, value: string, expect: string): Scenario {
  return {
    ...{ id, title, verdict: 'caa_blocks', expect, area: 'CAA' },
    setup: ({ zone, records }) => ({ records: [...records, { name: zone, type: 'CAA', value }] }),
  };
}

export const SCENARIOS: readonly Scenario[] = [
  ...RECORD_SCENARIOS.map(
    ({ recordsOf, ...scenario }): Scenario => ({
      ...{ ...scenario, area: 'Records' },
      setup: (claim) => ({ records: recordsOf(claim) }),
    }),
  ),
  ...MOVE_SCENARIOS,
  ...SERVER_SCENARIOS.map(
    (scenario): Scenario => ({ ...scenario, verdict: 'dns_error', area: 'Name servers' }),
  ),
  ...AUTHORITY_SCENARIOS,
];

export function findScenario(id: string): Scenario | undefined {
  return SCENARIOS.find((scenario) => scenario.id === id);
}
