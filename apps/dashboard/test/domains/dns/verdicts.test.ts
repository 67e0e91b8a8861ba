import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ZoneRecord } from '@petstore/lab/name-server/zone-record.ts';
import type { Verdict } from '../../../server/src/domains/verdict.ts';
import {
  expectationOf,
  mended,
  PLATFORM,
  PLATFORM_ZONE,
  PROOF,
  startModelDns,
  TARGET,
} from './support/model-dns.ts';

const DOCS = 'docs.example.com';
const right: ZoneRecord = { name: DOCS, type: 'CNAME', value: TARGET };
const alias: ZoneRecord = { name: 'example.com', type: 'ALIAS', value: TARGET };
const proof: ZoneRecord = { name: '_docs-challenge.example.com', type: 'TXT', value: PROOF };
const cname = (value: string, name = DOCS): ZoneRecord => ({ name, type: 'CNAME', value });
const a = (value: string, name = DOCS): ZoneRecord => ({ name, type: 'A', value });
const txt = (name: string, value: string | string[]): ZoneRecord => ({ name, type: 'TXT', value });
const caa = (value: string, name = 'example.com'): ZoneRecord => ({ name, type: 'CAA', value });

interface Case {
  readonly records: readonly ZoneRecord[];
  readonly platform?: readonly ZoneRecord[];
  readonly expected: `${Verdict['code']}/${string}`;
  /** What message, found and remedy must say. */
  readonly says?: readonly RegExp[];
  readonly remove?: readonly string[];
  readonly add?: readonly string[];
  readonly pointsHere?: boolean;
}

