import assert from 'node:assert/strict';
import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FAULTS } from '@petstore/cluster/faults/faults.ts';
import { configuration } from '../src/machines/services.ts';
import { SCENARIOS } from '../src/run/run-test.ts';
import '@petstore/test-support/clean-up.ts';
import { runProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';

const DEPLOYED = new URL('../../../deploy/cluster/', import.meta.url);

const FACTS = {
  MACHINE: 'db1',
  ADDRESS: '10.0.0.11',
  PEER: '10.0.0.32',
  SUPERUSER_PASSWORD: 'one',
  REPLICATION_PASSWORD: 'two',
  REWIND_PASSWORD: 'three',
  DATABASE_PASSWORD: 'four',
  DASHBOARD_DATABASE_PASSWORD: 'five',
  DASHBOARD_SECRET_KEY: Buffer.alloc(32).toString('base64'),
};

test('machine.env names every fact of the templates, and no other', async () => {
  const text = await readFile(new URL('machine.env', DEPLOYED), 'utf8');
  const named = [...text.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
  assert.deepEqual(named.sort(), Object.keys(FACTS).sort());
});

test('nothing is left to be filled in where all facts are', async () => {
  for (const folder of ['balancer', 'database', 'service']) {
    const entries = { recursive: true, withFileTypes: true } as const;
    const at = new URL(`${folder}/`, DEPLOYED);
    for (const entry of await readdir(at, entries)) {
      if (!entry.isFile()) continue;
      const name = relative(fileURLToPath(at), join(entry.parentPath, entry.name));
      const text = await configuration(`${folder}/${name}`, FACTS);
      assert.doesNotMatch(text, /\$\{/, name);
    }
  }
});

test('every scenario of the manual is a fault, and stands in its table', async () => {
  const manual = await readFile(new URL('README.md', DEPLOYED), 'utf8');
  for (const { fault } of SCENARIOS) {
    const found = FAULTS.find(({ id }) => id === fault);
    assert.ok(found, fault);
    assert.ok(manual.includes(`| ${found.title}`), found.title);
  }
});

/** What each balancer's program says of its file, without starting. */
const CHECKS = {
  'haproxy.cfg': ['/usr/sbin/haproxy', '-c', '-f'],
  'keepalived.conf': ['/usr/sbin/keepalived', '--config-test', '--use-file'],
} as const;

for (const [name, [program, ...options]] of Object.entries(CHECKS)) {
  const isThere = await access(program).then(
    () => true,
    () => process.env.CI_REQUIRES_ALL === '1',
  );
  test(`${program} finds nothing wrong in ${name}, and finds a mistake`, {
    skip: isThere ? false : `${program} is not installed`,
  }, async (t) => {
    const folder = await temporaryFolder(t);
    const file = join(folder, name);
    const text = await configuration(`balancer/${name}`, FACTS, { '/run/haproxy': folder });
    const check = async () => (await runProgram(program, [...options, file], folder, {})).code;
    await writeFile(file, text);
    assert.equal(await check(), 0);
    await writeFile(file, text.replace(/^ {2}(timeout connect|advert_int)/m, '  $1x'));
    assert.notEqual(await check(), 0);
  });
}
