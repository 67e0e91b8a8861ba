import type { TestContext } from 'node:test';
import { type NameServer, startNameServer } from '@petstore/lab/name-server/name-server.ts';
import type { ZoneRecord } from '@petstore/lab/name-server/zone-record.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { checkDns, type DnsCheckOptions } from '../../../../server/src/domains/check-dns.ts';
import type { Expectation } from '../../../../server/src/domains/dns/expectation.ts';
import type { CheckResult } from '../../../../server/src/domains/dns/judge.ts';
import type { Verdict } from '../../../../server/src/domains/verdict.ts';
import { isWildcard, withoutWildcard } from '../../../../server/src/domains/wildcard.ts';
import { type CanonicalHost, canonicalHost } from '../../../../server/src/edge/host.ts';

export const PLATFORM = 'sites.example.net';
export const TARGET = `k7m2q9x4w8.${PLATFORM}`;
export const ACCOUNT = 'https://ca.test/acct/1';
export const PROOF = 'docs-proof-5f2c8a71';

/** The platform's zone: every claim's host has these addresses. */
export const PLATFORM_ZONE: readonly ZoneRecord[] = [
  { name: `*.${PLATFORM}`, type: 'A', value: '192.0.2.10' },
  { name: `*.${PLATFORM}`, type: 'A', value: '192.0.2.11' },
  { name: `*.${PLATFORM}`, type: 'AAAA', value: '2001:db8::10' },
];

/** What a claim of a name expects. A proof is asked for where one is given. */
export function expectationOf(hostname: string, proof?: string): Expectation {
  return {
    hostname: host(hostname),
    target: host(TARGET),
    proof: proof === undefined ? undefined : { name: `_docs-challenge.${hostname}`, value: proof },
    authorities: [
      {
        ...{ name: "Let's Encrypt", directoryUrl: 'https://authority.test/directory' },
        identities: ['letsencrypt.org', 'other-name.test'],
        accountUri: ACCOUNT,
        methods: ['http-01', 'tls-alpn-01'],
      },
    ],
  };
}

/** A host name, or a wildcard such as `*.docs.example.com`. */
export function host(name: string): CanonicalHost {
  const canonical = canonicalHost(withoutWildcard(name));
  if (canonical === undefined) throw new Error(`${name} is no host name`);
  return isWildcard(name) ? (name as CanonicalHost) : canonical;
}

export interface ModelDns {
  readonly server: NameServer;
  /** The zones of `example.com` and of the platform change; what there was before goes. */
  load(records: readonly ZoneRecord[], platform?: readonly ZoneRecord[]): void;
  check(expectation: Expectation, options?: Partial<DnsCheckOptions>): Promise<CheckResult>;
}

/** The zone example.com and the platform's, at one server that is the resolver as well. */
export async function startModelDns(t: TestContext): Promise<ModelDns> {
  const server = await startNameServer();
  cleanUp(t, server.close);
  return {
    server,
    load(records, platform = PLATFORM_ZONE) {
      server.clearFaults();
      server.addZone('example.com', [...OWN_SERVER, ...records]);
      server.addZone(PLATFORM, platform);
    },
    check: (expectation, options = {}) =>
      checkDns(expectation, {
        servers: [server.server],
        authoritativePort: server.port,
        arePrivateAllowed: false,
        ...options,
      }),
  };
}

const OWN_SERVER: readonly ZoneRecord[] = [
  { name: 'example.com', type: 'NS', value: 'ns1.example.com' },
  { name: 'ns1.example.com', type: 'A', value: '127.0.0.1' },
];

/** Does what a verdict says to the records, to the letter. A name has one CNAME, and one ALIAS. */
export function mended(records: readonly ZoneRecord[], { add, remove }: Verdict): ZoneRecord[] {
  const has = (name: string) => records.some((record) => record.name === name);
  const isSame = (a: ZoneRecord, b: Verdict['remove'][number]) =>
    // The remedy says so: where a name has no such record, it is that of the closest wildcard above.
    (a.name === b.name || (!has(b.name) && a.name === wildcardsAbove(b.name).find(has))) &&
    a.type === b.type &&
    String(a.value) === b.value;
  const isReplaced = (a: ZoneRecord) =>
    (a.type === 'CNAME' || a.type === 'ALIAS') &&
    add.some(({ name, type }) => name === a.name && type === a.type);
  const kept = records.filter(
    (record) => !remove.some((line) => isSame(record, line)) && !isReplaced(record),
  );
  return [...kept, ...add.map(({ name, type, value, ttl }) => ({ name, type, value, ttl }))];
}

/** From the closest to the furthest. */
function wildcardsAbove(name: string): string[] {
  const above = name.split('.').slice(1);
  return above.map((_, i) => `*.${above.slice(i).join('.')}`);
}
