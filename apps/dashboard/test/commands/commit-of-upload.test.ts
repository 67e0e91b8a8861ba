import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import { serveJson } from '../ci/support/comment-host.ts';
import { makeRepository } from '../ci/support/repository.ts';
import { CI, cannotRun } from '../ci/support/tools.ts';
import { dashboard } from '../support/dashboard-program.ts';
import { createProject, documentTitled, makeToken } from '../support/project.ts';
import { startService } from '../support/service.ts';

// The command and the script for other CIs say the same of a commit, so they have the same tests.

const DOCUMENT = { 'docs/openapi.json': documentTitled('Pets'), 'docs/docs.yaml': 'title: Pets\n' };
const HASH = '9d9cec5b2c4f7e0a9b1c3d5e7f9a1b3c5d7e9f1a';

/** Nothing of the job that runs the tests. */
const NO_JOB = Object.fromEntries(
  [
    ...['GITHUB_SHA', 'GITHUB_EVENT_PATH', 'GITHUB_REF', 'GITHUB_REF_NAME'],
    ...['GITEA_ACTIONS', 'FORGEJO_ACTIONS', 'GITLAB_CI', 'CI_COMMIT_SHA', 'BITBUCKET_COMMIT'],
  ].map((name) => [name, '']),
);

type Env = Record<string, string>;

