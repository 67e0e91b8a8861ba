import { zoneOf } from '../../hostname.ts';
import type { Verdict } from '../../verdict.ts';
import { isWildcard, withoutWildcard } from '../../wildcard.ts';
import { type Authority, dnsRecord } from '../expectation.ts';
import type { Failure, ResourceRecord } from '../outcome.ts';
import { FAILURE_WORDS, failureCode, lines, listed, printable } from '../words.ts';
import { type Facts, type Rule, verdictOf } from './facts.ts';
import { unanswered } from './lookup-failures.ts';

/** The CAA records allow one of the authorities, which look them up before they issue. */
export const caaAllows: Rule = (facts) => {
  const { view, expectation } = facts;
  const { hostname, target, authorities } = expectation;
  const [first] = authorities;
  if ('failure' in view.caa) {
    const { name, failure } = view.caa;
    if (name === target) return unansweredAtTarget(facts, failure);
    // An authority must not issue where it gets no answer (RFC 8659, section 3).
    return unanswered(facts, name, 'CAA', failure);
  }
  const { records } = view.caa;
  const values = records.map(({ value }) => value);
  const forWildcard = isWildcard(hostname);
  const blocks = authorities.flatMap((authority) => caaBlock(values, authority, forWildcard) ?? []);
  const owner = records[0]?.name;
  const [block] = blocks;
  if (!block || blocks.length < authorities.length || owner === undefined) return undefined;
  const said = caaSentence(block, records, owner, authorities, forWildcard);
  if (owner === target) {
    return verdictOf(facts, {
      code: 'caa_blocks',
      reason: 'platform',
      message: `${said} That name is the platform's.`,
      found: lines(records),
      remedy: `You need not change anything at ${hostname}: the operator of this dashboard has to correct the CAA records of ${target}.`,
    });
  }
  const isCritical = block.why === 'unknown_critical';
  const allowing = dnsRecord('CAA', owner, allowingLine(values, first, forWildcard));
  return verdictOf(facts, {
    code: 'caa_blocks',
    reason: block.why,
    message:
      owner === withoutWildcard(hostname) ? said : `${said} They apply to ${hostname} as well.`,
    expected: isCritical
      ? `no critical property that is unknown, at ${owner}`
      : `${owner} CAA ${allowing.value}`,
    found: lines(records),
    add: isCritical ? [] : [allowing],
    remove: isCritical ? block.indices.flatMap((index) => records[index] ?? []) : [],
    ...(isCritical && !isAtOrAbove(owner, hostname) && { hint: wildcardHint(owner) }),
  });
};

/** Which of several authorities the CAA records allow; undefined for one alone, and where the records are not known. */
export function allowedAuthorities({ view, expectation }: Facts): Verdict['authorities'] {
  const { caa } = view;
  if ('failure' in caa || expectation.authorities.length === 1) return undefined;
  const values = caa.records.map(({ value }) => value);
  return expectation.authorities.map((authority) => ({
    name: authority.name,
    directoryUrl: authority.directoryUrl,
    identity: authority.identities[0] ?? '',
    isAllowed: caaBlock(values, authority, isWildcard(expectation.hostname)) === undefined,
  }));
}

/** A wildcard does not apply at or above a name that exists. */
function isAtOrAbove(owner: string, hostname: string): boolean {
  return `.${hostname}`.endsWith(`.${owner}`);
}

/**
 * A CNAME may lead to a name whose records are those of a wildcard, of the closest one above it (RFC 4592): answers do
 * not show that.
 */
function wildcardHint(owner: string): string {
  const zone = zoneOf(owner);
  const [, ...above] = owner.slice(0, -zone.length).split('.');
  const closest = `*.${[...above.slice(0, -1), zone].join('.')}`;
  const furthest = `*.${zone}`;
  if (closest === furthest) {
    return `If ${owner} has no such record of its own, remove that of ${closest}, which answers for it.`;
  }
  return `If ${owner} has no such record of its own, the closest wildcard above it answers for it, one from ${closest} to ${furthest}: remove the record of that one.`;
}

