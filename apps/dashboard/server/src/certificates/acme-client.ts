import type { ExternalAccount } from '../config-acme.ts';
import { isRecord } from '../is-record.ts';
import { acmeRequests } from './acme-requests.ts';
import {
  type AcmeResponse,
  type AcmeTransport,
  ProblemError,
  readRetryAfter,
  UnreachableError,
} from './acme-transport.ts';
import { signingRequest } from './signing-request.ts';

/** Bounds for the Retry-After of a resource that is not ready yet, in milliseconds. */
const POLL_BOUNDS = [200, 10_000] as const;

/** RFC 8555, section 7.1.1; RFC 9773, section 4.1. */
interface Directory {
  readonly caaIdentities: readonly string[];
  readonly renewalInfo?: string;
  /** The names of its profiles (draft-ietf-acme-profiles, section 3). */
  readonly profiles?: readonly string[];
}

/** RFC 8555, section 7.1.1. */
interface Resources {
  readonly newNonce: string;
  readonly newAccount: string;
  readonly newOrder: string;
}

/** What an order may ask for besides its name. */
export interface OrderOptions {
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
  readonly finalize: string;
  /** Where the chain is, once the order is valid. */
  readonly certificate?: string;
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
  newOrder(hostname: string, options: OrderOptions): Promise<Order>;
  getOrder(url: string): Promise<Order>;
  authorizationsOf(order: Order): Promise<readonly Authorization[]>;
  /** RFC 8555, section 8.1. */
  keyAuthorization(challenge: Challenge): string;
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
  const directory = await readDirectory(directoryUrl, send);
  const { newAccount, newNonce, newOrder, renewalInfo } = directory;
  const options = { ...account, accountUrl: account.url, newNonceUrl: newNonce };
  const requests = await acmeRequests(options, send);
  let accountUrl = account.url;
  const waits = new WeakMap<object, number>();

  /** The JSON object of a response. */
  async function post(url: string, payload?: object): Promise<Record<string, unknown>> {
    return readObject(await requests.post(url, payload));
  }

  function readObject({ data, headers }: AcmeResponse): Record<string, unknown> {
    if (!isRecord(data)) throw unreadable('it is no JSON object');
    const wait = readRetryAfter(headers['retry-after'], Date.now(), POLL_BOUNDS);
    if (wait !== undefined) waits.set(data, wait);
    return data as Record<string, unknown>;
  }

  function ownAccount(): Promise<Record<string, unknown>> {
    if (accountUrl === undefined) throw new Error('the account was not made yet');
    return post(accountUrl);
  }

  return {
    directory,
    async createAccount(email) {
      const contact = email === undefined ? [] : [`mailto:${email}`];
      const request = { termsOfServiceAgreed: true, contact };
      try {
        accountUrl = await requests.postNewAccount(newAccount, request);
      } catch (error) {
        throw accountProblem(error);
      }
      return accountUrl;
    },
    async isAccountUsable() {
      try {
        return (await ownAccount()).status === 'valid';
      } catch (error) {
        // A refusal for now says nothing of the account.
        const isToWait =
          !(error instanceof ProblemError) ||
          error.document.status >= 500 ||
          error.document.type === 'rateLimited';
        if (isToWait) throw error;
        return false;
      }
    },
    async listOrders() {
      const { orders } = await ownAccount();
      if (typeof orders !== 'string') return [];
      const { orders: urls } = await post(orders);
      return Array.isArray(urls) ? urls.filter((url) => typeof url === 'string') : [];
    },
    async newOrder(hostname, { alsoFor = [], replaces, profile }) {
      const response = await requests.post(newOrder, {
        identifiers: [hostname, ...alsoFor].map((value) => ({ type: 'dns', value })),
        ...(replaces !== undefined && { replaces }),
        ...(profile !== undefined && { profile }),
      });
      const url = response.headers.location;
      if (url === undefined) throw unreadable('a new order has no URL');
      return readOrder(readObject(response), url);
    },
    getOrder: async (url) => readOrder(await post(url), url),
    authorizationsOf: (order) =>
      Promise.all(order.authorizations.map(async (url) => readAuthorization(await post(url), url))),
    keyAuthorization: ({ token }) => requests.keyAuthorization(token),
    async respondToChallenge({ url }) {
      await post(url, {});
    },
    async finalize(order, hostname, key) {
      const others = order.identifiers.map(({ value }) => value).filter((it) => it !== hostname);
      const csr = await signingRequest([hostname, ...others], key);
      await post(order.finalize, { csr: csr.toString('base64url') });
    },
    async download({ certificate }) {
      if (certificate === undefined) throw unreadable('a valid order has no certificate');
      const { data } = await requests.post(certificate);
      if (typeof data !== 'string') throw unreadable('a certificate is not in PEM');
      return data;
    },
    async abandon(order) {
      for (const url of order.authorizations) await post(url, { status: 'deactivated' });
    },
    async renewalInfo(ariId) {
      if (renewalInfo === undefined) return undefined;
      const { data, headers } = await send(`${renewalInfo}/${ariId}`, 'get');
      return readRenewalInfo(data, headers['retry-after']);
    },
    pollAfter: (resource) => waits.get(resource),
  };
}

