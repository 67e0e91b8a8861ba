import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { WITHOUT_GIT } from '@petstore/test-support/git-hosts/requirements.ts';
import type { TestRepository } from '@petstore/test-support/git-hosts/test-repository.ts';
import { assertTook } from '@petstore/test-support/within.ts';
import { failsWith, visit } from './support/visit.ts';

interface Entry {
  readonly mode: '100644' | '120000' | '40000' | '160000' | '100755' | '0';
  readonly name: string | Buffer;
  readonly hash: string;
}

/** Writes a tree as git itself never would, byte by byte. */
function writeTree(source: TestRepository, entries: readonly Entry[]): string {
  const bytes = entries.map(({ mode, name, hash }) =>
    Buffer.concat([
      Buffer.from(`${mode} `),
      Buffer.from(name as string),
      Buffer.from([0]),
      Buffer.from(hash, 'hex'),
    ]),
  );
  const args = ['hash-object', '-t', 'tree', '--literally', '-w', '--stdin'];
  return source.git(args, Buffer.concat(bytes));
}

function commitTree(source: TestRepository, tree: string): void {
  source.git(['update-ref', 'refs/heads/main', source.git(['commit-tree', tree, '-m', 'x'])]);
}

const blobOf = (source: TestRepository, content: string) =>
  source.git(['hash-object', '-w', '--stdin'], content);

test('names that lead out of the folder, or into git, are refused and nothing is written', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { source, fetch, settings } = await visit(t);
  const hash = blobOf(source, 'evil');
  const elsewhere = /has a part that leads elsewhere\. Remove it/;
  const own = /would be among git's own files/;
  const names: [string, RegExp][] = [
    ['..', elsewhere],
    ['.', elsewhere],
    ['../evil', elsewhere],
    ['/etc/evil', elsewhere],
    ['a//b', elsewhere],
    ['a/../../b', elsewhere],
    ['.git', own],
    ['.GIT', own],
    ['.git/config', own],
    ['x'.repeat(256), /has a part of more than 255 bytes/],
    ['a/'.repeat(101), /deeper than 100 folders/],
    [`${'x'.repeat(250)}/`.repeat(10), /longer than 2048 bytes/],
  ];
  for (const [name, message] of names) {
    commitTree(source, writeTree(source, [{ mode: '100644', name, hash }]));
    await failsWith('unsafe_path', message, fetch(), settings);
  }
  commitTree(source, writeTree(source, [{ mode: '120000', name: '../evil', hash }]));
  await failsWith('unsafe_path', elsewhere, fetch(), settings);
  const inner = writeTree(source, [{ mode: '100644', name: 'evil', hash }]);
  for (const [name, message] of [names[0], names[2], names[6]] as typeof names) {
    commitTree(source, writeTree(source, [{ mode: '40000', name, hash: inner }]));
    await failsWith('unsafe_path', message, fetch(), settings);
  }
});

test('a name that is there twice is refused: a file would be written through the link', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { source, fetch, settings } = await visit(t);
  const outside = blobOf(source, '/tmp');
  const hash = blobOf(source, 'evil');
  const folder = writeTree(source, [{ mode: '100644', name: 'evil', hash }]);
  const link: Entry = { mode: '120000', name: 'a', hash: outside };
  const others: Entry[] = [
    { mode: '40000', name: 'a', hash: folder },
    { mode: '100644', name: 'a', hash },
    { mode: '160000', name: 'a', hash: '1234567890123456789012345678901234567890' },
  ];
  for (const other of others) {
    for (const entries of [
      [link, other],
      [other, link],
    ]) {
      commitTree(source, writeTree(source, entries));
      await failsWith('unsafe_path', /^a is there twice/, fetch(), settings);
    }
  }
  // A name with a slash in it looks like a file in the folder that the link leads to.
  commitTree(source, writeTree(source, [link, { mode: '100644', name: 'a/evil', hash }]));
  await failsWith(
    'unsafe_path',
    /^a\/evil has the name of another file|^a\/evil/,
    fetch(),
    settings,
  );
});