/** The customer's records are right: the platform's own name cannot be looked up. */
function unansweredAtTarget(facts: Facts, failure: Failure): Verdict {
  const { hostname, target } = facts.expectation;
  return verdictOf(facts, {
    code: 'dns_error',
    reason: 'platform_unresolved',
    message: `The record of ${hostname} is right, but the query for the CAA record of ${target}, where it leads, ${FAILURE_WORDS[failure]}. That name is the platform's.`,
    expected: `an answer for the CAA record of ${target}`,
    found: `${facts.view.label}: ${target} CAA ${failureCode(failure)}`,
    remedy: `You need not change anything at ${hostname}: the operator of this dashboard has to correct ${target}.`,
  });
}

/** Why CAA records keep authorities from issuing, as a sentence. */
export function caaSentence(
  block: CaaBlock,
  records: readonly ResourceRecord[],
  owner: string,
  authorities: readonly Authority[],
  forWildcard: boolean,
): string {
  const certificates = forWildcard ? 'certificates for a wildcard' : 'certificates';
  const all = authorities.flatMap(({ identities }) => identities.slice(0, 1));
  const who = all[0] ?? '';
  switch (block.why) {
    case 'issuer':
      return `The CAA records of ${owner} do not allow ${listed(all, 'or')} to issue ${certificates}.`;
    case 'accounturi':
      return `The CAA records of ${owner} allow ${who} to issue ${certificates} only for another account.`;
    case 'validationmethods':
      return `The CAA records of ${owner} allow ${who} to issue ${certificates} only by validation methods that are not used here.`;
    case 'unknown_critical': {
      const named = block.indices.map((index) => records[index]?.value ?? '').join(', ');
      return `The CAA records of ${owner} have a critical property that no authority understands (${printable(named)}), so that none may issue certificates.`;
    }
  }
}

/** A property of RFC 8659, section 4.1. */
interface CaaProperty {
  readonly isCritical: boolean;
  /** In lower case. */
  readonly tag: string;
  readonly value: string;
}

/** The value of an `issue` property; a `name` of '' allows nobody. */
interface Issuer {
  readonly name: string;
  readonly parameters: readonly { readonly tag: string; readonly value: string }[];
}

/** Why a set of records keeps the authority from issuing. */
export type CaaBlock =
  | { readonly why: 'unknown_critical'; readonly indices: readonly number[] }
  | { readonly why: 'issuer' }
  /** A matching issuer is bound to another account, or to other validation methods (RFC 8657). */
  | { readonly why: 'accounturi' | 'validationmethods' };

/** Known tags: their critical flag does not block the authority. */
const KNOWN_TAGS = ['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc'];

/** Bit 0 of the flags (RFC 8659, section 4.1); the others have no meaning. */
const CRITICAL = 128;

/** Parses a record as zone files have it: `0 issue "letsencrypt.org"`. */
export function parseCaa(text: string): CaaProperty {
  const [, flags = '', tag = '', value = ''] = /^(\d+)\s+(\S*)\s+"(.*)"$/s.exec(text) ?? [];
  return { isCritical: (Number(flags) & CRITICAL) !== 0, tag: tag.toLowerCase(), value };
}

/**
 * Why the closest set of CAA records up the tree keeps the authority from issuing; undefined: it may issue.
 * For a certificate of a wildcard `issuewild` decides, where there is one; it means nothing to others.
 */
