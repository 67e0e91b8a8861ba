import type { OrderStore } from '../store.ts';
import { translateErrors } from './errors.ts';
import type { TableDeps } from './idempotency.ts';
import { pageReader, rowReader, type Source } from './page-reader.ts';

const ORDERS: Source = {
  table: 'orders',
  columns: 'id, pet_id, status, placed_at, updated_at',
  json: `json_object('id', id, 'petId', pet_id, 'status', status,
                     'placedAt', placed_at, 'updatedAt', updated_at)`,
};

export function sqliteOrders({ db, write, writeIdempotently }: TableDeps): OrderStore {
  const readOrder = rowReader(db, ORDERS);
  const readPage = pageReader(db, ORDERS);
  return {
    place: (petId, at) => write('placeOrder', petId, at),
    placeIdempotently: (idempotency, petId) =>
      writeIdempotently(idempotency, 'placeOrder', petId, idempotency.at),
    get: (id) => translateErrors(() => readOrder(id)),
    list: (query) => translateErrors(() => readPage(query)),
    end: (id, end, at, precondition) => write('endOrder', id, end, at, precondition),
    endIdempotently: (idempotency, id, end, precondition) =>
      writeIdempotently(idempotency, 'endOrder', id, end, idempotency.at, precondition),
  };
}
