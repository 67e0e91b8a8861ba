import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { FILE } from '@petstore/test-support/clean-up.ts';
import { freePort } from '@petstore/test-support/postgres.ts';
import { finished, runProgram, startProgram } from '@petstore/test-support/program.ts';
import { ROOT } from '@petstore/test-support/root.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { install, pack, unpack } from '../support/package.ts';
import { originInBanner } from '../support/program.ts';

interface Manifest {
  readonly version: string;
  readonly dependencies: Record<string, string>;
  readonly scripts: Record<string, string>;
  readonly engines: Record<string, string>;
}

const packed = await temporaryFolder(FILE);
const tarball = await pack(packed, ['run', 'package', '--silent', '--']);
const unpacked = await unpack(tarball, packed);
const manifest: Manifest = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));

test('the package, installed in an empty folder, serves', async (t) => {
  const folder = await temporaryFolder(t);
  const missing = await install(tarball, folder);
  if (missing && process.env.CI_REQUIRES_ALL !== '1') return t.skip(missing);
  assert.equal(missing, undefined);
  const port = await freePort();
  const run = (...args: string[]) =>
    startProgram(
      t,
      process.execPath,
      [join(folder, 'node_modules/.bin/petstore'), ...args],
      folder,
      {
        PETSTORE_PORT: String(port),
        // Where it is for everyone: its pages then have preview images.
        PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1`,
      },
    );
  assert.equal((await finished(run('--version'))).stdout, `${manifest.version}\n`);
  const made = await finished(run('keys', 'create', '--name', 'test', '--json'));
  const { id, key } = JSON.parse(made.stdout) as { id: string; key: string };
  const program = run('serve');
  const origin = await originInBanner(program);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

  // Written by the thread, whose file no import names.
  const body = '{"name":"Rex","categoryId":9007199254740993}';
  const created = await fetch(`${origin}/v1/pets`, { method: 'POST', headers, body });
  assert.equal(created.status, 201);
  const pet = await created.text();
  const listed = await fetch(`${origin}/v1/pets`, { headers });
  assert.equal(await listed.text(), `[${pet}]`);

  const document = (await (await fetch(`${origin}/v1/openapi.json`)).json()) as { openapi: string };
  assert.match(document.openapi, /^3\.1\./);
  const page = await (await fetch(`${origin}/reference`)).text();
  const assets = [...page.matchAll(/(?:src|href)="(\/_assets\/[^"]+-[0-9a-f]{16}[^"]+)"/g)];
  assert.equal(assets.length, 3);
  for (const [, path] of assets) {
    const asset = await fetch(`${origin}${path}`);
    assert.equal(asset.status, 200, path);
    assert.ok((await asset.text()).length > 100, path);
  }
  const [, image = ''] = /property="og:image" content="([^"]+)"/.exec(page) ?? [];
  const drawn = await fetch(image);
  assert.deepEqual([drawn.status, drawn.headers.get('content-type')], [200, 'image/png']);

  assert.ok((await finished(run('keys', 'list', '--json'))).stdout.includes(id));
  program.child.kill('SIGTERM');
  assert.equal((await finished(program)).code, 0);
});

test('the package holds the program and what a person needs, and nothing of where it was made', async () => {
  const entries = await readdir(unpacked, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const names = files.map((path) => relative(unpacked, path)).sort();
  assert.deepEqual(
    names.filter((name) => !/^dist\/(?:site-assets\/)?[\w-]+\.(?:js|css|html|json)$/.test(name)),
    ['LICENSE', 'README.md', 'bin/petstore.js', 'dist/OFL.txt', 'dist/atlas.png', 'package.json'],
  );
  for (const path of files) {
    const text = await readFile(path, 'utf8');
    assert.ok(!text.includes(ROOT), `${path} names the folder that it was built in`);
    // A file beside its own that a module names: in dist/ none ends so.
    const isBuilt = path.startsWith(join(unpacked, 'dist'));
    if (isBuilt) assert.doesNotMatch(text, /new URL\([^)]*\.ts\W/, path);
  }
});

test('the package depends on published packages alone, and runs nothing when it is installed', () => {
  const dependencies = Object.keys(manifest.dependencies);
  assert.ok(dependencies.includes('fastify'));
  assert.ok(!dependencies.some((name) => name.startsWith('@petstore/')));
  assert.deepEqual(Object.keys(manifest.scripts), ['prepack', 'postpack']);
  assert.deepEqual(manifest.engines, { node: '>=24' });
});

test('on an older Node the package says in one sentence what it needs', async () => {
  const versions = `{ ...process.versions, node: '22.1.0' }`;
  const older = `Object.defineProperty(process, 'versions', { value: ${versions} })`;
  const args = ['--import', `data:text/javascript,${older}`, join(unpacked, 'bin/petstore.js')];
  assert.deepEqual(await runProgram(process.execPath, args, unpacked, {}), {
    code: 1,
    stdout: '',
    stderr:
      'petstore needs Node 24 or newer; this is Node 22.1.0. Install one from https://nodejs.org.\n',
  });
});

test('a package that was packed without its program says so, and how to pack it', async (t) => {
  const folder = await temporaryFolder(t);
  const command = ['pack', '--ignore-scripts', '-w', 'apps/petstore'];
  const empty = await unpack(await pack(folder, command), folder);
  const args = [join(empty, 'bin/petstore.js'), 'serve'];
  assert.deepEqual(await runProgram(process.execPath, args, folder, {}), {
    code: 1,
    stdout: '',
    stderr:
      'petstore: This package was packed without its program. In the repository, pack it with: npm run package\n',
  });
});
