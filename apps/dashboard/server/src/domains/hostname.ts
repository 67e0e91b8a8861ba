import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { invalidRequest } from '../api-error.ts';
import { type CanonicalHost, canonicalHost } from '../edge/host.ts';
import { isWildcard, wildcardAbove, wildcardOf, withoutWildcard } from './wildcard.ts';

/** The installation's own names. */
interface OwnNames {
  readonly platformHost: string;
  /** The host of the dashboard's public address; undefined where it has none. */
  readonly dashboardHost: string | undefined;
  /** The name at which the API is served; undefined: none is. */
  readonly petstoreHost?: string | undefined;
}

/** The label below a name at which the TXT record that proves ownership has to be. */
export const PROOF_LABEL = '_docs-challenge';

const MAX_LABEL = 63;
/** RFC 1035 allows 253 characters, and the TXT record's name must fit, too. */
const MAX_LENGTH = 253 - PROOF_LABEL.length - 1;

/** Top-level names that are not in the public DNS (RFC 6761, RFC 6762, RFC 7686, RFC 9476, and ICANN's reservations). */
const PRIVATE_SUFFIXES = [
  'alt',
  'arpa',
  'home',
  'internal',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'onion',
];

/**
 * Reads a host name that a person typed, or a wildcard such as `*.docs.example.com`, into its canonical form: lower case,
 * punycode, no last dot. Throws ApiError `hostname must …` for anything that nobody can own and point here: an IP
 * address, a single label, a public suffix, one of the installation's own names, a wildcard that has one of those.
 */
export function readHostname(text: string, own: OwnNames): string {
  const typed = text.trim();
  const name = readName(withoutWildcard(typed));
  const hostname = isWildcard(typed) ? wildcardOf(name) : name;
  const reason = reasonAgainst(name, own) ?? reasonAgainstWildcard(hostname, own);
  if (reason !== undefined) throw invalidRequest(`hostname must ${reason}`);
  return hostname;
}

/** Why a wildcard is refused whose name without its mark is right. */
function reasonAgainstWildcard(hostname: string, own: OwnNames): string | undefined {
  const covered = [own.platformHost, own.dashboardHost, own.petstoreHost].find(
    (name) => name !== undefined && wildcardAbove(name) === hostname,
  );
  return covered && `be a name of your own; ${hostname} has ${covered}, which is this dashboard's.`;
}

/** The registrable domain that a canonical name or a wildcard is in: one label below a public suffix. */
export function zoneOf(hostname: string): string {
  const name = withoutWildcard(hostname);
  return parse(name).domain ?? name;
}

/** A name as most DNS panels want it: without the zone's own name, `@` for the zone itself. */
export function hostInZone(name: string, zone: string): string {
  if (name === zone) return '@';
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name;
}

/** A host name of any kind. */
function readName(typed: string): CanonicalHost {
  const wrong = spellingProblem(typed);
  if (wrong !== undefined) throw invalidRequest(`hostname must ${wrong}`);
  const ascii = domainToASCII(typed).replace(/\.$/, '');
  const problem = lengthProblem(ascii) ?? labelProblem(ascii);
  if (problem !== undefined) throw invalidRequest(`hostname must ${problem}`);
  const hostname = canonicalHost(ascii);
  // Browsers take a name that ends in a number for an IPv4 address, also where isIP does not: 127.1
  if (hostname === undefined) throw invalidRequest(`hostname must ${NO_ADDRESS}`);
  return hostname;
}

const SHAPE = 'be a host name such as docs.example.com';
const NO_ADDRESS = 'be a name, such as docs.example.com, and not an IP address.';

