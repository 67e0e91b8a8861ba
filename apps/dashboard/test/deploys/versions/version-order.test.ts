import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertWithin } from '@petstore/test-support/within.ts';
import {
  compareVersions,
  versionState,
} from '../../../server/src/deploys/versions/version-order.ts';

test('versions are listed from the newest to the oldest, those without a number first', () => {
  const order = ['next', 'latest', 'v10', 'v3', 'v3-rc.1', 'v3-beta', 'v2.10', 'v2.9', 'v2', 'v1'];
  for (let turn = 0; turn < order.length; turn++) {
    const turned = [...order.slice(turn), ...order.slice(0, turn)];
    assert.deepEqual(turned.sort(compareVersions), order);
  }
  assert.deepEqual(['2025-12-31', '2026-01-02', '2026-01'].sort(compareVersions), [
    '2026-01-02',
    '2026-01',
    '2025-12-31',
  ]);
});

test('a version is not released where it is newer than the default or says so', () => {
  const states = (defaultVersion: string | undefined, ...names: string[]) =>
    names.map((name) => versionState(name, defaultVersion));
  assert.deepEqual(states('v2', 'v1', 'v2', 'v3', 'v2.1', 'v1-beta', 'legacy', 'next', 'v2rc1'), [
    ...['old', 'default', 'preview', 'preview', 'preview', 'old', 'preview', 'preview'],
  ]);
  assert.deepEqual(states(undefined, 'v1', 'v9', 'v9-alpha.2', 'prelude', 'adev'), [
    ...['old', 'old', 'preview', 'old', 'old'],
  ]);
  assert.deepEqual(states('stable', 'v1', 'stable', 'canary'), ['old', 'default', 'preview']);
});

test('no name takes long to judge', async () => {
  await assertWithin(5, () => {
    const begun = performance.now();
    for (const name of [`rc${'1'.repeat(37)}a`, `1${'.1'.repeat(19)}a`, `v${'9'.repeat(39)}`])
      versionState(name, 'v1');
    return performance.now() - begun;
  });
});
