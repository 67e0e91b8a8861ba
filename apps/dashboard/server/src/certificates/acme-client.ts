import { Client, crypto, type Order as LibraryOrder } from 'acme-client';
import type { ExternalAccount } from '../config-acme.ts';
import {
  type AcmeResponse,
  type AcmeTransport,
  ProblemError,
  readRetryAfter,
  UnreachableError,
} from './acme-transport.ts';

/** Bounds for the Retry-After of a resource that is not ready yet, in milliseconds. */
const POLL_BOUNDS = [200, 10_000] as const;

/** Nonces kept for the next requests. Authorities forget theirs after a while; then they send another. */
const MAX_NONCES = 8;

/** RFC 8555, section 7.1.1; RFC 9773, section 4.1. */
interface Directory {
  readonly caaIdentities: readonly string[];
  readonly renewalInfo?: string;
  /** The names of its profiles (draft-ietf-acme-profiles, section 3). */
  readonly profiles?: readonly string[];
}

/** What an order may ask for besides its name. */
export interface OrderWishes {
  /** Further names of the certificate. */
  readonly alsoFor?: readonly string[] | undefined;
  /** The certificate that this one is to replace (RFC 9773, section 5). */
  readonly replaces?: string | undefined;
  /** The kind of certificate (draft-ietf-acme-profiles, section 4). */
  readonly profile?: string | undefined;
}

/** RFC 8555, section 7.1.3. */
export interface Order {
  readonly url: string;
  readonly status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
  readonly identifiers: readonly { readonly type: string; readonly value: string }[];
  readonly authorizations: readonly string[];
  readonly error?: object;
}

const KNOWN: ReadonlySet<string> = new Set(['pending', 'ready', 'processing', 'valid', 'invalid']);

/** RFC 8555, section 7.1.4. */
export interface Authorization {
  readonly url: string;
  readonly status: 'pending' | 'valid' | 'invalid' | 'deactivated' | 'expired' | 'revoked';
  readonly challenges: readonly Challenge[];
}

/** RFC 8555, section 7.1.5. */
export interface Challenge {
  readonly type: string;
  readonly url: string;
  readonly status: 'pending' | 'processing' | 'valid' | 'invalid';
  readonly token: string;
  readonly error?: object;
}

/**
 * An account at a certificate authority. All methods reject with ProblemError where the authority responds with an
 * error, and with UnreachableError where it does not respond in time or not in the protocol.
 */
export interface AcmeClient {
  readonly directory: Directory;
  /**
   * Creates the account of the key, or finds it, and agrees to the authority's terms; its URL. Rejects with a ProblemError
   * `accountRefused` where the authority refuses, without a type that says more.
   */
  createAccount(email: string | undefined): Promise<string>;
  /** Whether the authority knows the account and takes orders from it. */
  isAccountUsable(): Promise<boolean>;
  /** The account's orders, as far as the authority lists them (RFC 8555, section 7.1.2.1): not all do. */
  listOrders(): Promise<readonly string[]>;
  newOrder(hostname: string, wishes: OrderWishes): Promise<Order>;
  getOrder(url: string): Promise<Order>;
  authorizationsOf(order: Order): Promise<readonly Authorization[]>;
  /** RFC 8555, section 8.1. */
  keyAuthorization(challenge: Challenge): Promise<string>;
  /** Has the authority validate the challenge now (RFC 8555, section 7.5.1). */
  respondToChallenge(challenge: Challenge): Promise<void>;
  /** Sends the CSR for an order that is ready, with all of its names. `key`: the private key, in PEM. */
  finalize(order: Order, hostname: string, key: string): Promise<void>;
  /** The chain of an order that is valid, in PEM. */
  download(order: Order): Promise<string>;
  /** Deactivates the authorizations of an order (RFC 8555, section 7.5.2), which makes it invalid. */
  abandon(order: Order): Promise<void>;
  /** When to renew (RFC 9773, section 4.2); undefined where the authority does not support that. */
  renewalInfo(ariId: string): Promise<RenewalInfo | undefined>;
  /** The Retry-After that came with a resource, in milliseconds; undefined: none. */
  pollAfter(resource: Order | Authorization): number | undefined;
}

