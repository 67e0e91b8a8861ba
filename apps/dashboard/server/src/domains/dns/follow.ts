import { type Failure, isFailure, type RecordType, type Resource, recordsAt } from './outcome.ts';
import type { Source } from './source.ts';

/** What a name has of a type, or what CNAME records lead to. */
export interface Followed {
  /** At the name where the way ends. */
  readonly records: readonly Resource[];
  readonly end: 'found' | 'nothing' | 'loop' | Failure;
}

/** Names on the way, at most: resolvers and authorities give up on longer ones. */
export const MAX_HOPS = 10;

/** Looks up a type at a name and at those that CNAME records lead to. A way too long counts as a loop. */
export async function follow(source: Source, name: string, type: RecordType): Promise<Followed> {
  const passed = new Set([name]);
  let at = name;
  let asked = name;
  let outcome = await source.lookUp(name, type);
  for (;;) {
    if (isFailure(outcome)) return { records: [], end: outcome.kind };
    const records = recordsAt(outcome, at, type);
    if (records.length > 0) return { records, end: 'found' };
    const cname = recordsAt(outcome, at, 'CNAME')[0]?.value;
    if (cname !== undefined) {
      if (passed.has(cname) || passed.size > MAX_HOPS) return { records: [], end: 'loop' };
      passed.add(cname);
      at = cname;
    } else if (asked !== at) {
      // A resolver's answer had the whole way; that of a zone's own server ends with its zone.
      asked = at;
      outcome = await source.lookUp(at, type);
    } else {
      return { records: [], end: 'nothing' };
    }
  }
}
