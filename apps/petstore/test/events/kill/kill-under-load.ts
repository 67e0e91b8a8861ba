import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '@petstore/test-support/engines.ts';
import { finished } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { petstore, serve } from '../../support/program.ts';
import { Receiver } from '../../support/receiver.ts';

const CLIENTS = 24;
const WEBHOOKS = 3;

/** How many changes clients are told of before the next kill. */
const CHANGES_IN_A_LIFE = 100;

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly id: number; readonly petId?: number };
}

/**
 * Kills a service again and again while clients create, change, order and delete animals, and holds its log against what
 * clients were told and what is stored in the end: exactly one event for each change that was committed. With webhooks it
 * also waits until each has got each event, in the order of its animal.
 */
export async function killUnderLoad(
  t: TestContext,
  engine: Engine,
  { kills, hasWebhooks }: { kills: number; hasWebhooks: boolean },
): Promise<{ events: number; killed: number; delivered: number }> {
  const folder = await temporaryFolder(t);
  const env = {
    PETSTORE_DATABASE_URL: await engine.createDatabase(t),
    PETSTORE_WEBHOOK_PRIVATE_ADDRESSES: 'allow',
    // Connections of clients that a kill cut are no attack.
    PETSTORE_AUTH_FAILURES_PER_MINUTE: '0',
  };
  const { stdout } = await petstore(folder, ['keys', 'create', '--name', 'x', '--json'], env);
  const { key } = JSON.parse(stdout) as { key: string };
  let origin = '';
  const call = (method: string, path: string, body?: object) =>
    fetch(`${origin}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const json = async <T>(path: string): Promise<T> => {
    const response = await call('GET', path);
    assert.equal(response.status, 200, path);
    return (await response.json()) as T;
  };
  /** What clients were told: a line for each change, as an event of it begins. */
  const told: string[] = [];
  const receivers = hasWebhooks
    ? await Promise.all(Array.from({ length: WEBHOOKS }, () => Receiver.start(t)))
    : [];
  let isOver = false;
  let cut = 0;

  const client = async () => {
    const change = async (method: string, path: string, type: string, body?: object) => {
      try {
        const response = await call(method, path, body);
        if (!response.ok) return undefined;
        const text = await response.text();
        const { id } = JSON.parse(text || '{}') as { id?: number };
        told.push(`${type} ${id ?? path.split('/').at(-1)}`);
        return id;
      } catch {
        cut++;
        await sleep(5);
        return undefined;
      }
    };
    while (!isOver) {
      const id = await change('POST', '/pets', 'pet.created', { name: 'Rex', categoryId: 1 });
      if (id === undefined) continue;
      await change('PATCH', `/pets/${id}`, 'pet.updated', { name: 'Max' });
      const order = await change('POST', '/store/orders', 'order.placed', { petId: id });
      if (order !== undefined) {
        await change('POST', `/store/orders/${order}/complete`, 'order.completed');
      }
      if (id % 3 === 0) await change('DELETE', `/pets/${id}`, 'pet.deleted');
    }
  };

  let clients: Promise<void>[] = [];
  for (let kill = 0; kill <= kills; kill++) {
    const { child, output, origin: at } = await serve(t, folder, env);
    origin = at;
    if (kill === 0) {
      for (const { url } of receivers) {
        assert.equal((await call('POST', '/webhooks', { url })).status, 201);
      }
      clients = Array.from({ length: CLIENTS }, client);
    }
    // In the middle of the work, however slow the machine is.
    const enough = told.length + CHANGES_IN_A_LIFE;
    while (told.length < enough) await sleep(10);
    if (kill === kills) break;
    await sleep(Math.random() * 50);
    child.kill('SIGKILL');
    await finished({ child, output });
  }
  isOver = true;
  await Promise.all(clients);
  assert.ok(cut > 0, 'nothing was under way when the service was killed');

  const log: Event[] = [];
  for (let after = '0'; ; ) {
    const events = await json<Event[]>(`/events?after=${after}&limit=100`);
    if (events.length === 0) break;
    log.push(...events);
    after = events.at(-1)?.id ?? after;
  }
  assert.deepEqual(
    log.map(({ id }) => id),
    log.map((_, at) => `${at + 1}`),
  );
  // Each change that a client was told of has its event.
  const short = new Set(log.map(({ type, data }) => `${type} ${data.id}`));
  assert.deepEqual(
    told.filter((change) => !short.has(change)),
    [],
  );
  // What the log says became of everything is what is stored, so no event is missing and none is too much.
  const stored = new Map<string, string>();
  for (const { type, data } of log) {
    const name = `${type.split('.')[0]} ${data.id}`;
    const isFirst = type === 'pet.created' || type === 'order.placed';
    assert.equal(stored.has(name), !isFirst, `${type} ${data.id}`);
    if (type === 'pet.deleted') stored.delete(name);
    else stored.set(name, JSON.stringify(data));
  }
  const found = new Map<string, string>();
  for (const [kind, path] of [
    ['pet', '/pets'],
    ['order', '/store/orders'],
  ]) {
    let next: string | undefined = `${path}?limit=100`;
    while (next) {
      const response: Response = await call('GET', next);
      for (const item of (await response.json()) as { id: number }[]) {
        found.set(`${kind} ${item.id}`, JSON.stringify(item));
      }
      next = /<[^>]*\/v1([^>]*)>/.exec(response.headers.get('link') ?? '')?.[1];
    }
  }
  assert.deepEqual(stored, found);

  for (const receiver of receivers) {
    await receiver.until(() => new Set(receiver.ids()).size >= log.length);
    const seen = new Set<string>();
    const last = new Map<number, number>();
    for (const { event } of receiver.received as unknown as { event: Event }[]) {
      if (seen.has(event.id)) continue;
      seen.add(event.id);
      const animal = event.data.petId ?? event.data.id;
      assert.ok(Number(event.id) > (last.get(animal) ?? 0), `${event.id} came too late`);
      last.set(animal, Number(event.id));
    }
    assert.equal(seen.size, log.length);
  }
  const delivered = receivers.reduce((sum, { received }) => sum + received.length, 0);
  return { events: log.length, killed: kills, delivered };
}
