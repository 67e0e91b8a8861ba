import { ProblemError, UnreachableError } from './acme-transport.ts';
import { type Blame, kindOf } from './problem-table.ts';

/** Why an attempt at a certificate failed: the JSON of `issuances.last_problem`. */
export interface Problem {
  /** A type of RFC 8555, section 6.7, without its urn; or one of our own, of `problem-table.ts`. */
  readonly type: string;
  /** The authority's message, where there is one. */
  readonly detail: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The challenge that failed, where one did. */
  readonly challenge?: ChallengeType;
  /** Another challenge that was tried since and failed, too. */
  readonly alsoFailed?: ChallengeType;
  /** The earliest time of a retry that the authority allows, in milliseconds since 1970. */
  readonly retryAt?: number;
}

export type ChallengeType = 'http-01' | 'tls-alpn-01' | 'dns-01';

/** An order has failed. */
export class OrderFailedError extends Error {
  override name = 'OrderFailedError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.type}: ${problem.detail}`);
    this.problem = problem;
  }
}

/** The problem behind an error that ended an attempt; undefined for an error of the program. */
export function problemOf(error: unknown, now: number): Problem | undefined {
  if (error instanceof OrderFailedError) return error.problem;
  if (error instanceof UnreachableError) {
    return { type: error.isTimeout ? 'timeout' : 'unreachable', detail: error.message, at: now };
  }
  if (error instanceof ProblemError) {
    const { type, detail } = error.document;
    const retryAt = error.retryAfterMs === undefined ? {} : { retryAt: now + error.retryAfterMs };
    return { type, detail, at: now, ...retryAt };
  }
  return undefined;
}

export function parseProblem(text: string | null): Problem | undefined {
  return text === null ? undefined : (JSON.parse(text) as Problem);
}

/** A retry would fail again: there is none until a DNS check has the verdict `verified`. */
export function isGivenUp({ type }: Problem): boolean {
  return kindOf(type).isGivenUp === true;
}

/** A request failed, and the order is still good. */
export function isTransient({ type }: Problem): boolean {
  return kindOf(type).order === 'kept';
}

/** The authority lost the order or the account. That does not count as a failed order: it begins anew. */
export function isLostByAuthority({ type }: Problem): boolean {
  return kindOf(type).order === 'lost';
}

/** Whose the problem is. A name is refused as `unauthorized` in a challenge alone. */
export function blameOf({ type, challenge }: Problem): Blame {
  if (type === 'unauthorized' && challenge === undefined) return 'authority for this name';
  return kindOf(type).blame;
}

/** The authority could not connect to the host. Another challenge uses another port. */
export function isConnectionProblem({ type, challenge }: Problem): boolean {
  return challenge !== undefined && ['connection', 'tls', 'incorrectResponse'].includes(type);
}

/**
 * Which problem to show after another challenge has failed, too: the first one, unless the second says more. A host
 * whose port 80 is closed, say, need not have anything on port 443.
 */
export function problemToShow(last: Problem | undefined, problem: Problem): Problem {
  const { type, challenge } = problem;
  if (!last || !isConnectionProblem(last) || !challenge || challenge === last.challenge)
    return problem;
  if (last.alsoFailed !== undefined) return problem;
  const isLess =
    isConnectionProblem(problem) || (challenge === 'tls-alpn-01' && type === 'unauthorized');
  return isLess ? { ...last, alsoFailed: challenge } : problem;
}

/** Some authorities report a failed look-up of the name as a problem of the connection. */
const ABOUT_DNS =
  /could not resolve|no such host|nxdomain|servfail|dns problem|no valid ip addresses/i;

/** The type of a problem; `dns` where its detail says so. */
export function problemTypeOf({ type, detail }: Pick<Problem, 'type' | 'detail'>): string {
  return ['connection', 'malformed'].includes(type) && ABOUT_DNS.test(detail) ? 'dns' : type;
}

type Explanation = (hostname: string, problem: Problem) => string;

const OPERATOR = 'Tell the operator of this dashboard: a change of the DNS cannot help.';
const BY_ITSELF = 'You need not do anything: the dashboard retries by itself.';

