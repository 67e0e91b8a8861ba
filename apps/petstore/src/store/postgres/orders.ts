import type { Connection } from '@petstore/postgres/connection.ts';
import sql from 'sql-template-tag';
import type { NotedEvents } from '../../events/event-group.ts';
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
import type { OrderStore, Written } from '../store.ts';
import type { ResourceClients } from './client.ts';
import { transactionWithEvents } from './event-logs.ts';
import type { WriteIdempotently } from './idempotency.ts';
import { PageReader } from './page-reader.ts';
import { lockPet } from './pets.ts';

const time = (column: string) =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export function postgresOrders(
  { pages, writes }: ResourceClients,
  writeIdempotently: WriteIdempotently,
): OrderStore {
  const reader = new PageReader(pages, {
    table: 'orders',
    // Byte for byte as orderJson writes it.
    json: `'{"id":' || id || ',"petId":' || pet_id || ',"status":"' || status || '","placedAt":"' || ${time('placed_at')} || '","updatedAt":"' || ${time('updated_at')} || '"}'`,
  });

  return {
    place: (petId, at) =>
      transactionWithEvents(writes, (db, noted) => placeOrder(db, noted, petId, at)),

    placeIdempotently: (idempotency, petId) =>
      writeIdempotently(idempotency, (db, noted) => placeOrder(db, noted, petId, idempotency.at)),

    get: (id) => reader.row(id),

    list: (query) => reader.page(query),

    async end(id, end, at, precondition) {
      const ended = await transactionWithEvents(writes, (db, noted) =>
        closeOrder(db, noted, id, end, at, precondition),
      );
      return isRefusal(ended) ? ended : ended.json;
    },

    endIdempotently: (idempotency, id, end, precondition) =>
      writeIdempotently(idempotency, (db, noted) =>
        closeOrder(db, noted, id, end, idempotency.at, precondition),
      ),
  };
}

/** An order is told before the change of its animal. */
async function placeOrder(
  db: Connection,
  noted: NotedEvents,
  petId: bigint,
  at: Date,
): Promise<Written | Refusal> {
  const pet = await lockPet(db, petId);
  const refused = refuseOrder(pet?.status);
  if (refused) return refused;
  // Sent together, the insert last: from there until the end of the transaction other orders wait.
  const [, row] = await Promise.all([
    db.execute(sql`UPDATE pets SET status = ${STATUS_UNDER_ORDER} WHERE id = ${petId}`),
    db.row<{ id: bigint }>(sql`
      INSERT INTO orders (pet_id, status, placed_at, updated_at)
      VALUES (${petId}, 'placed', ${at}, ${at}) RETURNING id`),
  ]);
  if (!row) throw new Error('an insert gave no row');
  const { id } = row;
  const json = orderJson({ id, petId, status: 'placed', placedAt: at, updatedAt: at });
  noted.note('order.placed', json);
  noteStatus(noted, petId, pet, STATUS_UNDER_ORDER);
  return { id, json };
}

/** `pet`: as it was. The rules refuse every order of an animal that is not there. */
function noteStatus(
  noted: NotedEvents,
  id: bigint,
  pet: PetFields | undefined,
  status: PetStatus,
): void {
  if (pet) noted.note('pet.updated', petJson(id, { ...pet, status }));
}

async function closeOrder(
  db: Connection,
  noted: NotedEvents,
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
  await Promise.all([
    db.execute(sql`UPDATE pets SET status = ${petStatus} WHERE id = ${order.petId}`),
    db.execute(sql`UPDATE orders SET status = ${end}, updated_at = ${at} WHERE id = ${id}`),
  ]);
  const json = orderJson({ ...order, status: end, updatedAt: at });
  noted.note(`order.${end}`, json);
  noteStatus(noted, order.petId, pet, petStatus);
  return { id, json };
}
