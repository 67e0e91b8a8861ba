import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { finished } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { petstore, serve } from '../support/program.ts';

test('the service and its commands find the database by a file, which the banner names', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'database-url');
  await writeFile(file, 'sqlite:./elsewhere.db\n');
  const env = { PETSTORE_DATABASE_URL_FILE: file };
  const program = await serve(t, folder, env);
  assert.ok(
    program.output.stdout.includes(`PETSTORE_DATABASE_URL_FILE=${file} petstore keys create`),
  );
  const made = await petstore(folder, ['keys', 'create', '--name', 'x', '--json'], env);
  const { key } = JSON.parse(made.stdout) as { key: string };
  const headers = { authorization: `Bearer ${key}` };
  assert.equal((await fetch(`${program.origin}/v1/pets`, { headers })).status, 200);
  program.child.kill('SIGTERM');
  assert.equal((await finished(program)).code, 0);
});

test('a password in a file is in no message, also when the database is away', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'database-url');
  await writeFile(file, 'postgres://petstore:s3cret@127.0.0.1:1/petstore\n');
  const outcome = await petstore(folder, ['serve'], { PETSTORE_DATABASE_URL_FILE: file });
  assert.equal(outcome.code, 1);
  assert.match(outcome.stderr, /PostgreSQL at 127\.0\.0\.1:1 cannot be reached/);
  assert.doesNotMatch(`${outcome.stdout}${outcome.stderr}`, /s3cret/);
});

test('a file that is not there ends the start with one sentence', async (t) => {
  const folder = await temporaryFolder(t);
  const env = { PETSTORE_DATABASE_URL_FILE: '/nowhere/database-url' };
  assert.deepEqual(await petstore(folder, ['serve'], env), {
    code: 1,
    stdout: '',
    stderr:
      'petstore: PETSTORE_DATABASE_URL_FILE names /nowhere/database-url, which cannot be read (ENOENT).\n',
  });
});
