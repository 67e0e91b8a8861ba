import { getServers } from 'node:dns';
import type { Config } from '../../config.ts';
import type { Expectation } from '../dns/expectation.ts';
import { namesUpFrom } from '../dns/names.ts';
import type { View } from '../dns/observation.ts';
import { OWN_TYPES } from '../dns/observation.ts';
import { closestCaa, observe } from '../dns/observe.ts';
import { isFailure, type RecordType, type ResourceRecord, recordsAt } from '../dns/outcome.ts';
import { createQuota, readServerAddress } from '../dns/query-server.ts';
import { caaAllows } from '../dns/rules/caa.ts';
import { factsOf } from '../dns/rules/facts.ts';
import { anyResolver, resolver } from '../dns/servers.ts';
import { FAILURE_WORDS } from '../dns/words.ts';
import type { Verdict } from '../verdict.ts';

/** What the DNS of a name says before it is moved, and what of that a move changes. */
export interface DnsSurvey {
  /** Where the name leads now, by a resolver: IPv4 first. */
  readonly addresses: readonly string[];
  /** The addresses of the claim's own host. */
  readonly ourAddresses: readonly string[];
  /** The record that the move replaces: a CNAME, or the first address; undefined: the name leads nowhere now. */
  readonly replaced: ResourceRecord | undefined;
  /** The TTL is the zone's own, and not what is left of it in a resolver. */
  readonly isWholeTtl: boolean;
  /** Other records at the name, which cannot be there beside a CNAME. None at an apex, which gets no CNAME. */
  readonly lost: readonly ResourceRecord[];
  /** Why no authority may renew the certificate after the move; undefined: one may. */
  readonly caa: Verdict | undefined;
}

/** Why the DNS of the name cannot be judged, as a sentence. */
export class DnsSurveyError extends Error {
  override name = 'DnsSurveyError';
}

/** The longest time that a survey takes, in milliseconds. */
const TIMEOUT_MS = 8_000;

/** Looks up all that a move of a name changes. Rejects with DnsSurveyError where there is no answer, and by the signal. */
export async function surveyDns(
  expectation: Expectation,
  { dnsServers, dnsAuthoritativePort, dnsPrivateServers }: Config,
  stop: AbortSignal,
): Promise<DnsSurvey> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]);
  const servers = dnsServers.length > 0 ? dnsServers : getServers();
  const observation = await observe(expectation, {
    ...{ servers, signal, authoritativePort: dnsAuthoritativePort },
    arePrivateAllowed: dnsPrivateServers === 'allow',
  });
  stop.throwIfAborted();
  const { hostname } = expectation;
  const seen = observation.resolvers.find(isAnswer);
  if (!seen) {
    const [failed] = observation.resolvers;
    const outcome = failed?.own.A;
    const why =
      outcome && isFailure(outcome) ? FAILURE_WORDS[outcome.kind] : 'was not answered in time';
    throw new DnsSurveyError(`The query for the address of ${hostname} ${why}.`);
  }
  const own = observation.zoneServers.find(isAnswer);
  const view = own ?? seen;
  const { isApex, cname, conflicting, addresses } = factsOf(view, expectation);
  return {
    addresses: addressesOf(seen),
    ourAddresses: seen.target.addresses,
    replaced: cname ?? addresses[0] ?? view.wildcard.find(isAddress),
    isWholeTtl: own !== undefined,
    lost: isApex
      ? []
      : [...conflicting.filter((record) => !isAddress(record)), ...caaOf(view, hostname)],
    caa: await caaAfter(view, expectation, servers, signal),
  };
}

const ADDRESS_TYPES: readonly RecordType[] = ['A', 'AAAA', 'CNAME'];

function isAddress({ type }: ResourceRecord): boolean {
  return ADDRESS_TYPES.includes(type);
}

/** A server that answers for the name's addresses. */
function isAnswer({ own }: View): boolean {
  return OWN_TYPES.some((type) => !isFailure(own[type]));
}

/** The addresses at the end of the name's CNAME chain, too. */
function addressesOf({ own }: View): string[] {
  return (['A', 'AAAA'] as const).flatMap((type) => {
    const outcome = own[type];
    if (isFailure(outcome)) return [];
    return outcome.records.filter((record) => record.type === type).map(({ value }) => value);
  });
}

/** CAA records at the name itself, which a CNAME there ends. */
function caaOf({ caa }: View, hostname: string): readonly ResourceRecord[] {
  return 'records' in caa
    ? recordsAt({ kind: 'found', records: caa.records }, hostname, 'CAA')
    : [];
}

/**
 * Whether an authority may issue once the name is a CNAME: then the CAA records of the claim's own host count, and
 * after them those of the names above this one (RFC 8659, section 3). At an apex they stay as they are.
 */
async function caaAfter(
  view: View,
  expectation: Expectation,
  servers: readonly string[],
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  const { hostname, target } = expectation;
  const facts = factsOf(view, expectation);
  if (facts.isApex) return caaAllows(facts);
  const bounds = { signal, quota: createQuota() };
  const resolvers = servers.map((server) => resolver(server, readServerAddress(server), bounds));
  const names = [target, ...namesUpFrom(hostname).slice(1)];
  const caa = await closestCaa(anyResolver(resolvers), names);
  return caaAllows({ ...facts, view: { ...view, caa } });
}
