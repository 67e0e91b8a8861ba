import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { WITHOUT_SSHD } from '@petstore/test-support/git-hosts/requirements.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { createDeployKey } from '../src/deploy-key.ts';
import { fingerprint } from '../src/fingerprint.ts';

const keygen = (...args: string[]) => {
  const { stdout, stderr } = spawnSync('ssh-keygen', args);
  return `${stdout}${stderr}`.trim();
};

test('OpenSSH reads both halves of a deploy key, and shows its fingerprint', {
  skip: WITHOUT_SSHD,
}, async (t) => {
  const folder = await temporaryFolder(t);
  // Each length of a comment fills the last block in another way.
  for (const comment of [
    '',
    'a',
    'docs of pets',
    'ä\n b',
    ...Array.from({ length: 8 }, (_, n) => 'x'.repeat(n)),
  ]) {
    const { privateKey, publicKey } = await createDeployKey(comment);
    const file = join(folder, 'key');
    await writeFile(file, privateKey, { mode: 0o600 });
    assert.equal(keygen('-y', '-f', file), publicKey);
    await writeFile(`${file}.pub`, `${publicKey}\n`);
    const [, shown] = keygen('-l', '-f', `${file}.pub`).split(' ');
    assert.equal(fingerprint(publicKey), shown);
    assert.doesNotMatch(publicKey, /\n/);
  }
});

test('no two deploy keys are the same', async () => {
  const keys = await Promise.all([createDeployKey('a'), createDeployKey('a')]);
  assert.notEqual(keys[0]?.publicKey, keys[1]?.publicKey);
});
