import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api, ApiResponse } from './api.ts';
import type { History, Page } from './history.ts';

/** How many times a second all clients of a kind do their work, together; some 260 requests in all. */
const RATES = { creates: 40, keyed: 20, gets: 80, walks: 30, lists: 20, counts: 20, orders: 15 };

/** Of those who ask a single API machine, for each kind. */
const ALONE_RATE = 10;

/** So many at once of each kind; the rate is shared out among them. */
const CLIENTS = 6;

/** After this time a client stops repeating a request with a key, in milliseconds. */
const PATIENCE_MS = 60_000;

/** The first page of the clients that follow the links. */
export const FIRST_PAGE = '/pets?limit=50';
const COUNTERS = 5;

/** What the clients share. */
export interface World {
  readonly api: Api;
  readonly history: History;
  /** The category of all animals. */
  categoryId: number | undefined;
  /** Whether the clients go on. */
  readonly goesOn: () => boolean;
  /** The ids of the counters. */
  readonly counters: number[];
  /** The walkers, for the check at the end. */
  readonly walkers: Walker[];
}

/** A client that follows the links from the first page on, and requests the last page again until it has a next one. */
export interface Walker {
  readonly seen: Set<number>;
  path: string;
  behind: number;
  last: number;
}

/** Creates the category of all animals, and the animals that serve as counters. Rejects where the service refuses. */
export async function makeFirst(world: World): Promise<void> {
  const { history, counters } = world;
  world.categoryId = await insistOn(world, '/categories', { name: 'checked' });
  while (counters.length < COUNTERS) {
    const id = await insistOn(world, '/pets', petOf(world, 'counter 0', 'pending'));
    counters.push(id);
    history.counted(id, 0);
  }
}

/** Creates something once, and returns its id. */
async function insistOn({ api }: World, path: string, body: object): Promise<number> {
  const key = randomUUID();
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const response = await api.request('POST', path, { body, headers: { 'idempotency-key': key } });
    if (response?.status === 201) return response.body.id;
    await sleep(200);
  }
  throw new Error(`POST ${path} does not succeed.`);
}

function petOf({ categoryId }: World, name: string, status = 'available'): object {
  return { name, categoryId, status };
}

/** Starts all clients; resolves when they have stopped. */
export async function runClients(world: World): Promise<void> {
  const work: [rate: number, act: () => Promise<void>][] = [
    [RATES.creates, () => create(world)],
    [RATES.keyed, () => createWithKey(world)],
    [RATES.gets, () => get(world)],
    [RATES.lists, () => list(world)],
    [RATES.counts, () => count(world)],
    [RATES.orders, () => order(world)],
  ];
  const clients = work.flatMap(([rate, act]) =>
    Array.from({ length: CLIENTS }, () => repeat(world, rate / CLIENTS, act)),
  );
  const walkers = world.walkers.map((walker) =>
    repeat(world, RATES.walks / world.walkers.length, () => walk(world, walker)),
  );
  await Promise.all([...clients, ...walkers]);
}

/** Starts clients of a single API machine, who read and write; resolves when they have stopped. */
export async function runClientsAlone(world: World): Promise<void> {
  const acts = [() => create(world), () => get(world)];
  const clients = acts.flatMap((act) =>
    Array.from({ length: CLIENTS }, () => repeat(world, ALONE_RATE / CLIENTS, act)),
  );
  await Promise.all(clients);
}

/** Acts so many times a second, or as often as it can. */
async function repeat({ goesOn }: World, rate: number, act: () => Promise<void>): Promise<void> {
  await sleep((Math.random() * 1_000) / rate);
  while (goesOn()) {
    const next = performance.now() + 1_000 / rate;
    await act();
    await sleep(Math.max(1, next - performance.now()));
  }
}

async function create(world: World): Promise<void> {
  const { api, history } = world;
  const name = randomUUID();
  history.mayBeCreated(name);
  const response = await api.request('POST', '/pets', { body: petOf(world, name) });
  if (response?.status === 201) history.created(name, response.body.id);
}

/** With a key, it is repeated until its result is known, and happens once. */
async function createWithKey(world: World): Promise<void> {
  const name = randomUUID();
  world.history.mayBeCreated(name);
  const id = await insistOn(world, '/pets', petOf(world, name)).catch(() => undefined);
  if (id !== undefined) world.history.created(name, id);
}

async function get({ api, history, counters }: World): Promise<void> {
  const isOfCounter = Math.random() < 0.3;
  const id = isOfCounter
    ? counters[Math.floor(Math.random() * counters.length)]
    : history.pick(Math.random(), Math.random() < 0.5 ? 20 : undefined);
  if (id === undefined) return;
  const least = isOfCounter ? history.least(id) : 0;
  const response = await api.request('GET', `/pets/${id}`);
  if (!response) return;
  history.found(id, response.sentAt, response.status === 200);
  if (isOfCounter && response.status === 200) history.read(id, countOf(response.body.name), least);
}

/** Requests the page that some walker has reached; nearly always the last one. */
async function list({ api, history, walkers }: World): Promise<void> {
  const walker = walkers[Math.floor(Math.random() * walkers.length)];
  if (!walker) return;
  const { path, behind } = walker;
  const response = await api.request('GET', path);
  if (response?.status === 200) history.listed(pageOf(response, behind));
}

/** Requests the walker's page, and goes on to the next one where there is one. */
async function walk({ api, history }: World, walker: Walker): Promise<void> {
  const response = await api.request('GET', walker.path);
  if (response?.status !== 200) return;
  const page = pageOf(response, walker.behind);
  history.listed(page);
  for (const id of page.ids) walker.seen.add(id);
  walker.last = page.ids.at(-1) ?? walker.last;
  if (response.next === undefined) return;
  walker.path = response.next;
  walker.behind = walker.last;
}

/** Adds one to a counter, unless another client has done so since it was read. */
async function count({ api, history, counters }: World): Promise<void> {
  const id = counters[Math.floor(Math.random() * counters.length)];
  if (id === undefined) return;
  const least = history.least(id);
  const read = await api.request('GET', `/pets/${id}`);
  if (read?.status !== 200 || read.etag === null) return;
  const value = countOf(read.body.name);
  history.read(id, value, least);
  const patched = await api.request('PATCH', `/pets/${id}`, {
    body: { name: `counter ${value + 1}` },
    headers: { 'if-match': read.etag },
  });
  if (patched?.status === 200) history.counted(id, value + 1);
}

/** Two clients order the same animal at once. */
async function order({ api, history }: World): Promise<void> {
  const id = history.pick(Math.random(), 200);
  if (id === undefined) return;
  const both = [1, 2].map(async () => {
    const response = await api.request('POST', '/store/orders', { body: { petId: id } });
    if (response) history.found(id, response.sentAt, response.status !== 404);
    if (response?.status === 201) history.sold(id, response.body.id);
  });
  await Promise.all(both);
}

function pageOf({ body, sentAt, next }: ApiResponse, behind: number): Page {
  const ids = (body as { id: number }[]).map(({ id }) => id);
  return { sentAt, behind, ids, isLast: next === undefined };
}

function countOf(name: string): number {
  return Number(/^counter (\d+)$/.exec(name)?.[1] ?? Number.NaN);
}
