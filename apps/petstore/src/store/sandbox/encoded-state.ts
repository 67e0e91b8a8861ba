import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { OrderStatus } from '../../orders/order.ts';
import type { PetStatus } from '../../pets/pet.ts';
import type { SandboxState } from './sandbox-state.ts';

/** The form below. Another one gets another number, so that states of older versions can still be read. */
const FORM = 1;

/**
 * The fastest level: what is stored is small already, and every write compresses all of it. With a small window: by
 * default zlib takes a quarter of a megabyte for each call, which stays until the garbage is collected.
 */
const WINDOW_BITS = 12;
const DEFLATE = { level: 1, memLevel: 5, windowBits: WINDOW_BITS } as const;

/** A state as it is stored. Integers are texts, since JSON's readers lose digits of an int64. */
interface Encoded {
  readonly form: number;
  readonly next: readonly [pet: string, category: string, order: string];
  readonly pets: readonly (readonly [id: string, name: string, category: string, status: string])[];
  readonly categories: readonly (readonly [id: string, name: string])[];
  /** Times in milliseconds since 1970. */
  readonly orders: readonly (readonly [
    ...[id: string, pet: string, status: string],
    ...[placedAt: number, updatedAt: number],
  ])[];
  readonly results: readonly (readonly [
    ...[key: string, fingerprint: string, result: string],
    at: number,
  ])[];
}

/** A state as compressed text. */
export function encodeState(state: SandboxState): Buffer {
  return deflateRawSync(stateText(state), DEFLATE);
}

/** A state as text: the same state gives the same text, on any machine. */
export function stateText({ pets, categories, orders, results, next }: SandboxState): string {
  const encoded: Encoded = {
    form: FORM,
    next: [`${next.pet}`, `${next.category}`, `${next.order}`],
    pets: Array.from(pets, ([id, { name, categoryId, status }]) => [
      ...([`${id}`, name, `${categoryId}`, status] as const),
    ]),
    categories: Array.from(categories, ([id, name]) => [`${id}`, name]),
    orders: Array.from(orders, ([id, { petId, status, placedAt, updatedAt }]) => [
      ...([`${id}`, `${petId}`, status] as const),
      ...([placedAt.getTime(), updatedAt.getTime()] as const),
    ]),
    results: Array.from(results, ([key, { fingerprint, result, at }]) => [
      ...([key, fingerprint, result, at] as const),
    ]),
  };
  return JSON.stringify(encoded);
}

/** Reads what encodeState has made. */
export function decodeState(bytes: Uint8Array): SandboxState {
  const encoded = JSON.parse(
    inflateRawSync(bytes, { windowBits: WINDOW_BITS }).toString(),
  ) as Encoded;
  if (encoded.form !== FORM) {
    throw new Error(`a sandbox is stored in form ${encoded.form}, which this version cannot read`);
  }
  const [pet, category, order] = encoded.next;
  return {
    next: { pet: BigInt(pet), category: BigInt(category), order: BigInt(order) },
    pets: new Map(
      encoded.pets.map(([id, name, categoryId, status]) => [
        BigInt(id),
        { name, categoryId: BigInt(categoryId), status: status as PetStatus },
      ]),
    ),
    categories: new Map(encoded.categories.map(([id, name]) => [BigInt(id), name])),
    orders: new Map(
      encoded.orders.map(([text, petId, status, placedAt, updatedAt]) => {
        const id = BigInt(text);
        return [
          id,
          {
            ...{ id, petId: BigInt(petId), status: status as OrderStatus },
            ...{ placedAt: new Date(placedAt), updatedAt: new Date(updatedAt) },
          },
        ];
      }),
    ),
    results: new Map(
      encoded.results.map(([key, fingerprint, result, at]) => [key, { fingerprint, result, at }]),
    ),
  };
}
