import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitAddress, editAddress, fileAddress } from '../../src/repository/file-addresses.ts';
import { hostOf, webAddress } from '../../src/repository/web-address.ts';

test('the address of a repository in a browser is known from what git has, without names and secrets', () => {
  const cases: [string, string | undefined][] = [
    ['https://github.com/ada/pets.git', 'https://github.com/ada/pets'],
    ['https://ada:ghp_secret@github.com/ada/pets.git/', 'https://github.com/ada/pets'],
    ['https://x-access-token@git.example.com:8443/a/b', 'https://git.example.com:8443/a/b'],
    ['http://git.example.com/a/b?private_token=x#y', 'http://git.example.com/a/b'],
    ['git@github.com:ada/pets.git', 'https://github.com/ada/pets'],
    ['ssh.github.com:/ada/pets', 'https://github.com/ada/pets'],
    ['ssh://git@ssh.github.com:443/ada/pets.git', 'https://github.com/ada/pets'],
    ['ssh://git@git.example.com:2222/ada/pets.git', 'https://git.example.com/ada/pets'],
    ['git://git.example.com/ada/pets', 'https://git.example.com/ada/pets'],
    ['https://gitlab.com/gruppe/unter/tiere-ä.git', 'https://gitlab.com/gruppe/unter/tiere-%C3%A4'],
    ['  https://github.com/ada/pets\n', 'https://github.com/ada/pets'],
    ['git@work:ada/pets.git', undefined],
    ['/srv/git/pets.git', undefined],
    ['../pets', undefined],
    ['C:/pets', undefined],
    ['file:///srv/pets', undefined],
    ['javascript:alert(1)', undefined],
    ['ext::sh -c evil', undefined],
    ['https://github.com', undefined],
    ['https://', undefined],
    ['', undefined],
    [`https://github.com/${'a'.repeat(2_000)}`, undefined],
  ];
  for (const [remote, address] of cases) assert.equal(webAddress(remote), address, remote);
});

test('the host of a repository is known by its name', () => {
  const cases: [string, string | undefined][] = [
    ['https://github.com/a/b', 'github'],
    ['https://github.example.com/a/b', 'github'],
    ['https://acme.ghe.com/a/b', undefined],
    ['https://gitlab.com/a/b', 'gitlab'],
    ['https://my-gitlab.example.com/a/b', 'gitlab'],
    ['https://codeberg.org/a/b', 'gitea'],
    ['https://forgejo.example.com/a/b', 'gitea'],
    ['https://bitbucket.org/a/b', 'bitbucket'],
    ['https://bitbucket.example.com/a/b', undefined],
    ['https://notgithub.example.com/a/b', undefined],
    ['https://git.example.com/github/b', undefined],
  ];
  for (const [url, host] of cases) assert.equal(hostOf(url), host, url);
});

test('each host has addresses of commits, of files with their lines, and of its editor', () => {
  const of = (host: 'github' | 'gitlab' | 'gitea' | 'bitbucket' | undefined) => {
    const repository = { url: 'https://host/a/b', host };
    return [
      commitAddress(repository, 'abcdef1'),
      editAddress(repository, 'feature/#1', 'docs/ä b?.md'),
      fileAddress(repository, 'main', 'api.yaml', 12),
      fileAddress(repository, 'main', 'api.yaml', null),
    ];
  };
  const base = 'https://host/a/b';
  const edited = 'feature/%231/docs/%C3%A4%20b%3F.md';
  assert.deepEqual(of('github'), [
    `${base}/commit/abcdef1`,
    `${base}/edit/${edited}`,
    `${base}/blob/main/api.yaml#L12`,
    `${base}/blob/main/api.yaml`,
  ]);
  assert.deepEqual(of('gitlab'), [
    `${base}/-/commit/abcdef1`,
    `${base}/-/edit/${edited}`,
    `${base}/-/blob/main/api.yaml#L12`,
    `${base}/-/blob/main/api.yaml`,
  ]);
  assert.deepEqual(of('gitea'), [
    `${base}/commit/abcdef1`,
    `${base}/_edit/${edited}`,
    `${base}/src/branch/main/api.yaml#L12`,
    `${base}/src/branch/main/api.yaml`,
  ]);
  assert.deepEqual(of('bitbucket'), [
    `${base}/commits/abcdef1`,
    `${base}/src/${edited}?mode=edit&at=feature/%231`,
    `${base}/src/main/api.yaml#lines-12`,
    `${base}/src/main/api.yaml`,
  ]);
  assert.deepEqual(of(undefined), [undefined, undefined, undefined, undefined]);
});
