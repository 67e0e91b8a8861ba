import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WITHOUT_GIT, WITHOUT_SSHD } from '@petstore/test-support/git-hosts/requirements.ts';
import { gitSshHost } from '@petstore/test-support/git-hosts/ssh-host.ts';
import { makeTestRepository } from '@petstore/test-support/git-hosts/test-repository.ts';
import type { RepositoryState } from '../../server/src/repositories/repository-state.ts';
import { documentTitled } from '../support/project.ts';
import { assertError, json } from '../support/service.ts';
import {
  check,
  connect,
  deploysOf,
  type GitWorld,
  inState,
  REPOSITORY,
  readRepository,
  startGitWorld,
} from './support/repositories.ts';

const skip = WITHOUT_GIT;

/** A state with a reason and with what to do. */
function assertTold({ message, remedy }: RepositoryState, expected: RegExp): void {
  assert.match(message, expected);
  assert.match(message, /[.]$/);
  assert.match(remedy, /[.)]$/);
  assert.doesNotMatch(`${message} ${remedy}`, /\/tmp\/|spool/);
}

test('what is wrong at the host is the state, with the reason, and a retry ends it', {
  skip,
}, async (t) => {
  const { folder, host, root, url } = await startGitWorld(t);
  const gone = await connect(root, { url: `${host.origin}/none.git` });
  assert.equal(gone.state.code, 'not_found');
  assertTold(gone.state, /repository/i);

  host.credentials = 'ada:secret-token';
  const refused = await connect(root, { url });
  assert.match(refused.state.code, /not_found|authentication_failed/);
  const input = { url, access: 'token', username: 'ada' } as const;
  const wrong = await connect(root, { ...input, token: 'another-token' });
  assert.equal(wrong.state.code, 'authentication_failed');
  assertTold(wrong.state, /./);
  assert.doesNotMatch(JSON.stringify(wrong), /another-token|secret-token/);
  await connect(root, { ...input, token: 'secret-token' });
  await inState(root, 'ok');

  // The token is revoked, and valid again once someone has it renewed there.
  host.credentials = 'ada:renewed';
  assert.equal((await check(root)).state.code, 'authentication_failed');
  host.credentials = 'ada:secret-token';
  assert.notEqual((await check(root)).state.code, 'authentication_failed');
  await inState(root, 'ok');

  host.answer = (request, response) => {
    request.resume();
    response.writeHead(503).end();
    return true;
  };
  const down = await check(root);
  assert.equal(down.state.code, 'unreachable');
  assertTold(down.state, /./);
  host.answer = () => false;
  const empty = makeTestRepository(folder, 'empty.git');
  assert.ok(empty);
  const other = { ...input, token: 'secret-token', url: `${host.origin}/empty.git` };
  const without = await connect(root, other);
  assert.equal(without.state.code, 'empty_repository');
  assertTold(without.state, /no branch/);
});

test('a branch that is gone is told, and what is live stays', { skip }, async (t) => {
  const { pets, root, url } = await startGitWorld(t);
  const none = await connect(root, { url, branch: 'trunk' });
  assert.equal(none.state.code, 'branch_missing');
  assertTold(none.state, /no branch trunk/);
  pets.git(['branch', 'trunk', 'main']);
  await check(root);
  await inState(root, 'ok');
  pets.git(['branch', '-D', 'trunk']);
  const gone = await check(root);
  assert.equal(gone.state.code, 'branch_missing');
  assert.ok((await deploysOf(root))[0]?.live);
  // Renamed at the host: an owner names the new one.
  const renamed = await connect(root, { url, branch: 'main' });
  assert.notEqual(renamed.state.code, 'branch_missing');
  await inState(root, 'ok');
});

