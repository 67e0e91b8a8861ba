import type { CategoryPatch } from '../../categories/category.ts';
import {
  categoryJson,
  expectName,
  nameKey,
  nameTaken,
  refuseRemoval as refuseCategoryRemoval,
} from '../../categories/category-rules.ts';
import { NotedEvents } from '../../events/event-group.ts';
import { decodeResult, encodeResult, idempotencyMismatch } from '../../idempotency/result.ts';
import type { StoredOrder } from '../../orders/order.ts';
import {
  endOrder,
  type OrderEnd,
  orderJson,
  orderNotFound,
  refuseOrder,
  STATUS_UNDER_ORDER,
} from '../../orders/order-rules.ts';
import type { PetFields, PetPatch } from '../../pets/pet.ts';
import { expectPet, patchPet, petJson, refuseRemoval } from '../../pets/pet-rules.ts';
import type { Precondition } from '../../precondition.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { Idempotency, IdempotentResult } from '../contract/idempotency.ts';
import type { Written } from '../contract/written.ts';
import { StoreFullError } from '../store-errors.ts';
import {
  type Change,
  type KeptResult,
  MAX_CHANGES,
  MAX_WEIGHT,
  type NextIds,
  type Replaced,
  type SandboxState,
  totalWeight,
  weightOf,
} from './sandbox-state.ts';

type ItemOf<K extends Replaced['in']> = NonNullable<Extract<Replaced, { in: K }>['before']>;

/** What is said where there is no room. */
export const SANDBOX_FULL =
  'The sandbox is full. Delete something, or reset it: POST /v1/sandbox/reset.';

/** The results of idempotent writes that a sandbox keeps: the newest. */
export const MAX_RESULTS = 100;

/**
 * A state that is being changed: the writes of one commit, by the rules that the other engines go by. A write that is
 * refused, or throws StoreFullError, has changed nothing.
 */
export class SandboxDraft implements SandboxState {
  readonly pets: Map<bigint, PetFields>;
  readonly categories: Map<bigint, string>;
  readonly orders: Map<bigint, StoredOrder>;
  readonly results: Map<string, KeptResult>;
  readonly next: NextIds;
  /** What the writes tell. */
  readonly noted = new NotedEvents();
  changes: readonly Change[];
  #weight: number;
  #hasChanged = false;
  /** What the write under way has replaced. */
  #replaced: Replaced[] = [];

  constructor(state: SandboxState) {
    this.pets = new Map(state.pets);
    this.categories = new Map(state.categories);
    this.orders = new Map(state.orders);
    this.results = new Map(state.results);
    this.next = { ...state.next };
    this.changes = state.changes;
    this.#weight = totalWeight(state);
  }

  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  createPet(pet: PetFields): Written {
    this.#weigh(weightOf.pet(pet));
    const id = this.next.pet++;
    this.#put('pets', id, pet);
    this.noted.notePet('pet.created', id, pet);
    return { id, json: petJson(id, pet) };
  }

