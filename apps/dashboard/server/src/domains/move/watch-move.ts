import { X509Certificate } from 'node:crypto';
import { getServers } from 'node:dns';
import { isIP, isIPv6 } from 'node:net';
import { isPublicAddress } from '@petstore/http/networks.ts';
import { SingleFlight } from '@petstore/service/single-flight.ts';
import { LRUCache } from 'lru-cache';
import { limitRate } from '../../accounts/sign-in-limits.ts';
import type { Deps } from '../../deps.ts';
import { instant, instantOrNull } from '../../schema-types.ts';
import { type CertificateRow, findCertificate } from '../../store/certificates.ts';
import { type DomainMoveRow, findMove, recordMoveSeen } from '../../store/domain-moves.ts';
import { type DomainRow, findDomainById } from '../../store/domains.ts';
import type { Db } from '../../store/schema.ts';
import { targetOf } from '../claim.ts';
import { addressesOf } from '../dns/follow.ts';
import { mayAskServer } from '../dns/observe.ts';
import type { ResourceRecord } from '../dns/outcome.ts';
import { createQuota, readServerAddress } from '../dns/query-server.ts';
import { anyResolver, type DnsServer, namedZoneServers, resolver } from '../dns/servers.ts';
import { checkDomain } from '../verify-domain.ts';
import { isWildcard, withoutWildcard } from '../wildcard.ts';
import type { DomainMove, ServedCertificate, ServerAnswer } from './domain-move.ts';
import { type Probe, probeCertificate, probeSite } from './probe-host.ts';
import { trafficOf } from './traffic.ts';
import { answerOfResolver, answerOfZoneServer, visitedAddresses } from './watch-servers.ts';

type WatchDeps = Pick<
  Deps,
  'db' | 'now' | 'config' | 'sealer' | 'addresses' | 'siteChanged' | 'domainsChanged'
>;

/** How long everyone who watches a move sees the same look, in milliseconds. */
const SHARED_MS = 5_000;

/** Looks of this process that are kept for that long. */
const MAX_KEPT = 1_000;

/** Looks at the moves of one project: a page asks every five seconds, so that ten moves can be watched at once. */
const LOOKS = { limit: 1_200, windowMs: 10 * 60_000 } as const;

/** Those at names that nobody has proven: a look connects to the hosts of whoever has the name. */
const LOOKS_UNPROVEN = { limit: 150, windowMs: 10 * 60_000 } as const;

/** All DNS queries of a look together. */
const DNS_TIMEOUT_MS = 5_000;

/** How many addresses of each family are asked for their certificate, and of the old host. */
const MAX_ADDRESSES = 4;
const MAX_OLD_ADDRESSES = 2;

interface Looks {
  readonly underWay: SingleFlight<Look>;
  readonly recent: LRUCache<string, Look>;
}

/** The looks of this process. */
const looks = new WeakMap<Db, Looks>();

/** What was seen of a move in the world outside. */
interface Look {
  readonly at: number;
  readonly servers: readonly ServerAnswer[];
  readonly certificates: readonly ServedCertificate[];
  /** The response of the host that the old records lead to; undefined: nothing is known of it. */
  readonly oldHost: Probe | undefined;
}

/**
 * What every name server says of a domain that moves, what is served at its addresses, and whether there is a way back.
 * Everyone who asks within five seconds gets the same look. Throws ApiError `rate_limited` where there are too many.
 */
export async function watchMove(deps: WatchDeps, domain: DomainRow): Promise<DomainMove> {
  const { db, config } = deps;
  const look = await sharedLook(deps, domain);
  const [seen, traffic] = await Promise.all([
    findMove(db, domain.id),
    // Read anew: the look may have found that it arrived.
    findDomainById(db, domain.id).then((found) => trafficOf(deps, found ?? domain)),
  ]);
  const everyoneBy = everyoneSeesItBy(look, seen);
  return {
    hostname: domain.hostname,
    target: targetOf(domain, config),
    at: instant(look.at),
    state: stateOf(look, everyoneBy),
    servers: [...look.servers],
    everyoneBy: instantOrNull(everyoneBy),
    certificates: [...look.certificates],
    traffic,
    wayBack: wayBackOf(look, seen),
  };
}

