import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { WITHOUT_GIT } from '@petstore/test-support/git-hosts/requirements.ts';
import { failsWith, visit } from './support/visit.ts';

test('the newest commit of a branch is told, and its files are in a folder until it is released', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { source, fetch, settings } = await visit(t);
  source.commit({ old: 'gone' });
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
  const hash = source.commit(
    {
      'docs.yaml': 'title: Pets\r\n',
      'docs/ä b/"x"\n.md': '# Hi',
      'logo.png': bytes,
      empty: '',
      run: { executable: '#!/bin/sh\n' },
    },
    {
      message: 'Pets\n\nWith a name.\n',
      author: 'Ädä "A" <ada@example.com>',
      date: '1700000000 -0500',
    },
  );
  const { commit, directory, notices, hostKeys, release } = await fetch();
  assert.deepEqual(commit, {
    hash,
    author: 'Ädä "A"',
    authorEmail: 'ada@example.com',
    message: 'Pets\n\nWith a name.',
    authoredAt: 1_700_000_000_000,
  });
  assert.deepEqual([notices, hostKeys], [[], []]);
  const names = await readdir(directory, { recursive: true });
  assert.deepEqual(names.sort(), [
    'docs',
    'docs.yaml',
    'docs/ä b',
    'docs/ä b/"x"\n.md',
    'empty',
    'logo.png',
    'run',
  ]);
  assert.equal(await readFile(join(directory, 'docs.yaml'), 'utf8'), 'title: Pets\r\n');
  assert.deepEqual(await readFile(join(directory, 'logo.png')), bytes);
  assert.equal((await lstat(join(directory, 'run'))).mode & 0o777, 0o600);
  assert.equal((await lstat(directory)).mode & 0o777, 0o700);
  assert.equal((await readdir(settings.directory)).length, 1, 'the copy of the repository is gone');
  await release();
  assert.deepEqual(await readdir(settings.directory), []);
});

test('branches are fetched whatever their names', { skip: WITHOUT_GIT }, async (t) => {
  const { source, fetch } = await visit(t);
  for (const branch of ['feature/ä', "it's", '$(id)', 'HEAD'])
    source.commit({ branch }, { branch });
  source.git(['update-ref', 'refs/heads/-x', 'refs/heads/HEAD']);
  for (const branch of ['feature/ä', "it's", '$(id)', 'HEAD', '-x']) {
    const { directory, release } = await fetch(branch);
    assert.equal(
      await readFile(join(directory, 'branch'), 'utf8'),
      branch === '-x' ? 'HEAD' : branch,
    );
    await release();
  }
});

test('a branch that is not there is said so, with one that is', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { source, settings, fetch } = await visit(t);
  await failsWith('empty_repository', /no branch yet/, fetch(), settings);
  source.commit({ a: '1' }, { branch: 'trunk' });
  source.git(['tag', 'v1', 'trunk']);
  const missing = /has no branch main: it was deleted, renamed, or never pushed\..*such as trunk\./;
  await failsWith('branch_missing', missing, fetch('main'), settings);
  await failsWith('branch_missing', /no branch v1/, fetch('v1'), settings);
  for (const name of ['a..b', '', 'a b', '*', 'a\nb', '@{-1}', 'a:b'])
    await failsWith('branch_missing', /No branch can have the name/, fetch(name), settings);
});

test('another history of a branch, after a force-push, is simply the newest', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { source, fetch } = await visit(t);
  source.commit({ a: '1' });
  assert.equal((await fetch()).commit.hash, source.git(['rev-parse', 'main']));
  const hash = source.commit({ b: '2' }, { isOrphan: true });
  const { commit, directory } = await fetch();
  assert.equal(commit.hash, hash);
  assert.deepEqual(await readdir(directory), ['b']);
});

test('nothing but the newest commit is sent', { skip: WITHOUT_GIT }, async (t) => {
  const { source, fetch } = await visit(t);
  const { randomBytes } = await import('node:crypto');
  source.commit({ old: randomBytes(3_000_000) });
  source.commit({ old: randomBytes(3_000_000) }, { branch: 'other' });
  source.commit({ a: '1' });
  await fetch('main', { maxBytes: 100_000 });
});

test('texts of a commit have bounds and no control characters', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { source, fetch } = await visit(t);
  source.commit(
    { a: '1' },
    {
      message: `\x1b[31mred\x07\r\n${'ä🎉'.repeat(500_000)}`,
      author: `A\x1b${'x'.repeat(5_000)} <a@b>`,
    },
  );
  const { commit } = await fetch();
  assert.ok(commit.message.startsWith('[31mred\nä🎉'));
  assert.equal(commit.message.length, 1_000);
  assert.ok(commit.message.isWellFormed());
  assert.equal(commit.author.length, 200);
  assert.doesNotMatch(commit.author, /\p{Cc}/u);
});