/** What is wrong with a name before it is converted to punycode. */
function spellingProblem(typed: string): string | undefined {
  if (typed === '') return `${SHAPE}; it is empty.`;
  if (isIP(typed.replace(/^\[(.*)\]$/, '$1'))) return NO_ADDRESS;
  const pasted = nameInAddress(typed);
  if (pasted !== undefined)
    return `be the host name alone, without scheme, port and path: ${pasted}`;
  if (typed.includes('*')) {
    return 'have a * in no other place than alone at the beginning, such as *.docs.example.com.';
  }
  if (typed.includes('_')) {
    return 'not have an underscore: host names consist of letters, digits and hyphens.';
  }
  const strange = /[\0-,/:-@[-`{-\x7f]/.exec(typed)?.[0];
  if (strange === undefined) return undefined;
  return `${SHAPE}, of letters, digits, hyphens and dots; it has ${JSON.stringify(strange)}.`;
}

/** The name in a pasted address (`https://docs.example.com/`), or in a name with a port or a path. */
function nameInAddress(typed: string): string | undefined {
  if (!/[/:]/.test(typed)) return undefined;
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (!URL.canParse(address)) return undefined;
  const host = canonicalHost(new URL(address).hostname);
  return host?.includes('.') ? host : undefined;
}

function lengthProblem(ascii: string): string | undefined {
  if (ascii.length > MAX_LENGTH) {
    return `be at most ${MAX_LENGTH} characters long, in punycode; it has ${ascii.length}.`;
  }
  const long = ascii.split('.').find((label) => label.length > MAX_LABEL);
  if (long === undefined) return undefined;
  return `have at most ${MAX_LABEL} characters between two dots; ${JSON.stringify(long)} has ${long.length}.`;
}

function labelProblem(ascii: string): string | undefined {
  // domainToASCII returns '' for characters that are not allowed, and for invalid punycode.
  if (ascii === '') return `${SHAPE}; this has characters that no name can have.`;
  for (const label of ascii.split('.')) {
    if (label === '') return `${SHAPE}; this has two dots in a row, or one in front.`;
    if (label.startsWith('-') || label.endsWith('-')) {
      return `not have a hyphen at the beginning or the end of a label; ${JSON.stringify(label)} has one.`;
    }
  }
  // domainToUnicode leaves labels that are not valid punycode as they are (RFC 5891, section 5.4).
  const unicode = domainToUnicode(ascii);
  const undecoded = unicode.split('.').find((label) => label.startsWith('xn--'));
  if (undecoded !== undefined || domainToASCII(unicode) !== ascii) {
    return `${SHAPE}; ${JSON.stringify(undecoded ?? ascii)} is not valid punycode.`;
  }
  return undefined;
}

/** Why a well-formed name is refused. */
function reasonAgainst(hostname: CanonicalHost, own: OwnNames): string | undefined {
  if (isWithin(hostname, own.platformHost)) {
    return `be a name of your own; names under ${own.platformHost} are the platform's.`;
  }
  if (hostname === own.dashboardHost) {
    return `be a name of your own; ${hostname} is the dashboard's own name.`;
  }
  if (hostname === own.petstoreHost) {
    return `be a name of your own; the API is served at ${hostname}.`;
  }
  if (!hostname.includes('.')) return `${SHAPE}, with a dot; ${hostname} is a single word.`;
  const last = hostname.slice(hostname.lastIndexOf('.') + 1);
  // An installation on a laptop has such a name itself; its domains may have one, too.
  if (PRIVATE_SUFFIXES.includes(last) && !isWithin(own.platformHost, last)) {
    return `be a name in the public DNS; names that end in .${last} are not.`;
  }
  if (parse(hostname).domain === null) {
    return `be a domain that someone can own; ${hostname} is a public suffix, like com or co.uk. Add your own name in front of it.`;
  }
  // The private part of the Public Suffix List: a provider's name, below which its customers have theirs.
  const { isPrivate, publicSuffix } = parse(hostname, { allowPrivateDomains: true });
  if (isPrivate && publicSuffix === hostname) {
    return `be a name of your own; ${hostname} is a suffix under which others have their names. Add your own name in front of it.`;
  }
  return undefined;
}

function isWithin(name: string, ancestor: string): boolean {
  return name === ancestor || name.endsWith(`.${ancestor}`);
}
