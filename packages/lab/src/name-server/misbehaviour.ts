import type { Reply } from './answer.ts';
import { wireRecord } from './wire-record.ts';
import { isAtOrBelow, plainName, type ZoneRecord } from './zone-record.ts';

/**
 * What a name server can do wrong:
 * - `servfail`, `refused`: it says that it cannot, or will not, answer;
 * - `drop`: it says nothing;
 * - `malformed`: its answer is no DNS message;
 * - `wrong_id`: its answer is to another question;
 * - `no_edns`: it does not understand questions with EDNS, as old servers do not;
 * - `truncate`: over UDP it always says that there is more over TCP;
 * - `truncate_drop`: the same, and over TCP it says nothing;
 * - `cname_loop`: the name is an alias of another that is an alias of it;
 * - `lie`: it answers with these records, whatever its zones hold, and with none: that there are none;
 * - `slow`: it takes its time.
 */
export type Misbehaviour =
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
  | { readonly slowMs: number };

/** Which questions a server misbehaves at; all of them where nothing is said. */
export interface Scope {
  /** This name and those below it. */
  readonly name?: string;
  /** This name alone. */
  readonly exactName?: string;
  /** Questions of this type alone, such as `CAA`. */
  readonly type?: string;
}

export function isInScope(
  { name, exactName, type }: Scope,
  question: { readonly name: string; readonly type: string },
): boolean {
  const asked = plainName(question.name);
  const isNamed =
    (name === undefined || isAtOrBelow(asked, plainName(name))) &&
    (exactName === undefined || asked === plainName(exactName));
  return isNamed && (type === undefined || type === question.type);
}

/** The reply in the place of the right one; undefined: the right one. */
export function wrongReply(
  how: Misbehaviour,
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