const SUBDOMAIN: Record<string, Case> = {
  'a CNAME to the host of the claim': { records: [right], expected: 'verified/verified' },
  'a CNAME by way of another': {
    records: [cname('www.example.com'), cname(TARGET, 'www.example.com')],
    expected: 'verified/verified',
  },
  'a wildcard CNAME': { records: [cname(TARGET, '*.example.com')], expected: 'verified/verified' },
  'no record': {
    records: [],
    expected: 'no_record/no_record',
    says: [
      /up to 48 hours/,
      /up to 60 seconds/,
      /as the name enter only docs; most panels add \.example\.com\)/,
    ],
    add: [`${DOCS} CNAME ${TARGET}`],
  },
  'a wildcard that leads elsewhere': {
    records: [a('198.51.100.1', '*.example.com'), txt('*.example.com', 'x')],
    expected: 'no_record/wildcard',
    says: [/wildcard record/],
    remove: [],
  },
  'another target': {
    records: [cname('pages.example.org'), a('192.0.2.99', 'pages.example.com')],
    platform: PLATFORM_ZONE,
    expected: 'wrong_target/wrong_target',
    says: [/pages\.example\.org, which does not exist/],
    remove: [`${DOCS} CNAME pages.example.org`],
    add: [`${DOCS} CNAME ${TARGET}`],
  },
  'another target that is there': {
    records: [cname('pages.example.com'), a('198.51.100.7', 'pages.example.com')],
    expected: 'wrong_target/wrong_target',
    remove: [`${DOCS} CNAME pages.example.com`],
    add: [`${DOCS} CNAME ${TARGET}`],
  },
  'an A record instead': {
    records: [a('198.51.100.7'), { name: DOCS, type: 'AAAA', value: '2001:db8::7' }],
    expected: 'conflicting_record/instead_of_cname',
    says: [/A and AAAA records/, /a proxy, CNAME flattening/, /198\.51\.100\.7/, /2001:db8::7/],
    remove: [`${DOCS} A 198.51.100.7`, `${DOCS} AAAA 2001:db8::7`],
    add: [`${DOCS} CNAME ${TARGET}`],
  },
  "A records with the platform's addresses instead": {
    records: [a('192.0.2.10')],
    expected: 'conflicting_record/instead_of_cname',
    pointsHere: true,
  },
  'an A record beside': {
    records: [right, a('198.51.100.7')],
    expected: 'conflicting_record/beside_cname',
    says: [/has an A record beside its CNAME record/, /some visitors are led elsewhere/],
    remove: [`${DOCS} A 198.51.100.7`],
    add: [],
    pointsHere: true,
  },
  'an A record beside a wrong CNAME': {
    records: [cname('pages.example.com'), a('198.51.100.7')],
    expected: 'conflicting_record/beside_cname',
    remove: [`${DOCS} CNAME pages.example.com`, `${DOCS} A 198.51.100.7`],
    add: [`${DOCS} CNAME ${TARGET}`],
  },
  'MX and TXT records beside': {
    records: [
      right,
      txt(DOCS, 'v=spf1 -all'),
      { name: DOCS, type: 'MX', value: '10 mx.example.com' },
    ],
    expected: 'conflicting_record/beside_cname',
    remove: [`${DOCS} TXT v=spf1 -all`, `${DOCS} MX 10 mx.example.com`],
    pointsHere: true,
  },
  'the zone twice in the name': {
    records: [cname(TARGET, `${DOCS}.example.com`)],
    expected: 'near_miss/doubled_zone',
    says: [/that name contains the domain twice/, /as the name enter only docs; most/],
    remove: [`${DOCS}.example.com CNAME ${TARGET}`],
    add: [`${DOCS} CNAME ${TARGET}`],
  },
  "the record at the zone's own name": {
    records: [cname(TARGET, 'example.com')],
    expected: 'near_miss/wrong_name',
  },
  'the zone at the end of the value': {
    records: [cname(`${TARGET}.example.com`)],
    expected: 'near_miss/zone_appended',
    says: [/dot at its end/],
  },
  'a letter missing in the value': {
    records: [cname(TARGET.replace('k7', 'k'))],
    expected: 'near_miss/target_typo',
    says: [
      /^The CNAME record of docs\.example\.com has almost the right value: "7" is missing after character 1\./,
    ],
  },
  'another letter in the value': {
    records: [cname(TARGET.replace('k7', 'k1'))],
    expected: 'near_miss/target_typo',
    says: [/almost the right value: character \d+ is "1" and must be "7"\./],
  },
  "two letters in each other's place": {
    records: [cname(TARGET.replace('k7', '7k'))],
    expected: 'near_miss/target_typo',
    says: [/almost the right value: characters \d+ to \d+ are "7k" and must be "k7"\./],
  },
  'a letter too many in the value': {
    records: [cname(TARGET.replace('k7', 'k77'))],
    expected: 'near_miss/target_typo',
    says: [/almost the right value: "7" after character \d+ must go\./],
  },
  'an address as the value': {
    records: [cname(`https://${TARGET}/`)],
    expected: 'near_miss/target_typo',
    says: [/: "https:\/\/" in front of it and "\/" behind it must go\./],
  },
  'the bare platform host as the value': {
    records: [cname(PLATFORM)],
    expected: 'wrong_target/bare_platform_host',
  },
  'the host of another claim': {
    records: [cname(`aaaaaaaaaa.${PLATFORM}`)],
    expected: 'wrong_target/other_claim',
    pointsHere: false,
  },
  'CNAME records in a circle': {
    records: [
      cname('a.example.com'),
      cname('b.example.com', 'a.example.com'),
      cname(DOCS, 'b.example.com'),
    ],
    expected: 'dns_error/cname_loop',
    says: [/form a loop/],
    remove: [`${DOCS} CNAME a.example.com`],
  },
  'CNAME records of which the last leads to nothing': {
    records: [cname('a.example.com'), cname('gone.example.com', 'a.example.com')],
    expected: 'dns_error/chain_ends_nowhere',
    says: [/gone\.example\.com, which does not exist/],
    remove: [`${DOCS} CNAME a.example.com`],
    add: [`${DOCS} CNAME ${TARGET}`],
  },
  'the host of the claim does not resolve': {
    records: [right],
    platform: [],
    expected: 'dns_error/platform_unresolved',
    says: [/the operator of this dashboard/],
    remove: [],
    add: [],
    pointsHere: true,
  },
  'a CAA record of the domain for another authority': {
    records: [right, caa('0 issue "ca.example.org"'), caa('0 iodef "mailto:x@example.com"')],
    expected: 'caa_blocks/issuer',
    says: [
      /CAA records of example\.com/,
      /apply to docs\.example\.com as well/,
      /add this record and keep the existing ones: example\.com CAA/,
    ],
    add: ['example.com CAA 0 issue "letsencrypt.org"'],
    pointsHere: true,
  },
  'a CAA record for nobody': {
    records: [right, caa('0 issue ";"')],
    expected: 'caa_blocks/issuer',
    add: ['example.com CAA 0 issue "letsencrypt.org"'],
    pointsHere: true,
  },
  'a CAA record on the host of the claim shields from that of the domain': {
    records: [right, caa('0 issue ";"')],
    platform: [
      ...PLATFORM_ZONE,
      { name: `*.${PLATFORM}`, type: 'CAA', value: '0 issue "letsencrypt.org"' },
    ],
    expected: 'verified/verified',
  },
  'a CAA record on the host of the claim that blocks': {
    records: [right],
    platform: [...PLATFORM_ZONE, { name: `*.${PLATFORM}`, type: 'CAA', value: '0 issue "x.test"' }],
    expected: 'caa_blocks/platform',
    says: [/the operator of this dashboard/],
    add: [],
    remove: [],
    pointsHere: true,
  },
  'a CAA record for wildcards alone': {
    records: [right, caa('0 issuewild ";"')],
    expected: 'verified/verified',
  },
  'a CAA record with a critical property that is unknown': {
    records: [right, caa('0 issue "letsencrypt.org"'), caa('128 tbs "x"')],
    expected: 'caa_blocks/unknown_critical',
    remove: ['example.com CAA 128 tbs "x"'],
    add: [],
    pointsHere: true,
  },
  'a CAA record of a wildcard, to which the name above leads': {
    records: [
      right,
      { name: 'example.com', type: 'CNAME', value: 'www.example.com' },
      { name: '*.example.com', type: 'CAA', value: '128 tbs "x"' },
    ],
    expected: 'caa_blocks/unknown_critical',
    remove: ['www.example.com CAA 128 tbs "x"'],
    says: [/remove that of \*\.example\.com, which answers for it\./],
    add: [],
    pointsHere: true,
  },
  'a CAA record of a wildcard far above the name to which the name above leads': {
    records: [
      right,
      { name: 'example.com', type: 'CNAME', value: 'a.b.c.example.com' },
      { name: '*.example.com', type: 'CAA', value: '128 tbs "x"' },
    ],
    expected: 'caa_blocks/unknown_critical',
    remove: ['a.b.c.example.com CAA 128 tbs "x"'],
    says: [/one from \*\.b\.c\.example\.com to \*\.example\.com: remove the record/],
    add: [],
    pointsHere: true,
  },
  'a CAA record for another account': {
    records: [right, caa('0 issue "letsencrypt.org; accounturi=https://ca.test/acct/2"')],
    expected: 'caa_blocks/accounturi',
    add: ['example.com CAA 0 issue "letsencrypt.org; accounturi=https://ca.test/acct/1"'],
    pointsHere: true,
  },
  'a CAA record for other ways of validation': {
    records: [right, caa('0 issue "letsencrypt.org; validationmethods=dns-01"')],
    expected: 'caa_blocks/validationmethods',
    add: ['example.com CAA 0 issue "letsencrypt.org; validationmethods=http-01,tls-alpn-01"'],
    pointsHere: true,
  },
};

