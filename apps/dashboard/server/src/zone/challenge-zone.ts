import { getServers } from 'node:dns';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { isFailure, recordsAt } from '../domains/dns/outcome.ts';
import { createQuota, queryServer, readServerAddress } from '../domains/dns/query-server.ts';
import { anyResolver, type DnsServer, resolver } from '../domains/dns/servers.ts';
import { withoutWildcard } from '../domains/wildcard.ts';
import type { ZoneConfig } from './zone-config.ts';
import { challengeName, challengeText } from './zone-records.ts';

/** The zone in which authorities find the challenges of DNS-01 (RFC 8555, section 8.4). */
export interface ChallengeZone {
  /**
   * Whether the challenges of a host name are looked up in this zone at a claim's label: its DNS has a CNAME for them,
   * which leads there. Never rejects.
   */
  isDelegated(hostname: string, label: string, signal: AbortSignal): Promise<boolean>;
  /** Whether a host name leads to one of the installation's addresses. Never rejects. */
  leadsHere(hostname: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Waits until the name servers at all addresses show a challenge: other processes read it from the store a moment
   * later. Resolves also where one never does, as behind a router that does not lead back in: the authority decides.
   */
  awaitShown(label: string, keyAuthorization: string, signal: AbortSignal): Promise<void>;
}

type ChallengeZoneConfig = Pick<
  Config,
  'dnsServers' | 'dnsAuthoritativePort' | 'dnsZone' | 'platformHost'
>;

/** How long a look-up may take, and how long challenges are waited for, in milliseconds. */
const LOOK_UP_MS = 4_000;
const SHOWN_MS = 5_000;
const POLL_MS = 100;

/** undefined where there is no DNS_ZONE. */
export function challengeZone(config: ChallengeZoneConfig): ChallengeZone | undefined {
  const { dnsZone } = config;
  if (!dnsZone) return undefined;
  return {
    async isDelegated(hostname, label, signal) {
      const name = `_acme-challenge.${withoutWildcard(hostname)}`;
      const target = challengeName(label, dnsZone, config);
      if (name === target) return true;
      const found = recordsAt(await resolvers(config, signal).lookUp(name, 'CNAME'), name, 'CNAME');
      return found.some(({ value }) => value === target);
    },

    async leadsHere(hostname, signal) {
      const { lookUp } = resolvers(config, signal);
      const [v4, v6] = await Promise.all([lookUp(hostname, 'A'), lookUp(hostname, 'AAAA')]);
      const records = [v4, v6].flatMap((outcome) => (isFailure(outcome) ? [] : outcome.records));
      return records.some(({ value }) => dnsZone.addresses.includes(value));
    },

    async awaitShown(label, keyAuthorization, signal) {
      const end = AbortSignal.any([signal, AbortSignal.timeout(SHOWN_MS)]);
      const wanted = {
        name: challengeName(label, dnsZone, config),
        text: challengeText(keyAuthorization),
      };
      await Promise.all(
        dnsZone.addresses.map((address) =>
          untilShown(address, config.dnsAuthoritativePort, wanted, end),
        ),
      );
      signal.throwIfAborted();
    },
  };
}

function resolvers({ dnsServers }: ChallengeZoneConfig, signal: AbortSignal): DnsServer {
  const servers = dnsServers.length > 0 ? dnsServers : getServers();
  const bounds = {
    signal: AbortSignal.any([signal, AbortSignal.timeout(LOOK_UP_MS)]),
    quota: createQuota(),
  };
  return anyResolver(servers.map((server) => resolver(server, readServerAddress(server), bounds)));
}

async function untilShown(
  address: ZoneConfig['addresses'][number],
  port: number,
  { name, text }: { readonly name: string; readonly text: string },
  signal: AbortSignal,
): Promise<void> {
  const question = { name, type: 'TXT', isRecursive: false } as const;
  while (!signal.aborted) {
    const limits = { timeoutMs: 1_000, signal, quota: createQuota() };
    const outcome = await queryServer({ address, port }, question, limits);
    if (recordsAt(outcome, name, 'TXT').some(({ value }) => value === text)) return;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
