import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { petstore, serve } from '../support/program.ts';

test('two processes on one PostgreSQL let a key make its quota of requests, and not one more', async (t) => {
  const folder = await temporaryFolder(t);
  const env = {
    PETSTORE_DATABASE_URL: await (await sharedServer()).createDatabase(),
    PETSTORE_RATE_LIMIT: '1',
    PETSTORE_RATE_LIMIT_WINDOW_SECONDS: '200',
  };
  const services = await Promise.all([serve(t, folder, env), serve(t, folder, env)]);
  const made = await petstore(folder, ['keys', 'create', '--name', 'x', '--json'], env);
  const headers = { authorization: `Bearer ${JSON.parse(made.stdout).key}` };

  /** Asks a process with some requests at a time; how many passed, and whether one was refused. */
  const askSome = async (origin: string) => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => fetch(`${origin}/v1/pets`, { headers })),
    );
    const refused = answers.find(({ status }) => status === 429);
    if (refused) assert.match(refused.headers.get('ratelimit') ?? '', /^"default";r=0;t=\d+$/);
    return {
      passed: answers.filter(({ status }) => status === 200).length,
      isUsedUp: refused !== undefined,
    };
  };

  let passed = 0;
  // In step, so that neither has all of it while the other one is kept from its work.
  for (let round = 0, isUsedUp = false; !isUsedUp; round++) {
    const both = await Promise.all(services.map(({ origin }) => askSome(origin)));
    if (round === 0) assert.deepEqual(both, Array(2).fill({ passed: 8, isUsedUp: false }));
    for (const each of both) passed += each.passed;
    isUsedUp = both.every((each) => each.isUsedUp);
  }
  assert.equal(passed, 200);
});
