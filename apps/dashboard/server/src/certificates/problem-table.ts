/**
 * Whose a problem is, and with it who is asked next:
 * - `name`: the name's, which every authority would meet: its DNS or its server has to be mended. The same authority is
 *   asked again after a while.
 * - `order`: the authority's, for this order or this name: another authority is asked at once.
 * - `authority`: the authority's, for all names: another one is asked at once, and for a while for other names, too.
 * - `request`: of one request: the same authority is asked once more, and then another one.
 */
export type Blame = 'name' | 'order' | 'authority' | 'request';

interface ProblemKind {
  /** Where the type is defined, or where the step is that meets it. */
  readonly section: string;
  readonly blame: Blame;
  /**
   * `kept`: a request failed, and the order is still good. `over`: the order has failed. `lost`: the authority has lost the
   * order or the account, which does not count as a failed order.
   */
  readonly order: 'kept' | 'over' | 'lost';
  /**
   * `later`: the authority is asked again after a while. `after a check`: that would fail again and use up its rate
   * limits: it is asked again after a DNS check whose verdict is `verified`.
   */
  readonly again: 'later' | 'after a check';
}

const kind = (
  section: string,
  blame: Blame,
  order: ProblemKind['order'],
  again: ProblemKind['again'] = 'later',
): ProblemKind => ({ section, blame, order, again });

/** The problems of RFC 8555, section 6.7, and of its extensions. */
const STANDARD: Readonly<Record<string, ProblemKind>> = {
  // The account is made anew, by the same key or another.
  accountDoesNotExist: kind('RFC 8555, 7.3.1', 'request', 'lost'),
  alreadyReplaced: kind('RFC 9773, 7.4', 'order', 'over'),
  alreadyRevoked: kind('RFC 8555, 7.6', 'order', 'over'),
  badCSR: kind('RFC 8555, 7.4', 'order', 'over', 'after a check'),
  badNonce: kind('RFC 8555, 6.5', 'request', 'kept'),
  badPublicKey: kind('RFC 8555, 6.7', 'order', 'over', 'after a check'),
  badRevocationReason: kind('RFC 8555, 7.6', 'order', 'over'),
  badSignatureAlgorithm: kind('RFC 8555, 6.2', 'authority', 'over', 'after a check'),
  // The records may allow another one. Somebody has to change the DNS; the DNS check finds out when.
  caa: kind('RFC 8555, 6.7; RFC 8659, 3', 'order', 'over', 'after a check'),
  compound: kind('RFC 8555, 6.7.1', 'order', 'over', 'after a check'),
  connection: kind('RFC 8555, 8.3', 'name', 'over'),
  dns: kind('RFC 8555, 8.4', 'name', 'over'),
  externalAccountRequired: kind('RFC 8555, 7.3.4', 'authority', 'over', 'after a check'),
  incorrectResponse: kind('RFC 8555, 8.3', 'name', 'over'),
  invalidContact: kind('RFC 8555, 7.3', 'authority', 'over', 'after a check'),
  invalidProfile: kind('draft-ietf-acme-profiles, 5', 'authority', 'over'),
  malformed: kind('RFC 8555, 6.7', 'order', 'over'),
  orderNotReady: kind('RFC 8555, 7.4', 'request', 'over'),
  rateLimited: kind('RFC 8555, 6.6', 'order', 'kept'),
  rejectedIdentifier: kind('RFC 8555, 7.4', 'order', 'over', 'after a check'),
  serverInternal: kind('RFC 8555, 6.7', 'authority', 'kept'),
  tls: kind('RFC 8737, 3', 'name', 'over'),
  // Without a challenge it is about the account, or what it may order.
  unauthorized: kind('RFC 8555, 8.2', 'name', 'over'),
  unsupportedContact: kind('RFC 8555, 7.3', 'authority', 'over', 'after a check'),
  unsupportedIdentifier: kind('RFC 8555, 7.4', 'order', 'over', 'after a check'),
  userActionRequired: kind('RFC 8555, 7.3.3', 'authority', 'over', 'after a check'),
};

/** Problems that RFC 8555 has no type for. */
const OWN: Readonly<Record<string, ProblemKind>> = {
  /** The authority could not be reached, did not respond in time, or did not speak its protocol. */
  unreachable: kind('RFC 8555, 6.1', 'authority', 'kept'),
  /** The authority took longer than one attempt waits. */
  timeout: kind('RFC 8555, 7.4', 'authority', 'kept'),
  /** The authority does not know the order any more. */
  orderGone: kind('RFC 8555, 7.1.6', 'request', 'lost'),
  /** The authority made no account, or refuses the external one. */
  accountRefused: kind('RFC 8555, 7.3.4', 'authority', 'over'),
  /** The certificate is not for the name, not for the key, or not valid now. */
  badCertificate: kind('RFC 8555, 7.4.2', 'order', 'over'),
  /** The authority offers none of the configured challenges. */
  noChallenge: kind('RFC 8555, 8', 'order', 'over', 'after a check'),
  /** A rate limit of the installation, which is below the authority's. */
  budget: kind('RFC 8555, 6.6', 'order', 'over'),
};

/** Of a problem that is not known, another authority may not know either. */
const UNKNOWN = kind('RFC 8555, 6.7', 'order', 'over');

/** What is known of a type of problem. */
export function kindOf(type: string): ProblemKind {
  return STANDARD[type] ?? OWN[type] ?? UNKNOWN;
}

export const STANDARD_TYPES: readonly string[] = Object.keys(STANDARD);
export const OWN_TYPES: readonly string[] = Object.keys(OWN);
