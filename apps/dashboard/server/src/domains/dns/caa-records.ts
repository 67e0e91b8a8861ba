import type { Authority } from './expectation.ts';

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
 * `issuewild` is for wildcard certificates only.
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
  // One matching issuer is enough.
  if (reasons.includes(undefined)) return undefined;
  return { why: reasons.includes('validationmethods') ? 'validationmethods' : 'accounturi' };
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