const APEX: Record<string, Case> = {
  'an ALIAS and the proof': { records: [alias, proof], expected: 'verified/verified' },
  'one of the addresses and the proof': {
    records: [a('192.0.2.11', 'example.com'), proof],
    expected: 'verified/verified',
  },
  'the proof beside other texts, in two strings': {
    records: [
      alias,
      txt(proof.name, 'other'),
      txt(proof.name, [PROOF.slice(0, 5), PROOF.slice(5)]),
    ],
    expected: 'verified/verified',
  },
  'no record': {
    records: [],
    expected: 'no_record/no_record',
    says: [/no ALIAS or ANAME record/, /as the name enter only @; some/],
    add: [`example.com ALIAS ${TARGET}`, `${proof.name} TXT ${PROOF}`],
  },
  'a CNAME': {
    records: [cname(TARGET, 'example.com'), proof],
    expected: 'apex_cname/apex_cname',
    says: [/hides all other records/, /ANAME/],
    remove: [`example.com CNAME ${TARGET}`],
    add: [`example.com ALIAS ${TARGET}`],
    pointsHere: true,
  },
  'an ALIAS to something else': {
    records: [
      { ...alias, value: 'www.example.com' },
      a('198.51.100.1', 'www.example.com'),
      a('198.51.100.2', 'www.example.com'),
      proof,
    ],
    expected: 'apex_wrong_address/all_addresses',
    says: [/198\.51\.100\.1; example\.com A 198\.51\.100\.2/],
    remove: ['example.com A 198.51.100.1', 'example.com A 198.51.100.2'],
    add: [`example.com ALIAS ${TARGET}`],
  },
  'addresses of which one is not ours': {
    records: [a('192.0.2.10', 'example.com'), a('198.51.100.1', 'example.com'), proof],
    expected: 'apex_wrong_address/some_addresses',
    remove: ['example.com A 198.51.100.1'],
    pointsHere: true,
  },
  'an ALIAS at the zone twice': {
    records: [{ ...alias, name: 'example.com.example.com' }, proof],
    expected: 'near_miss/doubled_zone',
    remove: [`example.com.example.com ALIAS ${TARGET}`],
  },
  'no proof': {
    records: [alias],
    expected: 'ownership_missing/no_record',
    add: [`${proof.name} TXT ${PROOF}`],
    pointsHere: true,
  },
  'another proof': {
    records: [alias, txt(proof.name, 'something else')],
    expected: 'ownership_missing/wrong_value',
    says: [/something else/],
    add: [`${proof.name} TXT ${PROOF}`],
    pointsHere: true,
  },
  'a proof in quotes': {
    records: [alias, txt(proof.name, ` "${PROOF}"`)],
    expected: 'near_miss/proof_quoted',
    pointsHere: true,
  },
  'a proof with a slip': {
    records: [alias, txt(proof.name, PROOF.slice(1))],
    expected: 'near_miss/proof_typo',
    says: [/has almost the right value: ".+" is missing at its beginning\./],
    pointsHere: true,
  },
  'a proof at the zone twice': {
    records: [alias, txt(`${proof.name}.example.com`, PROOF)],
    expected: 'near_miss/proof_doubled_zone',
    remove: [`${proof.name}.example.com TXT ${PROOF}`],
    pointsHere: true,
  },
  'a proof at the name itself': {
    records: [alias, txt('example.com', PROOF), txt('example.com', 'v=spf1 -all')],
    expected: 'near_miss/proof_wrong_name',
    remove: [`example.com TXT ${PROOF}`],
    pointsHere: true,
  },
  'a CNAME where the proof has to be': {
    records: [alias, cname('nowhere.example.com', proof.name)],
    expected: 'ownership_missing/no_record',
    remove: [`${proof.name} CNAME nowhere.example.com`],
    add: [`${proof.name} TXT ${PROOF}`],
    pointsHere: true,
  },
  'the host of the claim does not resolve': {
    records: [a('192.0.2.10', 'example.com'), proof],
    platform: [],
    expected: 'dns_error/platform_unresolved',
    pointsHere: false,
  },
};

