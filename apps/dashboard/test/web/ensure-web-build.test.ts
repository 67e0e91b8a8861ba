import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { runProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { ensureWebBuild } from '../../server/src/web/ensure-web-build.ts';

const MODULE = new URL('../../server/src/web/ensure-web-build.ts', import.meta.url).href;

/** Makes sure of the build in a process of its own; what it says. */
async function build(builds: string): Promise<string[]> {
  const script = `import { ensureWebBuild } from ${JSON.stringify(MODULE)};
    const log = { info: () => console.log('building') };
    console.log(await ensureWebBuild(log, ${JSON.stringify(builds)}));`;
  const args = ['--input-type=module', '--eval', script];
  const { code, stdout, stderr } = await runProgram(process.execPath, args, builds, {});
  assert.equal(code, 0, stderr);
  return stdout.trimEnd().split('\n');
}

test('processes that start at once make one whole build, a later start makes none, and a build of older sources stays for a day', async (t) => {
  const builds = await temporaryFolder(t);
  // For those who serve it.
  for (const name of ['yesterdays', 'todays']) await mkdir(join(builds, name));
  const yesterday = Date.now() / 1_000 - 25 * 60 * 60;
  await utimes(join(builds, 'yesterdays'), yesterday, yesterday);

  const [first, second] = await Promise.all([build(builds), build(builds)]);
  const folder = first.at(-1) ?? '';
  assert.equal(dirname(folder), builds);
  assert.equal(second.at(-1), folder);
  assert.deepEqual(
    (await readdir(builds)).sort(),
    [basename(folder), 'todays'].sort(),
    'nothing is left over',
  );
  assert.deepEqual(await build(builds), [folder], 'not built again');
});

test('a build asks for nothing from outside and has every file that its page names', async () => {
  const folder = await ensureWebBuild({ info: () => undefined });
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
  assert.ok(named.length >= 3);
  for (const path of named) {
    assert.match(path, /^\/[^/]/);
    await readFile(join(folder, path));
  }
  const names = await readdir(join(folder, 'assets'));
  for (const name of names.filter((name) => name.endsWith('.css'))) {
    assert.doesNotMatch(await readFile(join(folder, 'assets', name), 'utf8'), /url\(["']?https?:/);
  }
});
