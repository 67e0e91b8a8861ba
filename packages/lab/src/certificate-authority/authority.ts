import type { JsonWebKey } from 'node:crypto';
import { AcmeProblem, problemOf } from './acme-problem.ts';
import type { Faults } from './faults.ts';
import type { Issuing } from './issuing.ts';
import { type SignedRequest, thumbprint } from './jws.ts';
import {
  type Account,
  type Authorization,
  type Challenge,
  newOrder,
  type Order,
  statusOf,
} from './resources.ts';
import { checkCaa, type ValidationOptions, type ValidationRequest } from './validation.ts';
import { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } from './x509.ts';

/** Its issuer domain name in CAA records. */
export const IDENTITY = 'ca.lab.test';

/** The authority's state and rules, without HTTP. */
export interface Authority {
  readonly accounts: Map<string, Account>;
  readonly orders: Map<string, Order>;
  /** The account of a key, created unless `onlyExisting`. */
  account(
    jwk: JsonWebKey,
    contact: unknown,
    onlyExisting: boolean,
  ): { account: Account; isNew: boolean };
  order(account: Account, payload: NonNullable<SignedRequest['payload']>): Order;
  /** Validates a challenge, in the background unless it is prompt. */
  validate(authorization: Authorization, challenge: Challenge): Promise<void>;
  /** Takes a CSR, in base64url, and issues, in the background unless it is prompt. */
  finalize(order: Order, csr: unknown): Promise<void>;
}

export interface AuthorityDeps {
  readonly issuing: Issuing;
  readonly faults: Faults;
  readonly lookUps: ValidationOptions;
  readonly lifetimeMs: number;
  /** Lifetimes by the names of profiles, in milliseconds. */
  readonly profiles: Readonly<Record<string, number>>;
  /** How long a valid authorization is reused, in milliseconds. */
  readonly reuseMs: number;
  readonly now: () => number;
  readonly isPrompt: boolean;
  readonly validate: (asked: ValidationRequest) => Promise<void>;
}

export function createAuthority(deps: AuthorityDeps): Authority {
  const { issuing, faults, lifetimeMs, profiles, reuseMs, now, isPrompt } = deps;
  const accounts = new Map<string, Account>();
  const orders = new Map<string, Order>();
  return {
    accounts,
    orders,

    account(jwk, contact, onlyExisting) {
      const id = thumbprint(jwk);
      const known = accounts.get(id);
      if (known) return { account: known, isNew: false };
      if (onlyExisting) throw new AcmeProblem('accountDoesNotExist', 'No account has this key.');
      const account: Account = { id, jwk, contact, status: 'valid', orders: [] };
      accounts.set(id, account);
      return { account, isNew: true };
    },

    order(account, { identifiers, replaces, profile }) {
      const [identifier, ...more]: unknown[] = Array.isArray(identifiers) ? identifiers : [];
      const { type, value } = (identifier ?? {}) as { type?: unknown; value?: unknown };
      if (type !== 'dns' || typeof value !== 'string' || more.length > 0) {
        throw new AcmeProblem('unsupportedIdentifier', 'An order here is for one DNS name.');
      }
      if (replaces !== undefined) checkReplaced(orders, replaces);
      if (profile !== undefined && profiles[String(profile)] === undefined) {
        throw new AcmeProblem('invalidProfile', `There is no profile ${profile}.`);
      }
      const valid = account.orders.findLast(({ hostname, authorization }) => {
        const isFresh = now() - (authorization.validatedAt ?? -Infinity) < reuseMs;
        return hostname === value && authorization.status === 'valid' && isFresh;
      });
      const order = newOrder(account, value, {
        ...(replaces !== undefined && { replaces: String(replaces) }),
        ...(profile !== undefined && { profile: String(profile) }),
        ...(valid && { authorization: valid.authorization }),
      });
      orders.set(order.id, order);
      return order;
    },

    async validate(authorization, challenge) {
      if (authorization.status !== 'pending' || challenge.status !== 'pending') return;
      challenge.status = 'processing';
      const looked = look(deps, authorization, challenge);
      if (isPrompt) await looked;
    },

    async finalize(order, csr) {
      if (statusOf(order) !== 'ready') {
        throw new AcmeProblem('orderNotReady', `The order is ${statusOf(order)}.`);
      }
      const request = await readCsr(csr, order.hostname);
      order.state = 'processing';
      const issued = (async () => {
        await faults.trigger('validation', 'issue');
        const name = { type: 'dns', value: order.hostname } as const;
        const lifetime = profiles[order.profile ?? ''] ?? lifetimeMs;
        order.issued = await issuing.issue([name], request.publicKey, lifetime);
        order.state = 'valid';
      })().catch((error) => {
        order.error = problemOf(error).document;
        order.state = 'invalid';
      });
      if (isPrompt) await issued;
    },
  };
}

/** RFC 9773, section 5: a certificate of this authority that is not replaced yet. */
function checkReplaced(orders: ReadonlyMap<string, Order>, ariId: unknown): void {
  const all = [...orders.values()];
  if (!all.some(({ issued }) => issued?.ariId === ariId)) {
    throw new AcmeProblem('malformed', 'No such certificate to replace.', { status: 404 });
  }
  if (all.some((order) => order.replaces === ariId && statusOf(order) !== 'invalid')) {
    throw new AcmeProblem('alreadyReplaced', 'Another order replaces the certificate.');
  }
}

async function look(
  { faults, lookUps, validate, now }: AuthorityDeps,
  authorization: Authorization,
  challenge: Challenge,
): Promise<void> {
  const { hostname, account } = authorization;
  const { type, token } = challenge;
  const keyAuthorization = `${token}.${account.id}`;
  try {
    await faults.trigger('validation', type);
    await validate({ hostname, type, token, keyAuthorization });
    await checkCaa(hostname, IDENTITY, lookUps);
    challenge.status = 'valid';
    if (authorization.status === 'pending') authorization.status = 'valid';
    authorization.validatedAt = now();
  } catch (error) {
    challenge.error = problemOf(error).document;
    challenge.status = 'invalid';
    if (authorization.status === 'pending') authorization.status = 'invalid';
  }
}

/** Section 7.4: for the names of the order, signed by its own key. */
async function readCsr(csr: unknown, hostname: string): Promise<Pkcs10CertificateRequest> {
  const refused = (why: string) => new AcmeProblem('badCSR', why);
  if (typeof csr !== 'string') throw refused('There is no CSR.');
  let request: Pkcs10CertificateRequest;
  try {
    request = new Pkcs10CertificateRequest(Buffer.from(csr, 'base64url'));
  } catch {
    throw refused('The CSR cannot be read.');
  }
  if (!(await request.verify())) throw refused('The CSR is not signed by its key.');
  const names = request.extensions
    .filter((extension) => extension instanceof SubjectAlternativeNameExtension)
    .flatMap((extension) => extension.names.toJSON());
  const [name, ...more] = names;
  if (name?.type !== 'dns' || name.value !== hostname || more.length > 0) {
    throw refused(`The CSR is not for ${hostname} alone.`);
  }
  return request;
}
