import type { Authority } from './check-dns.ts';

/** A property of RFC 8659, section 4.1. */
export interface CaaProperty {
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
  /** An issuer that fits is bound to another account, or to other ways of validation (RFC 8657). */
  | { readonly why: 'accounturi' | 'validationmethods' };

/** Tags whose meaning is known, so that their critical flag does no harm. */
const KNOWN_TAGS = ['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc'];

/** Bit 0 of the flags (RFC 8659, section 4.1); the others mean nothing. */
const CRITICAL = 128;

/** A record as zone files have it: `0 issue "letsencrypt.org"`. */
export function parseCaa(text: string): CaaProperty {
  const [, flags = '', tag = '', value = ''] = /^(\d+)\s+(\S*)\s+"(.*)"$/s.exec(text) ?? [];
  return { isCritical: (Number(flags) & CRITICAL) !== 0, tag: tag.toLowerCase(), value };
}

/**
 * Whether the closest set of CAA records up the tree lets the authority issue for a name that is no
 * wildcard: `issuewild` has no say in that. undefined: it does.
 */
export function caaBlock(records: readonly string[], authority: Authority): CaaBlock | undefined {
  const properties = records.map(parseCaa);
  const indices = properties.flatMap(({ isCritical, tag }, index) =>
    isCritical && !KNOWN_TAGS.includes(tag) ? [index] : [],
  );
  if (indices.length > 0) return { why: 'unknown_critical', indices };
  const issue = properties.filter(({ tag }) => tag === 'issue');
  // RFC 8659, section 4.2: without such a property nothing is restricted.
  if (issue.length === 0) return undefined;
  const fitting = issue
    .map(({ value }) => parseIssuer(value))
    .filter(({ name }) => authority.identities.includes(name));
  if (fitting.length === 0) return { why: 'issuer' };
  const reasons = fitting.map((issuer) => unsatisfied(issuer, authority));
  // One that fits is enough.
  if (reasons.includes(undefined)) return undefined;
  return { why: reasons.includes('validationmethods') ? 'validationmethods' : 'accounturi' };
}

/** What in the parameters of RFC 8657 does not fit; parameters of others are none of our business. */
function unsatisfied(
  { parameters }: Issuer,
  { accountUri, methods }: Authority,
): 'accounturi' | 'validationmethods' | undefined {
  const values = (tag: string) =>
    parameters.filter((parameter) => parameter.tag === tag).map(({ value }) => value);
  const uris = values('accounturi');
  // RFC 8657, section 3: more than one is as none that fits.
  if (uris.length > 1 || (uris.length === 1 && uris[0] !== accountUri)) return 'accounturi';
  const lists = values('validationmethods');
  const listed = lists[0]?.split(',').map((method) => method.trim().toLowerCase()) ?? [];
  if (lists.length > 1) return 'validationmethods';
  if (lists.length === 1 && !methods.some((method) => listed.includes(method))) {
    return 'validationmethods';
  }
  return undefined;
}

const LABEL = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const ISSUER_NAME = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*)?$`, 'i');
const PARAMETER = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)[ \t]*=[ \t]*([\x21-\x3a\x3c-\x7e]*)$/i;

/** RFC 8659, section 4.2. What is not of that form allows nobody. */
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

/** An expression for the end would take a time that grows with the square of the blanks. */
function withoutBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end).replace(/^[ \t]+/, '');
}

/**
 * The line that lets the authority issue. Where records bind it to an account or to ways of validation,
 * the new line does so as well.
 */
export function allowingLine(records: readonly string[], authority: Authority): string {
  const bound = records
    .map(parseCaa)
    .filter(({ tag }) => tag === 'issue')
    .map(({ value }) => parseIssuer(value))
    .filter(({ name }) => authority.identities.includes(name))
    .flatMap(({ parameters }) => parameters.map(({ tag }) => tag));
  const { identities, accountUri, methods } = authority;
  const parts = [identities[0] ?? 'letsencrypt.org'];
  if (bound.includes('accounturi') && accountUri !== undefined) {
    parts.push(`accounturi=${accountUri}`);
  }
  if (bound.includes('validationmethods')) parts.push(`validationmethods=${methods.join(',')}`);
  return `0 issue "${parts.join('; ')}"`;
}
