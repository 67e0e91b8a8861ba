import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { POSTGRESQL } from '@petstore/test-support/engines.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { coverNoPrograms, finished } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { readMetrics } from '../support/metrics.ts';
import { petstore, serve } from '../support/program.ts';
import { type Received, Receiver } from '../support/receiver.ts';

coverNoPrograms();

const ANIMALS = 6;
const ROUNDS = 4;

test('two processes send each event to each webhook once, in order; when one is killed the other goes on', async (t) => {
  const folder = await temporaryFolder(t);
  const database = await POSTGRESQL.createDatabase(t);
  const env = { PETSTORE_DATABASE_URL: database, PETSTORE_WEBHOOK_PRIVATE_ADDRESSES: 'allow' };
  const { stdout } = await petstore(folder, ['keys', 'create', '--name', 'x', '--json'], env);
  const { key } = JSON.parse(stdout) as { key: string };
  const first = await serve(t, folder, env);
  const call = async (method: string, path: string, body: object, origin = second.origin) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const response = await fetch(`${origin}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': type },
      body: JSON.stringify(body),
    });
    assert.ok(response.ok, await response.clone().text());
    return (await response.json()) as { id: number };
  };
  const receiver = await Receiver.start(t);
  const url = receiver.url;
  const own = async (origin: string) => (await readMetrics(origin)).value('petstore_webhook_owned');
  const ownsOne = async (origin: string) => {
    while ((await own(origin)) !== 1) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  // One that is stopped takes none, so each gets one of the two.
  await call('POST', '/webhooks', { url }, first.origin);
  await ownsOne(first.origin);
  const second = await serve(t, folder, env);
  first.child.kill('SIGSTOP');
  await call('POST', '/webhooks', { url });
  await ownsOne(second.origin);
  first.child.kill('SIGCONT');

  const change = async (round: number) => {
    await Promise.all(
      Array.from({ length: ANIMALS }, (_, at) =>
        round === 0
          ? call('POST', '/pets', { name: 'Rex', categoryId: 1 })
          : call('PATCH', `/pets/${at + 1}`, { name: `Rex ${round}` }),
      ),
    );
  };
  const isAll = (rounds: number) => (received: readonly Received[]) =>
    new Set(received.map(({ webhookId }) => webhookId)).size === 2 * ANIMALS * rounds;
  for (let round = 0; round < ROUNDS; round++) await change(round);
  await receiver.until(isAll(ROUNDS));
  assert.equal(receiver.received.length, 2 * ANIMALS * ROUNDS, 'none twice');

  // In the middle of a delivery of each.
  const beforeKill = receiver.received.length;
  let release = () => {};
  const killed = new Promise<void>((resolve) => {
    release = resolve;
  });
  receiver.answer = async () => {
    await killed;
    return 204;
  };
  await change(ROUNDS);
  await receiver.until(({ length }) => length > beforeKill);
  first.child.kill('SIGKILL');
  await finished(first);
  release();
  for (let round = ROUNDS + 1; round < 2 * ROUNDS; round++) await change(round);
  // As if the twenty seconds of its lease were over.
  const sql = connectTo(database);
  cleanUp(t, () => sql.end());
  const freed = await sql.unsafe(
    `UPDATE webhooks SET owned_until = 0
     WHERE owner <> (SELECT owner FROM webhooks ORDER BY created_at DESC LIMIT 1) RETURNING id`,
  );
  assert.equal(freed.length, 1);
  await receiver.until(isAll(2 * ROUNDS));

  const last = new Map<string, number>();
  const seen = new Set<string>();
  for (const { webhookId, event } of receiver.received) {
    if (seen.has(webhookId)) continue;
    seen.add(webhookId);
    const line = `${webhookId.split('.')[0]} ${(event.data as { id: number }).id}`;
    assert.ok(Number(event.id) > (last.get(line) ?? 0), `${webhookId} came too late`);
    last.set(line, Number(event.id));
  }
  // What was under way at the kill, or was done in the second before it, may come again: of one webhook.
  const again = receiver.received.length - seen.size;
  assert.ok(again <= ANIMALS * (ROUNDS + 1), `${again} came again`);
  assert.equal(last.size, 2 * ANIMALS);
});