async function setUp(t: TestContext) {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  await createProject(owner, 'pets');
  const { token } = await makeToken(owner, 'pets');
  const env = {
    ...{ ...NO_JOB, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
    ...{ DASHBOARD_URL: service.origin, DASHBOARD_TOKEN: token, DASHBOARD_PROJECT: 'pets' },
  };
  const sent = async (id: string) => {
    const row = service.db.selectFrom('deploys').select('source_commit').where('id', '=', id);
    return JSON.parse((await row.executeTakeFirstOrThrow()).source_commit ?? 'null');
  };
  /** Deploys by the command and by the script at once; what the dashboard has of the commit, which is the same. */
  return async (
    folder: string,
    path: string,
    more: Env = {},
    options: string[] = [],
    own: Env = {},
  ) => {
    const args = ['deploy', '--project', 'pets', '--json', ...options, path];
    const [command, script] = await Promise.all([
      dashboard(folder, args, { ...env, ...more }),
      runProgram('bash', [join(CI, 'dashboard.sh'), 'deploy', path], folder, {
        ...{ ...env, ...more, ...own },
      }),
    ]);
    assert.equal(command.code, 0, command.stderr);
    assert.equal(script.code, 0, script.stderr);
    const commit = await sent((JSON.parse(command.stdout) as Deploy).id);
    assert.deepEqual(await sent((JSON.parse(script.stdout) as Deploy).id), commit);
    return commit;
  };
}

test('a deploy from a checkout has its commit, without the secret of the remote', {
  skip: cannotRun,
}, async (t) => {
  const deploy = await setUp(t);
  const { folder, git } = await makeRepository(t, DOCUMENT);
  const hash = await git('rev-parse', 'HEAD');
  await git('commit', '--quiet', '--amend', '-m', 'Описать 猫 "и" собак\n\nMore.');
  const amended = await git('rev-parse', 'HEAD');
  assert.notEqual(amended, hash);

  const local = { hash: amended, author: 'Ada', message: 'Описать 猫 "и" собак', branch: 'main' };
  assert.deepEqual(
    await deploy(folder, 'docs'),
    { ...local, repository: null },
    'a path has no page',
  );
  await git('remote', 'set-url', 'origin', 'https://ada:ghp_secret@github.com/ada/pets.git');
  const repository = {
    url: 'https://github.com/ada/pets',
    host: 'github',
    folder: 'docs',
    isPublic: false,
  };
  assert.deepEqual(await deploy(folder, 'docs'), { ...local, repository });
  assert.deepEqual(await deploy(join(folder, 'docs'), 'openapi.json'), { ...local, repository });
});

test('a commit has the branch that is checked out, if any, and a folder that it knows', {
  skip: cannotRun,
}, async (t) => {
  const deploy = await setUp(t);
  const { folder, git } = await makeRepository(t, DOCUMENT);
  await git('commit', '--quiet', '--amend', '-m', 'Change');
  const hash = await git('rev-parse', 'HEAD');
  await git('remote', 'set-url', 'origin', 'git@git.example.com:ada/pets.git');
  await git('switch', '--quiet', '--create', 'feature/ü');
  assert.deepEqual(await deploy(folder, '.'), {
    ...{ hash, author: 'Ada', message: 'Change', branch: 'feature/ü' },
    repository: {
      url: 'https://git.example.com/ada/pets',
      host: null,
      folder: '',
      isPublic: false,
    },
  });
  await git('switch', '--quiet', '--detach');
  assert.equal((await deploy(folder, 'docs')).branch, null);

  await mkdir(join(folder, 'build'));
  await writeFile(join(folder, 'build/openapi.json'), documentTitled('Made'));
  assert.equal((await deploy(folder, 'build')).repository.folder, null, 'no file of the commit');
  assert.equal((await deploy(folder, 'build/openapi.json')).repository.folder, null);
});

test('options and variables say it otherwise, and nothing fails where nobody knows', {
  skip: cannotRun,
}, async (t) => {
  const deploy = await setUp(t);
  const plain = await temporaryFolder(t);
  await writeFile(join(plain, 'openapi.json'), documentTitled('Pets'));
  assert.equal(await deploy(plain, 'openapi.json'), null);
  const { folder, git } = await makeRepository(t, DOCUMENT);
  assert.equal(
    await deploy(folder, 'docs', {}, ['--no-commit'], { DASHBOARD_COMMIT: 'none' }),
    null,
  );
  const said = {
    ...{ DASHBOARD_COMMIT: HASH, DASHBOARD_COMMIT_AUTHOR: 'Eve', DASHBOARD_COMMIT_MESSAGE: 'It' },
    ...{ DASHBOARD_COMMIT_BRANCH: 'next', DASHBOARD_REPOSITORY: 'https://gitlab.com/a/b' },
    DASHBOARD_REPOSITORY_FOLDER: 'api',
  };
  const options = [
    ...['--commit', HASH, '--commit-author', 'Eve', '--commit-message', 'It'],
    ...['--commit-branch', 'next', '--repository', 'https://gitlab.com/a/b'],
    ...['--repository-folder', 'api'],
  ];
  const repository = {
    url: 'https://gitlab.com/a/b',
    host: 'gitlab',
    folder: 'api',
    isPublic: false,
  };
  for (const [where, path] of [
    [plain, 'openapi.json'],
    [folder, 'docs'],
  ] as const)
    assert.deepEqual(await deploy(where, path, {}, options, said), {
      ...{ hash: HASH, author: 'Eve', message: 'It', branch: 'next', repository },
    });
  await git('commit', '--quiet', '--amend', '-m', 'x'.repeat(100_000));
  assert.match((await deploy(folder, 'docs')).message, /^x{199}…$/);
});

const PAGE = { url: 'https://git.acme.example/ada/pets', folder: 'docs', isPublic: false };

/** A checkout without a branch, as jobs have it, the variables of GitHub's job, and the file of its event. */
async function setUpJob(t: TestContext) {
  const deploy = await setUp(t);
  const { folder, git } = await makeRepository(t, DOCUMENT);
  const head = await git('rev-parse', 'HEAD');
  await git('switch', '--quiet', '--detach');
  const event = join(await temporaryFolder(t), 'event.json');
  const github = {
    ...{ GITHUB_SHA: head, GITHUB_REF: 'refs/heads/main', GITHUB_REF_NAME: 'main' },
    ...{ GITHUB_SERVER_URL: 'https://git.acme.example', GITHUB_REPOSITORY: 'ada/pets' },
    GITHUB_EVENT_PATH: event,
  };
  return { deploy, folder, head, event, github };
}

test("the variables of GitHub's and Gitea's jobs tell the commit", {
  skip: cannotRun,
}, async (t) => {
  const { deploy, folder, head, event, github } = await setUpJob(t);
  await writeFile(event, JSON.stringify({ head_commit: { id: head } }));
  const ada = { hash: head, author: 'Ada', message: 'Change', branch: 'main' };
  const told = await deploy(folder, 'docs', github);
  assert.deepEqual(
    { ...told, message: 'Change' },
    { ...ada, repository: { ...PAGE, host: 'github' } },
  );
  const gitea = await deploy(folder, 'docs', { ...github, GITEA_ACTIONS: 'true' });
  assert.equal(gitea.repository.host, 'gitea');
  const tag = { ...github, GITHUB_REF: 'refs/tags/v1', GITHUB_REF_NAME: 'v1' };
  assert.equal((await deploy(folder, 'docs', tag)).branch, null, 'a tag cannot be edited');
});

test("a job's variables tell the commit of a pull request, and nothing of another checkout", {
  skip: cannotRun,
}, async (t) => {
  const { deploy, folder, head, event, github } = await setUpJob(t);
  const fork = { html_url: 'https://github.com/eve/pets', private: false };
  const pull = { head: { sha: HASH, ref: 'fix', repo: fork } };
  await writeFile(event, JSON.stringify({ pull_request: pull }));
  assert.deepEqual(await deploy(folder, 'docs', github), {
    ...{ hash: HASH, author: null, message: null, branch: 'fix' },
    repository: {
      url: 'https://github.com/eve/pets',
      host: 'github',
      folder: 'docs',
      isPublic: true,
    },
  });
  await writeFile(event, 'no JSON');
  assert.equal((await deploy(folder, 'docs', github)).hash, head);
  const elsewhere = await deploy(folder, 'docs', { ...github, GITHUB_SHA: HASH });
  assert.deepEqual([elsewhere.hash, elsewhere.repository], [head, null], 'another checkout');

  const plain = await temporaryFolder(t);
  await writeFile(join(plain, 'openapi.json'), documentTitled('Pets'));
  await writeFile(
    event,
    JSON.stringify({ head_commit: { id: HASH, message: 'One\n\nTwo', author: { name: 'Eve' } } }),
  );
  const pushed = await deploy(plain, 'openapi.json', { ...github, GITHUB_SHA: HASH });
  assert.deepEqual([pushed.author, pushed.message], ['Eve', 'One']);
});

test("the variables of GitLab's and Bitbucket's jobs tell the commit", {
  skip: cannotRun,
}, async (t) => {
  const { deploy, folder, head } = await setUpJob(t);
  const gitlab = {
    ...{ GITLAB_CI: 'true', CI_COMMIT_SHA: head, CI_COMMIT_BRANCH: 'main' },
    CI_PROJECT_URL: 'https://git.acme.example/ada/pets',
  };
  const main = await deploy(folder, 'docs', gitlab);
  assert.deepEqual([main.branch, main.repository], ['main', { ...PAGE, host: 'gitlab' }]);
  const open = { ...gitlab, CI_PROJECT_VISIBILITY: 'public' };
  assert.equal((await deploy(folder, 'docs', open)).repository.isPublic, true);
  const merge = await deploy(folder, 'docs', {
    ...{ ...gitlab, CI_COMMIT_BRANCH: '', CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: HASH },
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'fix',
    CI_MERGE_REQUEST_SOURCE_PROJECT_URL: 'https://git.acme.example/eve/pets',
  });
  assert.deepEqual([merge.hash, merge.branch], [HASH, 'fix']);
  assert.equal(merge.repository.url, 'https://git.acme.example/eve/pets');

  const bitbucket = await deploy(folder, 'docs', {
    ...{ BITBUCKET_COMMIT: head, BITBUCKET_BRANCH: 'main' },
    BITBUCKET_GIT_HTTP_ORIGIN: 'http://bitbucket.org/ada/pets',
  });
  assert.deepEqual(bitbucket.repository, {
    ...{
      url: 'https://bitbucket.org/ada/pets',
      host: 'bitbucket',
      folder: 'docs',
      isPublic: false,
    },
  });
});

test('the secret of a remote does not leave the machine', { skip: cannotRun }, async (t) => {
  const { folder, git } = await makeRepository(t, DOCUMENT);
  await git('remote', 'set-url', 'origin', 'https://ada:ghp_secret@github.com/ada/pets.git');
  const told: URLSearchParams[] = [];
  const uploadLimits = { bytes: 1e6, unpackedBytes: 1e6, files: 100 };
  const url = await serveJson(t, ({ method, query }) => {
    if (method === 'GET') return { status: 200, body: { uploadLimits } };
    told.push(query);
    return { status: 401, body: { code: 'unauthorized', message: 'No.', status: 401 } };
  });
  const env = { ...NO_JOB, DASHBOARD_URL: url, DASHBOARD_TOKEN: 'x', DASHBOARD_PROJECT: 'pets' };
  await dashboard(folder, ['deploy', '--project', 'pets', 'docs'], env);
  await runProgram('bash', [join(CI, 'dashboard.sh'), 'deploy', 'docs'], folder, env);
  assert.equal(told.length, 2);
  for (const query of told) {
    assert.match(query.get('repository') ?? '', /^https:\/\/github\.com\/ada\/pets/);
    assert.doesNotMatch(`${query}`, /secret/);
  }
});
