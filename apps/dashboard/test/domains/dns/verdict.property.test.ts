import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Expectation } from '../../../server/src/domains/dns/expectation.ts';
import { judge } from '../../../server/src/domains/dns/judge.ts';
import type { Observation, View } from '../../../server/src/domains/dns/observation.ts';
import type {
  Failure,
  Outcome,
  RecordType,
  ResourceRecord,
} from '../../../server/src/domains/dns/outcome.ts';
import { VERDICT_CODES } from '../../../server/src/domains/verdict.ts';
import { expectationOf, PLATFORM, PROOF, TARGET } from './support/model-dns.ts';

const OURS = ['192.0.2.10', '2001:db8::10'];
const failure = fc.constantFrom<Failure>('servfail', 'refused', 'timeout', 'malformed');
/** Mostly what is right, so that all of it often is. */
const mostly = <T>(right: T, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: other });

function resource(type: RecordType, name: string, value: string): ResourceRecord {
  return { type, name, value, ttl: 300 };
}

function outcomeOf(
  type: RecordType,
  name: string,
  values: fc.Arbitrary<string[]>,
): fc.Arbitrary<Outcome> {
  const records = values.map((all) => all.map((value) => resource(type, name, value)));
  return fc.oneof(
    {
      weight: 12,
      arbitrary: records.map(
        (all): Outcome => (all.length > 0 ? { kind: 'found', records: all } : none),
      ),
    },
    failure.map((kind): Outcome => ({ kind })),
  );
}

const none: Outcome = { kind: 'nodata', records: [], negativeTtl: 60 };
const text = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.constantFrom(PROOF, `"${PROOF}"`, PROOF.slice(2)),
);
const anyName = fc.oneof(
  fc.domain(),
  fc.constantFrom(`x.${PLATFORM}`, PLATFORM, `${TARGET}.example.com`, TARGET.slice(1)),
);
const caaValue = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom('0 issue ";"', '128 tbs "x"', '0 issue "letsencrypt.org"', '0 issue "ca.test"'),
);

function viewArbitrary({ hostname, target, proof }: Expectation): fc.Arbitrary<View> {
  const isApex = hostname === 'example.com';
  const hops = isApex
    ? mostly<string[]>([], fc.array(anyName, { maxLength: 2 }))
    : mostly<string[]>(
        [target],
        fc.array(fc.oneof(anyName, fc.constant(target)), { maxLength: 3 }),
      );
  const chain = fc
    .tuple(hops, fc.constantFrom('addresses', 'nothing', 'loop', 'servfail', 'timeout'))
    .map(([targets, end]): View['chain'] => {
      const named = targets.map((value, i) => resource('CNAME', targets[i - 1] ?? hostname, value));
      const ends = targets.includes(target)
        ? 'target'
        : targets.length > 0 || end === 'servfail'
          ? end
          : 'here';
      return { hops: named, end: ends as View['chain']['end'] };
    });
  const addresses = isApex
    ? mostly<string[]>(
        [...OURS.slice(0, 1)],
        fc.array(fc.oneof(fc.ipV4(), fc.constantFrom(...OURS))),
      )
    : mostly<string[]>(
        [],
        fc.array(fc.oneof(fc.ipV4(), fc.constantFrom(...OURS)), { maxLength: 3 }),
      );
  const rarely = mostly<string[]>([], fc.array(text, { maxLength: 3 }));
  return fc.record({
    climb: fc.constant([]),
    isAuthentic: fc.boolean(),
    label: fc.constantFrom('one', 'two'),
    chain,
    otherCnames: mostly<ResourceRecord[]>([], fc.constant([resource('CNAME', hostname, 'x.test')])),
    negativeTtl: fc.option(fc.nat(90_000), { nil: undefined }),
    own: fc.record({
      A: outcomeOf('A', hostname, addresses),
      AAAA: outcomeOf('AAAA', hostname, rarely),
      TXT: outcomeOf('TXT', hostname, rarely),
      MX: outcomeOf('MX', hostname, rarely),
    }),
    wildcard: fc.array(fc.constantFrom(resource('A', 'w.example.com', '192.0.2.10')), {
      maxLength: 1,
    }),
    target: mostly<View['target']>(
      { addresses: OURS, failure: undefined },
      failure.map((kind) => ({ addresses: [], failure: kind })),
    ),
    proof: proof
      ? mostly<View['proof']>(
          { values: ['x', PROOF], alias: undefined, failure: undefined },
          fc.record({
            values: fc.array(text, { maxLength: 3 }),
            alias: fc.option(fc.constant(resource('CNAME', proof.name, 'x.test')), {
              nil: undefined,
            }),
            failure: fc.option(failure, { nil: undefined }),
          }),
        )
      : fc.constant(undefined),
    elsewhere: fc.array(
      fc
        .tuple(
          fc.constantFrom<RecordType>('A', 'CNAME', 'TXT'),
          fc.oneof(anyName, text, fc.constantFrom(...OURS, target)),
        )
        .map(([type, value]) => resource(type, `${hostname}.example.com`, value)),
      { maxLength: 2 },
    ),
    caa: mostly<View['caa']>(
      { records: [] },
      fc.oneof(
        fc
          .array(
            caaValue.map((value) => resource('CAA', 'example.com', value)),
            { maxLength: 3 },
          )
          .map((records) => ({ records })),
        failure.map((kind) => ({ name: 'example.com', failure: kind })),
      ),
    ),
  });
}

