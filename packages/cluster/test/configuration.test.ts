import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { FAULTS } from '@petstore/cluster/faults/faults.ts';
import { configuration } from '../src/machines/services.ts';
import { SCENARIOS } from '../src/run/run-test.ts';
import '@petstore/test-support/clean-up.ts';

const DEPLOYED = new URL('../../../deploy/cluster/', import.meta.url);

const FACTS = {
  MACHINE: 'db1',
  ADDRESS: '10.0.0.11',
  PEER: '10.0.0.32',
  SUPERUSER_PASSWORD: 'one',
  REPLICATION_PASSWORD: 'two',
  REWIND_PASSWORD: 'three',
  DATABASE_PASSWORD: 'four',
};

test('machine.env names every fact of the templates, and no other', async () => {
  const text = await readFile(new URL('machine.env', DEPLOYED), 'utf8');
  const named = [...text.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
  assert.deepEqual(named.sort(), Object.keys(FACTS).sort());
});

test('nothing is left to be filled in where all facts are', async () => {
  for (const folder of ['balancer', 'database', 'service']) {
    for (const name of await readdir(new URL(folder, DEPLOYED))) {
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
