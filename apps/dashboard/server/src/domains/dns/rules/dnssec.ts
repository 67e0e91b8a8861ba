import { zoneOf } from '../../hostname.ts';
import type { Verdict } from '../../verdict.ts';
import type { BrokenLink, BrokenLinkReason } from '../dnssec/broken-link.ts';
import type { RecordType } from '../outcome.ts';
import { capital, listed, printable } from '../words.ts';
import { type Facts, verdictOf } from './facts.ts';

/** The verdict on an answer that a validating resolver does not believe: which link is broken, and what to do. */
export function brokenChain(facts: Facts, name: string, type: RecordType): Verdict {
  const link: BrokenLink = facts.view.brokenLink ?? {
    reason: 'dnssec_bogus',
    zone: zoneOf(name),
    at: `${name} ${type}`,
    extended: [],
  };
  const { message, remedy } = WORDS[link.reason](link);
  const { hostname } = facts.expectation;
  return verdictOf(facts, {
    code: 'dns_error',
    reason: link.reason,
    message: `${message} Certificate authorities and many resolvers therefore reject the answers for ${hostname}.`,
    expected: `a valid DNSSEC signature over ${printable(link.at)}, or no DS record`,
    found: `${facts.view.label}: ${printable(link.at)} ${[STATES[link.reason], ...said(link)].join('; ')}`,
    remedy: `${remedy} Resolvers keep the earlier answer until its TTL ends.`,
  });
}

const STATES: Readonly<Record<BrokenLinkReason, string>> = {
  dnssec_ds_without_key: 'is missing',
  dnssec_key_mismatch: 'has no key that the DS record names',
  dnssec_expired: 'has a signature that has expired',
  dnssec_not_yet_valid: 'has a signature that is not valid yet',
  dnssec_wrong_signature: 'has a signature that does not fit',
  dnssec_unsigned: 'has no signature',
  dnssec_algorithm: 'has an algorithm that is not supported',
  dnssec_denial: 'has no proof that it does not exist',
  dnssec_bogus: 'is not valid',
};

/** The resolver's own words. */
function said({ extended }: BrokenLink): string[] {
  return extended.slice(0, 3).map(({ code, text }) => {
    const named = EXTENDED_ERRORS[code] ?? `error ${code}`;
    return text === '' ? named : `${named} (${printable(text)})`;
  });
}

/** RFC 8914, section 4. */
const EXTENDED_ERRORS: Readonly<Record<number, string>> = {
  1: 'Unsupported DNSKEY Algorithm',
  2: 'Unsupported DS Digest Type',
  5: 'DNSSEC Indeterminate',
  6: 'DNSSEC Bogus',
  7: 'Signature Expired',
  8: 'Signature Not Yet Valid',
  9: 'DNSKEY Missing',
  10: 'RRSIGs Missing',
  11: 'No Zone Key Bit Set',
  12: 'NSEC Missing',
};

interface Words {
  readonly message: string;
  readonly remedy: string;
}

const WORDS: Readonly<Record<BrokenLinkReason, (link: BrokenLink) => Words>> = {
  dnssec_ds_without_key: ({ zone, named = [] }) => ({
    message: `${zone} has a DS record for ${keys(named)} ${holderOf(zone)}, and its name servers have no DNSKEY record: the zone is not signed.`,
    remedy: `Remove the DS record of ${zone} ${holderOf(zone)}: most often it belongs to an earlier DNS provider. Or have the DNS provider sign the zone, and enter the DS record that it names.`,
  }),
  dnssec_key_mismatch: ({ zone, named = [], present = [], rightDs = [] }) => ({
    message:
      present.length === 0
        ? `The DS record of ${zone} ${holderOf(zone)} is for none of the zone's keys.`
        : `The DS record of ${zone} ${holderOf(zone)} is for ${keys(named)}, and the zone is signed with ${keys(present)}.`,
    remedy:
      rightDs.length === 0
        ? `Replace the DS record of ${zone} ${holderOf(zone)} by the one that the DNS provider names, or remove it.`
        : `Replace the DS record of ${zone} ${holderOf(zone)} by the zone's own: ${rightDs.map((ds) => `${zone} DS ${ds}`).join('; ')}. Or remove it.`,
  }),
  dnssec_expired: ({ zone, at, instant }) => ({
    message: `The signature over ${printable(at)} ${instant === undefined ? 'has expired' : `expired on ${day(instant)}`}.`,
    remedy: `Have ${theZone(zone)} signed again, and ask whoever runs its name servers why that no longer happens by itself.${zone === '' ? '' : ` Until then, removing the DS record ${holderOf(zone)} helps, too.`}`,
  }),
  dnssec_not_yet_valid: ({ zone, at, instant }) => ({
    message: `The signature over ${printable(at)} is not valid ${instant === undefined ? 'yet' : `before ${day(instant)}`}.`,
    remedy: `Whoever runs the name servers of ${theZone(zone)} has to set the clock of the machine that signs the zone, and sign it again.`,
  }),
  dnssec_wrong_signature: ({ zone, at }) => ({
    message: `The signature over ${printable(at)} does not fit the record, or was made with a key that ${theZone(zone)} does not have.`,
    remedy: `Have ${theZone(zone)} signed again, and check that all of its name servers have the same version of it.`,
  }),
  dnssec_unsigned: ({ zone, at }) => ({
    message: `${capital(theZone(zone))} is signed with DNSSEC, and ${printable(at)} has no signature.`,
    remedy: `Have ${theZone(zone)} signed again as a whole: a record that was added after that has no signature. A name server that does not know DNSSEC must not serve the zone.`,
  }),
  dnssec_algorithm: ({ zone, algorithm }) => ({
    message: `${capital(theZone(zone))} is signed with ${algorithm === undefined ? 'an algorithm that' : `algorithm ${algorithm}, which`} not all validating resolvers support.`,
    remedy: `Have the zone signed with algorithm 13 (ECDSAP256SHA256), and replace its DS record ${holderOf(zone)}.`,
  }),
  dnssec_denial: ({ zone, at }) => ({
    message: `${capital(theZone(zone))} is signed with DNSSEC, and there is no proof (NSEC, NSEC3) that ${printable(at)} does not exist.`,
    remedy: `Have ${theZone(zone)} signed again as a whole, and check that its name servers know DNSSEC.`,
  }),
  dnssec_bogus: ({ zone, at }) => ({
    message: `A resolver that validates DNSSEC rejects ${printable(at)}.`,
    remedy: `Compare the DS record of ${zone} ${holderOf(zone)} with the keys of the zone, and have the zone signed again. After a change of the DNS provider, an old DS record has to be removed.`,
  }),
};

function theZone(zone: string): string {
  return zone === '' ? 'the root zone' : `the zone ${zone}`;
}

/** Who has the DS record of a zone: the registrar, or the zone above it. */
function holderOf(zone: string): string {
  if (!zone.includes('.')) return 'in the root zone';
  if (zoneOf(zone) === zone) return 'at the registrar';
  return `in ${theZone(zone.slice(zone.indexOf('.') + 1))}`;
}

function keys(tags: readonly number[]): string {
  const all = [...new Set(tags)].map(String);
  return `${all.length === 1 ? 'key' : 'keys'} ${listed(all)}`;
}

function day(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10);
}
