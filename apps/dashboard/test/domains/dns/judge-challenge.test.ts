import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Expectation } from '../../../server/src/domains/dns/expectation.ts';
import type { ChallengeView, View } from '../../../server/src/domains/dns/observation.ts';
import { expectationOf, host, PLATFORM, PROOF, TARGET } from './support/model-dns.ts';
import {
  APEX,
  apexRight,
  type Cases,
  caa,
  chain,
  cname,
  DOCS,
  found,
  judged,
  type Name,
  named,
  own,
  platform,
  proven,
  record,
  right,
  verdictsInWords,
} from './support/views.ts';

// What is said of the record of the challenges, of names that are prepared for a move and of wildcards, to the letter.
// To look at the letters after a change of them:
// node --test --test-update-snapshots apps/dashboard/test/domains/dns/judge-challenge.test.ts

const VERDICTS = join(import.meta.dirname, 'fixtures/challenge-verdicts.txt');

const VALUE = `k7m2q9x4w8.acme.${PLATFORM}`;
const NAME = `_acme-challenge.${DOCS}`;
const WILDCARD = `*.${DOCS}`;

const preparedOf = (hostname: string, isAwaitingMove = true, isForWildcard = false) => ({
  ...expectationOf(hostname),
  challenge: {
    ...{ name: `_acme-challenge.${hostname.replace('*.', '')}`, value: VALUE },
    ...{ isAwaitingMove, isForWildcard },
  },
});

const NO_CHALLENGE: ChallengeView = {
  chain: { hops: [], end: 'here' },
  isWildcard: false,
  texts: [],
  elsewhere: [],
  negativeTtl: undefined,
};

/** What is at the name of the challenges. */
const challenge = (changes: Partial<ChallengeView>): Pick<View, 'challenge'> => ({
  challenge: { ...NO_CHALLENGE, ...changes },
});
const leads = (end: View['chain']['end'], ...values: string[]) => {
  const hops = values.map((value, i) => record('CNAME', value, values[i - 1] ?? NAME, 300 + i));
  return challenge({ chain: { hops, end } });
};
const ready = leads('target', VALUE);
const old = record('A', '198.51.100.7', DOCS, 120);
const texts = (...values: [value: string, ttl: number][]) =>
  challenge({ texts: values.map(([value, ttl]) => record('TXT', value, NAME, ttl)) });
const misplaced = (...names: string[]) =>
  challenge({ elsewhere: names.map((name) => cname(VALUE, name)), negativeTtl: 600 });

/** What may be at the name of the challenges. */
const CHALLENGES: Cases = {
  nothing: challenge({}),
  'nothing, and resolvers remember that': challenge({ negativeTtl: 900 }),
  right: ready,
  'right, by way of another name': leads('target', 'www.example.com', VALUE),
  'no answer': leads('servfail'),
  'no answer in time': leads('timeout'),
  'no answer that can be believed': leads('dnssec_bogus'),
  'another target without an answer': leads('timeout', 'dcv.example.org'),
  'another target': leads('addresses', 'dcv.example.org'),
  'another target by way of another name': leads('nothing', 'www.example.com', 'dcv.example.org'),
  'the value of the other record': leads('addresses', TARGET),
  'the zone at the end of the value': leads('nothing', `${VALUE}.example.com`),
  'a typing error': leads('nothing', VALUE.slice(1)),
  'the name of all challenges': leads('nothing', `acme.${PLATFORM}`),
  'the challenges of another claim': leads('nothing', `abcdefghij.acme.${PLATFORM}`),
  'an old text': texts(['old', 60]),
  'old texts': texts(['old', 60], ['older', 180], ['oldest', 90]),
  'the record at a name with the zone twice': misplaced(`${NAME}.example.com`, 'www.example.com'),
  'the record at another name': misplaced('_acme-challenge.example.com'),
  "the record of the zone's wildcard": challenge({
    ...leads('addresses', 'pages.example.org').challenge,
    isWildcard: true,
  }),
};