export interface RenewalInfo {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  /** The header, as it was sent. */
  readonly retryAfter: string | undefined;
}

/** Private parts of the library: all its requests go through `request`. */
interface Internals {
  readonly http: {
    request(url: string, method: string, options?: { data?: unknown }): Promise<AcmeResponse>;
    getNonce(): Promise<string>;
    getDirectory(): Promise<unknown>;
  };
}

interface ClientAccount {
  /** In PEM. */
  readonly key: string;
  /** undefined until the account was made. */
  readonly url: string | undefined;
  /** Binds a new account (RFC 8555, section 7.3.4). */
  readonly external: ExternalAccount | undefined;
}

/** Reads the directory. */
export async function connectAcmeClient(
  directoryUrl: string,
  account: ClientAccount,
  send: AcmeTransport,
): Promise<AcmeClient> {
  const client = new Client({
    directoryUrl,
    accountKey: account.key,
    ...(account.url !== undefined && { accountUrl: account.url }),
    ...(account.external && { externalAccountBinding: account.external }),
  });
  const { http } = client as unknown as Internals;
  const waits = new WeakMap<object, number>();
  const nonces: string[] = [];

  http.request = async (url, method, options) => {
    const response = await send(url, method, options?.data);
    const { 'replay-nonce': nonce, 'retry-after': retryAfter } = response.headers;
    // After a status of 400 or more, which is a bad nonce, the library uses the new one itself.
    if (nonce !== undefined && method === 'post' && response.status < 400) nonces.push(nonce);
    if (nonces.length > MAX_NONCES) nonces.shift();
    const wait = readRetryAfter(retryAfter, Date.now(), POLL_BOUNDS);
    if (wait !== undefined && isObject(response.data)) waits.set(response.data, wait);
    return response;
  };
  const freshNonce = http.getNonce.bind(http);
  http.getNonce = async () => nonces.pop() ?? freshNonce();

  const directory = readDirectory(await askDirectory(() => http.getDirectory()));
  const getOrder = async (url: string) => {
    const order = (await inProtocol(() => client.getOrder(urlOnly(url)))) as Order;
    // Pebble has orders that are `deactivated`; to RFC 8555, section 7.1.6, they are invalid.
    return KNOWN.has(order.status) ? order : Object.assign(order, { status: 'invalid' as const });
  };

  return {
    directory,
    async createAccount(email) {
      const contact = email === undefined ? [] : [`mailto:${email}`];
      try {
        await inProtocol(() => client.createAccount({ termsOfServiceAgreed: true, contact }));
      } catch (error) {
        throw accountProblem(error);
      }
      return client.getAccountUrl();
    },
    async isAccountUsable() {
      try {
        return (await inProtocol(() => client.updateAccount())).status === 'valid';
      } catch (error) {
        if (error instanceof ProblemError && error.document.status < 500) return false;
        throw error;
      }
    },
    async listOrders() {
      const { orders } = await inProtocol(() => client.updateAccount());
      if (typeof orders !== 'string') return [];
      const list: object = await inProtocol(() => client.getOrder(urlOnly(orders)));
      const urls = (list as { orders?: unknown }).orders;
      return Array.isArray(urls) ? urls.filter((url) => typeof url === 'string') : [];
    },
    async newOrder(hostname, { alsoFor = [], replaces, profile }) {
      const request = {
        identifiers: [hostname, ...alsoFor].map((value) => ({ type: 'dns', value })),
        ...(replaces !== undefined && { replaces }),
        ...(profile !== undefined && { profile }),
      };
      return (await inProtocol(() => client.createOrder(request))) as Order;
    },
    getOrder,
    async authorizationsOf(order) {
      const found = await inProtocol(() => client.getAuthorizations(order as LibraryOrder));
      return found as unknown as Authorization[];
    },
    keyAuthorization: ({ token, url }) =>
      // The same for HTTP-01 and TLS-ALPN-01; for the latter the library has no type.
      client.getChallengeKeyAuthorization({ type: 'http-01', token, url, status: 'pending' }),
    async respondToChallenge({ url, token }) {
      await inProtocol(() =>
        client.completeChallenge({ type: 'http-01', url, token, status: 'pending' }),
      );
    },
    async finalize(order, hostname, key) {
      const others = order.identifiers.map(({ value }) => value).filter((it) => it !== hostname);
      const [, csr] = await crypto.createCsr({ altNames: [hostname, ...others] }, key);
      await inProtocol(() => client.finalizeOrder(order as LibraryOrder, csr));
    },
    download: (order) => inProtocol(() => client.getCertificate(order as LibraryOrder)),
    async abandon(order) {
      for (const url of order.authorizations) {
        await inProtocol(() => client.deactivateAuthorization(urlOnly(url) as never));
      }
    },
    async renewalInfo(ariId) {
      if (directory.renewalInfo === undefined) return undefined;
      const { data, headers } = await send(`${directory.renewalInfo}/${ariId}`, 'get');
      return readRenewalInfo(data, headers['retry-after']);
    },
    pollAfter: (resource) => waits.get(resource),
  };
}

