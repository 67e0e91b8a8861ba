import { AcmeProblem } from './acme-problem.ts';
import { type Authority, IDENTITY } from './authority.ts';
import { checkExternalAccount } from './external-account.ts';
import type { Call } from './faults.ts';
import { type SignedRequest, thumbprint } from './jws.ts';
import { type Account, type Challenge, type Order, statusOf } from './resources.ts';

/** The response to a request. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** When to renew a certificate, in milliseconds since 1970. */
export type RenewalWindow = (life: { notBefore: number; notAfter: number }) => {
  start: number;
  end: number;
};

export interface RouteDeps {
  readonly authority: Authority;
  readonly base: string;
  /** undefined: no renewal information. */
  readonly window: RenewalWindow | undefined;
  readonly profiles: Readonly<Record<string, number>>;
  /** MAC keys by their ids; undefined: accounts need no external ones. */
  readonly externalAccounts: Readonly<Record<string, string>> | undefined;
}

/** When to ask for a renewal window again, in seconds. */
const RENEWAL_RETRY_AFTER = '21600';

/** RFC 8555, section 7.1.1; RFC 9773, section 4. */
export function directory({ base, window, profiles, externalAccounts }: RouteDeps): Reply {
  const descriptions = Object.keys(profiles).map((name) => [name, `${base}/profiles/${name}`]);
  const meta = {
    caaIdentities: [IDENTITY],
    termsOfService: `${base}/terms`,
    ...(descriptions.length > 0 && { profiles: Object.fromEntries(descriptions) }),
    ...(externalAccounts && { externalAccountRequired: true }),
  };
  const body = {
    newNonce: `${base}/new-nonce`,
    newAccount: `${base}/new-account`,
    newOrder: `${base}/new-order`,
    ...(window && { renewalInfo: `${base}/renewal-info` }),
    meta,
  };
  return { status: 200, body };
}

export function newAccount(
  { authority, base, externalAccounts }: RouteDeps,
  request: SignedRequest,
): Reply {
  const { jwk, payload = {} } = request;
  if (!jwk) throw new AcmeProblem('malformed', 'newAccount takes a jwk.');
  request.check(jwk);
  const isOnlyExisting = payload.onlyReturnExisting === true;
  const isKnown = authority.accounts.has(thumbprint(jwk));
  if (externalAccounts && !isKnown && !isOnlyExisting) {
    checkExternalAccount(externalAccounts, payload.externalAccountBinding, request.url, jwk);
  }
  const { account, isNew } = authority.account(jwk, payload.contact, isOnlyExisting);
  if (account.status !== 'valid') {
    throw new AcmeProblem('unauthorized', 'The account was deactivated.');
  }
  const headers = { location: `${base}/account/${account.id}` };
  return { status: isNew ? 201 : 200, body: { status: account.status }, headers };
}

/** Handles a request of an account for a path such as `/order/ID`. */
export async function resource(
  deps: RouteDeps,
  call: Call,
  [id = '', action]: readonly (string | undefined)[],
  account: Account,
  payload: SignedRequest['payload'],
): Promise<Reply> {
  const { authority, base } = deps;
  if (call === 'account') {
    if (payload?.status === 'deactivated') account.status = 'deactivated';
    const { status, contact } = account;
    return { status: 200, body: { status, contact, orders: `${base}/orders/${account.id}` } };
  }
  if (call === 'newOrder') {
    const order = authority.order(account, payload ?? {});
    const headers = { location: `${base}/order/${order.id}` };
    return { status: 201, body: orderBody(base, order), headers };
  }
  if (call === 'orders') {
    const orders = account.orders.map((one) => `${base}/order/${one.id}`);
    return { status: 200, body: { orders } };
  }
  const order = account.orders.find((one) =>
    call === 'authorization'
      ? one.authorization.id === id
      : call === 'challenge'
        ? one.authorization.challenges.some((challenge) => challenge.id === id)
        : one.id === id,
  );
  if (!order) throw new AcmeProblem('malformed', `No such ${call}`, { status: 404 });
  if (call === 'authorization') return authorizationReply(base, order, payload);
  if (call === 'challenge') return challengeReply(deps, order, id);
  if (action === 'finalize') {
    await authority.finalize(order, payload?.csr);
    const headers = { location: `${base}/order/${order.id}` };
    return { status: 200, body: orderBody(base, order), headers };
  }
  if (call === 'certificate') {
    if (!order.issued) throw new AcmeProblem('malformed', 'No such certificate', { status: 404 });
    const headers = { 'content-type': 'application/pem-certificate-chain' };
    return { status: 200, body: order.issued.chain, headers };
  }
  return { status: 200, body: orderBody(base, order) };
}

/** RFC 9773, section 4.2. */
export function renewalInfo({ authority, window }: RouteDeps, ariId: string): Reply {
  const { issued } =
    [...authority.orders.values()].find((one) => one.issued?.ariId === ariId) ?? {};
  if (!issued || !window) {
    throw new AcmeProblem('malformed', 'No such certificate', { status: 404 });
  }
  const { notBefore, notAfter } = issued;
  const life = { notBefore: notBefore.getTime(), notAfter: notAfter.getTime() };
  const { start, end } = window(life);
  const [from, to] = [start, end].map((ms) => new Date(ms).toISOString());
  const headers = { 'retry-after': RENEWAL_RETRY_AFTER };
  return { status: 200, body: { suggestedWindow: { start: from, end: to } }, headers };
}

function orderBody(base: string, order: Order): object {
  const status = statusOf(order);
  return {
    status,
    identifiers: [{ type: 'dns', value: order.hostname }],
    authorizations: [`${base}/authorization/${order.authorization.id}`],
    finalize: `${base}/order/${order.id}/finalize`,
    ...(order.profile !== undefined && { profile: order.profile }),
    ...(order.issued && { certificate: `${base}/certificate/${order.id}` }),
    ...(order.error && { error: order.error }),
  };
}

function authorizationReply(base: string, order: Order, payload: SignedRequest['payload']): Reply {
  const { authorization } = order;
  if (payload?.status === 'deactivated') authorization.status = 'deactivated';
  const body = {
    status: authorization.status,
    identifier: { type: 'dns', value: authorization.hostname },
    challenges: authorization.challenges.map((challenge) => challengeBody(base, challenge)),
  };
  return { status: 200, body };
}

async function challengeReply(
  { authority, base }: RouteDeps,
  order: Order,
  id: string,
): Promise<Reply> {
  const challenge = order.authorization.challenges.find((one) => one.id === id);
  if (!challenge) throw new AcmeProblem('malformed', 'No such challenge', { status: 404 });
  await authority.validate(order.authorization, challenge);
  return { status: 200, body: challengeBody(base, challenge) };
}

function challengeBody(base: string, { id, type, status, token, error }: Challenge): object {
  return { type, status, token, url: `${base}/challenge/${id}`, ...(error && { error }) };
}