test('trees that repeat themselves are counted, and not walked to their end', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { source, fetch, settings } = await visit(t);
  const leaves: Entry[] = [
    { mode: '100644', name: 'x', hash: blobOf(source, 'x') },
    { mode: '40000', name: 'x', hash: writeTree(source, []) },
  ];
  for (const leaf of leaves) {
    let hash = writeTree(source, [leaf]);
    // Ten to the power of twelve.
    for (let level = 0; level < 12; level += 1) {
      const names = Array.from({ length: 10 }, (_, n) => `d${n}`);
      hash = writeTree(
        source,
        names.map((name) => ({ mode: '40000', name, hash })),
      );
    }
    commitTree(source, hash);
    await failsWith('too_many_files', /more than 1,000 files and folders/, fetch(), settings);
  }
});

test('a tree that is deeper than any is refused', { skip: WITHOUT_GIT }, async (t) => {
  const { source, fetch, settings } = await visit(t);
  let hash = writeTree(source, [{ mode: '100644', name: 'x', hash: blobOf(source, 'x') }]);
  for (let level = 0; level < 150; level += 1)
    hash = writeTree(source, [{ mode: '40000', name: 'd', hash }]);
  commitTree(source, hash);
  await failsWith('unsafe_path', /deeper than 100 folders/, fetch(), settings);
});

test('as many files and bytes as are allowed are taken, and one more is not', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { source, fetch, settings } = await visit(t);
  source.commit({ a: '12345', 'b/c': '12345' });
  const { release, directory } = await fetch('main', { maxFiles: 3 });
  assert.deepEqual((await readdir(directory)).sort(), ['a', 'b']);
  await release();
  await failsWith('too_many_files', /more than 2 files/, fetch('main', { maxFiles: 2 }), settings);
  const large = 'x'.repeat(3_000_000);
  source.commit({ a: large, b: large, c: large });
  await (await fetch('main', { maxBytes: 9_000_000 })).release();
  await failsWith(
    'too_large',
    /files of more than 9 MB together/,
    fetch('main', { maxBytes: 8_999_999 }),
    settings,
  );
});

test('links that lead through each other end', { skip: WITHOUT_GIT }, async (t) => {
  const { source, fetch, settings } = await visit(t);
  const chain = Array.from(
    { length: 60 },
    (_, n) => [`l${n}`, { link: n === 0 ? 'file' : `l${n - 1}` }] as const,
  );
  source.commit({ file: 'x', ...Object.fromEntries(chain) });
  const { directory, notices, release } = await fetch();
  assert.equal(notices.length, 20);
  assert.ok(notices.every(({ code }) => code === 'link'));
  const kept = await readdir(directory);
  assert.equal(kept.length, 41);
  // The system follows each of them.
  for (const name of kept) assert.equal(await readFile(join(directory, name), 'utf8'), 'x');
  await release();
  const ways = Array.from(
    { length: 900 },
    (_, n) => [`w${n}`, { link: `${'a/'.repeat(1_500)}x` }] as const,
  );
  source.commit({ a: { link: '.' }, x: 'x', ...Object.fromEntries(ways) });
  const begun = performance.now();
  const many = await fetch();
  assert.equal(many.notices.length, 100);
  await many.release();
  await assertTook(performance.now() - begun, 20_000);
  const slow = Array.from(
    { length: 900 },
    (_, n) => [`w${n}`, { link: `${'./'.repeat(2_000)}x` }] as const,
  );
  source.commit({ x: 'x', ...Object.fromEntries(slow) });
  await failsWith('unsafe_path', /too many symbolic links/, fetch(), settings);
});

test('a target that is longer than any is refused', { skip: WITHOUT_GIT }, async (t) => {
  const { source, fetch, settings } = await visit(t);
  source.commit({ a: { link: 'x'.repeat(5_000) } });
  await failsWith('unsafe_path', /a is a link whose target is too long/, fetch(), settings);
});
