import { categoryJson } from '../../categories/category-rules.ts';
import type { OrderStatus } from '../../orders/order.ts';
import { orderJson } from '../../orders/order-rules.ts';
import type { PetStatus } from '../../pets/pet.ts';
import { petJson } from '../../pets/pet-rules.ts';
import type { Page, PageQuery } from '../contract/page.ts';
import type { PetSearch } from '../contract/pet-store.ts';
import { idRange } from '../id-range.ts';
import type { SandboxState } from './sandbox-state.ts';

/** A page of animals out of a state. */
export function petPage(
  { pets }: SandboxState,
  query: PageQuery & { readonly status: PetStatus | undefined },
): Page {
  const isWanted = ofStatus<PetStatus>(query.status);
  return pageOf(pets, query, (_id, pet) => isWanted(pet), petJson);
}

/** A page of the animals that meet a filter. */
export function searchPets({ pets }: SandboxState, search: PetSearch): Page {
  const { prefix, categories, statuses, limit, maxExamined } = search;
  const range = idRange(search);
  const texts: string[] = [];
  let examined = 0;
  let last: bigint | undefined;
  for (const [id, pet] of pets) {
    if (!range || id < range.first || id > range.last) continue;
    if (examined === maxExamined) return { json: `[${texts.join(',')}]`, next: id - 1n };
    examined++;
    const isWanted =
      pet.name.startsWith(prefix) &&
      (categories?.includes(pet.categoryId) ?? true) &&
      (statuses?.includes(pet.status) ?? true);
    if (!isWanted) continue;
    if (texts.length === limit) return { json: `[${texts.join(',')}]`, next: last };
    texts.push(petJson(id, pet));
    last = id;
  }
  return { json: `[${texts.join(',')}]`, next: undefined };
}

export function categoryPage({ categories }: SandboxState, query: PageQuery): Page {
  return pageOf(categories, query, () => true, categoryJson);
}

export function orderPage(
  { orders }: SandboxState,
  query: PageQuery & { readonly status: OrderStatus | undefined },
): Page {
  const isWanted = ofStatus<OrderStatus>(query.status);
  return pageOf(
    orders,
    query,
    (_id, order) => isWanted(order),
    (_id, order) => orderJson(order),
  );
}

function ofStatus<Status>(wanted: Status | undefined) {
  return ({ status }: { readonly status: Status }) => wanted === undefined || status === wanted;
}

/** A page of items, which are in ascending order of id. */
function pageOf<T>(
  items: ReadonlyMap<bigint, T>,
  { limit, after }: PageQuery,
  isWanted: (id: bigint, item: T) => boolean,
  toJson: (id: bigint, item: T) => string,
): Page {
  const texts: string[] = [];
  let last: bigint | undefined;
  for (const [id, item] of items) {
    if ((after !== undefined && id <= after) || !isWanted(id, item)) continue;
    // One more than asked for: another page follows.
    if (texts.length === limit) return { json: `[${texts.join(',')}]`, next: last };
    texts.push(toJson(id, item));
    last = id;
  }
  return { json: `[${texts.join(',')}]`, next: undefined };
}
