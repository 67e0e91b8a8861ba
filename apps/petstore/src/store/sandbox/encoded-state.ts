import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { OrderStatus, StoredOrder } from '../../orders/order.ts';
import type { PetFields, PetStatus } from '../../pets/pet.ts';
import type { Replaced, SandboxState } from './sandbox-state.ts';

/** The form below. Another one gets another number, so that states of older versions can still be read. */
const FORM = 1;

/**
 * The fastest level: what is stored is small already, and every write compresses all of it. With a small window: by
 * default zlib takes a quarter of a megabyte for each call, which stays until the garbage is collected.
 */
const WINDOW_BITS = 12;
const DEFLATE = { level: 1, memLevel: 5, windowBits: WINDOW_BITS } as const;

/** The forms of items. Integers are texts, since JSON's readers lose digits of an int64. */
type EncodedPet = readonly [id: string, name: string, category: string, status: string];
type EncodedCategory = readonly [id: string, name: string];
/** Times in milliseconds since 1970. */
type EncodedOrder = readonly [
  ...[id: string, pet: string, status: string],
  ...[placedAt: number, updatedAt: number],
];

/** The items that a write replaced; of one that was not there before, the id alone. */
type EncodedChange = readonly (
  | readonly ['pets', ...(EncodedPet | [id: string])]
  | readonly ['categories', ...(EncodedCategory | [id: string])]
  | readonly ['orders', ...(EncodedOrder | [id: string])]
)[];

/** A state as it is stored. */
interface Encoded {
  readonly form: number;
  readonly next: readonly [pet: string, category: string, order: string];
  readonly pets: readonly EncodedPet[];
  readonly categories: readonly EncodedCategory[];
  readonly orders: readonly EncodedOrder[];
  readonly results: readonly (readonly [
    ...[key: string, fingerprint: string, result: string],
    at: number,
  ])[];
  /** Left out where there are none. */
  readonly changes?: readonly EncodedChange[];
}

/** A state as compressed text. */
export function encodeState(state: SandboxState): Buffer {
  return deflateRawSync(stateText(state), DEFLATE);
}

/** A state as text: the same state gives the same text, on any machine. */
export function stateText(state: SandboxState): string {
  const { pets, categories, orders, results, changes, next } = state;
  const encoded: Encoded = {
    form: FORM,
    next: [`${next.pet}`, `${next.category}`, `${next.order}`],
    pets: Array.from(pets, encodePet),
    categories: Array.from(categories, encodeCategory),
    orders: Array.from(orders, encodeOrder),
    results: Array.from(results, ([key, { fingerprint, result, at }]) => [
      ...([key, fingerprint, result, at] as const),
    ]),
    ...(changes.length > 0 && { changes: changes.map((change) => change.map(encodeReplaced)) }),
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
    pets: new Map(encoded.pets.map(decodePet)),
    categories: new Map(encoded.categories.map(decodeCategory)),
    orders: new Map(encoded.orders.map(decodeOrder)),
    results: new Map(
      encoded.results.map(([key, fingerprint, result, at]) => [key, { fingerprint, result, at }]),
    ),
    changes: (encoded.changes ?? []).map((change) => change.map(decodeReplaced)),
  };
}

type Entry<T> = [id: bigint, item: T];

function encodePet([id, { name, categoryId, status }]: Entry<PetFields>): EncodedPet {
  return [`${id}`, name, `${categoryId}`, status];
}

function decodePet([id, name, categoryId, status]: EncodedPet): Entry<PetFields> {
  return [BigInt(id), { name, categoryId: BigInt(categoryId), status: status as PetStatus }];
}

function encodeCategory([id, name]: Entry<string>): EncodedCategory {
  return [`${id}`, name];
}

function decodeCategory([id, name]: EncodedCategory): Entry<string> {
  return [BigInt(id), name];
}

function encodeOrder([id, order]: Entry<StoredOrder>): EncodedOrder {
  const { petId, status, placedAt, updatedAt } = order;
  return [`${id}`, `${petId}`, status, placedAt.getTime(), updatedAt.getTime()];
}

function decodeOrder([text, petId, status, placedAt, updatedAt]: EncodedOrder): Entry<StoredOrder> {
  const id = BigInt(text);
  return [
    id,
    {
      ...{ id, petId: BigInt(petId), status: status as OrderStatus },
      ...{ placedAt: new Date(placedAt), updatedAt: new Date(updatedAt) },
    },
  ];
}

function encodeReplaced(replaced: Replaced): EncodedChange[number] {
  const { in: kind, id, before } = replaced;
  if (before === undefined) return [kind, `${id}`];
  switch (kind) {
    case 'pets':
      return [kind, ...encodePet([id, before])];
    case 'categories':
      return [kind, ...encodeCategory([id, before])];
    case 'orders':
      return [kind, ...encodeOrder([id, before])];
  }
}

function decodeReplaced([kind, ...item]: EncodedChange[number]): Replaced {
  if (item.length === 1) return { in: kind, id: BigInt(item[0]), before: undefined };
  switch (kind) {
    case 'pets': {
      const [id, before] = decodePet(item as unknown as EncodedPet);
      return { in: kind, id, before };
    }
    case 'categories': {
      const [id, before] = decodeCategory(item as unknown as EncodedCategory);
      return { in: kind, id, before };
    }
    case 'orders': {
      const [id, before] = decodeOrder(item as unknown as EncodedOrder);
      return { in: kind, id, before };
    }
  }
}
