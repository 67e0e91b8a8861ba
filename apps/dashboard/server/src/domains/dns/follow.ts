import type { View } from './observation.ts';
import {
  type Failure,
  isFailure,
  type RecordType,
  type ResourceRecord,
  recordsAt,
} from './outcome.ts';
import type { DnsServer } from './servers.ts';

/** The longest chain of CNAME records that is followed: resolvers and authorities give up on longer ones. */
export const MAX_HOPS = 10;

/** The records of a type at a name, or at the end of its CNAME chain. */
export interface Followed {
  readonly records: readonly ResourceRecord[];
  /** The CNAME records of the chain. */
  readonly aliases: readonly ResourceRecord[];
  readonly end: 'found' | 'nothing' | 'loop' | Failure;
}

/** Looks up a type at a name and along its CNAME chain. A chain that is too long counts as a loop. */
export async function follow(server: DnsServer, name: string, type: RecordType): Promise<Followed> {
  const passed = new Set([name]);
  const aliases: ResourceRecord[] = [];
  let at = name;
  let queried = name;
  let outcome = await server.lookUp(name, type);
  for (;;) {
    if (isFailure(outcome)) return { records: [], aliases, end: outcome.kind };
    const records = recordsAt(outcome, at, type);
    if (records.length > 0) return { records, aliases, end: 'found' };
    const [cname] = recordsAt(outcome, at, 'CNAME');
    if (cname !== undefined) {
      const { value } = cname;
      aliases.push(cname);
      if (passed.has(value) || passed.size > MAX_HOPS) return { records: [], aliases, end: 'loop' };
      passed.add(value);
      at = value;
    } else if (queried !== at) {
      // A resolver answers with the whole chain; a zone's own server only with the part in its zone.
      queried = at;
      outcome = await server.lookUp(at, type);
    } else {
      return { records: [], aliases, end: 'nothing' };
    }
  }
}

/** All addresses of a name, along its CNAME chain. `failure`: there are none, or none of one family, for this reason. */
export async function addressesOf(server: DnsServer, name: string): Promise<View['target']> {
  const [v4, v6] = await Promise.all([follow(server, name, 'A'), follow(server, name, 'AAAA')]);
  const addresses = [...v4.records, ...v6.records].map(({ value }) => value);
  return { addresses, failure: failureOf(v4.end) ?? failureOf(v6.end) };
}

/** Why a chain was not followed to its end. */
export function failureOf(end: string): Failure | undefined {
  // Resolvers answer a loop with SERVFAIL.
  if (end === 'loop') return 'servfail';
  return end === 'found' || end === 'nothing' ? undefined : (end as Failure);
}
