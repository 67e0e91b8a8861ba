import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runProgram } from '@petstore/test-support/program.ts';
import { parse } from 'yaml';
import { getFromEdge } from '../support/dashboard-program.ts';
import { createProject, makeToken } from '../support/project.ts';
import { startService } from '../support/service.ts';
import { playGitlab, TOKEN } from './support/played-gitlab.ts';
import { makeRepository } from './support/repository.ts';
import { CI, cannotRun } from './support/tools.ts';

const OLD = `openapi: 3.1.0
info: { title: Pets, version: '1' }
paths:
  /pets:
    get: { summary: List, operationId: list, responses: { '200': { description: Pets } } }
    delete: { summary: Remove, operationId: remove, responses: { '204': { description: Gone } } }
`;
const BREAKING = OLD.replace(/ {4}delete.*\n/, '');

interface Job {
  readonly extends?: string;
  readonly script?: readonly string[];
  readonly before_script?: readonly string[];
  readonly variables?: Record<string, string>;
  readonly rules?: readonly { readonly if: string }[];
  readonly environment?: Record<string, string>;
  readonly artifacts?: { readonly reports: Record<string, string> };
}

const readJobs = async (): Promise<Record<string, Job>> =>
  parse(await readFile(join(CI, 'gitlab/docs.gitlab-ci.yml'), 'utf8'));

/** Where the jobs have this repository. */
const TOOLS = '/opt/dashboard/deploy/ci';

async function setUp(t: TestContext) {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  await createProject(owner, 'pets');
  const { token } = await makeToken(owner, 'pets');
  const gitlab = await playGitlab(t);
  const repository = await makeRepository(t, { 'openapi.yaml': OLD });
  const jobs = await readJobs();

  /** Runs what a job runs after it has installed the command, as GitLab's runner does. */
  const run = async (name: string, branch: string, env: Record<string, string> = {}) => {
    const job = jobs[name];
    const scripts = job?.script?.filter((line) => !line.startsWith('npm ')) ?? [];
    assert.ok(scripts.length > 0);
    const workspace =
      name === 'docs:live'
        ? await repository.checkoutBranch(branch, 1)
        : await repository.checkoutPullRequest(branch, { depth: 1, head: true });
    const variables = { ...jobs['.docs']?.variables, ...job?.variables };
    const script = scripts.join('\n').replaceAll(TOOLS, CI);
    const outcome = await runProgram('bash', ['-eo', 'pipefail', '-c', script], workspace.folder, {
      ...variables,
      ...{ DASHBOARD_URL: service.origin, DASHBOARD_PROJECT: 'pets', DASHBOARD_TOKEN: token },
      ...{ GITLAB_TOKEN: TOKEN, CI_API_V4_URL: gitlab.api, CI_PROJECT_ID: '3' },
      CI_COMMIT_SHA: workspace.commit,
      CI_MERGE_REQUEST_IID: '7',
      CI_MERGE_REQUEST_PROJECT_ID: '3',
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '3',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: branch,
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      ...env,
    });
    const log = `${outcome.stdout}${outcome.stderr}`;
    for (const secret of [token, TOKEN]) assert.ok(!log.includes(secret), 'a secret in the log');
    const file = (path: string) => readFile(join(workspace.folder, path), 'utf8');
    return { code: outcome.code, log, file };
  };
  return { service, gitlab, repository, jobs, run };
}

test('a merge request has a preview, one note, and its changes in the code quality report', {
  skip: cannotRun,
}, async (t) => {
  const { service, gitlab, repository, jobs, run } = await setUp(t);
  const branch = '$(touch$IFS`pwned`)\';"x';
  await repository.commit(branch, { 'openapi.yaml': BREAKING });
  const mark = '<!-- dashboard: pets -->';
  gitlab.add(1, `${mark}\nhttps://evil.example`);
  for (let made = 0; made < 120; made++) gitlab.add(1, `Note ${made}`);
  const others = gitlab.notes.length;

  const first = await run('docs', branch);
  assert.equal(first.code, 0, first.log);
  const [, url = ''] = /^DOCS_URL=(http:\S+)\n$/.exec(await first.file('docs.env')) ?? [];
  const { hostname } = new URL(url);
  assert.equal((await getFromEdge(service.edgePort, hostname, '/openapi.json')).status, 200);
  assert.equal(gitlab.notes.length, others + 1);
  const note = gitlab.notes[others];
  assert.ok(note?.body.startsWith(`${mark}\n`), note?.body);
  assert.match(note?.body ?? '', /\*\*Preview:\*\* http[\s\S]*Breaking \(1\)/);

  const { codequality = '', dotenv } = jobs.docs?.artifacts?.reports ?? {};
  assert.equal(dotenv, 'docs.env');
  const [problem] = JSON.parse(await first.file(codequality));
  assert.deepEqual(
    [problem.check_name, problem.severity, problem.location.path],
    ['operation-removed', 'critical', 'openapi.yaml'],
  );

  const strict = await run('docs', branch, { FAIL_ON: 'breaking' });
  assert.equal(strict.code, 1);
  assert.match(strict.log, /FAIL_ON breaking: the API has 1 such change/);
  assert.deepEqual([gitlab.notes.length, note?.edits], [others + 1, 1]);

  for (const _ of [1, 2]) {
    const ended = await run('docs:end', branch);
    assert.equal(ended.code, 0, ended.log);
    assert.equal((await getFromEdge(service.edgePort, hostname, '/openapi.json')).status, 404);
    assert.match(note?.body ?? '', /has ended/);
  }
  assert.equal(gitlab.notes[0]?.edits, 0);
});

test('a merge request of a fork is compared alone, and what is merged goes live', {
  skip: cannotRun,
}, async (t) => {
  const { service, gitlab, repository, run } = await setUp(t);
  await repository.commit('feature', { 'openapi.yaml': BREAKING });
  const env = { DASHBOARD_TOKEN: '', GITLAB_TOKEN: '', CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '9' };
  const fork = await run('docs', 'feature', env);
  assert.equal(fork.code, 0, fork.log);
  assert.match(await fork.file('gl-code-quality-report.json'), /operation-removed/);
  assert.match(fork.log, /forks have no secrets/);
  assert.equal(gitlab.notes.length, 0);

  const refused = await run('docs', 'feature', { GITLAB_TOKEN: 'ended' });
  assert.equal(refused.code, 1);
  assert.match(refused.log, /GitLab refuses the note \(401\)\. .*scope api/);

  const live = await run('docs:live', 'main');
  assert.equal(live.code, 0, live.log);
  assert.equal((await getFromEdge(service.edgePort, 'pets.docs.localhost')).status, 200);
});

test('the jobs have what they run, and one preview ends the other', async () => {
  const jobs = await readJobs();
  const scripts = Object.values(jobs).flatMap(({ script = [] }) => script.join('\n'));
  for (const [, path = ''] of scripts.join('\n').matchAll(/\/opt\/dashboard\/deploy\/ci\/(\S+)/g))
    assert.ok((await readFile(join(CI, path), 'utf8')).startsWith('#!/usr/bin/env bash\n'), path);
  assert.equal(jobs.docs?.environment?.on_stop, 'docs:end');
  assert.equal(jobs['docs:end']?.environment?.action, 'stop');
  assert.equal(jobs['docs:end']?.environment?.name, jobs.docs?.environment?.name);
  assert.deepEqual(jobs['docs:end']?.rules?.[0]?.if, jobs.docs?.rules?.[0]?.if);
});
