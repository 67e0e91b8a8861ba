import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { petstore, serve } from '../support/program.ts';

test('two processes on one PostgreSQL let a key make its quota of requests, and not one more', async (t) => {
  const folder = await temporaryFolder(t);
  const env = {
    PETSTORE_DATABASE_URL: await (await sharedServer()).createDatabase(),
    PETSTORE_RATE_LIMIT: '10',
    PETSTORE_RATE_LIMIT_WINDOW_SECONDS: '20',
  };
  const services = await Promise.all([serve(t, folder, env), serve(t, folder, env)] as const);
  const made = await petstore(folder, ['keys', 'create', '--name', 'x', '--json'], env);
  const headers = { authorization: `Bearer ${JSON.parse(made.stdout).key}` };

  /** Asks with so many requests at a time until one process refuses; how many passed. */
  const useUp = async (origin: string) => {
    let passed = 0;
    for (;;) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => fetch(`${origin}/v1/pets`, { headers })),
      );
      passed += answers.filter(({ status }) => status === 200).length;
      const refused = answers.find(({ status }) => status === 429);
      if (refused) {
        assert.match(refused.headers.get('ratelimit') ?? '', /^"default";r=0;t=\d+$/);
        return passed;
      }
    }
  };

  const [first, second] = services;
  const both = await Promise.all([useUp(first.origin), useUp(second.origin)]);
  assert.equal(both[0] + both[1], 200, `${both}`);
  assert.ok(
    both.every((passed) => passed > 0),
    'both had a part',
  );
});
