import { createPublicKey } from 'node:crypto';
import { createIssuing, type Issuing } from '@petstore/lab/certificate-authority/issuing.ts';
import type {
  AcmeClient,
  Authorization,
  Order,
} from '../../../server/src/certificates/acme-client.ts';
import { ProblemError, UnreachableError } from '../../../server/src/certificates/acme-transport.ts';
import { PublicKey } from '../../../server/src/certificates/x509.ts';
import { share } from './share.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What is wrong with an authority at an instant. */
export type Failure =
  /** No connection. */
  | 'away'
  /** Every second request fails, at random. */
  | 'errors'
  /** It takes no orders but those that its renewal information asks for. */
  | 'rate limited'
  /** It has lost the account. */
  | 'account lost'
  /** Its chains do not fit together. */
  | 'bad chains'
  /** Its directory lacks the profile. */
  | 'no profile';

export interface Outage {
  readonly failure: Failure;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** The public limits of Let's Encrypt. Each is enforced, and each time that one is reached is counted. */
const LIMITS = {
  ordersOfAccount: { most: 300, windowMs: 3 * HOUR_MS },
  certificatesOfDomain: { most: 50, windowMs: 7 * DAY_MS },
  failuresOfName: { most: 5, windowMs: HOUR_MS },
};

export interface AuthorityPlan {
  readonly name: string;
  readonly directoryUrl: string;
  readonly hasRenewalInfo: boolean;
  /** How long a certificate for a name lives, in milliseconds, when it is issued at an instant. */
  readonly lifetimeMs: (hostname: string, at: number) => number;
  /** How long a validation is reused, in milliseconds. */
  readonly reuseMs: (at: number) => number;
  readonly outages: readonly Outage[];
  /** Certificates that were issued before this instant, and are not yet renewed, are revoked then; undefined: none. */
  readonly revocation?: { readonly at: number; readonly isRevoked: (hostname: string) => boolean };
  readonly profile?: string;
}

interface World {
  readonly now: () => number;
  /** Whether a name's own server is out of reach. */
  readonly isNameAway: (hostname: string, at: number) => boolean;
}

interface SimulatedOrder {
  readonly hostname: string;
  readonly url: string;
  status: Order['status'];
  chain?: string;
}

/** An authority as the issuer meets it, without a network: with its limits, its outages and real certificates. */
export interface SimulatedAuthority {
  readonly plan: AuthorityPlan;
  readonly client: AcmeClient;
  /** The failure at this instant; undefined: none. */
  failureNow(): Failure | undefined;
  /** How many requests met a limit that was reached: the budgets were crossed. */
  readonly crossed: number;
  /** The most orders that counted within three hours. */
  readonly mostOrders: number;
  /** How many of its validations were made, and how many reused. */
  readonly validations: { made: number; reused: number };
  /** How many certificates it issued in place of revoked ones, and how long after its word at most, in milliseconds. */
  readonly revoked: { told: number; replaced: number; longestMs: number };
}

/** Counts events of the last so many milliseconds. */
function counterOf(windowMs: number) {
  const times = new Map<string, number[]>();
  return {
    add(key: string, at: number): number {
      const kept = (times.get(key) ?? []).filter((time) => time > at - windowMs);
      kept.push(at);
      times.set(key, kept);
      return kept.length;
    },
    count(key: string, at: number): number {
      return (times.get(key) ?? []).filter((time) => time > at - windowMs).length;
    },
  };
}

export async function createSimulatedAuthority(
  plan: AuthorityPlan,
  { now, isNameAway }: World,
): Promise<SimulatedAuthority> {
  // A root for each quarter would be more real; nothing here looks at roots.
  const issuing: Issuing = await createIssuing(plan.name, now);
  const foreign: Issuing = await createIssuing(`not ${plan.name}`, now);
  const orders = new Map<string, SimulatedOrder>();
  const validatedAt = new Map<string, number>();
  /** By ARI id: what it is of, and when it was told that it is to be replaced. */
  const issued = new Map<
    string,
    { hostname: string; from: number; until: number; toldAt?: number }
  >();
  const counters = {
    ordersOfAccount: counterOf(LIMITS.ordersOfAccount.windowMs),
    certificatesOfDomain: counterOf(LIMITS.certificatesOfDomain.windowMs),
    failuresOfName: counterOf(LIMITS.failuresOfName.windowMs),
  };
  const state = {
    crossed: 0,
    mostOrders: 0,
    validations: { made: 0, reused: 0 },
    revoked: { told: 0, replaced: 0, longestMs: 0 },
  };
  let requests = 0;
  let count = 0;

  const failureNow = () =>
    plan.outages.find(({ from, until }) => from <= now() && now() < until)?.failure;
  const problem = (type: string, status: number, retryAfterMs?: number) =>
    new ProblemError({ type, detail: `${plan.name}: ${type}`, status }, retryAfterMs);

  /** Every request passes here. */
  function request(): void {
    requests += 1;
    const failure = failureNow();
    if (failure === 'away') throw new UnreachableError(`${plan.name} is away`);
    if (failure === 'errors' && share(`${plan.name} ${requests}`) < 0.5)
      throw problem('serverInternal', 500);
    if (failure === 'account lost') throw problem('accountDoesNotExist', 400);
  }

  function limited(key: keyof typeof LIMITS, subject: string): void {
    const { most, windowMs } = LIMITS[key];
    if (counters[key].count(subject, now()) < most) return;
    state.crossed += 1;
    throw problem('rateLimited', 429, windowMs / 10);
  }

  const orderOf = (order: SimulatedOrder): Order => ({
    ...{ url: order.url, status: order.status, finalize: `${order.url}/finalize` },
    authorizations: [`${order.url}/authorization`],
    identifiers: [{ type: 'dns', value: order.hostname }],
  });
  const find = (url: string): SimulatedOrder => {
    const order = orders.get(url.replace(/\/(authorization|challenge)$/, ''));
    if (!order) throw problem('malformed', 404);
    return order;
  };
  const authorization = (order: SimulatedOrder): Authorization => {
    const status = { pending: 'pending', invalid: 'invalid' } as const;
    const challenge = { pending: 'pending', invalid: 'invalid' } as const;
    const key = order.status as keyof typeof status;
    const error = { type: 'urn:ietf:params:acme:error:connection', detail: 'timeout' };
    return {
      url: `${order.url}/authorization`,
      status: status[key] ?? 'valid',
      challenges: ['http-01', 'tls-alpn-01'].map((type) => ({
        ...{ type, url: `${order.url}/challenge`, token: `${order.url.slice(-12)}-${type}` },
        status: challenge[key] ?? 'valid',
        ...(order.status === 'invalid' && type === 'http-01' && { error }),
      })),
    };
  };

  const client: AcmeClient = {
    get directory() {
      return {
        caaIdentities: [],
        ...(plan.hasRenewalInfo && { renewalInfo: `${plan.directoryUrl}/ari` }),
        profiles: failureNow() === 'no profile' ? ['other'] : [plan.profile ?? 'classic'],
      };
    },
    async createAccount() {
      request();
      return `${plan.directoryUrl}/account`;
    },
    async isAccountUsable() {
      return true;
    },
    async listOrders() {
      return [];
    },
    async newOrder(hostname, { replaces }) {
      request();
      const at = now();
      const replaced = replaces === undefined ? undefined : issued.get(replaces);
      if (replaces !== undefined && !replaced) throw problem('malformed', 404);
      if (!replaced && failureNow() === 'rate limited') throw problem('rateLimited', 429, HOUR_MS);
      if (!replaced) {
        limited('ordersOfAccount', 'all');
        state.mostOrders = Math.max(state.mostOrders, counters.ordersOfAccount.add('all', at));
      }
      limited('failuresOfName', hostname);
      const isReused = at - (validatedAt.get(hostname) ?? -Infinity) < plan.reuseMs(at);
      if (isReused) state.validations.reused += 1;
      const url = `${plan.directoryUrl}/order/${++count}`;
      const order: SimulatedOrder = { hostname, url, status: isReused ? 'ready' : 'pending' };
      orders.set(url, order);
      if (replaced?.toldAt !== undefined) {
        state.revoked.replaced += 1;
        state.revoked.longestMs = Math.max(state.revoked.longestMs, at - replaced.toldAt);
      }
      return orderOf(order);
    },
    async getOrder(url) {
      request();
      return orderOf(find(url));
    },
    async authorizationsOf({ url }) {
      request();
      return [authorization(find(url))];
    },
    keyAuthorization: ({ token }) => `${token}.key`,
    async respondToChallenge({ url }) {
      request();
      const order = find(url);
      state.validations.made += 1;
      if (isNameAway(order.hostname, now())) {
        order.status = 'invalid';
        counters.failuresOfName.add(order.hostname, now());
        return;
      }
      validatedAt.set(order.hostname, now());
      order.status = 'ready';
    },
    async finalize({ url }, hostname, key) {
      request();
      const order = find(url);
      limited('certificatesOfDomain', hostname);
      const der = createPublicKey(key).export({ type: 'spki', format: 'der' });
      const lifetime = plan.lifetimeMs(hostname, now());
      const by = failureNow() === 'bad chains' ? foreign : issuing;
      const made = await by.issue([{ type: 'dns', value: hostname }], new PublicKey(der), lifetime);
      const [leaf, issuer] = made.chain.split(/(?<=END CERTIFICATE-----\n)/);
      const [, right] = (await rightChain).split(/(?<=END CERTIFICATE-----\n)/);
      order.chain = `${leaf}${by === issuing ? issuer : right}`;
      order.status = 'valid';
      counters.certificatesOfDomain.add(hostname, now());
      const [from, until] = [made.notBefore.getTime(), made.notAfter.getTime()];
      issued.set(made.ariId, { hostname, from, until });
    },
    async download({ url }) {
      request();
      const { chain } = find(url);
      orders.delete(url);
      if (chain === undefined) throw problem('orderNotReady', 403);
      return chain;
    },
    async abandon({ url }) {
      request();
      orders.delete(url);
    },
    async renewalInfo(ariId) {
      request();
      if (!plan.hasRenewalInfo) return undefined;
      const certificate = issued.get(ariId);
      if (!certificate) throw problem('malformed', 404);
      const { from, until, hostname } = certificate;
      const retryAfter = String((until - from < 20 * DAY_MS ? 6 * HOUR_MS : DAY_MS) / 1_000);
      const { revocation } = plan;
      const isRevoked =
        revocation !== undefined &&
        now() >= revocation.at &&
        from < revocation.at &&
        revocation.isRevoked(hostname);
      if (isRevoked) {
        if (certificate.toldAt === undefined) state.revoked.told += 1;
        certificate.toldAt ??= now();
        return { start: from, end: from + HOUR_MS, retryAfter };
      }
      const start = from + (until - from) * 0.64;
      return { start, end: from + (until - from) * 0.68, retryAfter };
    },
    pollAfter: () => undefined,
  };
  const rightChain = issuing
    .issue([{ type: 'dns', value: 'any.test' }], await anyKey(), DAY_MS)
    .then(({ chain }) => chain);

  return {
    plan,
    client,
    failureNow,
    get crossed() {
      return state.crossed;
    },
    get mostOrders() {
      return state.mostOrders;
    },
    validations: state.validations,
    revoked: state.revoked,
  };
}

async function anyKey(): Promise<PublicKey> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  return PublicKey.create(keys.publicKey);
}
