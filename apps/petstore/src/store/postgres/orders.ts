import type { StoredOrder } from '../../orders/order.ts';
import { orderJson } from '../../orders/order-json.ts';
import {
  endOrder,
  type OrderEnd,
  orderNotFound,
  refuseOrder,
  STATUS_UNDER_ORDER,
} from '../../orders/order-rules.ts';
import type { Precondition } from '../../precondition.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { OrderStore, Written } from '../store.ts';
import type { PostgresClient, Transaction } from './client.ts';
import type { WriteIdempotently } from './idempotency.ts';
import { ORDER_LOCK_CLASS } from './migrations.ts';
import { PageReader } from './page-reader.ts';
import { lockPet } from './pets.ts';

const time = (column: string) =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export function postgresOrders(
  client: PostgresClient,
  writeIdempotently: WriteIdempotently,
): OrderStore {
  const reader = new PageReader(client, {
    table: 'orders',
    // To the same letter as orderJson writes it.
    json: `'{"id":' || id || ',"petId":' || pet_id || ',"status":"' || status || '","placedAt":"' || ${time('placed_at')} || '","updatedAt":"' || ${time('updated_at')} || '"}'`,
    lockClass: ORDER_LOCK_CLASS,
    sequence: 'orders_id_seq',
  });

  return {
    place: (petId, at) => client.transaction((sql) => placeOrder(sql, petId, at)),

    placeIdempotently: (idempotency, petId) =>
      writeIdempotently(idempotency, (sql) => placeOrder(sql, petId, idempotency.at)),

    get: (id) => reader.row(id),

    list: (query) => reader.page(query),

    async end(id, end, at, precondition) {
      const ended = await client.transaction((sql) => closeOrder(sql, id, end, at, precondition));
      return isRefusal(ended) ? ended : ended.json;
    },

    endIdempotently: (idempotency, id, end, precondition) =>
      writeIdempotently(idempotency, (sql) =>
        closeOrder(sql, id, end, idempotency.at, precondition),
      ),
  };
}

async function placeOrder(sql: Transaction, petId: bigint, at: Date): Promise<Written | Refusal> {
  const refused = refuseOrder((await lockPet(sql, petId))?.status);
  if (refused) return refused;
  await sql`UPDATE pets SET status = ${STATUS_UNDER_ORDER} WHERE id = ${petId}`;
  const [row] = await sql<{ id: bigint }[]>`
    INSERT INTO orders (pet_id, status, placed_at, updated_at)
    VALUES (${petId}, 'placed', ${at}, ${at}) RETURNING id`;
  if (!row) throw new Error('an insert gave no row');
  const { id } = row;
  return { id, json: orderJson({ id, petId, status: 'placed', placedAt: at, updatedAt: at }) };
}

async function closeOrder(
  sql: Transaction,
  id: bigint,
  end: OrderEnd,
  at: Date,
  precondition: Precondition | undefined,
): Promise<Written | Refusal> {
  const [order] = await sql<StoredOrder[]>`
    SELECT id, pet_id AS "petId", status, placed_at AS "placedAt", updated_at AS "updatedAt"
    FROM orders WHERE id = ${id} FOR UPDATE`;
  if (!order) return orderNotFound();
  const pet = await lockPet(sql, order.petId);
  const petStatus = endOrder(order, pet?.status, end, precondition);
  if (isRefusal(petStatus)) return petStatus;
  await sql`UPDATE pets SET status = ${petStatus} WHERE id = ${order.petId}`;
  await sql`UPDATE orders SET status = ${end}, updated_at = ${at} WHERE id = ${id}`;
  return { id, json: orderJson({ ...order, status: end, updatedAt: at }) };
}
