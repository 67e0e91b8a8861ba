import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ZoneRecord } from '@petstore/lab/name-server/zone-record.ts';
import fc from 'fast-check';
import { observeDns } from '../../../server/src/domains/check-dns.ts';
import { judge } from '../../../server/src/domains/dns/judge.ts';
import type { ImaginedRecord } from '../../../server/src/domains/dns/record-changes.ts';
import { expectationOf, PLATFORM, PROOF, startModelDns, TARGET } from './support/model-dns.ts';

const DOCS = 'docs.example.com';

const imagined = (type: ImaginedRecord['type'], name: string, value: string): ImaginedRecord => ({
  ...{ type, name, value },
});

/** Records that are there, or that somebody thinks of. */
const POOL: readonly ImaginedRecord[] = [
  imagined('CNAME', DOCS, TARGET),
  imagined('CNAME', DOCS, 'pages.example.com'),
  imagined('CNAME', DOCS, `${TARGET}.example.com`),
  imagined('CNAME', `${DOCS}.example.com`, TARGET),
  imagined('CNAME', 'pages.example.com', TARGET),
  imagined('A', DOCS, '192.0.2.10'),
  imagined('AAAA', DOCS, '2001:db8::99'),
  imagined('MX', DOCS, '10 mail.example.com'),
  imagined('TXT', DOCS, 'v=spf1 -all'),
  imagined('TXT', `_docs-challenge.example.com`, PROOF),
  imagined('TXT', `_docs-challenge.example.com`, ` "${PROOF}`),
  imagined('ALIAS', 'example.com', TARGET),
  imagined('ALIAS', 'example.com', 'pages.example.com'),
  imagined('A', 'example.com', '192.0.2.10'),
  imagined('A', 'example.com', '198.51.100.1'),
  imagined('A', '*.example.com', '198.51.100.1'),
  imagined('CNAME', '*.example.com', `other.${PLATFORM}`),
  imagined('CAA', 'example.com', '0 issue "ca.test"'),
  imagined('CAA', 'example.com', '0 issue "letsencrypt.org"'),
  imagined('CAA', DOCS, '128 tbs "x"'),
];

/** What is there, what is set and removed, and whether it is about the apex. */
const ALIAS_BESIDE_ADDRESS: [ImaginedRecord[], ImaginedRecord[], ImaginedRecord[], boolean] = [
  [imagined('A', '*.example.com', '198.51.100.1')],
  [
    imagined('ALIAS', 'example.com', 'pages.example.com'),
    imagined('A', 'example.com', '192.0.2.10'),
  ],
  [],
  true,
];

const asZone = ({ type, name, value }: ImaginedRecord): ZoneRecord => ({
  ...{ type, name, value, ttl: 3_600 },
});

const isSame = (a: ImaginedRecord, b: ImaginedRecord) =>
  a.type === b.type && a.name === b.name && a.value === b.value;

/** One CNAME and one ALIAS for a name: the last one. */
function zoneOf(records: readonly ImaginedRecord[]): ImaginedRecord[] {
  const isSingle = ({ type }: ImaginedRecord) => type === 'CNAME' || type === 'ALIAS';
  return records.filter(
    (record, i) =>
      !records.some(
        (later, j) =>
          j > i &&
          (isSame(later, record) ||
            (isSingle(record) && later.name === record.name && later.type === record.type)),
      ),
  );
}

test('records that somebody thinks of get the verdict that they get once they are there', async (t) => {
  const dns = await startModelDns(t);
  const options = {
    servers: [dns.server.server],
    authoritativePort: dns.server.port,
    arePrivateAllowed: true,
  };
  const some = fc.uniqueArray(fc.constantFrom(...POOL), { maxLength: 4, selector: (one) => one });
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(some, some, some, fc.boolean(), async (before, set, gone, isApex) => {
      // Where an ALIAS leads nobody sees, so that a change there goes unnoticed.
      const there = zoneOf(
        before.filter(({ type, value }) => type !== 'ALIAS' || value === TARGET),
      );
      // An ALIAS is not to be seen, so that nobody can take it away.
      const isAlias = there.some(({ type }) => type === 'ALIAS');
      fc.pre(!isAlias || !set.some(({ type }) => type === 'ALIAS'));
      const remove = there.filter(
        (one) =>
          one.type !== 'ALIAS' && !one.name.startsWith('*') && gone.some((it) => isSame(it, one)),
      );
      // What is removed below a wildcard shows that one's records.
      const ofWildcard = ({ name }: ImaginedRecord) => name.startsWith('*');
      fc.pre(remove.length === 0 || ![...there, ...set].some(ofWildcard));
      fc.pre(
        !there.some(({ name }) => name.startsWith('*')) ||
          !set.some((it) => it.name.startsWith('*')),
      );
      const expectation = isApex ? expectationOf('example.com', PROOF) : expectationOf(DOCS);
      dns.load(there.map(asZone));
      const [then] = await observeDns(expectation, [{ set: zoneOf(set), remove }], options);
      const kept = there.filter((one) => !remove.includes(one));
      dns.load(zoneOf([...kept, ...set]).map(asZone));
      const real = await dns.check(expectation, options);
      // For an ALIAS that leads nowhere some servers answer with nothing, and others with SERVFAIL.
      fc.pre(real.verdict.reason !== 'servfail');
      assert.ok(then);
      const { verdict } = judge(then, expectation);
      seen.add(`${verdict.code}/${verdict.reason}`);
      assert.deepEqual(
        { code: verdict.code, reason: verdict.reason, add: verdict.add },
        { code: real.verdict.code, reason: real.verdict.reason, add: real.verdict.add },
        `${verdict.message} ${real.verdict.message}`,
      );
    }),
    { numRuns: 250, examples: [ALIAS_BESIDE_ADDRESS] },
  );
  assert.ok(seen.size >= 10, [...seen].join());
});

test('two sets of changes cost no more queries than what differs', async (t) => {
  const dns = await startModelDns(t);
  dns.load([{ name: DOCS, type: 'CNAME', value: 'pages.example.com' }]);
  const options = {
    servers: [dns.server.server],
    authoritativePort: dns.server.port,
    arePrivateAllowed: true,
  };
  const changes = { set: [imagined('CNAME', DOCS, TARGET)], remove: [] };
  await observeDns(expectationOf(DOCS), [{ set: [], remove: [] }], options);
  const alone = dns.server.queries.length;
  await observeDns(expectationOf(DOCS), [{ set: [], remove: [] }, changes], options);
  const both = dns.server.queries.length - alone;
  assert.ok(both < alone * 1.5, `${both} against ${alone}`);
});