  updatePet(id: bigint, patch: PetPatch, precondition?: Precondition): string | Refusal {
    const pet = expectPet(id, this.pets.get(id), precondition);
    if (isRefusal(pet)) return pet;
    const patched = patchPet(pet, patch, this.#isOrdered(id));
    if (isRefusal(patched)) return patched;
    if (patched !== pet) {
      this.#weigh(weightOf.pet(patched) - weightOf.pet(pet));
      this.#put('pets', id, patched);
      this.noted.notePet('pet.updated', id, patched);
    }
    return petJson(id, patched);
  }

  removePet(id: bigint, precondition?: Precondition): 'removed' | Refusal {
    const pet = expectPet(id, this.pets.get(id), precondition);
    if (isRefusal(pet)) return pet;
    const refused = refuseRemoval(this.#isOrdered(id));
    if (refused) return refused;
    this.#weigh(-weightOf.pet(pet));
    this.#put('pets', id, undefined);
    this.noted.notePet('pet.deleted', id, pet);
    return 'removed';
  }

  createCategory(name: string): Written | Refusal {
    if (this.#isNameTaken(name)) return nameTaken();
    this.#weigh(weightOf.category(name));
    const id = this.next.category++;
    this.#put('categories', id, name);
    return { id, json: categoryJson(id, name) };
  }

  updateCategory(id: bigint, patch: CategoryPatch, precondition?: Precondition): string | Refusal {
    const name = expectName(id, this.categories.get(id), precondition);
    if (isRefusal(name)) return name;
    const patched = patch.name ?? name;
    if (patched !== name) {
      if (this.#isNameTaken(patched, id)) return nameTaken();
      this.#weigh(weightOf.category(patched) - weightOf.category(name));
      this.#put('categories', id, patched);
    }
    return categoryJson(id, patched);
  }

  removeCategory(id: bigint, precondition?: Precondition): 'removed' | Refusal {
    const name = expectName(id, this.categories.get(id), precondition);
    if (isRefusal(name)) return name;
    const isUsed = this.pets.values().some(({ categoryId }) => categoryId === id);
    const refused = refuseCategoryRemoval(isUsed);
    if (refused) return refused;
    this.#weigh(-weightOf.category(name));
    this.#put('categories', id, undefined);
    return 'removed';
  }

  placeOrder(petId: bigint, at: Date): Written | Refusal {
    const pet = this.pets.get(petId);
    const refused = refuseOrder(pet?.status);
    if (refused || !pet) return refused ?? orderNotFound();
    this.#weigh(weightOf.order);
    const id = this.next.order++;
    const order: StoredOrder = { id, petId, status: 'placed', placedAt: at, updatedAt: at };
    this.#put('orders', id, order);
    const json = orderJson(order);
    this.noted.note('order.placed', json);
    this.#setStatus(petId, pet, STATUS_UNDER_ORDER);
    return { id, json };
  }

  endOrder(id: bigint, end: OrderEnd, at: Date, precondition?: Precondition): Written | Refusal {
    const order = this.orders.get(id);
    if (!order) return orderNotFound();
    const pet = this.pets.get(order.petId);
    const petStatus = endOrder(order, pet?.status, end, precondition);
    if (isRefusal(petStatus)) return petStatus;
    const ended = { ...order, status: end, updatedAt: at };
    this.#weigh(0);
    this.#put('orders', id, ended);
    const json = orderJson(ended);
    this.noted.note(`order.${end}`, json);
    if (pet) this.#setStatus(order.petId, pet, petStatus);
    return { id, json };
  }

  /** Ends a write: what comes now belongs to the next one. */
  endChange(): void {
    if (this.#replaced.length === 0) return;
    this.changes = [...this.changes, this.#replaced].slice(-MAX_CHANGES);
    this.#replaced = [];
  }

  /** Does a write once: see Idempotency. */
  idempotently(
    { key, fingerprint, at, since, collectionUrl }: Idempotency,
    work: () => Written | Refusal,
  ): IdempotentResult | Refusal {
    const kept = this.results.get(key);
    if (kept && kept.at >= since.getTime()) {
      return kept.fingerprint === fingerprint ? decodeResult(kept.result) : idempotencyMismatch();
    }
    const result = work();
    this.#weigh(0);
    // What is set anew goes to the end.
    this.results.delete(key);
    this.results.set(key, {
      fingerprint,
      result: encodeResult(result, collectionUrl),
      at: at.getTime(),
    });
    for (const [oldest, { at }] of this.results) {
      if (this.results.size <= MAX_RESULTS && at >= since.getTime()) break;
      this.results.delete(oldest);
    }
    return isRefusal(result) ? result : { ...result, collectionUrl };
  }

  /** Puts an item in its place, or takes it away, and remembers what was there. */
  #put<K extends Replaced['in']>(kind: K, id: bigint, item: ItemOf<K> | undefined): void {
    const items = this[kind] as Map<bigint, ItemOf<K>>;
    this.#replaced.push({ in: kind, id, before: items.get(id) } as Replaced);
    if (item === undefined) items.delete(id);
    else items.set(id, item);
  }

  /** Counts what a change adds. Throws StoreFullError where there is no room for it. */
  #weigh(added: number): void {
    if (added > 0 && this.#weight + added > MAX_WEIGHT) {
      throw new StoreFullError(SANDBOX_FULL);
    }
    this.#weight += added;
    this.#hasChanged = true;
  }

  #setStatus(id: bigint, pet: PetFields, status: PetFields['status']): void {
    const changed = { ...pet, status };
    this.#put('pets', id, changed);
    this.noted.notePet('pet.updated', id, changed);
  }

  #isOrdered(petId: bigint): boolean {
    return this.orders.values().some((order) => order.petId === petId && order.status === 'placed');
  }

  /** Whether a category other than `id` has the name. */
  #isNameTaken(name: string, id?: bigint): boolean {
    const key = nameKey(name);
    return this.categories.entries().some(([other, text]) => other !== id && nameKey(text) === key);
  }
}
