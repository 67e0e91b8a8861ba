import { type Precondition, refuseByPrecondition } from '../precondition.ts';
import { type Refusal, refusal } from '../refusal.ts';

/**
 * What two names have in common that differ only in case or in how their characters are composed.
 * Down first, for `ẞ`; then up, where `ß` and `SS` meet; and down again, where `ς` and `σ` do.
 */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}

/** The refusal to delete a category that animals use; undefined where none does. */
export function refuseRemoval(isUsed: boolean): Refusal | undefined {
  return isUsed ? categoryInUse() : undefined;
}

export function categoryInUse(): Refusal {
  return refusal('conflict', 'Animals are in this category. Move them to another one first.');
}

export function categoryNotFound(): Refusal {
  return refusal('not_found', 'No category has this id.');
}

export function nameTaken(): Refusal {
  return refusal('conflict', 'Another category has this name, perhaps in another case.');
}

/** As expectPet, for the name of a category. */
export function expectName(
  id: bigint,
  name: string | undefined,
  precondition: Precondition | undefined,
): string | Refusal {
  if (name === undefined) return categoryNotFound();
  return refuseByPrecondition(categoryJson(id, name), precondition) ?? name;
}

/** A Category as JSON text, byte for byte as the databases write it. */
export function categoryJson(id: bigint, name: string): string {
  return `{"id":${id},"name":${JSON.stringify(name)}}`;
}
