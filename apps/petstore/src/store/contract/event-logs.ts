import type { StoredEvent } from '../../events/event.ts';
import type { Awaitable } from './awaitable.ts';

/** The logs of all stores of a database. */
export interface EventLogs {
  of(store: string): EventLog;
  /**
   * Deletes up to `count` groups of events of a store, the oldest first: those that were committed before an instant, and
   * those beyond the newest `maxBytes` of events. The newest group stays. Returns how many groups it deleted.
   */
  sweep(
    store: string,
    bounds: { readonly before: Date; readonly maxBytes: number },
    count: number,
  ): Promise<number>;
}

/**
 * What happened to animals and orders, in order. A write that changes an animal or an order records its event in the
 * same transaction; `addMany` records none. Events have ids without gaps, and become visible in their order.
 */
export interface EventLog {
  /**
   * Up to `limit` events after an id, 0 for the oldest, in ascending order of id. Resolves with what is kept instead
   * where the next event is no longer kept, or where no event has had this id yet.
   */
  list(after: bigint, limit: number): Awaitable<StoredEvent[] | KeptEvents>;
  /** Which events are kept. */
  kept(): Awaitable<KeptEvents>;
}

/** The ids of the oldest and the newest event that are kept; where there is none yet, oldest is 1 and newest is 0. */
export interface KeptEvents {
  readonly oldest: bigint;
  readonly newest: bigint;
}
