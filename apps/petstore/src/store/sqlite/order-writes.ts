import type { DatabaseSync } from 'node:sqlite';
import type { NotedEvents } from '../../events/event-group.ts';
import type { OrderStatus } from '../../orders/order.ts';
import {
  endOrder,
  type OrderEnd,
  orderJson,
  orderNotFound,
  refuseOrder,
  STATUS_UNDER_ORDER,
} from '../../orders/order-rules.ts';
import type { PetFields, PetStatus } from '../../pets/pet.ts';
import type { Precondition } from '../../precondition.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { Written } from '../contract/written.ts';
import { petFinder } from './pet-writes.ts';

/** The writes of orders, each within the transaction of its group. */
export interface OrderWrites {
  placeOrder(petId: bigint, at: Date): Written | Refusal;
  /** Returns the order as JSON text. */
  endOrder(id: bigint, end: OrderEnd, at: Date, precondition?: Precondition): string | Refusal;
}

interface Row {
  readonly petId: bigint;
  readonly status: OrderStatus;
  readonly placedAt: string;
  readonly updatedAt: string;
}

/** `noted`: where the events of the writes go. An order is told before the change of its animal. */
export function prepareOrderWrites(db: DatabaseSync, noted: NotedEvents): OrderWrites {
  const findPet = petFinder(db);
  const setPetStatus = db.prepare('UPDATE pets SET status = ? WHERE id = ?');
  const insert = db.prepare(
    `INSERT INTO orders (pet_id, status, placed_at, updated_at) VALUES (?1, 'placed', ?2, ?2)`,
  );
  insert.setReadBigInts(true);
  const select = db.prepare(
    `SELECT pet_id AS petId, status, placed_at AS placedAt, updated_at AS updatedAt
     FROM orders WHERE id = ?`,
  );
  select.setReadBigInts(true);
  const update = db.prepare('UPDATE orders SET status = ?, updated_at = ? WHERE id = ?');
  /** `pet`: as it was. The rules refuse every order of an animal that is not there. */
  const noteStatus = (id: bigint, pet: PetFields | undefined, status: PetStatus) => {
    if (pet) noted.notePet('pet.updated', id, { ...pet, status });
  };
  return {
    placeOrder(petId, at) {
      const pet = findPet(petId);
      const refused = refuseOrder(pet?.status);
      if (refused) return refused;
      setPetStatus.run(STATUS_UNDER_ORDER, petId);
      const id = insert.run(petId, at.toISOString()).lastInsertRowid as bigint;
      const json = orderJson({ id, petId, status: 'placed', placedAt: at, updatedAt: at });
      noted.note('order.placed', json);
      noteStatus(petId, pet, STATUS_UNDER_ORDER);
      return { id, json };
    },
    endOrder(id, end, at, precondition) {
      const row = select.get(id) as Row | undefined;
      if (!row) return orderNotFound();
      const { petId, status } = row;
      const placedAt = new Date(row.placedAt);
      const order = { id, petId, status, placedAt, updatedAt: new Date(row.updatedAt) };
      const pet = findPet(petId);
      const petStatus = endOrder(order, pet?.status, end, precondition);
      if (isRefusal(petStatus)) return petStatus;
      setPetStatus.run(petStatus, petId);
      update.run(end, at.toISOString(), id);
      const json = orderJson({ ...order, status: end, updatedAt: at });
      noted.note(`order.${end}`, json);
      noteStatus(petId, pet, petStatus);
      return json;
    },
  };
}
