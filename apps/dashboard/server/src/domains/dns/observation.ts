import type { Failure, Outcome, Resource } from './outcome.ts';

/** Everything that was seen, for the verdict to be made of. */
export interface Observation {
  /** As the zone's own servers have it, those that answered; none: they are out of reach. */
  readonly zoneServers: readonly View[];
  /** As each resolver has it. */
  readonly resolvers: readonly View[];
}

/** The DNS of a name as one server has it. */
export interface View {
  /** The server, for people. */
  readonly label: string;
  /** The CNAME records from the name on. */
  readonly way: Way;
  /** CNAME records at the name itself beyond the first: there must be none. */
  readonly otherCnames: readonly Resource[];
  /** Seconds for which resolvers go on saying that there is no CNAME. */
  readonly negativeTtl: number | undefined;
  /** What was asked for at the name itself besides. */
  readonly own: Own;
  /** What a name that nobody made has, beside this one: the wildcard's records. */
  readonly wildcard: readonly Resource[];
  /** The addresses of the claim's host. */
  readonly target: { readonly addresses: readonly string[]; readonly failure: Failure | undefined };
  /** The TXT records at the proof's name, or where a CNAME leads from there; undefined: none needed. */
  readonly proof: Texts | undefined;
  /** Records at names where one ends up by mistake. */
  readonly elsewhere: readonly Resource[];
  readonly caa: Caa;
}

/** Types that stand in a CNAME's way, or take its place. */
export const OWN_TYPES = ['A', 'AAAA', 'TXT', 'MX'] as const;

export type Own = Readonly<Record<(typeof OWN_TYPES)[number], Outcome>>;

export interface Way {
  /** The CNAME records in their order. Behind the claim's host nothing more is looked at. */
  readonly hops: readonly Resource[];
  readonly end: 'here' | 'target' | 'addresses' | 'nothing' | 'loop' | Failure;
}

export interface Texts {
  /** The CNAME record at the proof's own name. */
  readonly alias: Resource | undefined;
  readonly values: readonly string[];
  readonly failure: Failure | undefined;
}

/** The closest set of CAA records up the tree (RFC 8659, section 3), or what could not be looked up. */
export type Caa =
  | { readonly records: readonly Resource[] }
  | { readonly name: string; readonly failure: Failure };