test('a commit that cannot be deployed is not tried again by itself, and the state says why', {
  skip,
}, async (t) => {
  const { pets, root, service, url } = await startGitWorld(t, {
    maxBytes: 3_000_000,
    maxFiles: 30,
  });
  await connect(root, { url, folder: 'docs' });
  const missing = await inState(root, 'folder_missing');
  assertTold(missing.state, /`docs`/);
  assert.equal((await deploysOf(root)).length, 0);

  pets.commit({ 'docs/openapi.json': { link: '../../outside.json' } });
  await check(root);
  await inState(root, 'folder_unusable', 'unsafe_path', 'deploy_failed');
  pets.commit({
    'docs/large': Buffer.alloc(4_000_000, 'x'),
    'docs/openapi.json': documentTitled('P'),
  });
  await check(root);
  assertTold((await inState(root, 'too_large')).state, /./);
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`docs/${index}.md`, '# A']),
  );
  pets.commit(many);
  await check(root);
  assertTold((await inState(root, 'too_many_files')).state, /./);

  pets.commit({ 'docs/openapi.json': '{"openapi":"3.1.0"' });
  await check(root);
  const failed = await inState(root, 'deploy_failed');
  assertTold(failed.state, /Deploy #\d+ failed\. \S/);
  const { length } = await deploysOf(root);
  // By itself nothing happens any more: the poll finds the same commit.
  const before = (await readRepository(root)).lastCheckedAt;
  await service.db.updateTable('repositories').set({ next_check_at: 0 }).execute();
  while ((await readRepository(root)).lastCheckedAt === before)
    await new Promise((r) => setTimeout(r, 50));
  assert.equal((await deploysOf(root)).length, length);
  // Someone has it tried again.
  await check(root);
  await inState(root, 'deploy_failed');
  assert.equal((await deploysOf(root)).length, length + 1);
  pets.commit({ 'docs/openapi.json': documentTitled('Mended') });
  await check(root);
  await inState(root, 'ok');
});

test('a force-push is a commit as any other', { skip }, async (t) => {
  const { pets, root, url } = await startGitWorld(t);
  await connect(root, { url });
  await inState(root, 'ok');
  const head = pets.commit({ 'openapi.json': documentTitled('Anew') }, { isOrphan: true });
  await check(root);
  await inState(root, 'ok');
  const [deploy] = await deploysOf(root);
  assert.deepEqual([deploy?.commit?.hash, deploy?.live], [head, true]);
});

test('a deploy key opens a host of ssh, whose key is pinned until an owner accepts another', {
  skip: WITHOUT_SSHD,
}, async (t) => {
  const { pets, root, service } = await startGitWorld(t);
  const ssh = await gitSshHost(t);
  const url = `${ssh.origin}${pets.folder}`;
  const closed = await connect(root, { url });
  assert.equal(closed.access, 'deploy_key');
  assert.match(closed.publicKey ?? '', /^ssh-ed25519 \S+/);
  assert.equal(closed.state.code, 'authentication_failed');
  await ssh.authorize(closed.publicKey ?? '');
  await check(root);
  const open = await inState(root, 'ok');
  const [pinned] = open.hostKeys;
  assert.deepEqual([pinned?.type, open.hostKeys.length], ['ssh-ed25519', 1]);
  assert.match(pinned?.fingerprint ?? '', /^SHA256:/);

  await ssh.renewHostKey();
  const changed = await check(root);
  assert.equal(changed.state.code, 'host_key_changed');
  assertTold(changed.state, /./);
  assert.match(changed.state.remedy, /fingerprint/);
  assert.deepEqual(changed.hostKeys, open.hostKeys, 'the new key is not taken by itself');
  const accepted = await json<typeof changed>(await root.call('DELETE', `${REPOSITORY}/host-keys`));
  assert.notEqual(accepted.hostKeys[0]?.fingerprint, pinned?.fingerprint);
  await inState(root, 'ok');

  // Neither half of a secret leaves the service: not in the API, the audit log, or the log.
  const { items } = await json<{ items: object[] }>(
    await root.call('GET', '/api/projects/pets/audit'),
  );
  for (const text of [JSON.stringify(items), JSON.stringify(accepted), service.logged.join('')])
    assert.doesNotMatch(text, /PRIVATE KEY/);
});