/** A wrong ACME_DIRECTORY_URL is a problem of the installation, and not of an order. */
async function askDirectory(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await inProtocol(call);
  } catch (error) {
    const status = error instanceof ProblemError ? error.document.status : 0;
    const isElsewhere = status >= 400 && status < 500 && status !== 429;
    if (!isElsewhere) throw error;
    const message = `ACME_DIRECTORY_URL responds with ${status}`;
    throw new UnreachableError(message, { cause: error });
  }
}

/** Of an external account that an authority does not know, it says the same as of a request that it does not understand. */
function accountProblem(error: unknown): unknown {
  const isVague =
    error instanceof ProblemError && ['malformed', 'unauthorized'].includes(error.document.type);
  if (!isVague) return error;
  return new ProblemError({ ...error.document, type: 'accountRefused' }, error.retryAfterMs);
}

/** The library takes whole resources where it needs their URLs only. */
function urlOnly(url: string): LibraryOrder {
  return { url } as LibraryOrder;
}

/** Turns an error of the library itself, such as a response that it cannot read, into an UnreachableError. */
async function inProtocol<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ProblemError || error instanceof UnreachableError) throw error;
    const message = `the authority's response cannot be read: ${(error as Error).message}`;
    throw new UnreachableError(message, { cause: error });
  }
}

function readDirectory(body: unknown): Directory {
  const { meta, renewalInfo } = body as {
    meta?: { caaIdentities?: unknown; profiles?: unknown };
    renewalInfo?: unknown;
  };
  const names: unknown[] = Array.isArray(meta?.caaIdentities) ? meta.caaIdentities : [];
  return {
    caaIdentities: names.filter((name) => typeof name === 'string'),
    ...(typeof renewalInfo === 'string' && { renewalInfo }),
    ...(isObject(meta?.profiles) && { profiles: Object.keys(meta.profiles) }),
  };
}

function readRenewalInfo(body: unknown, retryAfter: string | undefined): RenewalInfo {
  const window = isObject(body)
    ? (body as { suggestedWindow?: unknown }).suggestedWindow
    : undefined;
  const { start, end } = (isObject(window) ? window : {}) as { start?: unknown; end?: unknown };
  const [from, to] = [Date.parse(String(start)), Date.parse(String(end))];
  // RFC 9773, section 4.2: a window that ends before it starts is as good as none.
  if (!(from <= to)) throw new UnreachableError('the renewal information has no window');
  return { start: from, end: to, retryAfter };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
