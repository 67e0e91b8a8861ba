import { type JsonWebKey, randomBytes } from 'node:crypto';
import { AcmeProblem } from './acme-problem.ts';
import type { Issued } from './issuing.ts';
import type { ChallengeType } from './validation.ts';

export interface Account {
  readonly id: string;
  readonly jwk: JsonWebKey;
  status: 'valid' | 'deactivated';
  contact: unknown;
  readonly orders: Order[];
}

export type OrderStatus = 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';

/** RFC 8555, section 7.1.3, for one name. */
export interface Order {
  readonly id: string;
  readonly account: Account;
  readonly hostname: string;
  readonly authorization: Authorization;
  /** RFC 9773, section 5. */
  readonly replaces: string | undefined;
  /** draft-ietf-acme-profiles, section 4. */
  readonly profile: string | undefined;
  /** The order's own state; `pending` and `ready` follow from the authorization. */
  state: 'open' | 'processing' | 'valid' | 'invalid';
  issued?: Issued;
  error?: object;
}

/** Section 7.1.4. */
export interface Authorization {
  readonly id: string;
  readonly account: Account;
  readonly hostname: string;
  readonly challenges: readonly Challenge[];
  status: 'pending' | 'valid' | 'invalid' | 'deactivated';
  /** Milliseconds since 1970. */
  validatedAt?: number;
}

/** Section 7.1.5. */
export interface Challenge {
  readonly id: string;
  readonly type: ChallengeType;
  readonly token: string;
  status: 'pending' | 'processing' | 'valid' | 'invalid';
  error?: object;
}

export function statusOf({ state, authorization }: Order): OrderStatus {
  if (state !== 'open') return state;
  if (authorization.status === 'pending') return 'pending';
  return authorization.status === 'valid' ? 'ready' : 'invalid';
}

export function newOrder(
  account: Account,
  hostname: string,
  {
    replaces,
    profile,
    authorization: reused,
  }: Partial<Pick<Order, 'replaces' | 'profile' | 'authorization'>>,
): Order {
  const challenges = (['http-01', 'tls-alpn-01', 'dns-01'] as const).map(
    (type): Challenge => ({ id: newId(), type, token: newId(), status: 'pending' }),
  );
  const subject = { account, hostname };
  const authorization: Authorization = reused ?? {
    ...{ id: newId(), ...subject, challenges, status: 'pending' },
  };
  const order: Order = {
    ...{ id: newId(), ...subject, authorization, replaces, profile, state: 'open' },
  };
  account.orders.push(order);
  return order;
}

function newId(): string {
  return randomBytes(16).toString('base64url');
}

/** How many are kept; older ones are invalid. */
const KEPT = 1_000;

/** RFC 8555, section 6.5: each is valid once. */
interface Nonces {
  make(): string;
  /** Throws AcmeProblem (badNonce). */
  use(nonce: string): void;
}

/** `refused`: one in so many valid nonces is refused, which clients must tolerate; 0: none. */
export function createNonces(refused: number): Nonces {
  const good = new Set<string>();
  let used = 0;
  return {
    make() {
      const nonce = newId();
      good.add(nonce);
      const [oldest] = good;
      if (good.size > KEPT && oldest !== undefined) good.delete(oldest);
      return nonce;
    },
    use(nonce) {
      used += 1;
      if (!good.delete(nonce) || (refused > 0 && used % refused === 0)) {
        throw new AcmeProblem('badNonce', 'The nonce is invalid, or was used before.');
      }
    },
  };
}