/** What each type means for a name, and what to do about it. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  accountDoesNotExist: () =>
    `The certificate authority no longer knows this installation's account. The dashboard creates another one by itself.`,
  accountRefused: () =>
    `The certificate authority made no account for this installation. The operator of the dashboard should check ACME_EAB_KID and ACME_EAB_HMAC_KEY; the authority's message says more.`,
  alreadyReplaced: () =>
    `The certificate authority has replaced the certificate in another order. ${BY_ITSELF}`,
  // Only for completeness: the dashboard revokes nothing at an authority.
  alreadyRevoked: () => `The certificate was revoked. ${BY_ITSELF}`,
  badCSR: () =>
    `The certificate authority refuses the certificate signing request for the name or its key. ${OPERATOR}`,
  badNonce: () => `The certificate authority refused a nonce of the dashboard. ${BY_ITSELF}`,
  badPublicKey: () => `The certificate authority does not accept the key. ${OPERATOR}`,
  // Only for completeness, like alreadyRevoked.
  badRevocationReason: () => `The certificate authority refuses a revocation. ${OPERATOR}`,
  badSignatureAlgorithm: () =>
    `The certificate authority does not accept the signature algorithm of the account. ${OPERATOR}`,
  caa: (hostname, { challenge }) => {
    const other =
      challenge && ' Where it shows none, click Verify all the same: another challenge is tried.';
    return `A CAA record in the DNS forbids this certificate authority to issue for ${hostname}. Add the CAA record that the DNS check shows, keep the existing ones, then click Verify.${other ?? ''}`;
  },
  compound: () =>
    `The certificate authority reports several problems in its message. Correct them, then click Verify.`,
  connection: (hostname, { challenge }) =>
    `The certificate authority could not connect to ${hostname} on ${portOf(challenge)}. Check that the name leads here from everywhere (an AAAA record, too), and that no firewall or proxy is in between.`,
  dns: (hostname) =>
    `The certificate authority could not look up ${hostname} in the DNS. Check that all name servers of the zone respond, and that DNSSEC, where it is used, is valid.`,
  externalAccountRequired: () =>
    `The certificate authority requires an account that was arranged with it before (external account binding): ACME_EAB_KID and ACME_EAB_HMAC_KEY. ${OPERATOR}`,
  incorrectResponse: (hostname) =>
    `The certificate authority reached ${hostname}, but another server than this dashboard responded. Check that no other server, proxy or CDN serves the name.`,
  invalidContact: () =>
    `The certificate authority does not accept the address in ACME_EMAIL. ${OPERATOR}`,
  invalidProfile: () =>
    `The certificate authority does not offer the profile of this installation (ACME_PROFILE); its message says which it offers. ${OPERATOR}`,
  malformed: () => `The certificate authority does not understand the request. ${OPERATOR}`,
  orderNotReady: () =>
    `The certificate authority was asked for the certificate too early. ${BY_ITSELF}`,
  rateLimited: () =>
    `The certificate authority accepts no more requests for now: its rate limit is reached. ${BY_ITSELF} Trying more often makes it worse.`,
  rejectedIdentifier: (hostname) =>
    `The certificate authority does not issue certificates for ${hostname}, by its own rules. Use another name, or ask the authority; its message says more.`,
  serverInternal: () => `The certificate authority has an internal error. ${BY_ITSELF}`,
  tls: (hostname) =>
    `The certificate authority reached ${hostname} on port 443, and the TLS handshake failed. Check that no other server or proxy serves the name.`,
  unauthorized: (hostname, { challenge }) =>
    challenge === undefined
      ? `The certificate authority refuses this order for ${hostname}, or the account that made it; its message says why. ${BY_ITSELF}`
      : challenge === 'dns-01'
        ? `The certificate authority did not find the challenge record at _acme-challenge.${hostname}. Check that its CNAME is as it was, and that the zone of this installation is delegated. ${BY_ITSELF}`
        : `The certificate authority reached ${hostname}, but did not find the challenge response there: another server than this dashboard responded. Check that all A and AAAA records lead here, and that no other server, proxy or CDN responds.`,
  unsupportedContact: () =>
    `The certificate authority does not accept this kind of address in ACME_EMAIL. ${OPERATOR}`,
  unsupportedIdentifier: (hostname) =>
    `The certificate authority does not issue for names such as ${hostname}. Use another name.`,
  userActionRequired: () =>
    `The certificate authority requires something first, such as agreeing to new terms; its message says where. ${OPERATOR}`,

  unreachable: () =>
    `The certificate authority cannot be reached. ${BY_ITSELF} If this goes on, the operator of the dashboard should check ACME_DIRECTORY_URL and ACME_CA_FILE.`,
  timeout: () => `The certificate authority did not respond in time. ${BY_ITSELF}`,
  orderGone: () =>
    `The certificate authority ended the order before it had issued the certificate. ${BY_ITSELF}`,
  badCertificate: () =>
    `The certificate authority sent another certificate than the one that was ordered. ${BY_ITSELF}`,
  noChallenge: () =>
    `The certificate authority offers none of the challenges that this installation supports (ACME_CHALLENGES). ${OPERATOR}`,
  budget: (_, { detail, retryAt }) => {
    const until = retryAt === undefined ? '' : ` until ${new Date(retryAt).toISOString()}`;
    const why = detail === '' ? '' : `: ${detail}`;
    return `The dashboard waits${until}, to stay below the certificate authority's limits${why}. ${BY_ITSELF}`;
  },
};

/** A problem in plain words: what it means for a name, and what to do. */
export function explainProblem(problem: Problem, hostname: string): string {
  // An authority may name a type as a member that every object has.
  const explain = Object.hasOwn(EXPLANATIONS, problem.type) && EXPLANATIONS[problem.type];
  if (explain) return explain(hostname, problem);
  // Of an unknown type, which is always retried.
  return `The certificate authority refused to issue the certificate; its message says why. ${BY_ITSELF}`;
}

function portOf(challenge: Problem['challenge']): string {
  if (challenge === 'http-01') return 'port 80';
  return challenge === 'tls-alpn-01' ? 'port 443' : 'port 80 or 443';
}
