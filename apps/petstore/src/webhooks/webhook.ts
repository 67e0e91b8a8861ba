import type { EventType } from '../events/event.ts';

/** An attempt to deliver an event. */
export interface Attempt {
  /** When it began, in milliseconds since 1970, and how long it took. */
  readonly at: number;
  readonly ms: number;
  /** The status of the response; null where there was none. */
  readonly status: number | null;
  /** A sentence for people; null: it was delivered. */
  readonly error: string | null;
  /** The beginning of the response's body. */
  readonly response?: string;
}

/** An event that was delivered at the first attempt. */
export interface RecentDelivery extends Attempt {
  readonly event: string;
  readonly type: EventType;
}

/** waiting: it is tried again, or waits for an earlier event of the same animal; failed: given up. */
export type DeliveryState = 'waiting' | 'delivered' | 'failed';

/** A delivery that did not succeed at once. */
export interface StoredDelivery {
  readonly eventId: bigint;
  readonly animal: string;
  /** The event as JSON text: the body. */
  readonly event: string;
  readonly state: DeliveryState;
  /** The newest last, a bounded number of them. */
  readonly attempts: readonly Attempt[];
  /** When it is tried again, in milliseconds since 1970; null where it waits for another, or is over. */
  readonly nextAt: number | null;
}

/** A webhook as the stores hold it. Times are in milliseconds since 1970. */
export interface StoredWebhook {
  readonly id: string;
  /** The store whose events it is sent. */
  readonly store: string;
  readonly url: string;
  /** What it is sent; none for everything. */
  readonly events: readonly EventType[];
  readonly secret: string;
  /** The one before, which signs as well until then. */
  readonly oldSecret: string | null;
  readonly oldSecretUntil: number | null;
  readonly createdAt: number;
  readonly disabledAt: number | null;
  readonly disabledReason: string | null;
  /** Each event up to this one was delivered, or is among the deliveries. 0: it begins with the oldest that is kept. */
  readonly position: bigint;
  /** How many attempts have failed since the last one that succeeded; of a failing one, only those by its schedule. */
  readonly failures: number;
  readonly failingSince: number | null;
  /** Nothing is sent before; null: it is not failing. */
  readonly nextAt: number | null;
  readonly lastError: string | null;
  /** The last events that were delivered at once, the newest first. */
  readonly recent: readonly RecentDelivery[];
  /** Grows when somebody asks for a delivery, enables the webhook, or changes its address or events. */
  readonly asked: bigint;
}

/** What the one that delivers changes, where nobody has asked for more than it has heard of. */
export type Progress = Pick<
  StoredWebhook,
  | 'id'
  | 'asked'
  | 'position'
  | 'failures'
  | 'failingSince'
  | 'nextAt'
  | 'lastError'
  | 'recent'
  | 'disabledAt'
  | 'disabledReason'
>;

/** What signs at this time, in milliseconds since 1970: while a rotation overlaps, the old secret does as well. */
export function signingSecrets(
  { secret, oldSecret, oldSecretUntil }: StoredWebhook,
  at: number,
): readonly string[] {
  const isRotating = oldSecret !== null && (oldSecretUntil ?? 0) > at;
  return isRotating ? [secret, oldSecret] : [secret];
}
