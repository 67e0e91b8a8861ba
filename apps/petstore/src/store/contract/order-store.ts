import type { OrderStatus } from '../../orders/order.ts';
import type { OrderEnd } from '../../orders/order-rules.ts';
import type { Precondition } from '../../precondition.ts';
import type { Refusal } from '../../refusal.ts';
import type { Awaitable } from './awaitable.ts';
import type { Idempotency, IdempotentResult } from './idempotency.ts';
import type { Page, PageQuery } from './page.ts';
import type { JsonText, Written } from './written.ts';

export interface OrderStore {
  /** Places an order by the rules of refuseOrder; its animal becomes pending. */
  place(petId: bigint, at: Date): Promise<Written | Refusal>;
  placeIdempotently(idempotency: Idempotency, petId: bigint): Promise<IdempotentResult | Refusal>;
  /** The order as an Order, or undefined. */
  get(id: bigint): Awaitable<JsonText | undefined>;
  /** A page of orders in ascending order of id. */
  list(query: OrderQuery): Awaitable<Page>;
  /**
   * Ends an order and releases its animal, by the rules of endOrder. Returns the order. `precondition`: the condition
   * that the order must meet in the transaction that writes.
   */
  end(
    id: bigint,
    end: OrderEnd,
    at: Date,
    precondition?: Precondition,
  ): Promise<JsonText | Refusal>;
  endIdempotently(
    idempotency: Idempotency,
    id: bigint,
    end: OrderEnd,
    precondition?: Precondition,
  ): Promise<IdempotentResult | Refusal>;
}

interface OrderQuery extends PageQuery {
  /** Only orders of this status. */
  readonly status: OrderStatus | undefined;
}