const besides = (changes: Partial<View>, cases: Cases): Cases =>
  Object.fromEntries(Object.entries(cases).map(([title, of]) => [title, { ...changes, ...of }]));

const AWAITING: Cases = {
  ...besides(own({ A: found(old) }), CHALLENGES),
  'right, and no address': ready,
  'right, and its CNAME record leads elsewhere': {
    ...chain('addresses', cname('old.example.org')),
    ...ready,
  },
  'right, and it leads here already': { ...right, ...ready },
  'right, and it leads here and elsewhere': { ...right, ...own({ A: found(old) }), ...ready },
  'nothing, and it leads here already': { ...right, ...challenge({}) },
  'nothing, and it leads here and elsewhere': {
    ...right,
    ...own({ A: found(old) }),
    ...challenge({}),
  },
  'right, and a move with a typing error': {
    ...chain('nothing', cname(TARGET.slice(1))),
    ...ready,
  },
  "right, and a move to the platform's own name": {
    ...chain('addresses', cname(PLATFORM)),
    ...ready,
  },
  'right, and a move to the host of another claim': {
    ...chain('addresses', cname(`abcdefghij.${PLATFORM}`)),
    ...ready,
  },
  'right, and no answer for the name': { ...chain('timeout'), ...ready },
  'right, and no answer for its AAAA record': { ...own({ AAAA: { kind: 'refused' } }), ...ready },
  "right, and the platform's name has no address": { ...ready, ...platform() },
  "right, and the platform's name has one address": {
    ...{ ...ready, target: { addresses: ['192.0.2.10'], failure: undefined } },
  },
  "right, and no answer for the platform's name": { ...ready, ...platform('servfail') },
  'right, and CAA records for others': { ...ready, ...caa(APEX, '0 issue "other.test"') },
  'right, and no answer for CAA': { ...ready, caa: { name: APEX, failure: 'servfail' } },
};

const MOVED: Cases = {
  'right, and it leads here': { ...right, ...ready },
  'nothing, and it leads here': { ...right, ...challenge({}) },
  'another target, and it leads here': { ...right, ...leads('addresses', 'dcv.example.org') },
  'right, and it leads elsewhere': { ...own({ A: found(old) }), ...ready },
  'nothing, and it leads elsewhere': { ...own({ A: found(old) }), ...challenge({}) },
};

const CLAIMED: Cases = {
  'right, and it is proof enough': { ...right, ...ready, ...proven([]) },
  'right, and it leads here and elsewhere': {
    ...{ ...right, ...own({ A: found(old) }), ...ready, ...proven([]) },
  },
  'nothing, and it leads here and elsewhere': {
    ...{ ...right, ...own({ A: found(old) }), ...challenge({}), ...proven([]) },
  },
  'the text, and it leads here': { ...right, ...challenge({}), ...proven([PROOF]) },
  'nothing, and it leads here': { ...right, ...challenge({}), ...proven(['another']) },
  'nothing, and no record of the name': { ...challenge({}), ...proven([]) },
  'no proof was looked for': { ...right, ...challenge({}) },
};

const OF_WILDCARD: Cases = {
  ...besides(chain('target', cname(TARGET, WILDCARD)), CHALLENGES),
  'right, and it leads elsewhere': {
    ...chain('addresses', cname('pages.example.org', WILDCARD)),
    ...ready,
  },
  'nothing, and it leads elsewhere': {
    ...chain('addresses', cname('pages.example.org', WILDCARD)),
    ...challenge({}),
  },
  'right, and no record': ready,
};

const apexAway = own({ A: found(record('A', '198.51.100.7', APEX)) });
const apexReady = challenge({
  chain: { hops: [cname(VALUE, `_acme-challenge.${APEX}`)], end: 'target' },
});
const AT_APEX: Cases = {
  nothing: { ...apexAway, ...challenge({}) },
  right: { ...apexAway, ...apexReady },
  'right, and it leads here already': { ...apexRight, ...apexReady },
  'the record at a name with the zone twice': {
    ...apexAway,
    ...misplaced(`_acme-challenge.${APEX}.${APEX}`),
  },
};