export function caaBlock(
  records: readonly string[],
  authority: Authority,
  forWildcard = false,
): CaaBlock | undefined {
  const properties = records.map(parseCaa);
  const indices = properties.flatMap(({ isCritical, tag }, index) =>
    isCritical && !KNOWN_TAGS.includes(tag) ? [index] : [],
  );
  if (indices.length > 0) return { why: 'unknown_critical', indices };
  const deciding = decidingTag(properties, forWildcard);
  const issue = properties.filter(({ tag }) => tag === deciding);
  // RFC 8659, section 4.2: without such a property nothing is restricted.
  if (issue.length === 0) return undefined;
  const fitting = issue
    .map(({ value }) => parseIssuer(value))
    .filter(({ name }) => authority.identities.includes(name));
  if (fitting.length === 0) return { why: 'issuer' };
  const reasons = fitting.map((issuer) => unsatisfied(issuer, authority));
  // One matching issuer is enough.
  if (reasons.includes(undefined)) return undefined;
  return { why: reasons.includes('validationmethods') ? 'validationmethods' : 'accounturi' };
}

/** RFC 8659, section 4.3. */
function decidingTag(properties: readonly CaaProperty[], forWildcard: boolean) {
  return forWildcard && properties.some(({ tag }) => tag === 'issuewild') ? 'issuewild' : 'issue';
}

/** The parameter of RFC 8657 that does not match. Other parameters have no meaning here. */
function unsatisfied(
  { parameters }: Issuer,
  { accountUri, methods }: Authority,
): 'accounturi' | 'validationmethods' | undefined {
  const values = (tag: string) =>
    parameters.filter((parameter) => parameter.tag === tag).map(({ value }) => value);
  const uris = values('accounturi');
  // RFC 8657, section 3: more than one `accounturi` never matches.
  if (uris.length > 1 || (uris.length === 1 && uris[0] !== accountUri)) return 'accounturi';
  const lists = values('validationmethods');
  const listed = lists[0]?.toLowerCase().split(',') ?? [];
  if (lists.length > 1) return 'validationmethods';
  if (lists.length === 1 && !methods.some((method) => listed.includes(method))) {
    return 'validationmethods';
  }
  return undefined;
}

const LABEL = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const ISSUER_NAME = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*)?$`, 'i');
const PARAMETER = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)[ \t]*=[ \t]*([\x21-\x3a\x3c-\x7e]*)$/i;

/** RFC 8659, section 4.2. A malformed value allows nobody. */
function parseIssuer(value: string): Issuer {
  const nobody = { name: '', parameters: [] };
  const [name = '', ...rest] = value.split(';').map(withoutBlanks);
  if (!ISSUER_NAME.test(name)) return nobody;
  const parameters = [];
  for (const part of rest.filter((text) => text !== '')) {
    const [, tag, parameter] = PARAMETER.exec(part) ?? [];
    if (tag === undefined || parameter === undefined) return nobody;
    parameters.push({ tag: tag.toLowerCase(), value: parameter });
  }
  return { name: name.toLowerCase(), parameters };
}

/** A regular expression for the end would take quadratic time for many blanks. */
function withoutBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end).replace(/^[ \t]+/, '');
}

/**
 * The value of a CAA record that allows the authority. Where the records bind it to an account or to validation
 * methods, the new one does so, too.
 */
export function allowingLine(
  records: readonly string[],
  authority: Authority,
  forWildcard = false,
): string {
  const properties = records.map(parseCaa);
  const deciding = decidingTag(properties, forWildcard);
  const bound = properties
    .filter(({ tag }) => tag === deciding)
    .map(({ value }) => parseIssuer(value))
    .filter(({ name }) => authority.identities.includes(name))
    .flatMap(({ parameters }) => parameters.map(({ tag }) => tag));
  const { identities, accountUri, methods } = authority;
  const parts = [identities[0] ?? 'letsencrypt.org'];
  if (bound.includes('accounturi') && accountUri !== undefined) {
    parts.push(`accounturi=${accountUri}`);
  }
  if (bound.includes('validationmethods')) parts.push(`validationmethods=${methods.join(',')}`);
  return `0 ${deciding} "${parts.join('; ')}"`;
}
