import { zoneOf } from '../../hostname.ts';
import type { DnsRecord, Verdict } from '../../verdict.ts';
import { dnsRecord, type Expectation, mainRecord } from '../expectation.ts';
import { OWN_TYPES, type View } from '../observation.ts';
import { type ResourceRecord, recordsAt } from '../outcome.ts';
import { capital, type Line, line, lines } from '../words.ts';

/** The input of the rules: what one server has, and what it should have. */
export interface Facts {
  readonly view: View;
  readonly expectation: Expectation;
  readonly zone: string;
  readonly isApex: boolean;
  readonly main: DnsRecord;
  /** The records that have to be created in addition to the main one. */
  readonly missingProof: readonly DnsRecord[];
  /** The record of the challenges, where the name is prepared for a move. */
  readonly challengeRecord: DnsRecord | undefined;
  /** It is there, and leads to the claim's own name. */
  readonly isChallengeRight: boolean;
  /** Of the name itself, and not of the zone's wildcard. */
  readonly cname: ResourceRecord | undefined;
  /** The CNAME chain leads to the claim's target. */
  readonly isAlias: boolean;
  /** A and AAAA records at the name itself. */
  readonly addresses: readonly ResourceRecord[];
  /** Records at the name itself, addresses among them, that cannot be there beside a CNAME. */
  readonly conflicting: readonly ResourceRecord[];
  /** The name has records of the zone's wildcard only. */
  readonly isWildcard: boolean;
}

/** A rule gives a verdict, or undefined where the next rule decides. */
export type Rule = (facts: Facts) => Verdict | undefined;

export function factsOf(view: View, expectation: Expectation): Facts {
  const { hostname, target, proof, challenge } = expectation;
  const zone = zoneOf(hostname);
  const isApex = zone === hostname;
  const isAlias = view.chain.hops.some(({ value }) => value === target);
  const [found] = view.chain.hops;
  const isCnameOfWildcard =
    !isApex &&
    !isAlias &&
    view.wildcard.some(({ type, value }) => type === 'CNAME' && value === found?.value);
  const cname = isCnameOfWildcard ? undefined : found;
  const all = OWN_TYPES.flatMap((type) => recordsAt(view.own[type], hostname, type));
  // A wildcard does not apply to a name that has a record of its own, such as a CNAME (RFC 4592, section 2.2.1).
  const isOfWildcard = ({ type, value }: ResourceRecord) =>
    !isApex && !cname && view.wildcard.some((it) => it.type === type && it.value === value);
  const conflicting = [...view.otherCnames, ...all.filter((record) => !isOfWildcard(record))];
  const challengeRecord = challenge && dnsRecord('CNAME', challenge.name, challenge.value);
  const isChallengeRight = view.challenge?.chain.end === 'target';
  const isProven =
    proof === undefined || isChallengeRight || view.proof?.values.includes(proof.value);
  return {
    view,
    expectation,
    zone,
    isApex,
    main: mainRecord(expectation),
    missingProof: isProven ? [] : [challengeRecord ?? dnsRecord('TXT', proof.name, proof.value)],
    challengeRecord,
    isChallengeRight,
    cname,
    isAlias,
    addresses: all.filter(({ type }) => type === 'A' || type === 'AAAA'),
    conflicting,
    isWildcard: isCnameOfWildcard || all.some(isOfWildcard),
  };
}

type Parts = Pick<Verdict, 'code' | 'reason' | 'message' | 'found'> & {
  readonly remove?: readonly ResourceRecord[] | readonly Line[];
  readonly add?: readonly DnsRecord[];
  /** Replaces the sentence that lists what to remove and to add. */
  readonly remedy?: string;
  /** Follows that sentence. */
  readonly hint?: string;
  readonly expected?: string;
  readonly retryAfterSeconds?: number | undefined;
};

/** A verdict whose remedy is to remove and to create records. */
export function verdictOf(facts: Facts, parts: Parts): Verdict {
  const { code, reason, message, found, add = [], retryAfterSeconds } = parts;
  const remove = (parts.remove ?? []).map(({ type, name, value }) => ({ type, name, value }));
  const remedy = parts.remedy ?? recordsRemedy(facts.zone, remove, add);
  return {
    code,
    reason,
    message,
    expected: parts.expected ?? lines(add.length > 0 ? add : [facts.main]),
    found,
    remedy: parts.hint === undefined ? remedy : `${remedy} ${parts.hint}`,
    add: [...add],
    remove,
    retryAfterSeconds: retryAfterSeconds ?? null,
  };
}

/** Numbered where there are records to remove and records to add. */
function recordsRemedy(zone: string, remove: readonly Line[], add: readonly DnsRecord[]): string {
  const what = ({ length }: readonly unknown[]) => (length === 1 ? 'this record' : 'these records');
  const removing = `remove ${what(remove)}: ${lines(remove)}.`;
  // Existing CAA records allow other authorities and stay.
  const isBeside = add.some(({ type }) => type === 'CAA');
  const task = isBeside ? `add ${what(add)} and keep the existing ones` : `create ${what(add)}`;
  const adding = `${task}: ${add.map(creation).join('; ')}.`;
  if (add.length === 0) return `In the DNS of ${zone}, ${removing}`;
  if (remove.length === 0) return `In the DNS of ${zone}, ${adding}`;
  return `In the DNS of ${zone}: 1. ${capital(removing)} 2. ${capital(adding)}`;
}

/** A record to create, with the name as DNS panels want it: they add the zone's name. */
function creation(record: DnsRecord): string {
  const { name, host } = record;
  return host === '@'
    ? `${line(record)} (as the name enter only @; some panels want it empty)`
    : `${line(record)} (as the name enter only ${host}; most panels add ${name.slice(host.length)})`;
}
