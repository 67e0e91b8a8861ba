import { parse } from 'tldts';
import type { DnsRecord, Verdict } from '../../verdict.ts';
import type { Expectation } from '../check-dns.ts';
import { OWN_TYPES, type View } from '../observation.ts';
import { type Resource, recordsAt } from '../outcome.ts';
import { dnsRecord, mainRecord } from '../records.ts';
import { type Line, line, lines } from '../words.ts';

/** What rules judge by: what one server has, and what should be there. */
export interface Facts {
  readonly view: View;
  readonly expectation: Expectation;
  readonly zone: string;
  readonly isApex: boolean;
  readonly main: DnsRecord;
  /** The records that have to be created besides the main one. */
  readonly missingProof: readonly DnsRecord[];
  readonly cname: Resource | undefined;
  /** CNAME records lead from the name to the claim's host. */
  readonly isAlias: boolean;
  /** A and AAAA records at the name itself. */
  readonly addresses: readonly Resource[];
  /** Records at the name itself that no CNAME can stand beside; addresses among them. */
  readonly besides: readonly Resource[];
  /** What answers at the name is the zone's wildcard. */
  readonly isWildcard: boolean;
}

/** A rule says what is the matter, or nothing, and leaves it to the next. */
export type Rule = (facts: Facts) => Verdict | undefined;

export function factsOf(view: View, expectation: Expectation): Facts {
  const { hostname, target, proof } = expectation;
  const zone = parse(hostname).domain ?? hostname;
  const isApex = zone === hostname;
  const cname = view.way.hops[0];
  const all = OWN_TYPES.flatMap((type) => recordsAt(view.own[type], hostname, type));
  // A wildcard ends where a name has a record of its own: a CNAME is enough (RFC 4592, section 2.2.1).
  const isOfWildcard = ({ type, value }: Resource) =>
    !isApex && !cname && view.wildcard.some((it) => it.type === type && it.value === value);
  const besides = [...view.otherCnames, ...all.filter((record) => !isOfWildcard(record))];
  const isProven = proof === undefined || view.proof?.values.includes(proof.value);
  return {
    view,
    expectation,
    zone,
    isApex,
    main: mainRecord(expectation),
    missingProof: isProven ? [] : [dnsRecord('TXT', proof.name, proof.value)],
    cname,
    isAlias: view.way.hops.some(({ value }) => value === target),
    addresses: all.filter(({ type }) => type === 'A' || type === 'AAAA'),
    besides,
    isWildcard: all.some(isOfWildcard),
  };
}

type Parts = Pick<Verdict, 'code' | 'reason' | 'message' | 'found'> & {
  readonly remove?: readonly Resource[] | readonly Line[];
  readonly add?: readonly DnsRecord[];
  /** In the place of the sentence that lists what to remove and to add. */
  readonly remedy?: string;
  /** After that sentence. */
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

/** In numbered sentences where some records go and others come. */
function recordsRemedy(zone: string, remove: readonly Line[], add: readonly DnsRecord[]): string {
  const what = ({ length }: readonly unknown[]) => (length === 1 ? 'this record' : 'these records');
  const removing = `remove ${what(remove)}: ${lines(remove)}.`;
  // Others of its kind are there, and allow what they allow.
  const isBeside = add.some(({ type }) => type === 'CAA');
  const adding = isBeside
    ? `add ${what(add)} and keep the existing ones: ${add.map(creation).join('; ')}.`
    : `create ${what(add)}: ${add.map(creation).join('; ')}.`;
  if (add.length === 0) return `In the DNS of ${zone}, ${removing}`;
  if (remove.length === 0) return `In the DNS of ${zone}, ${adding}`;
  return `In the DNS of ${zone}: 1. ${capital(removing)} 2. ${capital(adding)}`;
}

function capital(sentence: string): string {
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
}

/** With the name as panels want it, which add the zone's name by themselves. */
function creation(record: DnsRecord): string {
  const { name, host } = record;
  return host === '@'
    ? `${line(record)} (as the name enter only @; some panels want it empty)`
    : `${line(record)} (as the name enter only ${host}; most panels add ${name.slice(host.length)})`;
}
