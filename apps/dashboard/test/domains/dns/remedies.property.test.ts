import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createZone } from '@petstore/lab/name-server/zone.ts';
import type { ZoneRecord } from '@petstore/lab/name-server/zone-record.ts';
import fc from 'fast-check';
import type { Expectation } from '../../../server/src/domains/dns/expectation.ts';
import { type CheckResult, judge } from '../../../server/src/domains/dns/judge.ts';
import { viewOf } from '../../../server/src/domains/dns/observe.ts';
import {
  ACCOUNT,
  expectationOf,
  mended,
  PLATFORM,
  PLATFORM_ZONE,
  PROOF,
  TARGET,
} from './support/model-dns.ts';
import { modelSource } from './support/model-source.ts';

/** Enough for the worst zone: each step takes away one thing that is wrong. */
const MAX_STEPS = 8;
const RUNS = 400;

const FOREIGN = '198.51.100.7';
const FIXED: ZoneRecord[] = [{ name: 'elsewhere.example.com', type: 'A', value: FOREIGN }];

/** What each CAA record does to the authority, by hand. */
const CAA = {
  '0 issue "letsencrypt.org"': 'allows',
  [`0 issue "other-name.test; accounturi=${ACCOUNT}"`]: 'allows',
  '0 issue "letsencrypt.org; validationmethods=tls-alpn-01"': 'allows',
  '0 issue "letsencrypt.org; accounturi=https://ca.test/acct/2"': 'restricts',
  '0 issue "letsencrypt.org; validationmethods=dns-01"': 'restricts',
  '0 issue "ca.example.org"': 'restricts',
  '0 issue ";"': 'restricts',
  '0 issuewild ";"': 'says nothing',
  '0 iodef "mailto:a@example.com"': 'says nothing',
  '0 tbs "x"': 'says nothing',
  '128 tbs "x"': 'forbids',
} as const;

function zoneArbitrary({ hostname, proof }: Expectation): fc.Arbitrary<ZoneRecord[]> {
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constant<string>(hostname) },
    { weight: 3, arbitrary: fc.constantFrom(...(proof ? [proof.name] : []), 'www.example.com') },
    fc.constantFrom(
      `${hostname}.example.com`,
      `_docs-challenge.${hostname}.example.com`,
      'example.com',
      '*.example.com',
    ),
  );
  const cname = fc.constantFrom(
    ...[TARGET, TARGET, TARGET, hostname, 'www.example.com', 'elsewhere.example.com'],
    ...['nothing.example.org', `${TARGET}.example.com`, TARGET.slice(1), PLATFORM, `b.${PLATFORM}`],
  );
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant('CNAME' as const), value: cname }) },
    fc.record({
      type: fc.constant('ALIAS' as const),
      value: fc.constantFrom(TARGET, TARGET, 'elsewhere.example.com'),
    }),
    fc.record({
      type: fc.constant('A' as const),
      value: fc.constantFrom('192.0.2.10', '192.0.2.11', FOREIGN),
    }),
    fc.record({
      type: fc.constant('AAAA' as const),
      value: fc.constantFrom('2001:db8::10', '2001:db8::7'),
    }),
    fc.record({
      type: fc.constant('TXT' as const),
      value: fc.constantFrom(PROOF, PROOF, `"${PROOF}"`, PROOF.slice(1), 'v=spf1 -all'),
    }),
    fc.record({ type: fc.constant('MX' as const), value: fc.constant('10 mx.example.com') }),
    fc.record({
      type: fc.constant('CAA' as const),
      value: fc.constantFrom(...(Object.keys(CAA) as (keyof typeof CAA)[])),
    }),
  );
  const record = fc.tuple(name, value).map(([name, { type, value }]) => ({ name, type, value }));
  // A name that is an alias of itself can be mended by nobody who looks at another name.
  const isSane = ({ name, type, value }: ZoneRecord) =>
    (type !== 'CNAME' || (name !== value && !name.startsWith('*'))) &&
    (type !== 'ALIAS' || name === hostname || name.startsWith(`${hostname}.`));
  const isOne = (a: ZoneRecord) => (['CNAME', 'ALIAS'].includes(a.type) ? '' : String(a.value));
  return fc
    .uniqueArray(record.filter(isSane), {
      maxLength: 7,
      selector: (a) => `${a.name} ${a.type} ${isOne(a)}`,
    })
    .map((records) => [...FIXED, ...records]);
}

async function checked(
  records: readonly ZoneRecord[],
  expectation: Expectation,
): Promise<CheckResult> {
  const zones = [createZone('example.com', records), createZone(PLATFORM, PLATFORM_ZONE)];
  const view = await viewOf(modelSource(zones), expectation);
  return judge({ zoneServers: [], resolvers: [view] }, expectation);
}

