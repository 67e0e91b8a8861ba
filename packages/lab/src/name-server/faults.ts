import type { Reply } from './answer.ts';
import { isAtOrBelow, plainName, wireRecord, type ZoneRecord } from './zone-record.ts';

/**
 * The faults that a name server can have:
 * - `servfail`, `refused`: it responds with SERVFAIL or REFUSED;
 * - `drop`: it does not respond;
 * - `malformed`: its response is not a DNS message;
 * - `wrong_id`: its response is for another query;
 * - `no_edns`: it does not support EDNS, as old servers;
 * - `truncate`: over UDP its responses are always truncated;
 * - `truncate_drop`: the same, and over TCP it does not respond;
 * - `cname_loop`: the name is an alias of another that is an alias of it;
 * - `lie`: it responds with these records instead of its zones' ones;
 * - `slowMs`: it responds after so many milliseconds;
 * - `until`: it responds when this is fulfilled.
 */
export type ServerFault =
  | 'servfail'
  | 'refused'
  | 'drop'
  | 'malformed'
  | 'wrong_id'
  | 'no_edns'
  | 'truncate'
  | 'truncate_drop'
  | 'cname_loop'
  | { readonly lie: readonly ZoneRecord[] }
  | { readonly slowMs: number }
  | { readonly until: Promise<unknown> };

/** The queries that a fault is for; all of them where nothing is set. */
export interface Scope {
  /** This name and those below it. */
  readonly name?: string;
  /** This name alone. */
  readonly exactName?: string;
  /** Queries of this type alone, such as `CAA`. */
  readonly type?: string;
}

export function isInScope(
  { name, exactName, type }: Scope,
  question: { readonly name: string; readonly type: string },
): boolean {
  const queried = plainName(question.name);
  const isNamed =
    (name === undefined || isAtOrBelow(queried, plainName(name))) &&
    (exactName === undefined || queried === plainName(exactName));
  return isNamed && (type === undefined || type === question.type);
}

/** The reply with a fault; undefined: the right one. */
export function faultyReply(
  how: ServerFault,
  question: { readonly name: string; readonly type: string },
): Reply | undefined {
  const none = { isAuthoritative: false, answers: [], authorities: [], additionals: [] };
  const name = plainName(question.name);
  if (how === 'servfail') return { ...none, rcode: 'SERVFAIL' };
  if (how === 'refused') return { ...none, rcode: 'REFUSED' };
  if (how === 'cname_loop') {
    const [from, to] = name.startsWith('loop.') ? [name, name.slice(5)] : [name, `loop.${name}`];
    const alias: ZoneRecord = { name: from, type: 'CNAME', value: to };
    const back: ZoneRecord = { name: to, type: 'CNAME', value: from };
    const answers = question.type === 'CNAME' ? [alias] : [alias, back];
    return { ...none, rcode: 'NOERROR', answers: answers.map(wireRecord) };
  }
  if (typeof how === 'object' && 'lie' in how) {
    const lies = how.lie.filter(
      (record) => plainName(record.name) === name && [question.type, 'CNAME'].includes(record.type),
    );
    return { ...none, rcode: 'NOERROR', answers: lies.map(wireRecord) };
  }
  return undefined;
}
