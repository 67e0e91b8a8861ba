import { isPublicAddress } from '@petstore/http/networks.ts';
import { PROOF_LABEL, zoneOf } from '../hostname.ts';
import { isWildcard, withoutWildcard } from '../wildcard.ts';
import { findBrokenLink } from './dnssec/find-broken-link.ts';
import { type SignedLookUp, signedLookUps } from './dnssec/signed-look-up.ts';
import type { ChallengeExpectation, Expectation } from './expectation.ts';
import { addressesOf, failureOf, follow, MAX_HOPS } from './follow.ts';
import { namesUpFrom } from './names.ts';
import {
  type Caa,
  type CaaStep,
  type ChallengeView,
  type CnameChain,
  type Observation,
  OWN_TYPES,
  type Own,
  type Texts,
  type View,
} from './observation.ts';
import { isFailure, type RecordType, type ResourceRecord, recordsAt } from './outcome.ts';
import { createQuota, readServerAddress, type ServerAddress } from './query-server.ts';
import { NO_CHANGES, type RecordChanges, withChanges } from './record-changes.ts';
import { anyResolver, type DnsServer, resolver, zoneServers } from './servers.ts';

interface Options {
  /** Resolvers as `ip:port`; at least one. */
  readonly servers: readonly string[];
  readonly authoritativePort: number;
  readonly arePrivateAllowed: boolean;
  /** Aborts the queries under way: those without an answer by then have none. */
  readonly signal: AbortSignal;
}

/** Sends all queries that the verdict needs to the resolvers and to the zone's own servers. Never rejects. */
export async function observe(expectation: Expectation, options: Options): Promise<Observation> {
  const [observation = NOTHING] = await observeChanged(expectation, [NO_CHANGES], options);
  return observation;
}

const NOTHING: Observation = { resolvers: [], zoneServers: [] };

/** The same for each of some changes to the records, with what the servers would answer then. No query is sent twice. */
export async function observeChanged(
  expectation: Expectation,
  changes: readonly RecordChanges[],
  { servers, authoritativePort, arePrivateAllowed, signal }: Options,
): Promise<Observation[]> {
  const bounds = { signal, quota: createQuota() };
  const addresses = servers.map(readServerAddress);
  const resolvers = addresses.map((address, i) => ({
    server: resolver(servers[i] ?? address.address, address, bounds),
    signed: signedLookUps(address, bounds),
  }));
  const own = zoneServers(
    anyResolver(resolvers.map(({ server }) => server)),
    withoutWildcard(expectation.hostname),
    {
      port: authoritativePort,
      mayAsk: mayAskServer(addresses, arePrivateAllowed),
      bounds,
    },
  );
  return Promise.all(
    changes.map(async (changed) => {
      const [fromResolvers, fromZone] = await Promise.all([
        Promise.all(
          resolvers.map(async ({ server, signed }) => {
            const view = await viewOf(
              withProbe(withChanges(server, changed), expectation),
              expectation,
            );
            return withBrokenLink(view, server, signed, expectation);
          }),
        ),
        own.then((all) =>
          Promise.all(
            all.map((server) =>
              viewOf(withProbe(withChanges(server, changed), expectation), expectation),
            ),
          ),
        ),
      ]);
      return { resolvers: fromResolvers, zoneServers: fromZone };
    }),
  );
}

/** Whether a zone's own server may be asked at an address. The resolvers' addresses are queried anyway. */
export function mayAskServer(
  resolvers: readonly ServerAddress[],
  arePrivateAllowed: boolean,
): (address: string) => boolean {
  return (address) =>
    arePrivateAllowed ||
    isPublicAddress(address) ||
    resolvers.some((resolver) => resolver.address === address);
}

/** The DNS of a name as one server has it. */
export async function viewOf(server: DnsServer, expectation: Expectation): Promise<View> {
  const { hostname, target, proof, challenge } = expectation;
  const [cname, chain, own, wildcard, addresses, texts, elsewhere, caas, atChallenge] =
    await Promise.all([
      server.lookUp(hostname, 'CNAME'),
      cnameChain(server, expectation),
      ownOf(server, hostname),
      wildcardBeside(server, expectation),
      addressesOf(server, target),
      proof && textsAt(server, proof.name),
      recordsElsewhere(server, expectation),
      caaAt(server, expectation),
      challenge && challengeAt(server, expectation, challenge),
    ]);
  return {
    label: server.label,
    chain,
    otherCnames: recordsAt(cname, hostname, 'CNAME').slice(1),
    negativeTtl: 'negativeTtl' in cname ? cname.negativeTtl : undefined,
    own,
    wildcard,
    target: addresses,
    proof: texts,
    elsewhere,
    ...caas,
    challenge: atChallenge,
    isAuthentic: !isFailure(cname) && cname.isAuthentic === true,
  };
}

