import type { StoredOrder } from './order.ts';

/** An Order as JSON text, byte for byte as the databases write it. */
export function orderJson({ id, petId, status, placedAt, updatedAt }: StoredOrder): string {
  return `{"id":${id},"petId":${petId},"status":"${status}","placedAt":"${placedAt.toISOString()}","updatedAt":"${updatedAt.toISOString()}"}`;
}
