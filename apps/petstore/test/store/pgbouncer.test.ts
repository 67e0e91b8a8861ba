import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PgBouncer, WITHOUT_PGBOUNCER } from '@petstore/test-support/pgbouncer.ts';
import { coverNoPrograms } from '@petstore/test-support/program.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { assertWithin, timeUntil } from '@petstore/test-support/within.ts';
import { petstore, serve } from '../support/program.ts';

coverNoPrograms();

const optional = { skip: WITHOUT_PGBOUNCER };

/** A new database, and its address by way of a pooler. */
async function behindPooler(t: TestContext, mode: 'session' | 'transaction' | 'statement') {
  const direct = await (await sharedServer()).createDatabase();
  const pooler = await PgBouncer.start(t, direct, mode);
  return { pooler, direct, url: pooler.url(direct) };
}

/** Makes a key that may do everything, as a person would. */
async function createKey(url: string): Promise<{ id: string; key: string }> {
  const { code, stdout, stderr } = await petstore(
    '/',
    ['keys', 'create', '--name', 'x', '--json'],
    {
      PETSTORE_DATABASE_URL: url,
    },
  );
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

test(
  'behind PgBouncer in session mode everything works, also after it was started again',
  optional,
  async (t) => {
    const { pooler, url } = await behindPooler(t, 'session');
    const program = await serve(t, await temporaryFolder(t), { PETSTORE_DATABASE_URL: url });
    const { key } = await createKey(url);
    const call = (
      method: string,
      path: string,
      { body, as = key, once }: { body?: object; as?: string; once?: string } = {},
    ) =>
      fetch(`${program.origin}/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${as}`,
          ...(body && { 'content-type': 'application/json' }),
          ...(once && { 'idempotency-key': once }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });

    const useAll = async (round: string) => {
      const rex = { name: `Rex ${round}`, categoryId: 1 };
      const created = await Promise.all(
        Array.from({ length: 20 }, () => call('POST', '/pets', { body: rex })),
      );
      for (const { status } of created) assert.equal(status, 201);
      const [id, other] = created.map(({ headers }) => headers.get('location')?.split('/').at(-1));
      const once = () =>
        call('POST', '/pets', { body: { ...rex, name: `once ${round}` }, once: round });
      const [first, again] = [await once(), await once()];
      assert.deepEqual([first.status, again.status], [201, 201]);
      assert.equal(await first.text(), await again.text());
      const order = () =>
        call('POST', '/store/orders', { body: { petId: Number(id) }, once: `order-${round}` });
      const [placed, placedAgain] = [await order(), await order()];
      assert.deepEqual([placed.status, placedAgain.status], [201, 201]);
      assert.equal(await placed.text(), await placedAgain.text());
      assert.equal((await call('PATCH', `/pets/${other}`, { body: { name: 'Max' } })).status, 200);
      const found = (await (await call('GET', '/pets?limit=100')).json()) as { name: string }[];
      const times = (name: string) => found.filter((pet) => pet.name === name).length;
      assert.deepEqual([times(`Rex ${round}`), times(`once ${round}`)], [19, 1]);
      assert.equal((await call('GET', '/store/orders')).status, 200);

      const measure = async () => {
        const made = await createKey(url);
        assert.equal((await call('GET', '/pets/1', { as: made.key })).status, 200);
        await sleep(300);
        const revoked = await petstore('/', ['keys', 'revoke', made.id], {
          PETSTORE_DATABASE_URL: url,
        });
        assert.equal(revoked.code, 0, revoked.stderr);
        return timeUntil(
          async () => (await call('GET', '/pets/1', { as: made.key })).status === 401,
        );
      };
      await assertWithin(1_000, measure, 'the revocation');
    };

    await useAll('before');
    await pooler.stopAtOnce();
    assert.equal((await call('GET', '/pets/1')).status, 503);
    assert.equal(
      (await call('POST', '/pets', { body: { name: 'Ada', categoryId: 1 } })).status,
      503,
    );
    await pooler.resume();
    await timeUntil(async () => (await call('GET', '/pets/1')).status === 200);
    await timeUntil(async () => (await fetch(`${program.origin}/readyz`)).status === 200);
    await useAll('after');
    assert.equal(program.child.exitCode, null, program.output.stderr);
  },
);

for (const mode of ['transaction', 'statement'] as const) {
  test(
    `behind PgBouncer in ${mode} mode petstore does not start, and says what to do`,
    optional,
    async (t) => {
      const { pooler, direct, url } = await behindPooler(t, mode);
      const refusal = `petstore: 127.0.0.1:${pooler.port} pools connections by transaction, which petstore cannot work with. Set its mode for this database to session (PgBouncer: pool_mode=session), or let PETSTORE_DATABASE_URL name PostgreSQL itself.\n`;
      const refused = { code: 1, stdout: '', stderr: refusal };
      const folder = await temporaryFolder(t);
      const createArgs = ['keys', 'create', '--name', 'x'];
      const args = [['serve'], createArgs];
      const refuse = async () => {
        for (const each of args) {
          const env = { PETSTORE_DATABASE_URL: url, PETSTORE_PORT: '0' };
          assert.deepEqual(await petstore(folder, each, env), refused, each.join(' '));
        }
      };
      await refuse();
      // The same where there is a petstore already.
      await createKey(direct);
      await refuse();
    },
  );
}
