import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { coverNoPrograms, startProgram } from '@petstore/test-support/program.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { MIGRATIONS } from '../../src/store/postgres/migrations.ts';
import { lastRelease } from '../support/last-release.ts';
import { originInBanner, PETSTORE, petstore } from '../support/program.ts';

coverNoPrograms();

/** Creates in each of the two parts of the test, at least. */
const CREATES = 1_000;

test('a rolling upgrade from the last release: no request fails, and who follows links misses no animal', async (t) => {
  const release = await lastRelease(t);
  if (typeof release === 'string') return t.skip(release);
  const url = await (await sharedServer()).createDatabase();
  const folder = await temporaryFolder(t);
  const env = { PETSTORE_DATABASE_URL: url };
  const startFrom = async (program: string) => {
    const args = [program, 'serve', '--first-key'];
    const more = { PETSTORE_PORT: '0', PETSTORE_MAX_EVENT_LOOP_DELAY_MS: '0' };
    const started = startProgram(t, process.execPath, args, folder, { ...env, ...more });
    return { origin: await originInBanner(started), output: started.output };
  };
  const raw = connectTo(url);
  cleanUp(t, () => raw.end());
  const version = async () => (await raw`SELECT version FROM petstore_schema`)[0]?.version;

  const old = await startFrom(release.petstore);
  assert.equal(await version(), release.schema);
  const key = /pk_live_\w{38}/.exec(old.output.stdout)?.[0];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

  const failures: string[] = [];
  const fail = async (what: string, response: Response) =>
    failures.push(`${what} ${response.status} ${await response.text()}`);
  const created = new Set<number>();
  let isWriting = true;
  let isOver = false;
  const write = async (origin: string) => {
    const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
    while (isWriting) {
      const response = await fetch(`${origin}/v1/pets`, { method: 'POST', headers, body });
      if (response.status === 201) created.add(((await response.json()) as { id: number }).id);
      else await fail('POST', response);
    }
  };
  /** Inserts that take long, so that those of the processes have ids behind them and are done before. */
  const writeSlowly = async () => {
    const slow = connectTo(url);
    while (isWriting) {
      // In one message, and so one transaction: the server waits for no client that holds the others up.
      const [row] = await slow.unsafe<{ id: bigint }>(`
        INSERT INTO pets (name, category_id, status) VALUES ('Slow', 1, 'available');
        SELECT currval('pets_id_seq') AS id, pg_sleep(0.02)`);
      created.add(Number(row?.id));
      await sleep(50);
    }
    await slow.end();
  };
  /**
   * Follows links to the end, and reads the last page again and again until a link leads on; the ids that it met. What
   * is promised is that no link leads past an animal to come; on a page without one any may still appear.
   */
  const follow = async (origin: string) => {
    const met: number[] = [];
    let next = '/v1/pets?limit=20';
    for (let isLast = false; ; ) {
      const response = await fetch(origin + next, { headers });
      if (response.status !== 200) {
        await fail('GET', response);
        return met;
      }
      const ids = ((await response.json()) as { id: number }[]).map(({ id }) => id);
      const link = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      if (link !== undefined || isLast) met.push(...ids);
      if (link !== undefined) next = new URL(link, origin).pathname + new URL(link, origin).search;
      else if (isLast) return met;
      else isLast = isOver;
    }
  };
  const creates = async (count: number) => {
    const enough = created.size + count;
    while (created.size < enough && failures.length === 0) await sleep(10);
  };

  const work = [writeSlowly(), ...Array.from({ length: 6 }, () => write(old.origin))];
  const walks = [follow(old.origin), follow(old.origin)];
  await creates(CREATES);
  const migrated = await petstore(folder, ['migrate'], env);
  assert.equal(migrated.code, 0, migrated.stderr);
  assert.equal(await version(), MIGRATIONS.length);
  await creates(CREATES);
  const upgraded = await startFrom(PETSTORE);
  work.push(...Array.from({ length: 6 }, () => write(upgraded.origin)));
  walks.push(follow(upgraded.origin), follow(old.origin));
  await creates(2 * CREATES);
  isWriting = false;
  await Promise.all(work);
  isOver = true;

  for (const met of await Promise.all(walks)) {
    assert.equal(new Set(met).size, met.length, 'no animal twice');
    const missed = [...created].filter((id) => !met.includes(id));
    assert.deepEqual(missed, []);
  }
  assert.deepEqual(failures, []);
});