/** The view, with the link that breaks the chain of trust where an answer that matters is not valid. */
async function withBrokenLink(
  view: View,
  server: DnsServer,
  signed: SignedLookUp,
  expectation: Expectation,
): Promise<View> {
  const question = bogusQuestion(view, expectation);
  if (!question) return view;
  const outcome = await server.lookUp(question.name, question.type);
  const extended = (isFailure(outcome) && outcome.extended) || [];
  // Signatures are valid or not by the real time.
  const brokenLink = await findBrokenLink(signed, { ...question, extended }, Date.now());
  return { ...view, brokenLink };
}

/** The first look-up that matters and is not valid. With a CNAME, those of other types are of its target. */
function bogusQuestion(
  { chain: { hops, end }, own, proof, challenge, caa }: View,
  { hostname, proof: wanted, challenge: prepared }: Expectation,
): Place | undefined {
  if (end === 'dnssec_bogus') return { name: hops.at(-1)?.value ?? hostname, type: 'CNAME' };
  const type = OWN_TYPES.find((type) => own[type].kind === 'dnssec_bogus');
  if (hops.length === 0 && type) return { name: hostname, type };
  if (wanted && proof?.failure === 'dnssec_bogus') return { name: wanted.name, type: 'TXT' };
  if (prepared && challenge?.chain.end === 'dnssec_bogus') {
    return { name: challenge.chain.hops.at(-1)?.value ?? prepared.name, type: 'CNAME' };
  }
  return 'failure' in caa && caa.failure === 'dnssec_bogus'
    ? { name: caa.name, type: 'CAA' }
    : undefined;
}

async function ownOf(server: DnsServer, name: string): Promise<Own> {
  const [A, AAAA, TXT, MX] = await Promise.all([
    server.lookUp(name, 'A'),
    server.lookUp(name, 'AAAA'),
    server.lookUp(name, 'TXT'),
    server.lookUp(name, 'MX'),
  ]);
  return { A, AAAA, TXT, MX };
}

/**
 * A server that is asked for a random name in the place of a wildcard, as visitors do: nobody can guess the claim's label.
 * What it finds there is shown as the wildcard's.
 */
function withProbe(server: DnsServer, { target }: Expectation): DnsServer {
  const [label] = target.split('.');
  return {
    label: server.label,
    async lookUp(name, type) {
      if (!isWildcard(name)) return server.lookUp(name, type);
      const probe = `${label}.${withoutWildcard(name)}`;
      const outcome = await server.lookUp(probe, type);
      if (isFailure(outcome)) return outcome;
      const records = outcome.records.map((record) =>
        record.name === probe ? { ...record, name } : record,
      );
      return { ...outcome, records };
    },
  };
}

/** The records of a random name beside this one, which only a wildcard can have: nobody can guess the claim's label. */
async function wildcardBeside(
  server: DnsServer,
  { hostname, target }: Expectation,
): Promise<ResourceRecord[]> {
  const base = withoutWildcard(hostname);
  if (zoneOf(base) === base) return [];
  const name = `${target.split('.')[0]}.${base.slice(base.indexOf('.') + 1)}`;
  const [own, cname] = await Promise.all([ownOf(server, name), server.lookUp(name, 'CNAME')]);
  return [
    ...recordsAt(cname, name, 'CNAME'),
    ...OWN_TYPES.flatMap((type) => recordsAt(own[type], name, type)),
  ];
}

/** One CNAME at a time: for a loop a resolver only says that it failed. */
export async function cnameChain(
  server: DnsServer,
  { hostname, target }: { readonly hostname: string; readonly target: string },
): Promise<CnameChain> {
  const hops: ResourceRecord[] = [];
  const passed = new Set<string>([hostname]);
  let at: string = hostname;
  for (;;) {
    const outcome = await server.lookUp(at, 'CNAME');
    if (isFailure(outcome)) return { hops, end: outcome.kind };
    const [cname] = recordsAt(outcome, at, 'CNAME');
    if (!cname) return { hops, end: hops.length === 0 ? 'here' : await endAt(server, at) };
    hops.push(cname);
    at = cname.value;
    if (at === target) return { hops, end: 'target' };
    if (passed.has(at) || passed.size > MAX_HOPS) return { hops, end: 'loop' };
    passed.add(at);
  }
}

async function endAt(server: DnsServer, name: string): Promise<CnameChain['end']> {
  const { addresses, failure } = await addressesOf(server, name);
  return addresses.length > 0 ? 'addresses' : (failure ?? 'nothing');
}

async function textsAt(server: DnsServer, name: string): Promise<Texts> {
  const [{ records, end }, cname] = await Promise.all([
    follow(server, name, 'TXT'),
    server.lookUp(name, 'CNAME'),
  ]);
  const [alias] = recordsAt(cname, name, 'CNAME');
  return { values: records.map(({ value }) => value), alias, failure: failureOf(end) };
}