/** The rules again, from the zone's records and not from answers: whether all of them hold. */
function isRight(records: readonly ZoneRecord[], { hostname, proof }: Expectation): boolean {
  const exists = (name: string) =>
    records.some((r) => r.name === name || r.name.endsWith(`.${name}`));
  const at = (name: string): readonly ZoneRecord[] => {
    if (!name.endsWith('example.com')) return [];
    if (exists(name)) return records.filter((r) => r.name === name);
    let above = name;
    do above = above.slice(above.indexOf('.') + 1);
    while (!exists(above));
    return records.filter((r) => r.name === `*.${above}`);
  };
  const values = (name: string, type: string) =>
    at(name).flatMap((r) => (r.type === type ? [String(r.value)] : []));
  /** The names along CNAME records; undefined where they go round in circles. */
  const way = (name: string, passed: readonly string[] = []): readonly string[] | undefined => {
    if (passed.includes(name)) return undefined;
    const [next] = values(name, 'CNAME');
    return next === undefined ? [...passed, name] : way(next, [...passed, name]);
  };
  /** The values of a type at a name, or where it leads; undefined where that has no end. */
  const resolved = (name: string, type: string): readonly string[] | undefined => {
    const direct = values(name, type);
    if (direct.length > 0) return direct;
    const [next] = values(name, 'CNAME');
    const end =
      way(name)?.find((n) => n !== name && values(n, type).length > 0) ?? way(name)?.at(-1);
    return next === undefined ? [] : end === undefined ? undefined : values(end, type);
  };
  const ours = PLATFORM_ZONE.map((r) => r.value);
  const leadsHere = () => {
    if (hostname !== 'example.com') {
      return (
        way(hostname)?.includes(TARGET) === true &&
        ['A', 'AAAA', 'TXT', 'MX'].every((type) => values(hostname, type).length === 0)
      );
    }
    const addresses = (['A', 'AAAA'] as const).flatMap((type) => {
      const own = values(hostname, type);
      const [alias] = values(hostname, 'ALIAS');
      if (own.length > 0 || alias === undefined) return own;
      if (alias !== TARGET) return values(alias, type);
      return PLATFORM_ZONE.flatMap((r) => (r.type === type ? [String(r.value)] : []));
    });
    return (
      values(hostname, 'CNAME').length === 0 &&
      addresses.length > 0 &&
      addresses.every((address) => ours.includes(address))
    );
  };
  const labels = hostname.split('.');
  const sets = labels.map((_, i) => resolved(labels.slice(i).join('.'), 'CAA'));
  const closest = sets.find((set) => set === undefined || set.length > 0);
  const effects = (closest ?? []).map((value) => CAA[value as keyof typeof CAA] ?? 'allows');
  const mayIssue =
    !(closest === undefined && sets.includes(undefined)) &&
    !effects.includes('forbids') &&
    (effects.includes('allows') || !effects.includes('restricts'));
  const isProven = !proof || resolved(proof.name, 'TXT')?.includes(proof.value) === true;
  return leadsHere() && isProven && mayIssue;
}

for (const [title, expectation] of [
  ['a subdomain', expectationOf('docs.example.com')],
  ['a subdomain that has to be proven', expectationOf('docs.example.com', PROOF)],
  ['an apex', expectationOf('example.com', PROOF)],
] as const) {
  test(`${title} is verified when every rule holds, and each remedy leads there`, async () => {
    const codes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(zoneArbitrary(expectation), async (initial) => {
        let records = initial;
        for (let step = 0; step <= MAX_STEPS; step += 1) {
          const check = await checked(records, expectation);
          codes.add(check.verdict.code);
          const isVerified = check.verdict.code === 'verified';
          assert.equal(isVerified, isRight(records, expectation), JSON.stringify(check, null, 1));
          assert.equal(check.verdict.remedy === '', isVerified);
          if (isVerified) return;
          records = mended(records, check.verdict);
        }
        assert.fail('the remedies lead nowhere');
      }),
      { numRuns: RUNS },
    );
    // The zones are so made that all kinds of trouble come up.
    for (const code of expectation.hostname === 'example.com'
      ? [
          'no_record',
          'apex_cname',
          'apex_wrong_address',
          'ownership_missing',
          'near_miss',
          'caa_blocks',
        ]
      : ['no_record', 'wrong_target', 'conflicting_record', 'near_miss', 'caa_blocks']) {
      assert.ok(codes.has(code), code);
    }
  });
}
