import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { coverNoPrograms, finished } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { assertError } from '../support/assert-error.ts';
import { petstore, serve } from '../support/program.ts';
import { type Received, Receiver } from '../support/receiver.ts';

coverNoPrograms();

interface Told {
  readonly id: string;
  readonly data: { readonly name: string };
}

/** A store with a key, for whose service a test makes backups, and puts them back. */
async function start(t: TestContext) {
  const folder = await temporaryFolder(t);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await petstore(folder, args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const { key } = JSON.parse(await run('keys', 'create', '--name', 'x', '--json'));
  const start = () => serve(t, folder, { PETSTORE_WEBHOOK_PRIVATE_ADDRESSES: 'allow' });
  let service = await start();
  const call = (method: string, path: string, body?: object) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    return fetch(`${service.origin}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': type }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  };
  const done = async <T>(response: Promise<Response>): Promise<T> => {
    const answer = await response;
    assert.ok(answer.ok, await answer.clone().text());
    return (await answer.json()) as T;
  };
  return {
    call,
    /** Returns the file. */
    async backup(name: string) {
      await run('backup', join(folder, name));
      return join(folder, name);
    },
    /** Puts a backup back, under a service that stops for it. */
    async restore(name: string) {
      service.child.kill('SIGTERM');
      await finished(service);
      await run('restore', join(folder, name));
      service = await start();
    },
    create: (name: string) => done(call('POST', '/pets', { name, categoryId: 1 })),
    webhook: (url: string) => done<{ id: string }>(call('POST', '/webhooks', { url })),
    change: (id: string, change: object) =>
      done<{ state: string; reason?: string }>(call('PATCH', `/webhooks/${id}`, change)),
    show: (id: string) => done<{ state: string; reason?: string }>(call('GET', `/webhooks/${id}`)),
    told: async (query: string) =>
      (await done<Told[]>(call('GET', `/events${query}`))).map(({ data }) => data.name),
  };
}

test('after a restore no id of an event is given again, however often, and readers learn of it', async (t) => {
  const { call, backup, restore, create, webhook, told } = await start(t);
  const receiver = await Receiver.start(t);
  await webhook(receiver.url);
  await backup('before.db');
  const names = ['Ada', 'Bob', 'Cy', 'Dee'];
  /** What was received, by the id of the message: the same may come twice. */
  const messages = () =>
    new Map(receiver.received.map(({ webhookId, event }) => [webhookId, event as Told]));
  for (const [i, name] of names.entries()) {
    if (i > 0) {
      await restore(i === 3 ? 'later.db' : 'before.db');
      assert.deepEqual(await told(''), []);
      assert.deepEqual(await told('?after=latest'), []);
    }
    await create(name);
    await receiver.until(() => messages().size === i + 1);
    if (i === 2) await backup('later.db');
    const last = [...messages().values()][i - 1];
    if (last === undefined) continue;
    // Whoever followed the store that is undone reads it anew, and then what is kept.
    await assertError(await call('GET', `/events?after=${last.id}`), 'events_expired');
    assert.deepEqual(await told(''), [name]);
  }
  const events = [...messages().values()];
  assert.deepEqual(
    events.map(({ data }) => data.name),
    names,
  );
  const ids = events.map(({ id }) => Number(id));
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
  assert.ok(
    ids.every(Number.isSafeInteger),
    'no digit of an id is lost where it is read as a number',
  );
});

test('what a webhook of the backup had not got is sent with the id that it had', async (t) => {
  const { backup, restore, create, webhook, change } = await start(t);
  const receiver = await Receiver.start(t);
  const { id } = await webhook(receiver.url);
  await change(id, { state: 'disabled' });
  await create('Ada');
  await create('Bob');
  await backup('b.db');
  await change(id, { state: 'enabled' });
  // Events of different animals come in any order.
  const sent = (received: readonly Received[]) =>
    received.map(({ webhookId, body }) => `${webhookId} ${body}`).sort();
  // What was sent before the deliverer heard that the webhook is disabled is sent again.
  const distinct = (received: readonly Received[]) => [...new Set(sent(received))];
  await receiver.until((received) => distinct(received).length === 2);

  await restore('b.db');
  // Whatever the former service has sent is there by now, and this one sends nothing yet.
  const before = receiver.received.splice(0);
  await change(id, { state: 'enabled' });
  await create('Cy');
  await receiver.until(({ length }) => length === 3);
  const again = receiver.received.filter(({ body }) => !body.includes('Cy'));
  assert.deepEqual(sent(again), distinct(before));
});

test('a webhook of the backup that was very far behind is disabled, and says what is lost to it', async (t) => {
  const { backup, restore, create, webhook, change, show } = await start(t);
  const { id } = await webhook((await Receiver.start(t)).url);
  await change(id, { state: 'disabled' });
  for (let i = 0; i < 502; i++) await create('Ada');
  const db = new DatabaseSync(await backup('b.db'));
  db.exec('UPDATE webhooks SET position = 1, disabled_at = NULL, disabled_reason = NULL');
  db.close();
  await restore('b.db');
  let shown = await show(id);
  while (shown.state !== 'disabled') shown = await show(id);
  assert.match(shown.reason ?? '', /events 2 to \d{16} are no longer kept/);
});
