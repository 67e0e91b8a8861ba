import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { WITHOUT_GIT } from '@petstore/test-support/git-hosts/requirements.ts';
import type { TestRepository } from '@petstore/test-support/git-hosts/test-repository.ts';
import { assertWithin, timeOf } from '@petstore/test-support/within.ts';
import { findDefaultBranch, listBranches } from '../src/list-branches.ts';
import { failsWith, NEVER, visit } from './support/visit.ts';

/** Has many refs lead to a commit, by the packed list of them: a file for each takes minutes. */
async function makeRefs(
  { folder }: TestRepository,
  hash: string,
  { count, name }: { count: number; name: (n: string) => string },
): Promise<void> {
  const width = `${count}`.length;
  const names = Array.from({ length: count }, (_, n) => name(`${n}`.padStart(width, '0')));
  const lines = names.map((ref) => `${hash} ${ref}\n`).join('');
  await writeFile(
    join(folder, 'packed-refs'),
    `# pack-refs with: peeled fully-peeled sorted \n${lines}`,
  );
}

const branch = (n: string) => `refs/heads/b/${n}`;

test('branches are listed with their newest commits, whatever their names', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { source, repository, settings } = await visit(t);
  const hash = source.commit({ a: '1' });
  const names = ['main', 'feature/ä', '-x', "it's", '$(id)', 'a"b', '日本', 'HEAD'];
  for (const name of names) source.git(['update-ref', `refs/heads/${name}`, hash]);
  source.git(['tag', 'v1', hash]);
  source.git(['update-ref', 'refs/pull/1/head', hash]);
  const other = source.commit({ a: '2' }, { branch: 'other' });
  const { branches, hostKeys } = await listBranches(repository, settings, NEVER);
  const expected = [...names.map((name) => [name, hash] as const), ['other', other] as const];
  assert.deepEqual([...branches].sort(), expected.sort());
  assert.deepEqual(hostKeys, []);
});

test('the default branch is the one that HEAD leads to', { skip: WITHOUT_GIT }, async (t) => {
  const { source, repository, settings } = await visit(t);
  source.commit({ a: '1' }, { branch: 'trunk' });
  const ask = async () => (await findDefaultBranch(repository, settings, NEVER)).defaultBranch;
  assert.equal(await ask(), null, 'HEAD leads to main, which is not there');
  source.git(['symbolic-ref', 'HEAD', 'refs/heads/trunk']);
  assert.equal(await ask(), 'trunk');
  source.git(['update-ref', '--no-deref', 'HEAD', source.git(['rev-parse', 'trunk'])]);
  assert.equal(await ask(), null, 'HEAD is a commit');
});

test('a repository without a branch is said to be empty', { skip: WITHOUT_GIT }, async (t) => {
  const { repository, settings } = await visit(t);
  const message = /no branch yet\. Push a commit/;
  await failsWith('empty_repository', message, listBranches(repository, settings, NEVER), settings);
  await failsWith(
    'empty_repository',
    message,
    findDefaultBranch(repository, settings, NEVER),
    settings,
  );
});

test('a thousand branches are listed within two seconds', { skip: WITHOUT_GIT }, async (t) => {
  const { source, repository, settings } = await visit(t);
  await makeRefs(source, source.commit({ a: '1' }), { count: 1_000, name: branch });
  await assertWithin(2_000, () =>
    timeOf(async () => {
      const { branches } = await listBranches(repository, settings, NEVER);
      assert.equal(branches.size, 1_001);
    }),
  );
});

test('a hundred thousand branches are refused', { skip: WITHOUT_GIT }, async (t) => {
  const { source, repository, settings } = await visit(t);
  await makeRefs(source, source.commit({ a: '1' }), { count: 100_000, name: branch });
  const list = listBranches(repository, settings, NEVER);
  await failsWith('too_many_branches', /more than 10,000 branches/, list, settings);
});

test('of pull requests nothing is sent with a list of branches', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { host, source, repository, settings } = await visit(t);
  const hash = source.commit({ a: '1' });
  await makeRefs(source, hash, { count: 50_000, name: (n) => `refs/pull/${n}/head` });
  const sockets = new Set<Socket>();
  host.answer = ({ socket }) => {
    sockets.add(socket);
    return false;
  };
  await listBranches(repository, settings, NEVER);
  const sent = [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  assert.ok(sent > 0 && sent < 20_000, `${sent} bytes`);
});
