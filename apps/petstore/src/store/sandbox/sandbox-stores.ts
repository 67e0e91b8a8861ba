import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { categoryJson } from '../../categories/category-rules.ts';
import { IdempotencyKeysUnderWay } from '../../idempotency/idempotency-keys-under-way.ts';
import { orderJson } from '../../orders/order-rules.ts';
import { petJson } from '../../pets/pet-rules.ts';
import type { Refusal } from '../../refusal.ts';
import type { Idempotency } from '../contract/idempotency.ts';
import type { SandboxRows } from '../contract/sandbox-rows.ts';
import type { Written } from '../contract/written.ts';
import type { ResourceStore } from '../store.ts';
import { StoreGoneError, StoreUnavailableError, writeQueueFull } from '../store-errors.ts';
import { asBefore } from './as-before.ts';
import { decodeState, encodeState } from './encoded-state.ts';
import { SandboxDraft } from './sandbox-draft.ts';
import { categoryPage, orderPage, petPage, searchPets } from './sandbox-pages.ts';
import { type SandboxState, totalWeight } from './sandbox-state.ts';
import { seededState } from './seeded-state.ts';
import { unusedVersion } from './unused-version.ts';

/** The states that a process keeps in memory, by a measure of what they take there. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

/** What an item takes in memory: objects, a number, an entry. */
const ITEM_BYTES = 250;

/** The most writes in one commit. */
const MAX_GROUP = 256;

/** The writes that may wait for one sandbox. */
const MAX_WAITING = 2_048;

/** How often a commit is tried that other processes get ahead of. With the pauses that is about a second at most. */
const MAX_TRIES = 20;

/** The longest pause before a commit is tried again. */
const MAX_PAUSE_MS = 64;

interface Versioned {
  readonly version: number;
  readonly state: SandboxState;
}

