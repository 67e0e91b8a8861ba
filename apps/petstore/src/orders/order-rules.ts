import type { PetStatus } from '../pets/pet.ts';
import { refuseTransition } from '../pets/pet-rules.ts';
import { type Precondition, refuseByPrecondition } from '../precondition.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { OrderStatus, StoredOrder } from './order.ts';

/** How an order ends, and the status that its animal gets. While it is open, its animal is pending. */
export type OrderEnd = Exclude<OrderStatus, 'placed'>;

export const STATUS_UNDER_ORDER: PetStatus = 'pending';

const STATUS_AFTER: Readonly<Record<OrderEnd, PetStatus>> = {
  completed: 'sold',
  cancelled: 'available',
};

/** The refusal of an order for an animal, if it is refused. `status` is undefined where there is no such animal. */
export function refuseOrder(status: PetStatus | undefined): Refusal | undefined {
  if (status === undefined) return refusal('not_found', 'No animal has the id that petId names.');
  if (status === 'available') return undefined;
  return refusal('conflict', `The animal is ${status}. Only an available one can be ordered.`);
}

/** The status that the animal gets when its order ends in this way, or the refusal of that. */
export function endOrder(
  order: StoredOrder,
  petStatus: PetStatus | undefined,
  end: OrderEnd,
  precondition: Precondition | undefined,
): PetStatus | Refusal {
  const refused = refuseByPrecondition(orderJson(order), precondition);
  if (refused) return refused;
  const { status } = order;
  if (status !== 'placed') {
    return refusal(
      'invalid_transition',
      `The order is ${status} already. Only a placed one can be ${end}.`,
    );
  }
  // An open order keeps its animal pending, unless somebody changed the database by hand.
  if (petStatus !== STATUS_UNDER_ORDER) {
    const found = petStatus === undefined ? 'is gone' : `is ${petStatus}`;
    return refusal('conflict', `The animal of this order ${found}; it should be pending.`);
  }
  const next = STATUS_AFTER[end];
  return refuseTransition(petStatus, next) ?? next;
}

export function orderNotFound(): Refusal {
  return refusal('not_found', 'No order has this id.');
}

/** An Order as JSON text, byte for byte as the databases write it. */
export function orderJson({ id, petId, status, placedAt, updatedAt }: StoredOrder): string {
  return `{"id":${id},"petId":${petId},"status":"${status}","placedAt":"${placedAt.toISOString()}","updatedAt":"${updatedAt.toISOString()}"}`;
}
