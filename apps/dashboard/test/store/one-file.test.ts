import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { asOneFile } from '../../server/src/one-file.ts';

const cacheOfTests = process.env.NODE_COMPILE_CACHE;
const setCache = (folder: string | undefined) => {
  if (folder === undefined) delete process.env.NODE_COMPILE_CACHE;
  else process.env.NODE_COMPILE_CACHE = folder;
};

test('what a module imports is one file, which is made once, and anew for another version', async (t) => {
  const folder = await temporaryFolder(t);
  const [module, manifest] = [join(folder, 'sum.mjs'), join(folder, 'package.json')];
  await writeFile(join(folder, 'one.mjs'), 'export const one = 1;');
  await writeFile(module, "import { one } from './one.mjs'; export const two = one + one;");
  await writeFile(manifest, '{"version":"1.0.0"}');
  const made = () => asOneFile(pathToFileURL(module), { manifest: pathToFileURL(manifest) });
  try {
    const cache = join(folder, 'cache');
    setCache(cache);
    const [file, same] = await Promise.all([made(), made()]);
    assert.equal(same, file);
    assert.equal((await import(file)).two, 2);
    assert.deepEqual(await readdir(cache), ['one-file']);
    // No draft is left.
    assert.equal((await readdir(join(cache, 'one-file'))).length, 1);

    await writeFile(join(folder, 'one.mjs'), 'export const one = 2;');
    assert.equal(await made(), file);
    await writeFile(manifest, '{"version":"1.0.1"}');
    assert.equal((await import(await made())).two, 4);
  } finally {
    setCache(cacheOfTests);
  }
});

test('where nothing can be kept, a module is loaded from its own address', async (t) => {
  const folder = await temporaryFolder(t);
  const [module, manifest] = [join(folder, 'a.mjs'), join(folder, 'package.json')];
  await writeFile(module, 'export const a = 1;');
  await writeFile(manifest, '{}');
  const addresses = { manifest: pathToFileURL(manifest) };
  try {
    for (const cache of [undefined, manifest]) {
      setCache(cache);
      assert.equal(
        await asOneFile(pathToFileURL(module), addresses),
        pathToFileURL(module).href,
        `${cache}`,
      );
    }
    // A module that cannot be made one is loaded as it is, and says itself what is wrong.
    await writeFile(module, "import './none.mjs';");
    setCache(join(folder, 'cache'));
    assert.equal(await asOneFile(pathToFileURL(module), addresses), pathToFileURL(module).href);
    assert.deepEqual(await readdir(join(folder, 'cache/one-file')), []);
  } finally {
    setCache(cacheOfTests);
  }
});
