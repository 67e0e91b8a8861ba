/**
 * Whose a problem is, and with it who is asked next:
 * - `name`: the name's, which every authority would meet: its DNS or its server has to be mended. The same authority is
 *   asked again after a while.
 * - `authority for this name`: the authority's, for this order or this name: another authority is asked at once.
 * - `authority`: the authority's, for all names: another one is asked at once, and for a while for other names, too.
 * - `request`: of one request: the same authority is asked once more, and then another one.
 */
export type Blame = 'name' | 'authority for this name' | 'authority' | 'request';

interface ProblemKind {
  /** Where the type is defined, or where the step is that meets it. */
  readonly section: string;
  readonly blame: Blame;
  /**
   * `kept`: a request failed, or was not sent, and an order that was placed is still good. `over`: the order has failed.
   * `lost`: the authority has lost the order or the account, which does not count as a failed order.
   */
  readonly order: 'kept' | 'over' | 'lost';
  /**
   * An attempt after a while would fail again and use up the authority's rate limits: it is asked again only after a DNS
   * check whose verdict is `verified`.
   */
  readonly isGivenUp?: true;
}

/** The problems of RFC 8555, section 6.7, and of its extensions. */
const STANDARD: Readonly<Record<string, ProblemKind>> = {
  // The account is made anew, by the same key or another.
  accountDoesNotExist: { section: 'RFC 8555, 7.3.1', blame: 'request', order: 'lost' },
  alreadyReplaced: { section: 'RFC 9773, 7.4', blame: 'authority for this name', order: 'over' },
  // Only for completeness: the dashboard revokes nothing at an authority.
  alreadyRevoked: { section: 'RFC 8555, 7.6', blame: 'authority for this name', order: 'over' },
  badCSR: {
    section: 'RFC 8555, 7.4',
    blame: 'authority for this name',
    order: 'over',
    isGivenUp: true,
  },
  badNonce: { section: 'RFC 8555, 6.5', blame: 'request', order: 'kept' },
  badPublicKey: {
    section: 'RFC 8555, 6.7',
    blame: 'authority for this name',
    order: 'over',
    isGivenUp: true,
  },
  // Only for completeness, like alreadyRevoked.
  badRevocationReason: {
    section: 'RFC 8555, 7.6',
    blame: 'authority for this name',
    order: 'over',
  },
  badSignatureAlgorithm: {
    section: 'RFC 8555, 6.2',
    blame: 'authority',
    order: 'over',
    isGivenUp: true,
  },
  // The records may allow another one. Somebody has to change the DNS; the DNS check finds out when.
  caa: {
    section: 'RFC 8555, 6.7; RFC 8659, 3',
    blame: 'authority for this name',
    order: 'over',
    isGivenUp: true,
  },
  compound: {
    section: 'RFC 8555, 6.7.1',
    blame: 'authority for this name',
    order: 'over',
    isGivenUp: true,
  },
  connection: { section: 'RFC 8555, 8.3', blame: 'name', order: 'over' },
  dns: { section: 'RFC 8555, 8.4', blame: 'name', order: 'over' },
  externalAccountRequired: {
    section: 'RFC 8555, 7.3.4',
    blame: 'authority',
    order: 'over',
    isGivenUp: true,
  },
  incorrectResponse: { section: 'RFC 8555, 8.3', blame: 'name', order: 'over' },
  invalidContact: { section: 'RFC 8555, 7.3', blame: 'authority', order: 'over', isGivenUp: true },
  invalidProfile: { section: 'draft-ietf-acme-profiles, 5', blame: 'authority', order: 'over' },
  malformed: { section: 'RFC 8555, 6.7', blame: 'authority for this name', order: 'over' },
  orderNotReady: { section: 'RFC 8555, 7.4', blame: 'request', order: 'over' },
  rateLimited: { section: 'RFC 8555, 6.6', blame: 'authority for this name', order: 'kept' },
  rejectedIdentifier: {
    section: 'RFC 8555, 7.4',
    blame: 'authority for this name',
    order: 'over',
    isGivenUp: true,
  },
  serverInternal: { section: 'RFC 8555, 6.7', blame: 'authority', order: 'kept' },
  tls: { section: 'RFC 8737, 3', blame: 'name', order: 'over' },
  // Without a challenge it is about the account, or what it may order.
  unauthorized: { section: 'RFC 8555, 8.2', blame: 'name', order: 'over' },
  unsupportedContact: {
    section: 'RFC 8555, 7.3',
    blame: 'authority',
    order: 'over',
    isGivenUp: true,
  },
  unsupportedIdentifier: {
    section: 'RFC 8555, 7.4',
    blame: 'authority for this name',
    order: 'over',
    isGivenUp: true,
  },
  userActionRequired: {
    section: 'RFC 8555, 7.3.3',
    blame: 'authority',
    order: 'over',
    isGivenUp: true,
  },
};

/** Problems that RFC 8555 has no type for. */
const OWN: Readonly<Record<string, ProblemKind>> = {
  /** The authority could not be reached, did not respond in time, or did not speak its protocol. */
  unreachable: { section: 'RFC 8555, 6.1', blame: 'authority', order: 'kept' },
  /** The authority took longer than one attempt waits. */
  timeout: { section: 'RFC 8555, 7.4', blame: 'authority', order: 'kept' },
  /** The authority does not know the order any more. */
  orderGone: { section: 'RFC 8555, 7.1.6', blame: 'request', order: 'lost' },
  /** The authority made no account, or refuses the external one. */
  accountRefused: { section: 'RFC 8555, 7.3.4', blame: 'authority', order: 'over' },
  /** The certificate is not for the name, not for the key, or not valid now. */
  badCertificate: { section: 'RFC 8555, 7.4.2', blame: 'authority for this name', order: 'over' },
  /** The authority offers none of the configured challenges. */
  noChallenge: {
    section: 'RFC 8555, 8',
    blame: 'authority for this name',
    order: 'over',
    isGivenUp: true,
  },
  /** A rate limit of the installation, which is below the authority's. */
  budget: { section: 'RFC 8555, 6.6', blame: 'authority for this name', order: 'kept' },
};

/** For unknown types: another authority may not have the problem. */
const UNKNOWN: ProblemKind = {
  section: 'RFC 8555, 6.7',
  blame: 'authority for this name',
  order: 'over',
};

/** A map: the authority names the type, and an object has members of its own, such as `constructor`. */
const KINDS: ReadonlyMap<string, ProblemKind> = new Map(Object.entries({ ...STANDARD, ...OWN }));

/** What is known of a type of problem. */
export function kindOf(type: string): ProblemKind {
  return KINDS.get(type) ?? UNKNOWN;
}

export const STANDARD_TYPES: readonly string[] = Object.keys(STANDARD);
export const OWN_TYPES: readonly string[] = Object.keys(OWN);
