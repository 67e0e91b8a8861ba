import { setTimeout as sleep } from 'node:timers/promises';
import type { Api, ApiResponse } from './api.ts';
import type { World } from './clients.ts';

/** How long the cluster may take to be whole again after the last fault. */
const PATIENCE_MS = 60_000;

/** Reads everything that is stored, and compares it with the responses that clients got. */
export async function takeFinalLook({ api, history, walkers }: World): Promise<void> {
  const animals = new Map<number, string>();
  for await (const { id, name } of everything<{ id: number; name: string }>(api, '/pets?limit=100'))
    animals.set(id, name);
  const orders = new Map<number, number>();
  const placed = '/store/orders?limit=100';
  for await (const { id, petId } of everything<{ id: number; petId: number }>(api, placed))
    orders.set(id, petId);
  history.finallyThere(animals);
  history.finallyOrdered(orders);
  for (const { seen, last } of walkers) history.finallyWalked(seen, last, animals);
}

async function* everything<T>(api: Api, first: string): AsyncGenerator<T> {
  for (let path: string | undefined = first; path !== undefined; ) {
    const { body, next }: ApiResponse = await insist(api, path);
    yield* body;
    path = next;
  }
}

async function insist(api: Api, path: string): Promise<ApiResponse> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const response = await api.request('GET', path);
    if (response?.status === 200) return response;
    await sleep(500);
  }
  throw new Error(`GET ${path} does not succeed any more.`);
}