/** Every rule, for one server: written down here a second time, in other words. */
function isRight(view: View, { hostname, target, proof }: Expectation): boolean {
  const values = (type: keyof View['own']) => {
    const outcome = view.own[type];
    return 'records' in outcome ? outcome.records.map((record) => record.value) : undefined;
  };
  const addresses = [...(values('A') ?? ['?']), ...(values('AAAA') ?? ['?'])];
  const hops = view.chain.hops.map((hop) => hop.value);
  const leadsHere =
    hostname === 'example.com'
      ? hops.length === 0 &&
        addresses.length > 0 &&
        addresses.every((address) => view.target.addresses.includes(address))
      : hops.includes(target) &&
        (['A', 'AAAA', 'TXT', 'MX'] as const).every((type) => !values(type)?.length) &&
        view.otherCnames.length === 0;
  const lookedUp = hops.length > 0 || view.chain.end === 'here';
  const isProven = !proof || view.proof?.values.includes(proof.value) === true;
  const caa = 'records' in view.caa ? view.caa.records.map((record) => record.value) : ['128 ? ""'];
  const issuers = caa.filter((value) => /^\d+\s+issue\s+"/i.test(value));
  const allowed =
    issuers.length === 0 || issuers.some((value) => value.includes('"letsencrypt.org"'));
  const critical = caa.some((value) => value.startsWith('128 '));
  return (
    lookedUp && leadsHere && isProven && view.target.addresses.length > 0 && allowed && !critical
  );
}

function mayBeUnanswered(view: View): boolean {
  return JSON.stringify(view).match(/"(servfail|refused|timeout|malformed)"/) !== null;
}

function mayBeVerified({ zoneServers, resolvers }: Observation, expectation: Expectation): boolean {
  const right = (views: readonly View[]) => views.filter((view) => isRight(view, expectation));
  if (right(zoneServers).length > 0) {
    return zoneServers.every((view) => isRight(view, expectation) || mayBeUnanswered(view));
  }
  return zoneServers.every(mayBeUnanswered) && right(resolvers).length > 0;
}

for (const [title, expectation] of [
  ['a subdomain', expectationOf('docs.example.com')],
  ['a subdomain that has to be proven', expectationOf('docs.example.com', PROOF)],
  ['an apex', expectationOf('example.com', PROOF)],
] as const) {
  test(`whatever was seen of ${title}, there is one verdict, and it is "verified" only when all is right`, () => {
    const view = viewArbitrary(expectation);
    const views = fc.array(view, { maxLength: 3 });
    let verified = 0;
    fc.assert(
      fc.property(fc.record({ zoneServers: views, resolvers: views }), (observation) => {
        const { verdict: it } = judge(observation, expectation);
        assert.ok(VERDICT_CODES.includes(it.code));
        assert.ok([it.reason, it.message, it.expected, it.found].every((words) => words !== ''));
        assert.ok(!/[\0-\x1f\x7f]|undefined|NaN|Infinity/.test(`${it.message}${it.remedy}`));
        const isVerified = it.code === 'verified';
        if (isVerified) {
          verified += 1;
          assert.ok(mayBeVerified(observation, expectation));
          assert.deepEqual(
            [it.remedy, it.add, it.remove, it.retryAfterSeconds],
            ['', [], [], null],
          );
        } else {
          assert.ok(it.remedy !== '');
          const all = [...observation.zoneServers, ...observation.resolvers];
          assert.ok(all.length === 0 || !all.every((one) => isRight(one, expectation)));
        }
      }),
      { numRuns: 1_500 },
    );
    assert.ok(verified > 50, `${verified}`);
  });
}
