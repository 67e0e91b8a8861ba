import { isPublicAddress } from '@petstore/http/networks.ts';
import { parse } from 'tldts';
import { checkAllowance } from './allowance.ts';
import type { Expectation } from './check-dns.ts';
import { follow, MAX_HOPS } from './follow.ts';
import { nearPlaces } from './near-places.ts';
import {
  type Caa,
  type Observation,
  OWN_TYPES,
  type Own,
  type Texts,
  type View,
  type Way,
} from './observation.ts';
import { type Failure, isFailure, type Resource, recordsAt } from './outcome.ts';
import { readServerAddress } from './server-address.ts';
import { anyOf, resolverSource, type Source } from './source.ts';
import { namesUpFrom, zoneServers } from './zone-servers.ts';

interface Options {
  /** Resolvers as `ip:port`; at least one. */
  readonly servers: readonly string[];
  readonly authoritativePort: number;
  readonly arePrivateAllowed: boolean;
  /** Ends what is under way: what has no answer by then has none. */
  readonly signal: AbortSignal;
}

/** Asks the resolvers and the zone's own servers all that the verdict needs. Never rejects. */
export async function observe(
  expectation: Expectation,
  { servers, authoritativePort, arePrivateAllowed, signal }: Options,
): Promise<Observation> {
  const bounds = { signal, allowance: checkAllowance() };
  const addresses = servers.map(readServerAddress);
  const resolvers = addresses.map((address, i) =>
    resolverSource(servers[i] ?? address.address, address, bounds),
  );
  const viewsOf = (sources: readonly Source[]) =>
    Promise.all(sources.map((source) => look(source, expectation)));
  const own = zoneServers(anyOf(resolvers), expectation.hostname, {
    port: authoritativePort,
    // The resolvers are asked anyway.
    mayAsk: (address) =>
      arePrivateAllowed ||
      isPublicAddress(address) ||
      addresses.some((resolver) => resolver.address === address),
    bounds,
  });
  const [fromResolvers, fromZone] = await Promise.all([viewsOf(resolvers), own.then(viewsOf)]);
  return { resolvers: fromResolvers, zoneServers: fromZone };
}

/** The DNS of a name as one source has it. Rejects only where the source does. */
export async function look(source: Source, expectation: Expectation): Promise<View> {
  const { hostname, target, proof } = expectation;
  const [cname, way, own, wildcard, addresses, texts, elsewhere, caa] = await Promise.all([
    source.lookUp(hostname, 'CNAME'),
    wayFrom(source, expectation),
    ownOf(source, hostname),
    wildcardBeside(source, expectation),
    addressesOf(source, target),
    proof && textsAt(source, proof.name),
    recordsElsewhere(source, expectation),
    caaAt(source, expectation),
  ]);
  return {
    label: source.label,
    way,
    otherCnames: recordsAt(cname, hostname, 'CNAME').slice(1),
    negativeTtl: 'negativeTtl' in cname ? cname.negativeTtl : undefined,
    own,
    wildcard,
    target: addresses,
    proof: texts,
    elsewhere,
    caa,
  };
}

async function ownOf(source: Source, name: string): Promise<Own> {
  const [A, AAAA, TXT, MX] = await Promise.all([
    source.lookUp(name, 'A'),
    source.lookUp(name, 'AAAA'),
    source.lookUp(name, 'TXT'),
    source.lookUp(name, 'MX'),
  ]);
  return { A, AAAA, TXT, MX };
}

/** What a name has that nobody made, beside this one: the claim's own label cannot be guessed. */
async function wildcardBeside(
  source: Source,
  { hostname, target }: Expectation,
): Promise<Resource[]> {
  if (parse(hostname).domain === hostname) return [];
  const name = `${target.split('.')[0]}.${hostname.slice(hostname.indexOf('.') + 1)}`;
  const own = await ownOf(source, name);
  return OWN_TYPES.flatMap((type) => recordsAt(own[type], name, type));
}

/** Hop by hop: of a loop a resolver tells nothing but that it failed. */
async function wayFrom(source: Source, { hostname, target }: Expectation): Promise<Way> {
  const hops: Resource[] = [];
  const passed = new Set<string>([hostname]);
  let at: string = hostname;
  for (;;) {
    const outcome = await source.lookUp(at, 'CNAME');
    if (isFailure(outcome)) return { hops, end: outcome.kind };
    const [cname] = recordsAt(outcome, at, 'CNAME');
    if (!cname) return { hops, end: hops.length === 0 ? 'here' : await endAt(source, at) };
    hops.push(cname);
    at = cname.value;
    if (at === target) return { hops, end: 'target' };
    if (passed.has(at) || passed.size > MAX_HOPS) return { hops, end: 'loop' };
    passed.add(at);
  }
}

async function endAt(source: Source, name: string): Promise<Way['end']> {
  const { addresses, failure } = await addressesOf(source, name);
  return addresses.length > 0 ? 'addresses' : (failure ?? 'nothing');
}

/** All addresses that a name leads to. `failure`: there are none, for this reason. */
async function addressesOf(source: Source, name: string): Promise<View['target']> {
  const [v4, v6] = await Promise.all([follow(source, name, 'A'), follow(source, name, 'AAAA')]);
  const addresses = [...v4.records, ...v6.records].map(({ value }) => value);
  const failure = addresses.length === 0 ? (failureOf(v4.end) ?? failureOf(v6.end)) : undefined;
  return { addresses, failure };
}

function failureOf(end: string): Failure | undefined {
  // A way in circles is answered with SERVFAIL by whoever resolves it.
  if (end === 'loop') return 'servfail';
  return end === 'found' || end === 'nothing' ? undefined : (end as Failure);
}

async function textsAt(source: Source, name: string): Promise<Texts> {
  const [{ records, end }, cname] = await Promise.all([
    follow(source, name, 'TXT'),
    source.lookUp(name, 'CNAME'),
  ]);
  const [alias] = recordsAt(cname, name, 'CNAME');
  return { values: records.map(({ value }) => value), alias, failure: failureOf(end) };
}

async function recordsElsewhere(source: Source, expectation: Expectation): Promise<Resource[]> {
  const found = await Promise.all(
    nearPlaces(expectation).map(async ({ name, type }) =>
      recordsAt(await source.lookUp(name, type), name, type),
    ),
  );
  return found.flat();
}

/** RFC 8659, section 3: the first set from the name up; at each name along CNAME records. */
async function caaAt(source: Source, expectation: Expectation): Promise<Caa> {
  const { hostname, target } = expectation;
  const names = namesUpFrom(hostname);
  const sets = await Promise.all(names.map((name) => follow(source, name, 'CAA')));
  for (const [index, { records, end }] of sets.entries()) {
    const failure = failureOf(end);
    if (failure) {
      const isTargets = index === 0 && (await failsAtTarget(source, expectation));
      return { name: isTargets ? target : (names[index] ?? hostname), failure };
    }
    if (records.length > 0) return { records };
  }
  return { records: [] };
}

/** The CNAME records lead to the claim's host, and the look-up fails there. */
async function failsAtTarget(source: Source, expectation: Expectation): Promise<boolean> {
  const { end } = await wayFrom(source, expectation);
  return end === 'target' && isFailure(await source.lookUp(expectation.target, 'CAA'));
}
