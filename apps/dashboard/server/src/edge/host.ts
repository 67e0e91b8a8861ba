import { domainToASCII } from 'node:url';

/** A host name in the one spelling that the store and the edge compare: lower case, punycode, no port. */
export type CanonicalHost = string & { readonly __canonicalHost: never };

/** Longer than any name with its port, Unicode included; longer text is not parsed. */
const MAX_RAW_LENGTH = 512;

const MAX_PORT = 65_535;

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** RFC 1123, section 2.1: 1 to 63 letters, digits and hyphens between dots, 253 characters in all. */
const NAME = new RegExp(`^(?=.{1,253}$)(?:${LABEL}\\.)*${LABEL}$`);

/** A URL's host that ends in a number is an IPv4 address (`127.1`, `0x7f.1`), so no name ends so. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/;

/** ASCII that no name has; domainToASCII would drop some of it and decode the rest. */
const FOREIGN_ASCII = /[\0-,/:-@[-`{-\x7f]/;

/**
 * The canonical form of a Host header, of an `:authority`, or of what a person typed: without port and
 * last dot, in lower case, in punycode. undefined for all that is not a host name: an IP address, an
 * underscore, an empty label, an invalid port.
 */
export function canonicalHost(raw: string | undefined): CanonicalHost | undefined {
  if (raw === undefined || raw.length > MAX_RAW_LENGTH) return undefined;
  let end = raw.indexOf(':');
  if (end < 0) end = raw.length;
  else if (!isPort(raw.slice(end + 1))) return undefined;
  const dotted = raw.slice(0, end);
  const name = dotted.endsWith('.') ? dotted.slice(0, -1) : dotted;
  // Nearly all names are canonical already.
  if (NAME.test(name)) return asHost(name);
  if (FOREIGN_ASCII.test(name)) return undefined;
  const ascii = domainToASCII(name);
  return NAME.test(ascii) ? asHost(ascii) : undefined;
}

/** RFC 9110, section 7.2: a Host may hold a colon and no port behind it. */
function isPort(digits: string): boolean {
  return /^[0-9]{0,5}$/.test(digits) && Number(digits) <= MAX_PORT;
}

function asHost(name: string): CanonicalHost | undefined {
  return ENDS_IN_NUMBER.test(name) ? undefined : (name as CanonicalHost);
}
