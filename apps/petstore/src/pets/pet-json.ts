import type { PetFields } from './pet.ts';

/** A Pet as JSON text, byte for byte as the databases write it. `id`: the id, or a placeholder for it. */
export function petJson(id: bigint | string, { name, categoryId, status }: PetFields): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}
