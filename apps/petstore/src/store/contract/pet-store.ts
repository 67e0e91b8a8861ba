import type { PetFields, PetPatch, PetStatus } from '../../pets/pet.ts';
import type { Precondition } from '../../precondition.ts';
import type { Refusal } from '../../refusal.ts';
import type { Awaitable } from './awaitable.ts';
import type { Idempotency, IdempotentResult } from './idempotency.ts';
import type { Page, PageQuery } from './page.ts';
import type { JsonText, Written } from './written.ts';

/** An animal as it is brought in from outside, with its id if it has one already. */
export type ImportedPet = PetFields & { readonly id: bigint | undefined };

/** added; present: the same animal exists; conflict: another animal has the id. */
export type AddOutcome = 'added' | 'present' | 'conflict';

export interface PetStore {
  /** Adds an animal under a new id, greater than every earlier id, those of deleted animals included. */
  create(pet: PetFields): Promise<Written>;
  createIdempotently(idempotency: Idempotency, pet: PetFields): Promise<IdempotentResult | Refusal>;
  /** The animal as a Pet, or undefined. */
  get(id: bigint): Awaitable<JsonText | undefined>;
  /**
   * A page of animals in ascending order of id. While nothing changes an engine may return the same object again, so
   * callers may keep with a page what they derive from it.
   */
  list(query: PetQuery): Awaitable<Page>;
  /** A page of the animals that meet a filter, in ascending order of id. */
  query(search: PetSearch): Promise<Page>;
  /**
   * Changes an animal by the rules of patchPet, and returns it as a Pet. `precondition`: the condition that must hold
   * in the transaction that writes.
   */
  update(id: bigint, patch: PetPatch, precondition?: Precondition): Promise<JsonText | Refusal>;
  /** Deletes an animal, by the rules of refuseRemoval. `precondition` as for update. */
  remove(id: bigint, precondition?: Precondition): Promise<'removed' | Refusal>;
}

/** The bulk operations that `seed`, `import` and `export` need besides. */
export interface BulkPetStore extends PetStore {
  /**
   * Adds many animals in one transaction, in order. One whose id is taken is left out, and its outcome says why. Later
   * ids are greater than all of these.
   */
  addMany(pets: readonly ImportedPet[]): Promise<AddOutcome[]>;
  /** Up to `count` animals after an id, in ascending order, each as JSON text: for export. `next` as in Page. */
  rows(
    after: bigint | undefined,
    count: number,
  ): Promise<{ lines: JsonText[]; next: bigint | undefined }>;
}

interface PetQuery extends PageQuery {
  /** Only animals of this status. */
  readonly status: PetStatus | undefined;
}

/** A page of the animals that meet all of this. */
export interface PetSearch extends PageQuery {
  /** How the name begins, code point by code point; empty for any name. */
  readonly prefix: string;
  /** Undefined for any. */
  readonly categories: readonly bigint[] | undefined;
  readonly statuses: readonly PetStatus[] | undefined;
  /** The first and the last id. */
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
  /**
   * How many animals may be looked at, met or not. The page ends there, however few have been found, and `next` leads on
   * from there; it is undefined only where nothing at all is left to look at.
   */
  readonly maxExamined: number;
}
