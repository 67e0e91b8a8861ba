import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { DASHBOARD } from '../support/dashboard-program.ts';

test('what a dashboard dev leaves that is killed, the next one removes, and no folder of another program', async (t) => {
  const folder = await temporaryFolder(t);
  const temporary = join(folder, 'temporary');
  await mkdir(temporary);
  await writeFile(
    join(folder, 'openapi.yaml'),
    "openapi: 3.1.0\ninfo: { title: Pets, version: '1' }\npaths: {}\n",
  );
  const foreign = ['dashboard-dev-notes', `dashboard-dev-elsewhere%201%20abc`, 'other'];
  const running = `dashboard-dev-${encodeURIComponent(`${hostname()} ${process.pid} abc`)}`;
  for (const name of [...foreign, running]) await mkdir(join(temporary, name));
  const start = async () => {
    const args = [DASHBOARD, 'dev', join(folder, 'openapi.yaml'), '--port', '0'];
    const program = startProgram(t, process.execPath, args, folder, { TMPDIR: temporary });
    await timeUntil(async () => program.output.stdout.includes('Ctrl-C ends it'));
    return program.child;
  };
  const kept = [...foreign, running].sort();
  const others = async () => (await readdir(temporary)).filter((name) => !kept.includes(name));

  const first = await start();
  const [left, ...more] = await others();
  assert.ok(left?.startsWith('dashboard-dev-'));
  assert.deepEqual(more, []);
  first.kill('SIGKILL');
  await once(first, 'exit');
  assert.deepEqual(await others(), [left]);

  const second = await start();
  const [own, ...rest] = await others();
  assert.notEqual(own, left);
  assert.deepEqual(rest, []);
  second.kill('SIGTERM');
  await once(second, 'exit');
  assert.deepEqual((await readdir(temporary)).sort(), kept);
});
