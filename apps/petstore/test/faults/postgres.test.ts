import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo, PostgresServer } from '@petstore/test-support/postgres.ts';
import { coverNoPrograms } from '@petstore/test-support/program.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { assertTook, assertWithin, timeUntil } from '@petstore/test-support/within.ts';
import { assertNotReady } from '../support/assert-error.ts';
import { petstore, serve } from '../support/program.ts';

coverNoPrograms();

test('PostgreSQL stopped and started again under load: 201 or 503, nothing lost, no restart', async (t) => {
  const server = await PostgresServer.start(t);
  const folder = await temporaryFolder(t);
  const program = await serve(t, folder, { PETSTORE_DATABASE_URL: await server.createDatabase() }, [
    '--first-key',
  ]);
  const key = /pk_live_\w{38}/.exec(program.output.stdout)?.[0];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const pets = `${program.origin}/v1/pets`;

  const acknowledged: string[] = [];
  const statuses = new Map<string, number>();
  const count = (what: string) => statuses.set(what, (statuses.get(what) ?? 0) + 1);
  let isOver = false;
  let slowest = 0;
  const timed = async (url: string, init: RequestInit) => {
    const start = performance.now();
    const answer = await fetch(url, { headers, ...init });
    slowest = Math.max(slowest, performance.now() - start);
    return answer;
  };
  const writers = Array.from({ length: 16 }, async (_, writer) => {
    for (let i = 0; !isOver; i++) {
      const name = `${writer}-${i}`;
      const body = JSON.stringify({ name, categoryId: 1 });
      const answer = await timed(pets, { method: 'POST', body });
      count(`POST ${answer.status}`);
      await answer.arrayBuffer();
      if (answer.status === 201) acknowledged.push(name);
      else await sleep(10);
    }
  });
  const readers = ['', '?limit=2', '/1'].map(async (path) => {
    while (!isOver) {
      const answer = await timed(pets + path, {});
      count(`GET ${answer.status}`);
      await answer.arrayBuffer();
      await sleep(10);
    }
  });

  const refused = () => statuses.get('POST 503') ?? 0;
  for (let round = 0; round < 2; round++) {
    const [made, missed] = [acknowledged.length, refused()];
    await timeUntil(async () => acknowledged.length > made + 20);
    await server.stopAtOnce();
    await timeUntil(async () => refused() > missed + 20);
    const ready = await fetch(`${program.origin}/readyz`);
    await assertNotReady(ready, 'reads', /cannot be reached|cannot work now|in time/);
    assert.equal((await fetch(`${program.origin}/livez`)).status, 200);
    await server.resume();
    const before = acknowledged.length;
    const ms = await timeUntil(async () => acknowledged.length >= before + 20);
    await assertTook(ms, 5_000, 'until writes go on it');
    assert.equal((await fetch(`${program.origin}/readyz`)).status, 200);
  }
  isOver = true;
  await Promise.all([...writers, ...readers]);

  for (const what of statuses.keys()) assert.match(what, /^(POST (201|503)|GET (200|503|404))$/);
  // A server that is stopped may hold connections that are just being made for some seconds.
  await assertTook(slowest, 7_500, 'an answer');

  const found: string[] = [];
  let url: string | undefined = `${pets}?limit=100`;
  while (url) {
    const answer: Response = await fetch(url, { headers });
    found.push(...((await answer.json()) as { name: string }[]).map(({ name }) => name));
    url = /<([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  assert.equal(new Set(found).size, found.length, 'no pet twice');
  const lost = acknowledged.filter((name) => !found.includes(name));
  assert.deepEqual(lost, [], 'no acknowledged pet lost');
});

test('a key revoked anywhere is refused by every service within a second, also without a listener', async (t) => {
  const url = await (await sharedServer()).createDatabase();
  const folder = await temporaryFolder(t);
  const env = { PETSTORE_DATABASE_URL: url };
  const services = await Promise.all([serve(t, folder, env), serve(t, folder, env)]);
  const sql = connectTo(url);
  cleanUp(t, () => sql.end());

  const measure = async (isCut: boolean) => {
    const made = await petstore(folder, ['keys', 'create', '--name', 'x', '--json'], env);
    const { id, key } = JSON.parse(made.stdout) as { id: string; key: string };
    const statuses = () =>
      Promise.all(
        services.map(async ({ origin }) => {
          const headers = { authorization: `Bearer ${key}` };
          return (await fetch(`${origin}/v1/pets`, { headers })).status;
        }),
      );
    assert.deepEqual(await statuses(), [200, 200], 'a new key works at once');
    if (isCut) {
      await sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%'`;
    }
    const revoked = await petstore(folder, ['keys', 'revoke', id], env);
    assert.equal(revoked.code, 0, revoked.stderr);
    return timeUntil(async () => (await statuses()).every((status) => status === 401));
  };
  for (const isCut of [false, true]) {
    await assertWithin(1_000, () => measure(isCut), isCut ? 'without a listener it' : 'it');
  }
});