function sharedLook(deps: WatchDeps, domain: DomainRow): Promise<Look> {
  const { db, now } = deps;
  const known = looks.get(db) ?? {
    underWay: new SingleFlight<Look>(),
    recent: new LRUCache<string, Look>({ max: MAX_KEPT }),
  };
  looks.set(db, known);
  const recent = known.recent.get(domain.id);
  const age = recent ? now() - recent.at : SHARED_MS;
  // A clock that was put back keeps no look.
  if (recent && age >= 0 && age < SHARED_MS) return Promise.resolve(recent);
  return known.underWay.read(domain.id, async () => {
    const tooMany = () => 'The moves of this project are watched too often. Try again in a minute.';
    const [key, limit] =
      domain.verified_at === null ? ['move-unproven', LOOKS_UNPROVEN] : ['move', LOOKS];
    await limitRate(db, `${key}:${domain.project_id}`, limit, now(), tooMany);
    const look = await lookAt(deps, domain);
    known.recent.set(domain.id, look);
    return look;
  });
}

async function lookAt(deps: WatchDeps, domain: DomainRow): Promise<Look> {
  const { db, config, now } = deps;
  const { hostname } = domain;
  const target = targetOf(domain, config);
  const bounds = { signal: AbortSignal.timeout(DNS_TIMEOUT_MS), quota: createQuota() };
  const asked = config.dnsServers.length > 0 ? config.dnsServers : getServers();
  const serverAt = (server: string) => resolver(server, readServerAddress(server), bounds);
  const configured = asked.map(serverAt);
  const watched = config.dnsWatchResolvers.filter((one) => !asked.includes(one)).map(serverAt);
  const resolvers = [...configured, ...watched];
  const any = anyResolver(configured);
  const arePrivateAllowed = config.dnsPrivateServers === 'allow';

  const [own, ours, move, certificate, visited] = await Promise.all([
    namedZoneServers(any, withoutWildcard(hostname), {
      port: config.dnsAuthoritativePort,
      mayAsk: mayAskServer(asked.map(readServerAddress), arePrivateAllowed),
      bounds,
    }),
    addressesOf(any, target),
    findMove(db, domain.id),
    findCertificate(db, domain.id),
    visitedAddresses(resolvers, hostname),
  ]);
  const name = { hostname, target, targetAddresses: ours.addresses };
  const mayConnect = (address: string) =>
    arePrivateAllowed || isPublicAddress(address) || ours.addresses.includes(address);
  const old = await oldAddresses(any, move);
  const [servers, certificates, oldHost] = await Promise.all([
    Promise.all([
      ...own.map((server) => answerOfZoneServer(server, name)),
      ...resolvers.map((server) => answerOfResolver(server, name)),
    ]),
    servedCertificates(deps, hostname, visited, { mayConnect, certificate }),
    oldSite(deps, hostname, old, mayConnect),
  ]);
  const at = now();
  if (oldHost?.status !== undefined) await recordMoveSeen(db, domain.id, { old_answered_at: at });
  // The next check may be an hour away, and everything else waits for it.
  const hasArrived = zoneHasNew(servers) && (move?.arrived_at ?? null) === null;
  if (hasArrived) await checkDomain(deps, domain.id);
  return { at, servers, certificates, oldHost };
}

const zoneHasNew = (servers: readonly ServerAnswer[]): boolean => {
  const answered = servers.filter(({ kind, answer }) => kind === 'zone' && answer !== 'error');
  const deciding = answered.length > 0 ? answered : servers.filter(isAnswered);
  return deciding.length > 0 && deciding.every(({ answer }) => answer === 'new');
};

const isAnswered = ({ answer }: ServerAnswer): boolean => answer !== 'error';

function portsOf({ addresses }: Pick<Deps, 'addresses'>, hostname: string) {
  const { domain, domainWithoutTls } = addresses();
  return {
    // Any name that the wildcard has.
    hostname: isWildcard(hostname) ? `move-check.${withoutWildcard(hostname)}` : hostname,
    httpsPort: Number(new URL(domain(hostname)).port || 443),
    httpPort: Number(new URL(domainWithoutTls(hostname)).port || 80),
  };
}