/** What is at the name of the challenges, and where it may have been put by mistake. */
async function challengeAt(
  server: DnsServer,
  { hostname, target }: Expectation,
  { name, value }: ChallengeExpectation,
): Promise<ChallengeView> {
  const zone = zoneOf(hostname);
  // Below a wildcard every name has its records, that of the challenges too.
  const beside = `${value.split('.')[0]}.${withoutWildcard(hostname)}`;
  const places = [
    `${name}.${zone}`,
    `_acme-challenge.${zone}`,
    // Some panels remove a leading underscore.
    name.replace(/^_/, ''),
    // Where the platform's host is the zone, this value belongs there.
    ...(value === target ? [] : [hostname]),
  ].filter((place) => place !== name && place.length <= MAX_NAME_LENGTH);
  const [chain, cname, texts, ofBeside, elsewhere] = await Promise.all([
    cnameChain(server, { hostname: name, target: value }),
    server.lookUp(name, 'CNAME'),
    server.lookUp(name, 'TXT'),
    server.lookUp(beside, 'CNAME'),
    Promise.all(
      places.map(async (place) => recordsAt(await server.lookUp(place, 'CNAME'), place, 'CNAME')),
    ),
  ]);
  const hop = chain.hops[0];
  const [ofWildcard] = recordsAt(ofBeside, beside, 'CNAME');
  return {
    chain,
    isWildcard: hop !== undefined && ofWildcard?.value === hop.value,
    texts: hop ? [] : recordsAt(texts, name, 'TXT'),
    elsewhere: elsewhere.flat().filter((record) => record.value === value),
    negativeTtl: 'negativeTtl' in cname ? cname.negativeTtl : undefined,
  };
}

async function recordsElsewhere(
  server: DnsServer,
  expectation: Expectation,
): Promise<ResourceRecord[]> {
  const found = await Promise.all(
    misplacedNames(expectation).map(async ({ name, type }) =>
      recordsAt(await server.lookUp(name, type), name, type),
    ),
  );
  return found.flat();
}

/** RFC 8659, section 3: the closest set up the tree; at each name along its CNAME chain. */
async function caaAt(
  server: DnsServer,
  expectation: Expectation,
): Promise<Pick<View, 'caa' | 'climb'>> {
  const { hostname, target } = expectation;
  // Those of the name below which the wildcard is.
  const { caa, climb } = await climbToCaa(server, namesUpFrom(withoutWildcard(hostname)));
  if (!('failure' in caa) || caa.name !== hostname) return { caa, climb };
  const isTargets = await failsAtTarget(server, expectation);
  return { caa: isTargets ? { ...caa, name: target } : caa, climb };
}

/** The first set of CAA records at these names, each along its CNAME chain. */
export async function closestCaa(server: DnsServer, names: readonly string[]): Promise<Caa> {
  return (await climbToCaa(server, names)).caa;
}

/** The same with the way there. */
async function climbToCaa(server: DnsServer, names: readonly string[]) {
  const all = await Promise.all(
    names.map(async (name): Promise<CaaStep> => {
      const { records, aliases, end } = await follow(server, name, 'CAA');
      return { name, aliases, records, failure: failureOf(end) };
    }),
  );
  // The first name with an answer decides, and so does the first without any.
  const last = all.findIndex(({ records, failure }) => records.length > 0 || failure !== undefined);
  const climb = last < 0 ? all : all.slice(0, last + 1);
  const { name = '', records = [], failure } = climb.at(-1) ?? {};
  const caa: Caa = failure === undefined ? { records } : { name, failure };
  return { caa, climb };
}

/** The CNAME chain ends at the claim's target, and the look-up fails there. */
async function failsAtTarget(server: DnsServer, expectation: Expectation): Promise<boolean> {
  const { end } = await cnameChain(server, expectation);
  return end === 'target' && isFailure(await server.lookUp(expectation.target, 'CAA'));
}

interface Place {
  readonly name: string;
  readonly type: RecordType;
}

const MAX_NAME_LENGTH = 253;

/** How many names above the right one are looked up. */
const MAX_ABOVE = 5;

/** Names at which people put the records by mistake; most often the zone's name is in them twice. */
function misplacedNames({ hostname, proof }: Expectation): Place[] {
  const zone = zoneOf(hostname);
  const doubled = `${hostname}.${zone}`;
  const above = namesUpFrom(hostname)
    .slice(1)
    .filter((name) => name === zone || name.endsWith(`.${zone}`))
    .slice(0, MAX_ABOVE);
  const places: Place[] =
    hostname === zone
      ? [{ name: doubled, type: 'A' }]
      : [doubled, ...above].map((name) => ({ name, type: 'CNAME' }));
  if (proof) {
    const names = [
      `${proof.name}.${zone}`,
      hostname,
      `${PROOF_LABEL}.${zone}`,
      // Some panels remove a leading underscore.
      proof.name.replace(/^_/, ''),
    ];
    for (const name of new Set(names)) if (name !== proof.name) places.push({ name, type: 'TXT' });
  }
  return places.filter(({ name }) => name.length <= MAX_NAME_LENGTH);
}