for (const [kind, hostname, cases] of [
  ['subdomain', DOCS, SUBDOMAIN],
  ['apex', 'example.com', APEX],
] as const) {
  for (const [title, wanted] of Object.entries(cases)) {
    test(`${kind}, ${title}: ${wanted.expected}, and what it says mends it`, async (t) => {
      const { load, check } = await startModelDns(t);
      const expectation = expectationOf(hostname, kind === 'apex' ? PROOF : undefined);
      load(wanted.records, wanted.platform);
      const { verdict, pointsHere } = await check(expectation);
      assert.equal(`${verdict.code}/${verdict.reason}`, wanted.expected);
      const isVerified = verdict.code === 'verified';
      assert.equal(pointsHere, wanted.pointsHere ?? isVerified);
      const words = `${verdict.message} ${verdict.found} ${verdict.remedy}`;
      for (const pattern of wanted.says ?? []) assert.match(words, pattern);
      const line = (r: { name: string; type: string; value: string }) =>
        `${r.name} ${r.type} ${r.value}`;
      if (wanted.remove) assert.deepEqual(verdict.remove.map(line), wanted.remove);
      if (wanted.add) assert.deepEqual(verdict.add.map(line), wanted.add);
      if (isVerified) return;
      let records = [...wanted.records];
      let next = verdict;
      for (let step = 0; step < 4 && next.code !== 'verified'; step += 1) {
        records = mended(records, next);
        // Where the verdict says that it is the platform's turn, that is mended as well.
        load(
          records,
          /the operator of this dashboard/.test(next.remedy) ? PLATFORM_ZONE : wanted.platform,
        );
        next = (await check(expectation)).verdict;
      }
      assert.equal(next.code, 'verified', JSON.stringify(next, null, 1));
    });
  }
}

test('the host of the claim can be an alias itself, and what is behind it is no concern', async (t) => {
  const { load, check } = await startModelDns(t);
  load(
    [right, a('192.0.2.1', 'edge.example.com')],
    [{ name: `*.${PLATFORM}`, type: 'CNAME', value: 'edge.example.com' }],
  );
  const { verdict } = await check(expectationOf(DOCS));
  assert.equal(verdict.code, 'verified');
  assert.equal(verdict.found, `${DOCS} CNAME ${TARGET}`);
});

test('what others wrote comes in sentences without what is not seen, and not at any length', async (t) => {
  const { load, check } = await startModelDns(t);
  const values = Array.from({ length: 9 }, (_, i) => `${i}\u202e\n${'x'.repeat(400)}`);
  load([alias, ...values.map((value) => txt(proof.name, value))]);
  const { verdict } = await check(expectationOf('example.com', PROOF));
  assert.match(verdict.found, /; 4 more$/);
  assert.ok(verdict.found.length < 1_200 && !/[\n\u202e]/.test(verdict.found));
});