async function servedCertificates(
  deps: WatchDeps,
  hostname: string,
  visited: readonly string[],
  {
    mayConnect,
    certificate,
  }: {
    readonly mayConnect: (address: string) => boolean;
    readonly certificate: CertificateRow | undefined;
  },
): Promise<ServedCertificate[]> {
  const ofFamily = (wanted: boolean) =>
    visited.filter((address) => isIPv6(address) === wanted).slice(0, MAX_ADDRESSES);
  const ours = certificate && new X509Certificate(certificate.chain).fingerprint256;
  const ports = portsOf(deps, hostname);
  return Promise.all(
    [...ofFamily(false), ...ofFamily(true)].map(async (address) => {
      const family = isIPv6(address) ? ('IPv6' as const) : ('IPv4' as const);
      if (!mayConnect(address)) {
        const problem = 'It is not an address of the internet.';
        return { address, family, serves: 'unknown', issuer: null, notAfter: null, problem };
      }
      const {
        certificate: served,
        problem,
        isUnreachable,
      } = await probeCertificate(address, ports);
      const without = isUnreachable ? 'unknown' : 'none';
      return {
        ...{ address, family },
        serves: served ? (served.fingerprint256 === ours ? 'ours' : 'other') : without,
        issuer: served ? issuerOf(served) : null,
        notAfter: served ? instant(served.validToDate.getTime()) : null,
        problem: problem ?? null,
      };
    }),
  );
}

/** The organization of an issuer, or else its common name. */
function issuerOf({ issuer }: X509Certificate): string {
  const part = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(issuer)?.[1];
  return (part('O') ?? part('CN') ?? 'an unnamed authority').slice(0, 100);
}

/** The addresses of the host that the records before lead to. */
async function oldAddresses(any: DnsServer, move: DomainMoveRow | undefined): Promise<string[]> {
  const records = oldRecordsOf(move);
  const cname = records.find(({ type }) => type === 'CNAME');
  const found = cname
    ? (await addressesOf(any, cname.value)).addresses
    : records.filter(({ value }) => isIP(value) !== 0).map(({ value }) => value);
  return found.slice(0, MAX_OLD_ADDRESSES);
}

const oldRecordsOf = (move: DomainMoveRow | undefined): ResourceRecord[] =>
  move?.old_records ? JSON.parse(move.old_records) : [];

/** The first response of the old host, or else why there is none. */
async function oldSite(
  deps: WatchDeps,
  hostname: string,
  addresses: readonly string[],
  mayConnect: (address: string) => boolean,
): Promise<Probe | undefined> {
  const ports = portsOf(deps, hostname);
  const probes = await Promise.all(
    addresses.filter(mayConnect).map((address) => probeSite(address, ports)),
  );
  return probes.find(({ status }) => status !== undefined) ?? probes[0];
}

/**
 * When the last cache that keeps to TTLs forgets the old record: those on the board as they say, and any other one as
 * long after the change as the old record allowed. null: the zone's servers do not all have the new one.
 */
function everyoneSeesItBy({ at, servers }: Look, move: DomainMoveRow | undefined): number | null {
  if (!zoneHasNew(servers)) return null;
  const kept = servers
    .filter(({ kind, answer }) => kind === 'resolver' && (answer === 'old' || answer === 'none'))
    .map(({ ttlSeconds }) => at + (ttlSeconds ?? 0) * 1_000);
  const oldTtls = oldRecordsOf(move)
    .filter(({ type }) => type === 'A' || type === 'AAAA' || type === 'CNAME')
    .map(({ ttl }) => (move?.arrived_at ?? at) + ttl * 1_000);
  const instants = [...kept, ...oldTtls];
  return instants.length > 0 ? Math.max(...instants) : null;
}

function stateOf({ at, servers, certificates }: Look, everyoneBy: number | null) {
  const answered = servers.filter(isAnswered);
  if (!answered.some(({ answer }) => answer === 'new')) return 'before' as const;
  const areAllNew = zoneHasNew(servers) && answered.every(({ answer }) => answer === 'new');
  const reached = certificates.filter(({ serves }) => serves !== 'unknown');
  const areAllOurs = reached.length > 0 && reached.every(({ serves }) => serves === 'ours');
  const isForgotten = everyoneBy === null || everyoneBy <= at;
  return areAllNew && areAllOurs && isForgotten ? ('done' as const) : ('moving' as const);
}

function wayBackOf({ oldHost }: Look, move: DomainMoveRow | undefined): DomainMove['wayBack'] {
  const records = oldRecordsOf(move);
  if (records.length === 0 || move?.old_seen_at == null) return null;
  const status = oldHost?.status;
  const protocol = oldHost?.certificate ? 'HTTPS' : 'HTTP without TLS';
  return {
    records: records.map(({ type, name, value, ttl }) => ({
      type: type as ServerAnswer['records'][number]['type'],
      ...{ name, value, ttlSeconds: ttl },
    })),
    seenAt: instant(move.old_seen_at),
    answers: status !== undefined,
    answer:
      status === undefined
        ? (oldHost?.problem ?? 'It has no address that may be asked.')
        : `It answers over ${protocol} with status ${status}.`,
    answeredAt: instantOrNull(move.old_answered_at),
  };
}