/** An unknown external account is reported as malformed or unauthorized, like a request that is wrong in itself. */
function accountProblem(error: unknown): unknown {
  const isVague =
    error instanceof ProblemError && ['malformed', 'unauthorized'].includes(error.document.type);
  if (!isVague) return error;
  return new ProblemError({ ...error.document, type: 'accountRefused' }, error.retryAfterMs);
}

/** A wrong ACME_DIRECTORY_URL is a problem of the installation, and not of an order. */
async function readDirectory(url: string, send: AcmeTransport): Promise<Directory & Resources> {
  const body = await fetchDirectory(url, send);
  if (!isRecord(body)) throw unreadable('its directory is no JSON object');
  const { meta, renewalInfo } = body as { meta?: Record<string, unknown>; renewalInfo?: unknown };
  const names: unknown[] = Array.isArray(meta?.caaIdentities) ? meta.caaIdentities : [];
  return {
    newNonce: readUrl(body, 'newNonce'),
    newAccount: readUrl(body, 'newAccount'),
    newOrder: readUrl(body, 'newOrder'),
    caaIdentities: names.filter((name) => typeof name === 'string'),
    ...(typeof renewalInfo === 'string' && { renewalInfo }),
    ...(isRecord(meta?.profiles) && { profiles: Object.keys(meta.profiles) }),
  };
}

async function fetchDirectory(url: string, send: AcmeTransport): Promise<unknown> {
  try {
    return (await send(url, 'get')).data;
  } catch (error) {
    const status = error instanceof ProblemError ? error.document.status : 0;
    const isElsewhere = status >= 400 && status < 500 && status !== 429;
    if (!isElsewhere) throw error;
    const message = `ACME_DIRECTORY_URL responds with ${status}`;
    throw new UnreachableError(message, { cause: error });
  }
}

function readUrl(resource: object, name: string): string {
  const url = (resource as Record<string, unknown>)[name];
  if (typeof url !== 'string') throw unreadable(`${name} is missing`);
  return url;
}

/** Throws UnreachableError where a part is missing that the protocol demands. */
function readOrder(order: Record<string, unknown>, url: string): Order {
  const { status, authorizations, identifiers } = order;
  if (typeof status !== 'string') throw unreadable('an order has no status');
  if (!Array.isArray(authorizations) || !Array.isArray(identifiers)) {
    throw unreadable('an order has no authorizations');
  }
  // Pebble has orders that are `deactivated`; to RFC 8555, section 7.1.6, they are invalid.
  const known = KNOWN.has(status) ? status : 'invalid';
  readUrl(order, 'finalize');
  return Object.assign(order, { url, status: known }) as unknown as Order;
}

function readAuthorization(authorization: Record<string, unknown>, url: string): Authorization {
  if (!Array.isArray(authorization.challenges)) {
    throw unreadable('an authorization has no challenges');
  }
  return Object.assign(authorization, { url }) as unknown as Authorization;
}

function unreadable(reason: string): UnreachableError {
  return new UnreachableError(`the authority's response cannot be read: ${reason}`);
}

function readRenewalInfo(body: unknown, retryAfter: string | undefined): RenewalInfo {
  const window = isRecord(body)
    ? (body as { suggestedWindow?: unknown }).suggestedWindow
    : undefined;
  const { start, end } = (isRecord(window) ? window : {}) as { start?: unknown; end?: unknown };
  const [from, to] = [Date.parse(String(start)), Date.parse(String(end))];
  // RFC 9773, section 4.2: a window that ends before it starts is as good as none.
  if (!(from <= to)) throw new UnreachableError('the renewal information has no window');
  return { start: from, end: to, retryAfter };
}