test('input that can be no repository is refused, and says what to write', { skip }, async (t) => {
  const { root, url } = await startGitWorld(t);
  const cases: [object, RegExp][] = [
    [{ url: 'pets' }, /url must be/],
    [{ url: 'http://example.com/pets.git' }, /https/],
    [{ url: 'https://ada:secret@example.com/pets.git' }, /token by itself/],
    [{ url: 'file:///etc/passwd' }, /url must be/],
    [{ url: 'ext::sh -c id' }, /url/],
    [{ url, branch: '' }, /branch must be/],
    [{ url, branch: '-x' }, /branch must be/],
    [{ url, folder: '../other' }, /folder must be/],
    [{ url, folder: 'a/../../b' }, /folder must be/],
    [{ url, access: 'token' }, /token is required/],
    [{ url, access: 'token', token: 'a b' }, /token must have no spaces/],
    [{ url, access: 'token', token: 'a\nb' }, /token must have no spaces/],
    [{ url, token: 'abc' }, /token needs access token/],
    [{ url, access: 'deploy_key' }, /needs an ssh address/],
    [{ url: 'git@example.com:a/b.git', access: 'token', token: 'a' }, /must be deploy_key/],
    [{ url, statuses: true }, /statuses needs/],
    [
      { url, access: 'token', token: 'a', provider: 'bitbucket', statuses: true },
      /bitbucket\.org alone/,
    ],
  ];
  for (const [body, expected] of cases) {
    const message = await assertError(
      await root.call('PUT', REPOSITORY, body),
      400,
      'invalid_request',
    );
    assert.match(message, expected, JSON.stringify(body));
  }
  await assertError(await root.call('GET', REPOSITORY), 404, 'not_found');
});

test('a token opens no other repository than the one that it was entered for', {
  skip,
}, async (t) => {
  const { folder, host, root, service, url } = await startGitWorld(t);
  host.credentials = 'ada:secret-token';
  const input = { url, access: 'token', username: 'ada' } as const;
  await connect(root, { ...input, token: 'secret-token' });
  await inState(root, 'ok');
  // Without the token: the present one stays, as long as the repository is the same.
  await connect(root, { ...input, url: url.replace(/\.git$/, '') });
  await inState(root, 'ok');
  makeTestRepository(folder, 'salaries.git').commit({ 'openapi.json': documentTitled('Private') });
  const beside = { ...input, url: `${host.origin}/salaries.git` };
  const refused = await root.call('PUT', REPOSITORY, beside);
  assert.match(await assertError(refused, 400, 'invalid_request'), /another repository/);
  assert.equal((await readRepository(root)).url, url.replace(/\.git$/, ''));
  assert.ok(!host.requests.some((request) => request.includes('salaries')));
  const elsewhere = { ...input, url: 'https://127.0.0.1:9/pets.git' };
  const answer = await root.call('PUT', REPOSITORY, elsewhere);
  assert.match(await assertError(answer, 400, 'invalid_request'), /another host/);
  const stored = await service.db.selectFrom('repositories').selectAll().execute();
  assert.doesNotMatch(JSON.stringify(stored), /secret-token/);
});

test('where the operator refuses repositories, none is connected or asked', { skip }, async (t) => {
  const { host, root, url }: GitWorld = await startGitWorld(t, { sources: 'refuse' });
  const answer = await root.call('PUT', REPOSITORY, { url });
  assert.match(await assertError(answer, 400, 'invalid_request'), /DASHBOARD_GIT/);
  assert.deepEqual(host.requests, []);
});

test('addresses of private networks are not asked unless the operator allows it', {
  skip,
}, async (t) => {
  const { host, root, url } = await startGitWorld(t, { privateAddresses: 'refuse' });
  const repository = await connect(root, { url });
  assert.equal(repository.state.code, 'private_address');
  assertTold(repository.state, /./);
  assert.deepEqual(host.requests, []);
});
