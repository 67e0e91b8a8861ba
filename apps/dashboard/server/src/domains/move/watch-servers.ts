import { addressesOf } from '../dns/follow.ts';
import { cnameChain } from '../dns/observe.ts';
import { isFailure, type Outcome, recordsAt } from '../dns/outcome.ts';
import type { DnsServer, NamedServer } from '../dns/servers.ts';
import { FAILURE_WORDS } from '../dns/words.ts';
import type { ServerAnswer } from './domain-move.ts';

/** What is looked for. */
export interface WatchedName {
  readonly hostname: string;
  /** The claim's host, and the addresses that it has. */
  readonly target: string;
  readonly targetAddresses: readonly string[];
}

/** The most records of an answer that are shown. */
const MAX_RECORDS = 10;

/** What a resolver says. */
export async function answerOfResolver(
  server: DnsServer,
  name: WatchedName,
): Promise<ServerAnswer> {
  return {
    ...{ name: server.label, address: null, kind: 'resolver' },
    ...(await answerOf(server, name)),
  };
}

/** What one of the zone's own servers says. */
export async function answerOfZoneServer(
  { label, address, server }: NamedServer,
  name: WatchedName,
): Promise<ServerAnswer> {
  const known = { name: label, address: address ?? null, kind: 'zone' } as const;
  if (!server) return { ...known, ...failed('Its name has no address that may be asked.') };
  return { ...known, ...(await answerOf(server, name)) };
}

type Answer = Omit<ServerAnswer, 'name' | 'address' | 'kind'>;

async function answerOf(
  server: DnsServer,
  { hostname, target, targetAddresses }: WatchedName,
): Promise<Answer> {
  const [chain, cname, v4, v6] = await Promise.all([
    cnameChain(server, { hostname, target }),
    server.lookUp(hostname, 'CNAME'),
    server.lookUp(hostname, 'A'),
    server.lookUp(hostname, 'AAAA'),
  ]);
  const cnames = recordsAt(cname, hostname, 'CNAME');
  const own = [...recordsAt(v4, hostname, 'A'), ...recordsAt(v6, hostname, 'AAAA')];
  const records = cnames.length > 0 ? cnames : own;
  if (records.length === 0) {
    const failure = [cname, v4, v6].find(isFailure);
    if (failure) return failed(`The query ${FAILURE_WORDS[failure.kind]}.`);
    return { ...failed(null), answer: 'none', ttlSeconds: negativeTtl([cname, v4, v6]) };
  }
  const isNew =
    cnames.length > 0
      ? chain.end === 'target'
      : // An ALIAS gives the target's addresses, and anything besides would lead some visitors elsewhere.
        own.every(({ value }) => targetAddresses.includes(value));
  return {
    answer: isNew ? 'new' : 'old',
    records: records.slice(0, MAX_RECORDS).map(({ type, value }) => ({
      type: type as ServerAnswer['records'][number]['type'],
      value,
    })),
    ttlSeconds: Math.max(...records.map(({ ttl }) => ttl)),
    error: null,
  };
}

const failed = (error: string | null): Answer => ({
  ...{ answer: 'error', records: [], ttlSeconds: null },
  error,
});

function negativeTtl(outcomes: readonly Outcome[]): number | null {
  const ttls = outcomes.flatMap((outcome) =>
    'negativeTtl' in outcome && outcome.negativeTtl !== undefined ? [outcome.negativeTtl] : [],
  );
  return ttls.length > 0 ? Math.max(...ttls) : null;
}

/** The addresses to which the resolvers lead visitors. */
export async function visitedAddresses(
  resolvers: readonly DnsServer[],
  hostname: string,
): Promise<string[]> {
  const found = await Promise.all(resolvers.map((server) => addressesOf(server, hostname)));
  return [...new Set(found.flatMap(({ addresses }) => addresses))];
}
