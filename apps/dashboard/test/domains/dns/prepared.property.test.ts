import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createZone } from '@petstore/lab/name-server/zone.ts';
import type { ZoneRecord } from '@petstore/lab/name-server/zone-record.ts';
import fc from 'fast-check';
import type { Expectation } from '../../../server/src/domains/dns/expectation.ts';
import { type CheckResult, judge } from '../../../server/src/domains/dns/judge.ts';
import { viewOf } from '../../../server/src/domains/dns/observe.ts';
import { expectationOf, mended, PLATFORM, PLATFORM_ZONE, TARGET } from './support/model-dns.ts';
import { modelSource } from './support/model-source.ts';

// Names that are prepared for a move, in zones in which anything may be wrong.

const RUNS = 400;
const MAX_STEPS = 8;
const CHALLENGE = `k7m2q9x4w8.acme.${PLATFORM}`;

function preparedOf(hostname: string, isAwaitingMove: boolean): Expectation {
  const challenge = { name: `_acme-challenge.${hostname}`, value: CHALLENGE };
  return {
    ...expectationOf(hostname),
    challenge: { ...challenge, isAwaitingMove, isForWildcard: false },
  };
}

function zoneArbitrary({ hostname, challenge }: Expectation): fc.Arbitrary<ZoneRecord[]> {
  assert.ok(challenge);
  const name = fc.constantFrom(
    ...[challenge.name, challenge.name, challenge.name, hostname, hostname],
    ...[`${challenge.name}.example.com`, challenge.name.slice(1), '_acme-challenge.example.com'],
    ...['www.example.com', '*.example.com'],
  );
  const cname = fc.constantFrom(
    ...[CHALLENGE, CHALLENGE, CHALLENGE, TARGET, 'www.example.com', 'dcv.example.org'],
    ...[`${CHALLENGE}.example.com`, CHALLENGE.slice(1), `b.acme.${PLATFORM}`, `acme.${PLATFORM}`],
  );
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant('CNAME' as const), value: cname }) },
    fc.record({ type: fc.constant('A' as const), value: fc.constant('198.51.100.7') }),
    fc.record({ type: fc.constant('TXT' as const), value: fc.constantFrom('x', CHALLENGE) }),
    fc.record({ type: fc.constant('CAA' as const), value: fc.constant('0 issue ";"') }),
  );
  const record = fc.tuple(name, value).map(([at, { type, value: of }]) => ({
    ...{ name: at, type, value: of },
  }));
  // A name that is an alias of itself can be mended by nobody who looks at another name.
  const isSane = ({ name: at, type, value: of }: ZoneRecord) =>
    type !== 'CNAME' || (at !== of && !(at.startsWith('*') && String(of).endsWith('example.com')));
  return fc.uniqueArray(record.filter(isSane), {
    maxLength: 6,
    selector: ({ name: at, type, value: of }) => `${at} ${type} ${type === 'CNAME' ? '' : of}`,
  });
}

async function checked(records: readonly ZoneRecord[], of: Expectation): Promise<CheckResult> {
  const zones = [createZone('example.com', records), createZone(PLATFORM, PLATFORM_ZONE)];
  return judge({ zoneServers: [], resolvers: [await viewOf(modelSource(zones), of)] }, of);
}

/** Where the CNAME records from a name on lead, by the zone's records, with wildcards as RFC 4592 has them. */
function wayFrom(records: readonly ZoneRecord[], name: string): string[] {
  const exists = (at: string) =>
    records.some((one) => one.name === at || one.name.endsWith(`.${at}`));
  const ownerOf = (at: string) => {
    if (exists(at)) return at;
    let above = at.slice(at.indexOf('.') + 1);
    while (above !== 'example.com' && !exists(above)) above = above.slice(above.indexOf('.') + 1);
    return `*.${above}`;
  };
  const way: string[] = [];
  for (let at = name; way.length < 10 && at.endsWith('example.com'); ) {
    const owner = ownerOf(at);
    const next = records.find((one) => one.name === owner && one.type === 'CNAME');
    if (!next) return way;
    at = String(next.value);
    way.push(at);
  }
  return way;
}

for (const hostname of ['docs.example.com', 'example.com']) {
  test(`${hostname}, prepared, is proven by the record of its challenges alone, and each remedy leads there`, async () => {
    const reasons = new Set<string>();
    const expectation = preparedOf(hostname, true);
    // Chance makes it seldom.
    const name = `_acme-challenge.${hostname}.example.com`;
    const doubled: ZoneRecord = { name, type: 'CNAME', value: CHALLENGE };
    await fc.assert(
      fc.asyncProperty(zoneArbitrary(expectation), async (initial) => {
        let records = initial;
        for (let step = 0; step <= MAX_STEPS; step += 1) {
          const { verdict, pointsHere, challengeHere } = await checked(records, expectation);
          reasons.add(verdict.reason);
          const isProven = wayFrom(records, `_acme-challenge.${hostname}`).includes(CHALLENGE);
          assert.equal(challengeHere, isProven, JSON.stringify(records));
          if (verdict.code === 'verified') {
            assert.ok(pointsHere || isProven, JSON.stringify(records));
            return;
          }
          records = mended(records, verdict);
        }
        assert.fail(`the remedies lead nowhere: ${JSON.stringify(initial)}`);
      }),
      { numRuns: RUNS, examples: [[[doubled]]] },
    );
    for (const reason of [
      ...['prepared', 'challenge_missing', 'challenge_wrong_target', 'challenge_typo'],
      ...['challenge_zone_appended', 'challenge_other_claim', 'challenge_main_target'],
      ...['challenge_conflict', 'challenge_doubled_zone', 'challenge_wrong_name', 'issuer'],
    ]) {
      assert.ok(reasons.has(reason), reason);
    }
  });
}

test('once it has moved, the record of the challenges alone is not enough, and its own record is', async () => {
  const expectation = preparedOf('docs.example.com', false);
  const challenge = { name: '_acme-challenge.docs.example.com', type: 'CNAME' } as const;
  const old = { name: 'docs.example.com', type: 'A', value: '198.51.100.7' } as const;
  const away = await checked([{ ...challenge, value: CHALLENGE }, old], expectation);
  assert.deepEqual(
    [away.verdict.code, away.challengeHere, away.pointsHere],
    ['conflicting_record', true, false],
  );
  const here = await checked(
    [{ name: 'docs.example.com', type: 'CNAME', value: TARGET }],
    expectation,
  );
  assert.deepEqual(
    [here.verdict.code, here.verdict.reason, here.challengeHere],
    ['verified', 'challenge_missing', false],
  );
});
