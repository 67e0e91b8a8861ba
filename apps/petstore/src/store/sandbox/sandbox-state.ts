import type { StoredOrder } from '../../orders/order.ts';
import type { PetFields } from '../../pets/pet.ts';

/** Everything that a sandbox holds. It is never changed: a write makes a draft, and the draft becomes the next state. */
export interface SandboxState {
  /** In ascending order of id, as the other two are. */
  readonly pets: ReadonlyMap<bigint, PetFields>;
  readonly categories: ReadonlyMap<bigint, string>;
  readonly orders: ReadonlyMap<bigint, StoredOrder>;
  /** The kept results of idempotent writes by their keys, the oldest first. */
  readonly results: ReadonlyMap<string, KeptResult>;
  /** The last changes, the oldest first: MAX_CHANGES at most. */
  readonly changes: readonly Change[];
  /** The ids that are given next. */
  readonly next: NextIds;
}

export interface NextIds {
  pet: bigint;
  category: bigint;
  order: bigint;
}

/** The result of an idempotent write. */
export interface KeptResult {
  /** The SHA-256 of what identifies the request, in base64. */
  readonly fingerprint: string;
  /** As encodeResult has it. */
  readonly result: string;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** Something that a write has put in place of what was there before. */
export type Replaced =
  | { readonly in: 'pets'; readonly id: bigint; readonly before: PetFields | undefined }
  | { readonly in: 'categories'; readonly id: bigint; readonly before: string | undefined }
  | { readonly in: 'orders'; readonly id: bigint; readonly before: StoredOrder | undefined };

/** What one write has replaced, in its order. */
export type Change = readonly Replaced[];

/** How many of the last changes a sandbox remembers. */
export const MAX_CHANGES = 20;

/** What the data of a sandbox may weigh, by the measures below: some 2,500 animals. */
export const MAX_WEIGHT = 128 * 1024;

/** The weights of what a sandbox holds, in bytes: the text, and what stands around it when it is stored. */
export const weightOf = {
  pet: ({ name }: PetFields) => Buffer.byteLength(name) + 40,
  category: (name: string) => Buffer.byteLength(name) + 20,
  order: 100,
} as const;

/** The weight of all data. Kept results have a bound of their own. */
export function totalWeight({ pets, categories, orders }: SandboxState): number {
  let weight = orders.size * weightOf.order;
  for (const pet of pets.values()) weight += weightOf.pet(pet);
  for (const name of categories.values()) weight += weightOf.category(name);
  return weight;
}
