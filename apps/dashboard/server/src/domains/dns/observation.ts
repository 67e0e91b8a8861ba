import type { BrokenLink } from './dnssec/broken-link.ts';
import type { Failure, Outcome, ResourceRecord } from './outcome.ts';

/** All answers of the servers, from which the verdict is made. */
export interface Observation {
  /** Of each of the zone's own servers that answered; none: they cannot be reached. */
  readonly zoneServers: readonly View[];
  /** Of each resolver. */
  readonly resolvers: readonly View[];
}

/** The DNS of a name as one server has it. */
export interface View {
  /** The server, for people. */
  readonly label: string;
  /** The CNAME records from the name on. */
  readonly chain: CnameChain;
  /** CNAME records at the name itself beyond the first: there must be none. */
  readonly otherCnames: readonly ResourceRecord[];
  /** How long resolvers cache that there is no CNAME, in seconds. */
  readonly negativeTtl: number | undefined;
  /** The other records at the name itself. */
  readonly own: Own;
  /** The records of the zone's wildcard, found at a random name beside this one. */
  readonly wildcard: readonly ResourceRecord[];
  /** The addresses of the claim's target, and why there are none, or none of one family. */
  readonly target: { readonly addresses: readonly string[]; readonly failure: Failure | undefined };
  /** The TXT records at the proof's name, along its CNAME chain; undefined: no proof is needed. */
  readonly proof: Texts | undefined;
  /** What is at the name of the challenges; undefined: the name is not prepared for a move. */
  readonly challenge?: ChallengeView | undefined;
  /** Records at names where people put them by mistake. */
  readonly elsewhere: readonly ResourceRecord[];
  readonly caa: Caa;
  /** How that set was found: the names that were asked, from the name up. */
  readonly climb: readonly CaaStep[];
  /** The resolver has validated the answer for the name by DNSSEC. */
  readonly isAuthentic: boolean;
  /** Where the chain of trust breaks; undefined: no look-up that matters is `dnssec_bogus`. */
  readonly brokenLink?: BrokenLink;
}

/** Types that conflict with a CNAME, or take its place. */
export const OWN_TYPES = ['A', 'AAAA', 'TXT', 'MX'] as const;

export type Own = Readonly<Record<(typeof OWN_TYPES)[number], Outcome>>;

export interface CnameChain {
  /** The CNAME records in their order, up to the claim's target. */
  readonly hops: readonly ResourceRecord[];
  readonly end: 'here' | 'target' | 'addresses' | 'nothing' | 'loop' | Failure;
}

export interface Texts {
  /** The CNAME record at the proof's own name. */
  readonly alias: ResourceRecord | undefined;
  readonly values: readonly string[];
  readonly failure: Failure | undefined;
}

export interface ChallengeView {
  /** The CNAME records from the challenges' name on, up to the claim's name in the installation's zone. */
  readonly chain: CnameChain;
  /** The CNAME record is that of a wildcard. */
  readonly isWildcard: boolean;
  /** TXT records at the name itself. */
  readonly texts: readonly ResourceRecord[];
  /** CNAME records with the right value at names where people put them by mistake. */
  readonly elsewhere: readonly ResourceRecord[];
  /** How long resolvers cache that there is no CNAME, in seconds. */
  readonly negativeTtl: number | undefined;
}

/** The closest set of CAA records up the tree (RFC 8659, section 3), or the name that could not be looked up. */
export type Caa =
  | { readonly records: readonly ResourceRecord[] }
  | { readonly name: string; readonly failure: Failure };

/** A name at which CAA records were looked up. */
export interface CaaStep {
  readonly name: string;
  /** The CNAME records that were followed from there. */
  readonly aliases: readonly ResourceRecord[];
  readonly records: readonly ResourceRecord[];
  /** Why there was no answer. */
  readonly failure: Failure | undefined;
}