test('links lead to files of the branch, and others are left out with a notice', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { source, fetch } = await visit(t);
  const target = 'openapi.yaml';
  source.commit({
    [target]: 'openapi: 3.1.0',
    'docs/api.yaml': { link: `../${target}` },
    'docs/again.yaml': { link: 'api.yaml' },
    'docs/by-folder.yaml': { link: 'up/openapi.yaml' },
    'docs/up': { link: '..' },
    'docs/passwd': { link: '/etc/passwd' },
    'docs/out': { link: '../../x' },
    'docs/above': { link: `../../${target}` },
    'docs/out-and-back': { link: '../../pets/openapi.yaml' },
    'docs/by-link-out': { link: 'up/../x' },
    'docs/broken': { link: 'nothing' },
    'docs/through-a-file': { link: `../${target}/x` },
    'docs/loop': { link: 'loop' },
    'docs/to-loop': { link: 'loop/x' },
    'docs/to-passwd': { link: 'passwd' },
    'docs/to-submodule': { link: '../vendor/x' },
    vendor: { submodule: '1234567890123456789012345678901234567890' },
  });
  const { directory, notices } = await fetch();
  for (const file of ['docs/api.yaml', 'docs/again.yaml', 'docs/by-folder.yaml'])
    assert.equal(await readFile(join(directory, file), 'utf8'), 'openapi: 3.1.0', file);
  assert.equal(await readlink(join(directory, 'docs/api.yaml')), `../${target}`);
  assert.deepEqual(notices.map(({ code, path }) => `${code} ${path}`).sort(), [
    ...[
      'above',
      'broken',
      'by-link-out',
      'loop',
      'out',
      'out-and-back',
      'passwd',
      'through-a-file',
      'to-loop',
      'to-passwd',
      'to-submodule',
    ].map((name) => `link docs/${name}`),
    'submodule vendor',
  ]);
  assert.deepEqual((await readdir(join(directory, 'docs'))).sort(), [
    'again.yaml',
    'api.yaml',
    'by-folder.yaml',
    'up',
  ]);
  assert.deepEqual(await readdir(join(directory, 'vendor')), []);
});

test('what the repository says of line ends, filters and versions is not obeyed', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { source, fetch } = await visit(t);
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n';
  source.commit({
    '.gitattributes':
      '* text=auto eol=crlf export-subst ident\n*.bin filter=lfs diff=lfs\nx export-ignore\nu working-tree-encoding=UTF-16\n',
    a: 'a\n$Format:%H$ $Id$\n',
    x: 'x',
    u: 'ü',
    'large.bin': pointer,
    '.gitmodules': '[submodule "x"]\n path = x\n url = ../x\n',
    '.githooks/post-checkout': { executable: '#!/bin/sh\ntouch /tmp/x\n' },
  });
  const { directory, notices } = await fetch();
  assert.equal(await readFile(join(directory, 'a'), 'utf8'), 'a\n$Format:%H$ $Id$\n');
  assert.equal(await readFile(join(directory, 'u'), 'utf8'), 'ü');
  assert.equal(await readFile(join(directory, 'x'), 'utf8'), 'x');
  assert.equal(await readFile(join(directory, 'large.bin'), 'utf8'), pointer);
  assert.deepEqual(notices, [
    {
      code: 'lfs_pointer',
      path: 'large.bin',
      message: 'large.bin is a pointer of Git LFS: its content is left out.',
    },
  ]);
});

test('names that differ in case, and names in no encoding, are files of their own', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { source, fetch } = await visit(t);
  source.commit({ 'Readme.md': '1', 'README.md': '2' });
  // Where the system does not tell them apart, the second is refused instead.
  const { directory } = await fetch();
  assert.equal(await readFile(join(directory, 'Readme.md'), 'utf8'), '1');
  assert.equal(await readFile(join(directory, 'README.md'), 'utf8'), '2');
  const blob = source.git(['hash-object', '-w', '--stdin'], 'latin');
  const tree = source.git(
    ['mktree', '-z'],
    Buffer.concat([Buffer.from(`100644 blob ${blob}\t`), Buffer.from([0xe4, 0x2e, 0x6d, 0x64, 0])]),
  );
  source.git(['update-ref', 'refs/heads/latin', source.git(['commit-tree', tree, '-m', 'x'])]);
  const fetched = await fetch('latin');
  const [name] = await readdir(Buffer.from(fetched.directory), { encoding: 'buffer' });
  assert.deepEqual(name, Buffer.from([0xe4, 0x2e, 0x6d, 0x64]));
});

test('a repository with the newer hashes is read', { skip: WITHOUT_GIT }, async (t) => {
  const { source, fetch, host, repository } = await visit(t);
  const { rmSync } = await import('node:fs');
  rmSync(source.folder, { recursive: true });
  source.git(['init', '--bare', '--quiet', '--object-format=sha256', '--initial-branch=main']);
  const hash = source.commit({ a: '1' });
  assert.equal(hash.length, 64);
  assert.equal((await fetch()).commit.hash, hash);
  assert.ok(host.requests.length > 0 && repository.url.length > 0);
});
