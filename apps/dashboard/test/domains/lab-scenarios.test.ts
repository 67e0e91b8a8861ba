import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { IDENTITY } from '@petstore/lab/certificate-authority/authority.ts';
import { type LabDns, startLabDns } from '@petstore/lab/lab-dns.ts';
import { anyPort } from '@petstore/lab/ports.ts';
import { type Claim, challengeOf, reasonAgainst } from '@petstore/lab/scenarios/scenario.ts';
import { SCENARIOS } from '@petstore/lab/scenarios/scenarios.ts';
import { cleanUp, FILE } from '@petstore/test-support/clean-up.ts';
import { checkDns } from '../../server/src/domains/check-dns.ts';
import type { Expectation } from '../../server/src/domains/dns/expectation.ts';
import type { CanonicalHost } from '../../server/src/edge/host.ts';

const ZONE = 'example.localhost';
const TARGET = 'k3v9x8q2m5.docs.localhost';
const CHALLENGE = 'k3v9x8q2m5.acme.docs.localhost';
const PROOF = 'docs-verify=abcdefghijklmnop';

/** A subdomain, the zone's own name, and a name that is prepared for a move. */
const CLAIMS = [claimOf(`docs.${ZONE}`), claimOf(ZONE), preparedClaimOf(`live.${ZONE}`)];

describe('what the lab brings about is what it says', () => {
  let dns: LabDns;
  before(async () => {
    const platform = [{ name: '*.docs.localhost', type: 'A', value: '127.0.0.1' }] as const;
    // At one that the system picks, somebody else may have the address of the second name server.
    dns = await startLabDns({ 'docs.localhost': platform, [ZONE]: [] }, await anyPort([]));
  });
  cleanUp(FILE, () => dns.close());

  for (const scenario of SCENARIOS) {
    const claims = CLAIMS.filter((claim) => reasonAgainst(scenario, claim) === undefined);
    test(`${scenario.id} ends with ${scenario.verdict}, and right mends it`, async () => {
      assert.ok(claims.length > 0);
      for (const claim of claims) {
        assert.equal(await verdictOn(claim), 'no_record', 'the one before left nothing');
        dns.applyScenario(claim.hostname, ZONE, scenario.setup(claim));
        assert.equal(await verdictOn(claim), scenario.verdict, claim.hostname);
        dns.applyScenario(claim.hostname, ZONE, { records: claim.records });
        assert.equal(await verdictOn(claim), 'verified', claim.hostname);
        dns.applyScenario(claim.hostname, ZONE, { records: [] });
      }
    });
  }

  async function verdictOn(claim: Claim): Promise<string> {
    const { hostname, isApex } = claim;
    const expectation: Expectation = {
      hostname: hostname as CanonicalHost,
      target: TARGET as CanonicalHost,
      proof: isApex ? { name: `_docs-challenge.${hostname}`, value: PROOF } : undefined,
      challenge: challengeOf(claim) && {
        ...{ name: `_acme-challenge.${hostname}`, value: CHALLENGE },
        ...{ isAwaitingMove: true, isForWildcard: false },
      },
      authorities: [
        {
          ...{ name: 'the lab', directoryUrl: `https://${IDENTITY}/directory` },
          identities: [IDENTITY],
          accountUri: `https://${IDENTITY}/account/ours`,
          methods: ['http-01', 'tls-alpn-01'],
        },
      ],
    };
    const servers = [dns.server];
    const { verdict } = await checkDns(expectation, {
      servers,
      authoritativePort: dns.port,
      arePrivateAllowed: true,
    });
    return verdict.code;
  }
});

function claimOf(hostname: string): Claim {
  const isApex = hostname === ZONE;
  const main = { name: hostname, type: isApex ? 'ALIAS' : 'CNAME', value: TARGET } as const;
  const proof = { name: `_docs-challenge.${hostname}`, type: 'TXT', value: PROOF } as const;
  return { hostname, zone: ZONE, isApex, records: isApex ? [main, proof] : [main] };
}

function preparedClaimOf(hostname: string): Claim {
  const { records, ...claim } = claimOf(hostname);
  const challenge = {
    name: `_acme-challenge.${hostname}`,
    type: 'CNAME',
    value: CHALLENGE,
  } as const;
  return { ...claim, records: [challenge, ...records] };
}
