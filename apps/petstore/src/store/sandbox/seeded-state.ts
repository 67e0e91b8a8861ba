import type { OrderStatus, StoredOrder } from '../../orders/order.ts';
import type { PetFields } from '../../pets/pet.ts';
import { syntheticPet } from '../../pets/synthetic-pet.ts';
import type { SandboxState } from './sandbox-state.ts';

/** What the data of a new sandbox are made of. */
export interface SandboxSeed {
  /** Which animals, 0 to MAX_SEED: the same number gives the same ones. */
  readonly seed: number;
  /** How many. */
  readonly pets: number;
}

/** The categories of synthetic animals, in the order of their ids. */
const CATEGORIES =
  'Dogs Cats Rabbits Hamsters Parrots Canaries Goldfish Turtles Ferrets Mice Rats Chinchillas Budgies Cockatiels Geckos Snakes Frogs Tarantulas Hedgehogs Guppies Chickens Ducks Ponies Iguanas'.split(
    ' ',
  );

/** When the first order of any sandbox was placed. Each that follows came a minute later. */
const FIRST_ORDER_AT = Date.parse('2026-01-01T09:00:00.000Z');
const MINUTE_MS = 60_000;

/**
 * The state of a new sandbox: animals, the categories that they are in, and orders. Each pending animal has an open
 * order, each second one that is sold a completed one, and each tenth that is available a cancelled one. It depends on
 * the seed and the number alone, whatever the machine and the version: a test holds its digest.
 */
export function seededState({ seed, pets: count }: SandboxSeed): SandboxState {
  const pets = new Map<bigint, PetFields>();
  const orders = new Map<bigint, StoredOrder>();
  for (let place = 0; place < count; place++) {
    const pet = syntheticPet(seed, place);
    const petId = BigInt(place + 1);
    pets.set(petId, pet);
    const status = orderStatusOf(pet, place);
    if (!status) continue;
    const id = BigInt(orders.size + 1);
    const placedAt = new Date(FIRST_ORDER_AT + orders.size * MINUTE_MS);
    const updatedAt = status === 'placed' ? placedAt : new Date(placedAt.getTime() + 30_000);
    orders.set(id, { id, petId, status, placedAt, updatedAt });
  }
  return {
    pets,
    categories: new Map(CATEGORIES.map((name, index) => [BigInt(index + 1), name])),
    orders,
    results: new Map(),
    changes: [],
    next: {
      pet: BigInt(count + 1),
      category: BigInt(CATEGORIES.length + 1),
      order: BigInt(orders.size + 1),
    },
  };
}

/** The status of the order of an animal at a place; undefined where nobody has ordered it. */
function orderStatusOf({ status }: PetFields, place: number): OrderStatus | undefined {
  if (status === 'pending') return 'placed';
  if (status === 'sold') return place % 2 === 0 ? 'completed' : undefined;
  return place % 10 === 0 ? 'cancelled' : undefined;
}
