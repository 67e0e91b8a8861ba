import type { TestContext } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { type Engine, POSTGRESQL, SQLITE_FILE } from '@petstore/test-support/engines.ts';
import { generateSandboxKey } from '../../src/keys/key.ts';
import type { SandboxRecord } from '../../src/store/contract/sandbox-rows.ts';
import { openStore } from '../../src/store/open-store.ts';
import { encodeState } from '../../src/store/sandbox/encoded-state.ts';
import { SandboxStores } from '../../src/store/sandbox/sandbox-stores.ts';
import type { ResourceStore, Store } from '../../src/store/store.ts';

/** An instant at which no sandbox of a test has ended. */
export const NOON = new Date('2026-11-21T12:00:00.000Z');
export const ONE = new Date(NOON.getTime() + 3_600_000);

export const EMPTY = {
  ...{ pets: new Map(), categories: new Map(), orders: new Map(), results: new Map() },
  changes: [],
  next: { pet: 1n, category: 1n, order: 1n },
};

/** The third kind of store, on each kind of database: `openResources` opens it. */
export const SANDBOXES: readonly Engine[] = [SQLITE_FILE, POSTGRESQL].map((engine) => ({
  ...engine,
  name: `sandbox on ${engine.name}`,
}));

/** Adds a sandbox, and returns it with its key. */
export async function addSandbox(
  { sandboxes }: Store,
  more: Partial<SandboxRecord> & { readonly id: string },
) {
  const { key, hash: keyHash } = generateSandboxKey();
  const row = {
    ...{ name: '', madeBy: 'command', seed: 200, pets: 20 },
    ...{ createdAt: NOON, expiresAt: ONE, keyHash, ...more },
  };
  const outcome = await sandboxes.add(row, { total: 10_000, ofMaker: undefined }, undefined);
  return { key, row, outcome };
}

const ID = 'sbx_of_the_test';

/** A store for resources on a database: the service's own, or, where the engine is one of SANDBOXES, an empty sandbox. */
export async function openResources(
  t: TestContext,
  engine: Engine,
  url: string,
): Promise<ResourceStore> {
  const store = await openStore(url);
  cleanUp(t, () => store.close());
  if (!SANDBOXES.includes(engine)) return store;
  if (!(await store.sandboxes.get(ID))) {
    await addSandbox(store, { id: ID });
    await store.sandboxes.commit(ID, { version: 0, next: 1 }, encodeState(EMPTY), {
      count: 0,
      text: '',
    });
  }
  return new SandboxStores(store.sandboxes).storeOf(ID);
}
