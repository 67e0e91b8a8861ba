import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import { WITHOUT_SSHD } from '@petstore/test-support/git-hosts/requirements.ts';
import { gitSshHost } from '@petstore/test-support/git-hosts/ssh-host.ts';
import { makeTestRepository } from '@petstore/test-support/git-hosts/test-repository.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { createDeployKey } from '../src/deploy-key.ts';
import { fetchBranch } from '../src/fetch-branch.ts';
import { fingerprint } from '../src/fingerprint.ts';
import { findDefaultBranch, listBranches } from '../src/list-branches.ts';
import type { Repository } from '../src/repository.ts';
import { failsWith, LIMITS, NEVER, settingsOf } from './support/visit.ts';

const skip = WITHOUT_SSHD;

async function visitBySsh(t: Ending) {
  const source = makeTestRepository(await temporaryFolder(t), 'pets.git');
  source.commit({ 'docs.yaml': 'a: 1' });
  const host = await gitSshHost(t);
  const { privateKey, publicKey } = await createDeployKey('docs of pets');
  const repository: Repository = {
    url: `${host.origin}${source.folder}`,
    credentials: { kind: 'key', privateKey },
    hostKeys: [],
  };
  return { source, host, publicKey, repository, settings: await settingsOf(t) };
}

test("a repository is read by ssh with its deploy key, and the host's key is returned", {
  skip,
}, async (t) => {
  const { source, host, publicKey, repository, settings } = await visitBySsh(t);
  await host.authorize(publicKey);
  const { branches, hostKeys } = await listBranches(repository, settings, NEVER);
  assert.deepEqual([...branches.keys()], ['main']);
  assert.deepEqual(hostKeys, [await host.hostKey()]);
  const known = { ...repository, hostKeys };
  assert.equal((await findDefaultBranch(known, settings, NEVER)).defaultBranch, 'main');
  const { commit, directory, release, ...rest } = await fetchBranch(
    known,
    'main',
    LIMITS,
    settings,
    NEVER,
  );
  assert.equal(commit.hash, source.git(['rev-parse', 'main']));
  assert.equal(await readFile(join(directory, 'docs.yaml'), 'utf8'), 'a: 1');
  assert.deepEqual(rest.hostKeys, hostKeys);
  await release();
  assert.deepEqual(await readdir(settings.directory), []);
});

test('a key that the host does not know is refused, and what the host showed is kept', {
  skip,
}, async (t) => {
  const { host, publicKey, repository, settings } = await visitBySsh(t);
  const message = /^localhost refuses the deploy key.*Add its public half to the deploy keys/;
  const ask = () => listBranches(repository, settings, NEVER);
  const { hostKeys } = await failsWith('authentication_failed', message, ask(), settings);
  assert.deepEqual(hostKeys, [await host.hostKey()]);
  await host.authorize(publicKey);
  await ask();
  await host.revokeAll();
  await failsWith('authentication_failed', message, ask(), settings);
  const without = listBranches({ ...repository, credentials: null }, settings, NEVER);
  await failsWith(
    'authentication_failed',
    /lets nobody in without a key\. Use a deploy key/,
    without,
    settings,
  );
});

test('another key of the host than the known one is refused, with its fingerprint', {
  skip,
}, async (t) => {
  const { host, publicKey, repository, settings } = await visitBySsh(t);
  await host.authorize(publicKey);
  const { hostKeys } = await listBranches(repository, settings, NEVER);
  await host.renewHostKey();
  const shown = fingerprint(await host.hostKey());
  const known = { ...repository, hostKeys };
  const error = await failsWith(
    'host_key_changed',
    /^localhost shows another key than before/,
    listBranches(known, settings, NEVER),
    settings,
  );
  assert.ok(error.message.includes(shown), `${error.message} has ${shown}`);
  assert.deepEqual(error.hostKeys, hostKeys, 'the new key is not taken');
  await failsWith(
    'host_key_changed',
    /another key/,
    fetchBranch(known, 'main', LIMITS, settings, NEVER),
    settings,
  );
  const forgotten = await listBranches(repository, settings, NEVER);
  assert.deepEqual(forgotten.hostKeys, [await host.hostKey()]);
});

test('what is no repository, or no ssh, is told apart', { skip }, async (t) => {
  const { host, publicKey, repository, settings } = await visitBySsh(t);
  await host.authorize(publicKey);
  const gone = { ...repository, url: `${host.origin}/nowhere/pets.git` };
  await failsWith(
    'not_found',
    /localhost has no repository nowhere\/pets\.git, or the deploy key may not read it/,
    listBranches(gone, settings, NEVER),
    settings,
  );
  const odd = { ...repository, url: `${host.origin}/it's $(id) "x".git` };
  await failsWith('bad_url', /no spaces/, listBranches(odd, settings, NEVER), settings);
  const quoted = {
    ...repository,
    url: `${host.origin}/it's$(touch\${IFS}${settings.directory}/x)`,
  };
  await failsWith('not_found', /no repository/, listBranches(quoted, settings, NEVER), settings);
  await failsWith(
    'branch_missing',
    /no branch x/,
    fetchBranch(repository, 'x', LIMITS, settings, NEVER),
    settings,
  );
});

test('what is no key of a host is not written among the known ones', { skip }, async (t) => {
  const { repository, settings } = await visitBySsh(t);
  await assert.rejects(
    listBranches({ ...repository, hostKeys: ['x\n* ssh-ed25519 AAAA'] }, settings, NEVER),
    /not a host key/,
  );
  assert.deepEqual(await readdir(settings.directory), []);
});

test('a folder may have any name', { skip }, async (t) => {
  const { host, publicKey, repository, settings } = await visitBySsh(t);
  await host.authorize(publicKey);
  const directory = join(settings.directory, `host%20name 'a' "b" $HOME \\$(id)`);
  await mkdir(directory);
  const { hostKeys } = await listBranches(repository, { ...settings, directory }, NEVER);
  const known = { ...repository, hostKeys };
  const { release } = await fetchBranch(known, 'main', LIMITS, { ...settings, directory }, NEVER);
  await release();
  assert.deepEqual(await readdir(directory), []);
});

test('without ssh it is said what to install', { skip }, async (t) => {
  const { repository, settings } = await visitBySsh(t);
  const { PATH } = process.env;
  const git = `${spawnSync('sh', ['-c', 'command -v git']).stdout}`.trim();
  cleanUp(t, () => {
    process.env.PATH = PATH;
  });
  process.env.PATH = '/nowhere';
  const work = listBranches(repository, { ...settings, git }, NEVER);
  await failsWith('git_missing', /has no ssh\. Install it there/, work, settings);
});
