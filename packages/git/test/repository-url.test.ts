import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GitError } from '../src/git-error.ts';
import { parseRepositoryUrl } from '../src/repository-url.ts';

const READ: readonly (readonly [string, string])[] = [
  ['https://github.com/ada/pets.git', 'https://github.com/ada/pets.git'],
  ['  https://GitHub.com/ada/pets/ ', 'https://github.com/ada/pets'],
  ['https://git.example.com:8443/a/b/c', 'https://git.example.com:8443/a/b/c'],
  ['https://git.example.com:443/a', 'https://git.example.com/a'],
  ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
  ['https://[2001:DB8::1]/a', 'https://[2001:db8::1]/a'],
  ['git@github.com:ada/pets.git', 'ssh://git@github.com/ada/pets.git'],
  ['github.com:ada/pets.git', 'ssh://git@github.com/ada/pets.git'],
  ['git@host:/srv/git/pets.git', 'ssh://git@host/srv/git/pets.git'],
  ['git@host:my%20pets', 'ssh://git@host/my%2520pets'],
  ['ssh://git@ssh.github.com:443/ada/pets.git', 'ssh://git@ssh.github.com:443/ada/pets.git'],
  ['SSH://ada@Host:22/pets', 'ssh://ada@host/pets'],
  ['ssh://host/pets', 'ssh://git@host/pets'],
  ['ssh://git@[::1]:2222/pets', 'ssh://git@[::1]:2222/pets'],
  ['https://gitlab.com/a/tree/src/b', 'https://gitlab.com/a/tree/src/b'],
  ['git@bücher.example:a', 'ssh://git@xn--bcher-kva.example/a'],
];

test('an address of a repository is read as people type and copy it, into one spelling', () => {
  for (const [typed, url] of READ) {
    assert.equal(parseRepositoryUrl(typed).url, url, typed);
    assert.deepEqual(parseRepositoryUrl(url), parseRepositoryUrl(typed), `${url} again`);
  }
});

test('an address tells its host, port, user and path', () => {
  assert.deepEqual(parseRepositoryUrl('ssh://ada@[::1]:2222/srv/pets.git'), {
    url: 'ssh://ada@[::1]:2222/srv/pets.git',
    protocol: 'ssh',
    user: 'ada',
    host: '::1',
    port: 2222,
    path: 'srv/pets.git',
  });
  const { user, host, port, path } = parseRepositoryUrl('https://github.com/ada/pets');
  assert.deepEqual([user, host, port, path], [null, 'github.com', 443, 'ada/pets']);
});

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['', /must be the address of a repository, such as https/],
  ['pets', /must be an https or ssh address/],
  ['/srv/git/pets.git', /must be an https or ssh address/],
  ['../pets', /must be an https or ssh address/],
  ['file:///srv/git/pets.git', /must be an https or ssh address/],
  ['git://github.com/ada/pets', /must be an https or ssh address/],
  ['ext::sh -c touch% /tmp/x', /no spaces/],
  ['ext::sh', /must be an https or ssh address/],
  ['http://github.com/ada/pets', /must begin with https/],
  ['github.com/ada/pets', /write https:\/\/github\.com\/ada\/pets\./],
  ['https://github.com', /must have the path/],
  ['https://github.com/', /must have the path/],
  ['https://ada:ghp_secret@github.com/ada/pets', /no user, password or token in it/],
  ['https://ghp_secret@github.com/ada/pets', /no user, password or token in it/],
  ['https://github.com/ada/pets?x=1', /must have no \? in it/],
  ['https://github.com/ada/pets#readme', /must have no # in it/],
  ['https://github.com/ada/pets/tree/main/docs', /write https:\/\/github\.com\/ada\/pets\./],
  ['https://gitlab.com/a/b/pets/-/tree/main/docs', /write https:\/\/gitlab\.com\/a\/b\/pets\./],
  ['https://bitbucket.org/a/pets/src/main/docs/', /write https:\/\/bitbucket\.org\/a\/pets\./],
  ['https://codeberg.org/a/pets/src/branch/main', /write https:\/\/codeberg\.org\/a\/pets\./],
  ['https://bad host/x', /no spaces/],
  ['https:///x', /.*/],
  ['https://host/a\nb', /no control characters/],
  ['ssh://-oProxyCommand=x/pets', /no name of a host/],
  ['ssh://-oProxyCommand=x@host/pets', /has the user -oProxyCommand=x/],
  ['-oProxyCommand=x@host:pets', /has the user|must be an https/],
  ['git@-oProxyCommand=x:pets', /no name of a host/],
  ['ssh://git@host/-x', /begins with a dash/],
  ['ssh://git@host/../x', /has \. or \.\. as a part/],
  ['git@host:a/../../x', /has \. or \.\. as a part/],
  ['https://host/a%2F..%2F..%2Fadmin', /% that stands for a slash/],
  ['https://host/a/%5C..%5Cadmin', /% that stands for/],
  ['ssh://git@host/%2e%2e/x', /% that stands for/],
  ['https://host/a%0Ab', /% that stands for/],
  ['https://host/a%zz', /for no letter/],
  ['https://host/a%ff', /for no letter/],
  ['ssh://git:secret@host/x', /no password in it/],
  ['ssh://git@host:99999/x', /port 99999/],
  ['ssh://git@host', /not an ssh address|path/],
  ['ssh://git@/x', /no name of a host/],
  [`https://host/${'x'.repeat(1_000)}`, /1,?000 characters long/],
];

test('what is no such address is refused with what to write', () => {
  for (const [typed, message] of REFUSED) {
    assert.throws(
      () => parseRepositoryUrl(typed),
      (error) => {
        assert.ok(error instanceof GitError, `${typed}: ${error}`);
        assert.equal(error.code, 'bad_url');
        assert.match(error.message, message, typed);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      },
      typed,
    );
  }
});
