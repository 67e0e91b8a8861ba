import { type Precondition, refuseByPrecondition } from '../precondition.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { PetFields, PetPatch, PetStatus } from './pet.ts';

/** The life of an animal's status. From sold it comes back when a buyer returns it. */
const NEXT_STATUSES: Readonly<Record<PetStatus, readonly PetStatus[]>> = {
  available: ['pending', 'sold'],
  pending: ['available', 'sold'],
  sold: ['available'],
};

/** The refusal of a step that the life of a status does not have. To stay as it is, is no step. */
export function refuseTransition(from: PetStatus, to: PetStatus): Refusal | undefined {
  if (from === to || NEXT_STATUSES[from].includes(to)) return undefined;
  const allowed = NEXT_STATUSES[from].join(' or ');
  return refusal(
    'invalid_transition',
    `An animal that is ${from} can become ${allowed}, not ${to}.`,
  );
}

/**
 * What an animal is after a patch, or why it may not be patched. The same object when the patch
 * changes nothing, which is allowed always. `isOrdered`: whether an open order names the animal.
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

/** Why an animal may not leave, if so. */
export function refuseRemoval(isOrdered: boolean): Refusal | undefined {
  return isOrdered ? orderedPet() : undefined;
}

/** The animal that a write was asked for, or why it is refused: it is not there, or not as the client says. */
export function expectPet(
  id: bigint,
  pet: PetFields | undefined,
  precondition: Precondition | undefined,
): PetFields | Refusal {
  if (!pet) return refusal('not_found', 'No animal has this id.');
  return refuseByPrecondition(petJson(id, pet), precondition) ?? pet;
}

function orderedPet(): Refusal {
  return refusal(
    'conflict',
    'An open order names this animal. Complete or cancel the order first.',
  );
}

/** A Pet as JSON text, to the same letter as the databases write it. `id`: it, or what stands for it in the text. */
export function petJson(id: bigint | string, { name, categoryId, status }: PetFields): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}
