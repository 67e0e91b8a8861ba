import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { WITHOUT_GIT } from '@petstore/test-support/git-hosts/requirements.ts';
import fc from 'fast-check';
import { isBranchName } from '../src/branch-name.ts';

const byGit = (name: string) =>
  spawnSync('git', ['check-ref-format', `refs/heads/${name}`]).status === 0;

const NAMES = [
  ...['main', 'feature/ä', '-x', "it's", 'a"b', 'a;b', '$(x)', '日本', 'a.b', 'a@b', 'HEAD'],
  ...[
    '',
    '@',
    'a..b',
    'a b',
    'a\nb',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    '[a',
    'a\\b',
    '/a',
    'a/',
    'a//b',
  ],
  ...['.a', 'a/.b', 'a.', 'a.lock', 'a.lock/b', 'a@{b', 'a\x7f', '+a', 'a.lockb'],
];

test('a name of a branch is what git takes as one', { skip: WITHOUT_GIT }, () => {
  for (const name of NAMES) {
    // git takes `@` below refs/heads/ and nowhere else.
    assert.equal(isBranchName(name), name !== '@' && byGit(name), JSON.stringify(name));
  }
  const part = fc.constantFrom('a', '.', '/', '@', '{', '.lock', '-', '~', 'ä', ' ', '*', '\\');
  const names = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(names, (name) => {
      assert.equal(isBranchName(name), name !== '@' && byGit(name), JSON.stringify(name));
    }),
    { numRuns: 100 },
  );
});

test('a name that has no room in a file system is no name of a branch', () => {
  assert.equal(isBranchName('ä'.repeat(125)), true);
  assert.equal(isBranchName('ä'.repeat(126)), false);
});
