import { zoneOf } from '../../hostname.ts';
import { namesUpFrom } from '../names.ts';
import type { ExtendedError, RecordType } from '../outcome.ts';
import { type BrokenLink, type BrokenLinkReason, reasonOfCodes } from './broken-link.ts';
import { readDenial } from './denial.ts';
import { type DnsKey, dsIn, dsOf, isDsOf, isUnderstood, keysIn } from './keys.ts';
import { type RrSet, setAt, TYPE } from './rrset.ts';
import type { SignedLookUp, SignedResponse } from './signed-look-up.ts';
import { createVerifier, type SignatureProblem, type Verifier } from './verify-signatures.ts';

interface Question {
  readonly name: string;
  readonly type: RecordType;
  /** What the resolver said when it refused. */
  readonly extended: readonly ExtendedError[];
}

/** How many names above one are looked at; those closest to the root are, where there are more. */
const MAX_NAMES = 8;

/** All that the walk needs of a name above the one in question. */
interface Level {
  readonly name: string;
  /** The keys of a zone that the resolver has validated itself. */
  readonly proven: readonly DnsKey[] | undefined;
  readonly ds: SignedResponse | undefined;
  readonly keys: SignedResponse | undefined;
}

/** A zone whose keys can be trusted. */
interface Trusted {
  readonly zone: string;
  readonly keys: readonly DnsKey[];
}

/**
 * Where the chain of trust to a record breaks that a validating resolver does not believe. Begins at the closest zone
 * that the resolver proves, and walks down by DS and DNSKEY records (RFC 4035, section 5). `now`: milliseconds. Where
 * no link can be found that is broken, the reason is that of the resolver, or `dnssec_bogus`.
 */
export async function findBrokenLink(
  lookUp: SignedLookUp,
  { name, type, extended }: Question,
  now: number,
): Promise<BrokenLink> {
  const names = ['', ...namesUpFrom(name).reverse()].slice(0, MAX_NAMES);
  const [levels, last] = await Promise.all([
    Promise.all(names.map((at) => levelAt(lookUp, at))),
    lookUp(name, type, true),
  ]);
  const verifier = createVerifier(Math.floor(now / 1_000));
  const start = levels.findLastIndex(({ proven }) => proven !== undefined);
  let trusted: Trusted = { zone: '', keys: [] };
  for (const [i, level] of levels.entries()) {
    if (i < start || start < 0) continue;
    if (i === start) {
      trusted = { zone: level.name, keys: level.proven ?? [] };
      continue;
    }
    const step = stepDown(trusted, level, verifier);
    if ('reason' in step) return { ...step, extended };
    if ('isInsecure' in step) return unknown(name, type, extended);
    trusted = step;
  }
  const broken = start >= 0 && last && atTheEnd(trusted, { name, type }, last, verifier);
  return broken ? { ...broken, extended } : unknown(name, type, extended);
}

async function levelAt(lookUp: SignedLookUp, name: string): Promise<Level> {
  const [validated, ds, keys] = await Promise.all([
    lookUp(name, 'DNSKEY', false),
    name === '' ? undefined : lookUp(name, 'DS', true),
    lookUp(name, 'DNSKEY', true),
  ]);
  const set = validated?.isAuthentic ? setAt(validated.answer, name, TYPE.DNSKEY) : undefined;
  return { name, proven: set && keysIn(set), ds, keys };
}

type Found = Omit<BrokenLink, 'extended'>;

/** From a zone to the next name below it: the zone that begins there, the same zone, or what is broken. */
function stepDown(
  trusted: Trusted,
  { name, ds: response, keys }: Level,
  verifier: Verifier,
): Trusted | Found | { readonly isInsecure: true } {
  if (!response) return trusted;
  const set = setAt(response.answer, name, TYPE.DS);
  if (!set) {
    const question = { name, type: TYPE.DS };
    const broken = deniedWrongly(trusted, question, response, verifier);
    // The proof that a name has no DS record matters where a zone begins, which its DNSKEY records show.
    if (broken && (broken.reason !== 'dnssec_denial' || isZone(keys, name))) {
      return { ...broken, at: `${name} DS` };
    }
    const denial = readDenial(response.authority, { ...question, zone: trusted.zone });
    return denial.isProven && denial.isDelegation ? { isInsecure: true } : trusted;
  }
  const problem = verifier.problemOf(set, trusted.zone, trusted.keys);
  if (problem) return found(problem, { zone: trusted.zone, at: `${name} DS` });
  return enter(name, set, keys, verifier);
}

