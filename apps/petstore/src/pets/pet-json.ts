import type { PetFields } from './pet.ts';

/** A Pet as JSON text, to the same letter as the databases write it. */
export function petJson(id: bigint, { name, categoryId, status }: PetFields): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}
