import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finished, ROOT, startProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { originInBanner } from './support/program.ts';

test('npm start shows a key, serves with it, and finds the data again after a restart', async (t) => {
  const folder = await temporaryFolder(t);
  const env = {
    PETSTORE_PORT: '0',
    PETSTORE_DATABASE_URL: `sqlite:${folder}/petstore.db`,
  };
  const first = startProgram('npm', ['start'], ROOT, env);
  t.after(() => first.child.kill('SIGKILL'));
  const origin = await originInBanner(first);
  const curl = /curl .*/.exec(first.output.stdout)?.[0] ?? '';
  const key = /pk_live_\w{38}/.exec(curl)?.[0];
  const headers = { authorization: `Bearer ${key}` };
  const body = /-d '([^']+)'/.exec(curl)?.[1] ?? '';
  const created = await fetch(/\S+$/.exec(curl)?.[0] ?? '', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  });
  assert.equal(created.status, 201, 'the line to try works as printed');
  const pet = await created.text();
  first.child.kill('SIGTERM');
  await finished(first);
  await assert.rejects(fetch(`${origin}/livez`), 'the service went with npm');

  const second = startProgram('npm', ['start'], ROOT, env);
  t.after(() => second.child.kill('SIGKILL'));
  const again = await fetch(`${await originInBanner(second)}/v1/pets`, { headers });
  assert.equal(await again.text(), `[${pet}]`);
  assert.doesNotMatch(second.output.stdout, /pk_live_/);
  second.child.kill('SIGINT');
  await finished(second);
});