function isZone(keys: SignedResponse | undefined, name: string): boolean {
  return keys !== undefined && setAt(keys.answer, name, TYPE.DNSKEY) !== undefined;
}

/** Into a zone by the DS records above it. */
function enter(
  zone: string,
  set: RrSet,
  response: SignedResponse | undefined,
  verifier: Verifier,
): Trusted | Found {
  const at = `${zone} DNSKEY`;
  const all = dsIn(set);
  const named = all.map(({ keyTag }) => keyTag);
  const keySet = response && setAt(response.answer, zone, TYPE.DNSKEY);
  if (!keySet) return { reason: 'dnssec_ds_without_key', zone, at, named };
  const understood = all.filter(isUnderstood);
  const keys = keysIn(keySet);
  const usable = keys.filter(({ isUsable }) => isUsable);
  const named_keys = usable.filter((key) => understood.some((ds) => isDsOf(ds, key, set.owner)));
  if (named_keys.length === 0) {
    const [first] = all;
    if (understood.length === 0 && first) {
      return { reason: 'dnssec_algorithm', zone, at, algorithm: first.algorithm };
    }
    return {
      ...{ reason: 'dnssec_key_mismatch', zone, at, named },
      present: usable.map(({ tag }) => tag),
      rightDs: usable.filter(isEntryPoint).map((key) => dsOf(key, set.owner)),
    };
  }
  const problem = verifier.problemOf(keySet, zone, named_keys);
  return problem ? found(problem, { zone, at }) : { zone, keys };
}

/** A key that is meant for the DS record (RFC 4034, section 2.1.1). */
function isEntryPoint({ data }: DnsKey): boolean {
  return (data.readUInt16BE(0) & 1) === 1;
}

/** The record itself, in the zone that it is in. */
function atTheEnd(
  { zone, keys }: Trusted,
  { name, type }: Pick<Question, 'name' | 'type'>,
  response: SignedResponse,
  verifier: Verifier,
): Found | undefined {
  const number = TYPE[type];
  const set = setAt(response.answer, name, number) ?? setAt(response.answer, name, TYPE.CNAME);
  if (!set) return deniedWrongly({ zone, keys }, { name, type: number }, response, verifier, type);
  const problem = verifier.problemOf(set, zone, keys);
  if (!problem) return undefined;
  return found(problem, { zone, at: `${name} ${set.type === number ? type : 'CNAME'}` });
}

/** What is wrong with the proof that a record does not exist. */
function deniedWrongly(
  { zone, keys }: Trusted,
  { name, type }: { readonly name: string; readonly type: number },
  response: SignedResponse,
  verifier: Verifier,
  typeName = 'DS',
): Found | undefined {
  const at = `${name} ${typeName}`;
  const proofs = response.authority.filter(
    (set) => set.type === TYPE.NSEC || set.type === TYPE.NSEC3,
  );
  for (const proof of proofs) {
    const problem = verifier.problemOf(proof, zone, keys);
    if (problem) return found(problem, { zone, at });
  }
  if (readDenial(proofs, { name, type, zone }).isProven) return undefined;
  return { reason: 'dnssec_denial', zone, at };
}

const REASONS: Readonly<Record<SignatureProblem['kind'], BrokenLinkReason>> = {
  expired: 'dnssec_expired',
  not_yet_valid: 'dnssec_not_yet_valid',
  wrong: 'dnssec_wrong_signature',
  no_key: 'dnssec_wrong_signature',
  unsigned: 'dnssec_unsigned',
  algorithm: 'dnssec_algorithm',
};

function found(problem: SignatureProblem, where: Pick<Found, 'zone' | 'at'>): Found {
  return {
    reason: REASONS[problem.kind],
    ...where,
    ...('at' in problem && { instant: problem.at }),
    ...('algorithm' in problem && { algorithm: problem.algorithm }),
  };
}

function unknown(name: string, type: RecordType, extended: readonly ExtendedError[]): BrokenLink {
  // Where the zone begins was not found: the registrable domain is the one whose DS record people can look at.
  return { reason: reasonOfCodes(extended), zone: zoneOf(name), at: `${name} ${type}`, extended };
}
