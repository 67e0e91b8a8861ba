import type { Connection } from '@petstore/postgres/connection.ts';
import sql, { raw } from 'sql-template-tag';
import type { StoredOrder } from '../../orders/order.ts';
import {
  endOrder,
  type OrderEnd,
  orderJson,
  orderNotFound,
  refuseOrder,
  STATUS_UNDER_ORDER,
} from '../../orders/order-rules.ts';
import type { PetFields, PetStatus } from '../../pets/pet.ts';
import { petJson } from '../../pets/pet-rules.ts';
import type { Precondition } from '../../precondition.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { OrderStore } from '../contract/order-store.ts';
import type { Written } from '../contract/written.ts';
import type { ResourceClients } from './client.ts';
import { insertEvents } from './event-logs.ts';
import type { WriteIdempotently } from './idempotency.ts';
import { PageReader } from './page-reader.ts';
import { lockPet } from './pets.ts';

const time = (column: string) =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A row of orders as an Order, in SQL; byte for byte as orderJson writes it. */
const ORDER_JSON = `'{"id":' || id || ',"petId":' || pet_id || ',"status":"' || status || '","placedAt":"' || ${time('placed_at')} || '","updatedAt":"' || ${time('updated_at')} || '"}'`;

export function postgresOrders(
  { pages, writes }: ResourceClients,
  writeIdempotently: WriteIdempotently,
): OrderStore {
  const reader = new PageReader(pages, {
    table: 'orders',
    json: ORDER_JSON,
  });

  return {
    place: (petId, at) => writes.transaction((db) => placeOrder(db, petId, at)),

    placeIdempotently: (idempotency, petId) =>
      writeIdempotently(idempotency, (db) => placeOrder(db, petId, idempotency.at)),

    get: (id) => reader.row(id),

    list: (query) => reader.page(query),

    async end(id, end, at, precondition) {
      const ended = await writes.transaction((db) => closeOrder(db, id, end, at, precondition));
      return isRefusal(ended) ? ended : ended.json;
    },

    endIdempotently: (idempotency, id, end, precondition) =>
      writeIdempotently(idempotency, (db) => closeOrder(db, id, end, idempotency.at, precondition)),
  };
}

/** An order is told before the change of its animal. */
async function placeOrder(db: Connection, petId: bigint, at: Date): Promise<Written | Refusal> {
  const pet = await lockPet(db, petId);
  const refused = refuseOrder(pet?.status);
  if (refused) return refused;
  const change = petUpdated(petId, pet, STATUS_UNDER_ORDER);
  // Sent together, the insert last: from there until the end of the transaction other orders wait.
  const [, row] = await Promise.all([
    db.execute(sql`UPDATE pets SET status = ${STATUS_UNDER_ORDER} WHERE id = ${petId}`),
    db.row<{ id: bigint }>(sql`
      WITH placed AS (
        INSERT INTO orders (pet_id, status, placed_at, updated_at)
        VALUES (${petId}, 'placed', ${at}, ${at})
        RETURNING id, pet_id, status, placed_at, updated_at),
      told AS (
        INSERT INTO event_inbox (count, events)
        SELECT 2, 'order.placed ' || ${raw(ORDER_JSON)} || chr(10) || ${change.join(' ')} FROM placed)
      SELECT id FROM placed`),
  ]);
  if (!row) throw new Error('an insert gave no row');
  const { id } = row;
  const json = orderJson({ id, petId, status: 'placed', placedAt: at, updatedAt: at });
  return { id, json };
}

/** The event of an animal whose order was placed or ended; `pet`: as it was. */
function petUpdated(
  id: bigint,
  pet: PetFields | undefined,
  status: PetStatus,
): readonly ['pet.updated', string] {
  // The rules refuse every order of an animal that is not there.
  if (!pet) throw new Error(`the order's animal ${id} is not there`);
  return ['pet.updated', petJson(id, { ...pet, status })];
}

async function closeOrder(
  db: Connection,
  id: bigint,
  end: OrderEnd,
  at: Date,
  precondition: Precondition | undefined,
): Promise<Written | Refusal> {
  const order = await db.row<StoredOrder>(sql`
    SELECT id, pet_id AS "petId", status, placed_at AS "placedAt", updated_at AS "updatedAt"
    FROM orders WHERE id = ${id} FOR UPDATE`);
  if (!order) return orderNotFound();
  const pet = await lockPet(db, order.petId);
  const petStatus = endOrder(order, pet?.status, end, precondition);
  if (isRefusal(petStatus)) return petStatus;
  const json = orderJson({ ...order, status: end, updatedAt: at });
  const told = insertEvents([`order.${end}`, json], petUpdated(order.petId, pet, petStatus));
  await Promise.all([
    db.execute(sql`UPDATE pets SET status = ${petStatus} WHERE id = ${order.petId}`),
    db.execute(sql`
      WITH told AS (${told})
      UPDATE orders SET status = ${end}, updated_at = ${at} WHERE id = ${id}`),
  ]);
  return { id, json };
}