const claimed: Expectation = {
  ...preparedOf(DOCS, false),
  proof: expectationOf(DOCS, PROOF).proof,
};

const NAMES: readonly Name[] = [
  ['docs.example.com, before its move', AWAITING, preparedOf(DOCS)],
  ['docs.example.com, after its move', MOVED, preparedOf(DOCS, false)],
  ['docs.example.com, after its move, to be proven', CLAIMED, claimed],
  ['*.docs.example.com', OF_WILDCARD, preparedOf(WILDCARD, false, true)],
  ['example.com, before its move', AT_APEX, preparedOf(APEX)],
];

test('of each thing that can be wrong with the record of the challenges it is said what to do, and when to move', (t) => {
  t.assert.fileSnapshot(verdictsInWords(NAMES), VERDICTS, { serializers: [String] });
});

test('where no record of the challenges is expected, nothing is said of one', () => {
  const { verdict, challengeHere } = judged([], expectationOf(DOCS), [named('r1', right)]);
  assert.deepEqual([verdict.code, verdict.add, challengeHere], ['verified', [], false]);
});

const AWAITED = preparedOf(DOCS);
const away = { ...own({ A: found(old) }), ...ready };
const here = { ...right, ...ready };
/** What somebody has who has to mend the record. */
const missing = { ...own({ A: found(old) }), ...challenge({}) };

test('a move that some resolvers have not seen yet is one, and those that still lead to the old host are named', () => {
  const decided = judged([], AWAITED, [named('r1', away), named('r2', here), named('r3', missing)]);
  assert.deepEqual([decided.pointsHere, decided.challengeHere], [true, true]);
  assert.deepEqual(
    [decided.verdict.reason, decided.verdict.message],
    [
      'propagating',
      `${DOCS} leads here. Some resolvers (r1, r3) still give the earlier answer; they follow within 48 hours, mostly sooner.`,
    ],
  );
  const same = judged([], AWAITED, [named('r1', here), named('r2', here)]);
  assert.equal(same.verdict.reason, 'verified');
});

test('a name that is prepared stays so where resolvers follow, or some of them have it here already', () => {
  const first = judged([], AWAITED, [named('r1', missing), named('r2', away)]);
  assert.deepEqual([first.verdict.reason, first.pointsHere], ['prepared', false]);
  assert.match(first.verdict.message, /Some resolvers \(r1\) still give the earlier answer/);
  const moving = judged([named('ns1', away)], AWAITED, [named('r1', here), named('r2', away)]);
  assert.deepEqual([moving.verdict.reason, moving.pointsHere], ['prepared', false]);
  assert.doesNotMatch(moving.verdict.message, /resolvers/);
});

test('one server with the record of the challenges is enough for it to be seen', () => {
  const servers = [named('ns1', missing), named('ns2', away)];
  const differ = judged(servers, AWAITED);
  assert.deepEqual([differ.verdict.reason, differ.challengeHere], ['servers_disagree', true]);
  assert.match(differ.verdict.expected, /^_acme-challenge\.docs\.example\.com CNAME/);
  const bogus = {
    ...leads('dnssec_bogus'),
    brokenLink: { reason: 'dnssec_bogus', zone: APEX, at: `${DOCS} CNAME`, extended: [] },
  } as const;
  const unbelieved = judged([named('ns1', missing), named('ns2', away)], AWAITED, [
    named('r1', bogus),
  ]);
  assert.deepEqual([unbelieved.verdict.reason, unbelieved.challengeHere], ['dnssec_bogus', true]);
});

test('where the zone of the installation is the host of the platform, the two records have one value', () => {
  const target = host(VALUE);
  const one = { ...AWAITED, target };
  const both = { ...chain('target', cname(VALUE)), ...ready };
  const { verdict } = judged([], one, [named('r1', both)]);
  assert.equal(verdict.reason, 'verified');
});
