import type { PetFields } from './pet.ts';

/** A Pet as JSON text, to the same letter as the databases write it. `id`: it, or what stands for it in the text. */
export function petJson(id: bigint | string, { name, categoryId, status }: PetFields): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}
