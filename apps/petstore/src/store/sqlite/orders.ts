import { orderJson } from '../../orders/order-json.ts';
import { isRefusal } from '../../refusal.ts';
import type { OrderStore } from '../store.ts';
import type { TableDeps } from './answers.ts';
import { translateErrors } from './errors.ts';
import { pageReader, rowReader, type Source } from './page-reader.ts';

const ORDERS: Source = {
  table: 'orders',
  columns: 'id, pet_id, status, placed_at, updated_at',
  json: `json_object('id', id, 'petId', pet_id, 'status', status,
                     'placedAt', placed_at, 'updatedAt', updated_at)`,
};

export function sqliteOrders({ db, write, writeOnce }: TableDeps): OrderStore {
  const readOrder = rowReader(db, ORDERS);
  const readPage = pageReader(db, ORDERS);
  return {
    async place(petId, at) {
      const id = await write('placeOrder', petId, at);
      if (isRefusal(id)) return id;
      return { id, json: orderJson({ id, petId, status: 'placed', placedAt: at, updatedAt: at }) };
    },
    placeOnce: (once, petId) => writeOnce(once, 'placeOrder', petId, once.at),
    get: (id) => translateErrors(() => readOrder(id)),
    list: (query) => translateErrors(() => readPage(query)),
    end: (id, end, at, precondition) => write('endOrder', id, end, at, precondition),
    endOnce: (once, id, end, precondition) =>
      writeOnce(once, 'endOrder', id, end, once.at, precondition),
  };
}
