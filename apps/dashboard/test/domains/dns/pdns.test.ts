import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startNameServer } from '@petstore/lab/name-server/name-server.ts';
import type { ZoneRecord } from '@petstore/lab/name-server/zone-record.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { checkDns } from '../../../server/src/domains/check-dns.ts';
import { expectationOf, PLATFORM, PLATFORM_ZONE, PROOF, TARGET } from './support/model-dns.ts';
import { startPdns, WITHOUT_PDNS } from './support/pdns.ts';

const proof = `_docs-challenge IN TXT "${PROOF}"`;

const HOSTING: ZoneRecord[] = [{ name: 'hosting.test', type: 'A', value: '198.51.100.1' }];

/** Zones in a real server's own words, and what comes of each. */
const ZONES: Record<string, { lines: readonly string[]; docs: string; apex: string }> = {
  'right.test': {
    lines: [`docs IN CNAME ${TARGET}.`, `@ IN ALIAS ${TARGET}.`, proof, '@ IN MX 10 mx'],
    docs: 'verified/propagating',
    apex: 'verified/propagating',
  },
  'away.test': {
    lines: ['docs IN CNAME hosting.test.', '@ IN ALIAS hosting.test.', proof],
    docs: 'wrong_target/wrong_target',
    apex: 'apex_wrong_address/all_addresses',
  },
  'nowhere.test': {
    lines: ['docs IN CNAME nothing.hosting.test.', '@ IN ALIAS nothing.hosting.test.', proof],
    docs: 'wrong_target/wrong_target',
    apex: 'no_record/no_record',
  },
  'empty.test': { lines: [], docs: 'no_record/no_record', apex: 'no_record/no_record' },
  'dotless.test': {
    lines: [`docs IN CNAME ${TARGET}`, `@ IN ALIAS ${TARGET}.`, proof.replace(PROOF, `${PROOF}x`)],
    docs: 'near_miss/zone_appended',
    apex: 'near_miss/proof_typo',
  },
  'doubled.test': {
    lines: [
      `docs.doubled.test IN CNAME ${TARGET}.`,
      `@ IN ALIAS ${TARGET}.`,
      `_docs-challenge.doubled.test IN TXT "${PROOF}"`,
    ],
    docs: 'near_miss/doubled_zone',
    apex: 'near_miss/proof_doubled_zone',
  },
  'caa.test': {
    lines: [`docs IN CNAME ${TARGET}.`, `@ IN ALIAS ${TARGET}.`, proof, '@ IN CAA 0 issue ";"'],
    docs: 'caa_blocks/issuer',
    apex: 'caa_blocks/issuer',
  },
  'address.test': {
    lines: ['docs IN A 198.51.100.1', '@ IN A 192.0.2.10', '@ IN A 198.51.100.2', proof],
    docs: 'conflicting_record/instead_of_cname',
    apex: 'apex_wrong_address/some_addresses',
  },
};

test('with PowerDNS, whose ALIAS is a real one, each zone gets its verdict', {
  skip: WITHOUT_PDNS,
}, async (t) => {
  // The resolver knows who serves the zones, and nothing that is new in them.
  const resolver = await startNameServer({
    zones: { [PLATFORM]: PLATFORM_ZONE, 'hosting.test': HOSTING },
  });
  cleanUp(t, resolver.close);
  const served: Record<string, readonly string[]> = {};
  for (const [zone, { lines }] of Object.entries(ZONES)) {
    served[zone] = lines;
    resolver.addZone(zone, [
      { name: zone, type: 'NS', value: `ns1.${zone}` },
      { name: `ns1.${zone}`, type: 'A', value: '127.0.0.1' },
    ]);
  }
  const { port: authoritativePort } = await startPdns(t, served, resolver.server);
  for (const [zone, wanted] of Object.entries(ZONES)) {
    for (const [hostname, proof, expected] of [
      [`docs.${zone}`, undefined, wanted.docs],
      [zone, PROOF, wanted.apex],
    ] as const) {
      const { verdict } = await checkDns(expectationOf(hostname, proof), {
        servers: [resolver.server],
        authoritativePort,
        arePrivateAllowed: false,
      });
      assert.equal(`${verdict.code}/${verdict.reason}`, expected, JSON.stringify(verdict));
    }
  }
});