/** A write that waits for its turn. */
interface Waiting {
  /** Done again on another state, where another process was faster. */
  readonly work: (draft: SandboxDraft) => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The stores of sandboxes. Each is small and in memory; what the processes of the service share is a row of the
 * database. A read looks at the version of the row, and reads its state only where that is another one. A commit
 * replaces the state if nobody else has done so meanwhile; otherwise its writes are done again on the new state.
 */
export class SandboxStores {
  readonly #rows: SandboxRows;
  readonly #kept = new LRUCache<string, Versioned>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ state }) =>
      2 * totalWeight(state) + ITEM_BYTES * (1 + state.pets.size + state.orders.size),
  });
  /** The writes that wait, for each sandbox that is being written to. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #keysUnderWay = new IdempotencyKeysUnderWay();

  constructor(rows: SandboxRows) {
    this.#rows = rows;
  }

  /**
   * The store of a sandbox. Its calls reject with StoreGoneError where there is no such sandbox. `stale`: how many of the
   * last changes its lists do not show.
   */
  storeOf(id: string, stale = 0): ResourceStore {
    const list = <T>(look: (state: SandboxState) => T) =>
      read((state) => look(stale > 0 ? asBefore(state, stale) : state));
    const read = async <T>(look: (state: SandboxState) => T) =>
      look((await this.#current(id)).state);
    const write = <T>(work: (draft: SandboxDraft) => T) => this.#write(id, work);
    const once = (idempotency: Idempotency, work: (draft: SandboxDraft) => Written | Refusal) =>
      this.#keysUnderWay.alone({ ...idempotency, owner: id }, () =>
        write((draft) => draft.idempotently(idempotency, () => work(draft))),
      );
    return {
      pets: {
        create: (pet) => write((draft) => draft.createPet(pet)),
        createIdempotently: (idempotency, pet) =>
          once(idempotency, (draft) => draft.createPet(pet)),
        get: (petId) =>
          read(({ pets }) => {
            const pet = pets.get(petId);
            return pet && petJson(petId, pet);
          }),
        list: (query) => list((state) => petPage(state, query)),
        query: (search) => list((state) => searchPets(state, search)),
        update: (petId, patch, precondition) =>
          write((draft) => draft.updatePet(petId, patch, precondition)),
        remove: (petId, precondition) => write((draft) => draft.removePet(petId, precondition)),
      },
      categories: {
        create: ({ name }) => write((draft) => draft.createCategory(name)),
        createIdempotently: (idempotency, { name }) =>
          once(idempotency, (draft) => draft.createCategory(name)),
        get: (categoryId) =>
          read(({ categories }) => {
            const name = categories.get(categoryId);
            return name === undefined ? undefined : categoryJson(categoryId, name);
          }),
        list: (query) => list((state) => categoryPage(state, query)),
        update: (categoryId, patch, precondition) =>
          write((draft) => draft.updateCategory(categoryId, patch, precondition)),
        remove: (categoryId, precondition) =>
          write((draft) => draft.removeCategory(categoryId, precondition)),
      },
      orders: {
        place: (petId, at) => write((draft) => draft.placeOrder(petId, at)),
        placeIdempotently: (idempotency, petId) =>
          once(idempotency, (draft) => draft.placeOrder(petId, idempotency.at)),
        get: (orderId) =>
          read(({ orders }) => {
            const order = orders.get(orderId);
            return order && orderJson(order);
          }),
        list: (query) => list((state) => orderPage(state, query)),
        end: (orderId, end, at, precondition) =>
          write((draft) => {
            const ended = draft.endOrder(orderId, end, at, precondition);
            return 'json' in ended ? ended.json : ended;
          }),
        endIdempotently: (idempotency, orderId, end, precondition) =>
          once(idempotency, (draft) => draft.endOrder(orderId, end, idempotency.at, precondition)),
      },
    };
  }

  /** How much a sandbox holds now. Rejects with StoreGoneError where there is none. */
  async sizeOf(id: string): Promise<{ pets: number; categories: number; orders: number }> {
    const { pets, categories, orders } = (await this.#current(id)).state;
    return { pets: pets.size, categories: categories.size, orders: orders.size };
  }

  /** The state as it is now. */
  async #current(id: string): Promise<Versioned> {
    const kept = this.#kept.get(id);
    const row = await this.#rows.load(id, kept?.version);
    if (!row) {
      this.#kept.delete(id);
      throw new StoreGoneError();
    }
    if (kept && row.version === kept.version) return kept;
    const state = row.state ? decodeState(row.state) : seededState(row);
    const current = { version: row.version, state };
    this.#kept.set(id, current);
    return current;
  }

  #write<T>(id: string, work: (draft: SandboxDraft) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(id) ?? [];
      if (waiting.length >= MAX_WAITING) return reject(writeQueueFull());
      waiting.push({ work, resolve, reject });
      if (this.#waiting.has(id)) return;
      this.#waiting.set(id, waiting);
      void this.#commitAll(id, waiting);
    });
  }

  /** Commits what waits, and what comes meanwhile, in groups. */
  async #commitAll(id: string, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.splice(0, MAX_GROUP);
      try {
        const settle = await this.#commit(id, group);
        settle();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#waiting.delete(id);
  }

  /** Commits a group of writes. Returns what tells their callers. */
  async #commit(id: string, group: readonly Waiting[]): Promise<() => void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { version, state } = await this.#current(id);
      const draft = new SandboxDraft(state);
      const tells = group.map((write) => done(write, draft));
      const settle = () => {
        for (const tell of tells) tell();
      };
      if (!draft.hasChanged) return settle;
      const next = unusedVersion();
      if (await this.#rows.commit(id, { version, next }, encodeState(draft), draft.noted)) {
        this.#kept.set(id, { version: next, state: draft });
        return settle;
      }
      // Random and growing, so that processes under load do not get ahead of each other for ever. Short at first: mostly
      // the next try succeeds.
      await sleep(Math.random() * Math.min(2 ** tries, MAX_PAUSE_MS));
    }
    // Nothing of the group was stored: its callers may try again.
    throw new StoreUnavailableError('other processes were faster each time', { kind: 'busy' });
  }
}

/** Does a write on a draft. Returns what tells its caller. */
function done({ work, resolve, reject }: Waiting, draft: SandboxDraft): () => void {
  try {
    const result = work(draft);
    draft.endChange();
    return () => resolve(result as never);
  } catch (error) {
    return () => reject(error);
  }
}
