import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { forkChild } from '@petstore/test-support/children.ts';
import { coverNoPrograms } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';

coverNoPrograms();

test('a packing that is called off does not end the service, whatever its thread is at', async (t) => {
  const folder = await temporaryFolder(t);
  const root = join(folder, 'checkout');
  await mkdir(root);
  await writeFile(join(root, 'index.md'), '# Pets');
  const program = new URL('support/ended-packing.ts', import.meta.url);
  const child = forkChild(t, program, [root, join(folder, 'packed')], {
    execArgv: ['--import', new URL('support/slow-zlib.mjs', import.meta.url).href],
    env: { ...process.env, ZLIB_BEGUN: join(folder, 'begun') },
  });
  const ended = once(child, 'exit');
  // What it says may come after its end; then the channel is closed.
  const disconnected = once(child, 'disconnect');
  let said: unknown;
  child.once('message', (message) => {
    said = message;
  });
  assert.deepEqual(await ended, [0, null]);
  await disconnected;
  assert.equal(said, 'called off');
});
