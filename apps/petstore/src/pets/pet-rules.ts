import { type Precondition, refuseByPrecondition } from '../precondition.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { PetFields, PetPatch, PetStatus } from './pet.ts';

/** The allowed changes of an animal's status. A sold one becomes available when the buyer returns it. */
const NEXT_STATUSES: Readonly<Record<PetStatus, readonly PetStatus[]>> = {
  available: ['pending', 'sold'],
  pending: ['available', 'sold'],
  sold: ['available'],
};

/** The refusal of a change of status that is not allowed. An unchanged status is always allowed. */
export function refuseTransition(from: PetStatus, to: PetStatus): Refusal | undefined {
  if (from === to || NEXT_STATUSES[from].includes(to)) return undefined;
  const allowed = NEXT_STATUSES[from].join(' or ');
  return refusal(
    'invalid_transition',
    `An animal that is ${from} can become ${allowed}, not ${to}.`,
  );
}

/**
 * The animal after a patch, or the refusal of the patch. It is the same object when the patch changes nothing, which is
 * always allowed. `isOrdered`: whether an open order names the animal.
 */
export function patchPet(pet: PetFields, patch: PetPatch, isOrdered: boolean): PetFields | Refusal {
  const patched = { ...pet, ...patch };
  const isSame =
    patched.name === pet.name &&
    patched.categoryId === pet.categoryId &&
    patched.status === pet.status;
  if (isSame) return pet;
  if (isOrdered) return orderedPet();
  return refuseTransition(pet.status, patched.status) ?? patched;
}

/** The refusal to delete an animal that an open order names; undefined where none does. */
export function refuseRemoval(isOrdered: boolean): Refusal | undefined {
  return isOrdered ? orderedPet() : undefined;
}

/** The animal that a write is for, or the refusal where it is missing or does not meet the precondition. */
export function expectPet(
  id: bigint,
  pet: PetFields | undefined,
  precondition: Precondition | undefined,
): PetFields | Refusal {
  if (!pet) return petNotFound();
  return refuseByPrecondition(petJson(id, pet), precondition) ?? pet;
}

export function petNotFound(): Refusal {
  return refusal('not_found', 'No animal has this id.');
}

/** An open order names the animal. */
export function orderedPet(): Refusal {
  return refusal(
    'conflict',
    'An open order names this animal. Complete or cancel the order first.',
  );
}

/** A Pet as JSON text, byte for byte as the databases write it. `id`: the id, or a placeholder for it. */
export function petJson(id: bigint | string, { name, categoryId, status }: PetFields): string {
  return petJsonOf(id, JSON.stringify(name), categoryId, status);
}

/** The same of values as they stand in the text; `name` is a JSON string. */
export function petJsonOf(
  id: bigint | string,
  name: string,
  categoryId: bigint | string,
  status: string,
): string {
  return `{"id":${id},"name":${name},"categoryId":${categoryId},"status":"${status}"}`;
}
