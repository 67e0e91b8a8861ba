import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { parse } from 'yaml';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import { json } from '../support/service.ts';
import { readAction } from './support/action-runner.ts';
import { ACTION, BREAKING, errorsOf, OLD, petsOnGithub, SAFE } from './support/pets-on-github.ts';
import { CI, cannotRun } from './support/tools.ts';

const DOCS = 'title: Pets\nopenapi: api.yaml\n';

test('a pull request has a preview at the lasting address of its branch, and one comment, which later runs renew', {
  skip: cannotRun,
}, async (t) => {
  const { github, repository, pullRequest, page, service, owner } = await petsOnGithub(t);
  const hash = await repository.commit('feature', {
    'openapi.yaml': BREAKING.replace('summary: List', 'sumary: List'),
  });
  const first = await pullRequest({ branch: 'feature', action: 'opened' });
  assert.ok(first.succeeded, first.log);
  const { url = '', state, breaking, risky, deploy } = first.outputs;
  assert.deepEqual([state, breaking, risky], ['succeeded', '1', '0']);
  assert.match(url, /^http:\/\/pets--feature-\w+\.docs\.localhost/);
  assert.equal((await page(url, '/openapi.json')).status, 200);
  assert.equal((await page(service.addresses.site('pets'))).status, 404);
  const made = await owner.call('GET', `/api/projects/pets/deploys/${deploy}`);
  const { commit } = await json<Deploy>(made);
  assert.deepEqual(
    [commit?.hash, commit?.author, commit?.message, commit?.branch],
    [hash, 'Ada', 'Changes openapi.yaml', 'feature'],
    'the commit of the branch, and not its merge',
  );
  assert.match(commit?.url ?? '', new RegExp(`/ada/pets/commit/${hash}$`));

  assert.equal(github.comments.length, 1);
  const { body = '', id } = github.comments[0] ?? {};
  assert.match(first.outputs['comment-url'] ?? '', new RegExp(`issuecomment-${id}$`));
  assert.match(body, /^<!-- dashboard: pets -->\n/);
  assert.ok(body.includes(`**Preview:** ${url}`), body);
  assert.ok(body.includes(`[Deploy 1](${service.origin}/projects/pets/deploys/${deploy})`), body);
  assert.match(body, /#### Warnings \(1\)[\s\S]*\| `[^`]*sumary[^`]*` \| `openapi\.yaml:\d+` \|/);
  assert.match(body, /### Breaking \(1\)[\s\S]*`DELETE \/pets`.*was removed.*`openapi\.yaml:\d+`/);
  assert.ok(!body.includes('.dashboard-base'), body);
  assert.equal(first.summary, body);
  assert.deepEqual(
    errorsOf(first).map((message) => message.replace(/:.*/, '')),
    ['DELETE /pets'],
  );

  await repository.commit('feature', { 'openapi.yaml': SAFE });
  const second = await pullRequest({ branch: 'feature' });
  assert.ok(second.succeeded, second.log);
  assert.equal(second.outputs.url, url);
  assert.equal(github.comments.length, 1);
  const [renewed] = github.comments;
  assert.equal(renewed?.edits, 1);
  assert.match(renewed?.body ?? '', /\[Deploy 2\][\s\S]*1 of documentation/);
  assert.doesNotMatch(renewed?.body ?? '', /Breaking|Warnings/);
});

test('a closed pull request has no preview any more, and its comment says so', {
  skip: cannotRun,
}, async (t) => {
  const { github, repository, pullRequest, page } = await petsOnGithub(t);
  await repository.commit('feature', { 'openapi.yaml': SAFE });
  const early = await pullRequest({ branch: 'feature', action: 'closed' });
  assert.ok(early.succeeded, early.log);
  assert.equal(github.comments.length, 0);

  const { outputs } = await pullRequest({ branch: 'feature', action: 'opened' });
  assert.equal((await page(outputs.url ?? '', '/openapi.json')).status, 200);
  for (const _ of [1, 2]) {
    const closed = await pullRequest({ branch: 'feature', action: 'closed' });
    assert.ok(closed.succeeded, closed.log);
    assert.equal(closed.outputs.state, 'ended');
    assert.equal((await page(outputs.url ?? '', '/openapi.json')).status, 404);
    assert.equal(github.comments.length, 1);
    assert.match(github.comments[0]?.body ?? '', /^<!-- dashboard: pets -->\n[\s\S]*has ended/);
    assert.ok(!github.comments[0]?.body.includes(outputs.url ?? ''));
  }
});

test('what is on the live branch goes live, as a version too, and other branches have previews', {
  skip: cannotRun,
}, async (t) => {
  const { github, repository, push, page, service } = await petsOnGithub(t);
  const before = await repository.git('rev-parse', 'main');
  const first = await push('main', '0'.repeat(40));
  assert.ok(first.succeeded, first.log);
  assert.equal(first.outputs.url, service.addresses.site('pets'));
  assert.equal(first.outputs.breaking, '');
  assert.equal((await page(first.outputs.url ?? '', '/openapi.json')).status, 200);

  // What breaks is on the branch already: a failure would only keep it from its readers.
  await repository.commit('main', { 'openapi.yaml': BREAKING });
  const second = await push('main', before, { 'fail-on': 'breaking' });
  assert.ok(second.succeeded, second.log);
  assert.deepEqual([second.outputs.breaking, second.outputs.state], ['1', 'succeeded']);
  assert.match(second.summary, /\*\*Live:\*\* http[\s\S]*was removed/);
  assert.deepEqual(errorsOf(second), []);
  assert.doesNotMatch((await page(first.outputs.url ?? '', '/openapi.json')).text, /removePets/);

  await repository.commit('next', { 'openapi.yaml': SAFE });
  const other = await push('next', '0'.repeat(40), { version: 'v2' });
  assert.match(other.outputs.url ?? '', /^http:\/\/pets--next-/, other.log);
  const version = await push('next', '0'.repeat(40), { version: 'v2', 'live-branch': 'next' });
  assert.match(version.outputs.url ?? '', /^http:\/\/pets\.docs\.localhost:\d+\/v2$/, version.log);
  assert.equal(github.comments.length, 0);
});

test('a deploy that is held back is a warning with the way to confirm it', {
  skip: cannotRun,
}, async (t) => {
  const { owner, repository, push, page } = await petsOnGithub(t);
  const before = await repository.git('rev-parse', 'main');
  const { outputs } = await push('main', '0'.repeat(40), { compare: 'false' });
  await json(await owner.call('PATCH', '/api/projects/pets', { holdBreaking: true }));
  await repository.commit('main', { 'openapi.yaml': BREAKING });
  const held = await push('main', before, { compare: 'false' });
  assert.ok(held.succeeded, held.log);
  assert.equal(held.outputs.state, 'held');
  const [warning] = held.commands.filter(({ name }) => name === 'warning');
  assert.match(
    warning?.message ?? '',
    /until an owner confirms it: http\S+\/projects\/pets\/deploys\//,
  );
  assert.match(held.summary, /\*\*Held back\*\*/);
  assert.match((await page(outputs.url ?? '', '/openapi.json')).text, /removePets/);
});

test('a pull request of a fork, and one of Dependabot, is compared, and has no preview and no comment', {
  skip: cannotRun,
}, async (t) => {
  const { github, repository, pullRequest, owner } = await petsOnGithub(t);
  await repository.commit('feature', { 'openapi.yaml': BREAKING });
  for (const who of [
    // A token that a fork got hold of is not used for it either.
    { fromFork: true },
    { actor: 'dependabot[bot]', inputs: { token: '' } },
  ]) {
    const run = await pullRequest({ branch: 'feature', ...who });
    assert.ok(run.succeeded, run.log);
    assert.deepEqual([run.outputs.state, run.outputs.breaking], ['skipped', '1']);
    assert.match(run.summary, /Breaking \(1\)/);
    assert.ok(
      run.commands.some(({ name, message }) => name === 'notice' && /secrets/.test(message)),
    );
    const strict = await pullRequest({
      ...{ branch: 'feature', ...who },
      inputs: { ...who.inputs, 'fail-on': 'breaking' },
    });
    assert.ok(!strict.succeeded);
    const closed = await pullRequest({ branch: 'feature', action: 'closed', ...who });
    assert.ok(closed.succeeded, closed.log);
  }
  const { items } = await json<{ items: Deploy[] }>(
    await owner.call('GET', '/api/projects/pets/deploys'),
  );
  assert.deepEqual([items.length, github.comments.length], [0, 0]);

  const own = await pullRequest({ branch: 'feature', inputs: { token: '' } });
  assert.ok(!own.succeeded);
  assert.match(
    errorsOf(own).join(),
    /Nothing was deployed\..*DASHBOARD_TOKEN must be an API token/,
  );
  const target = await pullRequest({ branch: 'feature', eventName: 'pull_request_target' });
  assert.match(errorsOf(target).join(), /Use the event pull_request\./);
});

test('fail-on fails the job after the preview and the comment are there', {
  skip: cannotRun,
}, async (t) => {
  const { github, repository, pullRequest } = await petsOnGithub(t, {
    'docs/docs.yaml': DOCS,
    'docs/api.yaml': OLD,
  });
  const inputs = { path: 'docs', 'fail-on': 'breaking' };
  await repository.commit('feature', { 'docs/api.yaml': BREAKING });
  const failed = await pullRequest({ branch: 'feature', inputs });
  assert.ok(!failed.succeeded);
  assert.equal(failed.outputs.state, 'succeeded');
  assert.match(errorsOf(failed).join('\n'), /fail-on breaking: the API has 1 such change/);
  assert.match(github.comments[0]?.body ?? '', /\*\*Preview:\*\*[\s\S]*Breaking \(1\)/);

  const exception = `${DOCS}changes:\n  exceptions:\n    - code: operation-removed\n      reason: Nobody calls it.\n      until: 2999-12-31\n`;
  await repository.commit('feature', { 'docs/docs.yaml': exception });
  const allowed = await pullRequest({ branch: 'feature', inputs });
  assert.ok(allowed.succeeded, allowed.log);
  assert.equal(allowed.outputs.breaking, '0');

  // What cannot be compared passes for nothing.
  await repository.commit('main', { 'docs/api.yaml': 'openapi: [' });
  await repository.git('checkout', '--quiet', 'feature');
  await repository.git('merge', '--quiet', '-X', 'ours', '-m', 'Merge', 'main');
  await repository.commit('feature', { 'docs/api.yaml': SAFE });
  const unknown = await pullRequest({ branch: 'feature', inputs });
  assert.ok(!unknown.succeeded);
  assert.match(errorsOf(unknown).join('\n'), /could not be compared/);
  assert.match(github.comments[0]?.body ?? '', /Not compared: .*docs\/api\.yaml/);
  assert.ok((await pullRequest({ branch: 'feature', inputs: { path: 'docs' } })).succeeded);
});

test('a deploy that fails fails the job, and the comment says why', {
  skip: cannotRun,
}, async (t) => {
  const { github, repository, pullRequest, page } = await petsOnGithub(t);
  await repository.commit('feature', { 'openapi.yaml': SAFE });
  const { outputs } = await pullRequest({ branch: 'feature' });
  await repository.commit('feature', { 'openapi.yaml': `${SAFE}  - broken: [\n` });
  const failed = await pullRequest({ branch: 'feature' });
  assert.ok(!failed.succeeded);
  assert.equal(failed.outputs.state, 'failed');
  const body = github.comments[0]?.body ?? '';
  assert.match(
    body,
    /\*\*The deploy failed\.\*\*[\s\S]*#### Errors \(\d\)[\s\S]*openapi\.yaml:\d+/,
  );
  assert.equal((await page(outputs.url ?? '', '/openapi.json')).status, 200);
});

test('only what the branch changes is told, whatever was merged meanwhile and however it is checked out', {
  skip: cannotRun,
}, async (t) => {
  const { repository, pullRequest } = await petsOnGithub(t, { 'openapi.yaml': BREAKING });
  await repository.commit('feature', { 'README.md': 'Text' });
  // Beside this the branch seems to remove something.
  await repository.commit('main', { 'openapi.yaml': OLD });
  for (const checkout of [
    { depth: 0 },
    { depth: 1 },
    { depth: 2 },
    { depth: 0, head: true },
    { depth: 1, head: true },
  ]) {
    const run = await pullRequest({ branch: 'feature', checkout, fromFork: true });
    assert.deepEqual([run.succeeded, run.outputs.breaking], [true, '0'], run.log);
  }
  const inputs = { path: 'README.md' };
  const added = await pullRequest({ branch: 'feature', fromFork: true, inputs });
  assert.match(added.summary, /the base does not have it yet/);
});

test('names and texts of strangers are never run, and command nothing', {
  skip: cannotRun,
}, async (t) => {
  const { github, repository, pullRequest } = await petsOnGithub(t);
  const branch = `$(touch$IFS\`\`pwned)\`touch$IFS\`";touch$IFS''pwned;'&|<x>-ü`;
  const evil =
    '@ada | ` </details> ::error::evil ##[error]evil ##[set-output name=url]https://evil.example';
  const document = {
    ...{ openapi: '3.1.0', info: { title: evil, version: '1' } },
    paths: {
      '/pets': { $ref: `#/${evil}` },
      '/dogs': { get: { summary: evil, [`::error::evil ${evil}`]: 1, responses: {} } },
    },
  };
  await repository.commit(branch, { 'openapi.yaml': JSON.stringify(document, undefined, 1) });
  const run = await pullRequest({ branch, title: '"; touch pwned; "' });
  assert.ok(run.succeeded, run.log);
  assert.match(run.outputs.url ?? '', /^http:\/\/pets--touch-ifs-/);
  for (const folder of [repository.folder, ACTION, CI])
    assert.ok(!(await readdir(folder)).includes('pwned'), folder);
  // Those of `dashboard diff` alone are commands.
  for (const { name, properties, message } of run.commands) {
    assert.ok(
      name === 'notice' || /^file=openapi\.yaml,(line=\d+,)?title=[\w-]+$/.test(properties),
      `${name} ${properties} ${message}`,
    );
  }
  const { body = '' } = github.comments[0] ?? {};
  const withoutCode = body.replace(/`[^`\n]*`/g, '');
  assert.doesNotMatch(withoutCode, /@ada|evil|<\/details> /);
  assert.match(body, /#### Warnings[\s\S]*evil[\s\S]*\*\*API changes/);

  // A branch with a longer name than previews have.
  const long = `feature/${'ü'.repeat(110)}`;
  await repository.commit(long, { 'openapi.yaml': SAFE });
  await repository.commit(`${long}2`, { 'openapi.yaml': SAFE });
  const [one, other] = [
    await pullRequest({ branch: long }),
    await pullRequest({ branch: `${long}2` }),
  ];
  assert.ok(one.succeeded && other.succeeded, one.log + other.log);
  assert.notEqual(one.outputs.url, other.outputs.url);
  assert.ok((await pullRequest({ branch: long, action: 'closed' })).succeeded);
});

test("the comment is found behind hundreds of others, and somebody else's is never taken for it", {
  skip: cannotRun,
}, async (t) => {
  const { github, repository, pullRequest } = await petsOnGithub(t);
  await repository.commit('feature', { 'openapi.yaml': SAFE });
  const mark = '<!-- dashboard: pets -->';
  github.add(7, 'mallory', `${mark}\n**Preview:** https://evil.example`);
  for (let made = 0; made < 150; made++) github.add(7, 'eve', `Comment ${made}`);
  github.add(7, 'github-actions[bot]', `<!-- dashboard: pets-2 -->\nOf another project`);
  github.add(7, 'github-actions[bot]', `A word, then ${mark}`);
  const others = github.comments.length;
  const strangers = structuredClone(github.comments);
  assert.ok((await pullRequest({ branch: 'feature' })).succeeded);
  assert.ok((await pullRequest({ branch: 'feature' })).succeeded);
  assert.equal(github.comments.length, others + 1);
  assert.equal(github.comments[others]?.edits, 1);
  assert.deepEqual(github.comments.slice(0, others), strangers);
});

test('a comment has as much as GitHub takes', { skip: cannotRun }, async (t) => {
  const paths = Object.fromEntries(
    Array.from({ length: 900 }, (_, at) => [
      `/${'a-long-path/'.repeat(20)}${at}`,
      { get: { sumary: 'x', operationId: `o${at}`, responses: { 200: { description: 'x' } } } },
    ]),
  );
  const document = { openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths };
  // Places are as long as names of files may be.
  const api = `${'a-long-name-'.repeat(15)}.json`;
  const files = (changed: object) => ({
    'docs/docs.yaml': `title: Pets\nopenapi: ${api}\n`,
    [`docs/${api}`]: JSON.stringify({ ...document, ...changed }),
  });
  const { github, repository, pullRequest } = await petsOnGithub(t, files({}));
  const first = Object.fromEntries(Object.entries(paths).slice(0, 100));
  await repository.commit('feature', files({ paths: first }));
  const run = await pullRequest({ branch: 'feature', inputs: { path: 'docs' } });
  assert.ok(run.succeeded, run.log);
  const { body = '' } = github.comments[0] ?? {};
  assert.ok(body.length > 50_000 && body.length <= 65_536, `${body.length}`);
  assert.match(
    body,
    /#### Warnings[\s\S]*more, on the page of the deploy[\s\S]*Breaking \(800\)[\s\S]*in the log of the job\.\n$/,
  );
});

test('what is refused says what to do', { skip: cannotRun }, async (t) => {
  const { github, repository, pullRequest } = await petsOnGithub(t);
  await repository.commit('feature', { 'openapi.yaml': SAFE });
  const refused = async (inputs: Record<string, string>, message: RegExp) => {
    const run = await pullRequest({ branch: 'feature', inputs: { compare: 'false', ...inputs } });
    assert.ok(!run.succeeded);
    assert.match(errorsOf(run).join('\n'), message, run.log);
  };
  await refused({ path: 'absent.yaml' }, /no file or folder absent\.yaml/);
  await refused({ 'fail-on': 'anything' }, /fail-on must be breaking or risky/);
  await refused({ 'fail-on': 'risky', compare: 'false' }, /fail-on needs compare: true/);
  await refused({ token: `dash_${'a'.repeat(43)}` }, /Nothing was deployed\. .*token/i);
  await refused({ token: 'a b' }, /DASHBOARD_TOKEN must be an API token/);
  await refused({ project: 'absent' }, /Nothing was deployed\./);
  await refused({ project: '../x' }, /must be a project's slug/);
  await refused({ url: 'http://127.0.0.1:1' }, /Nothing was deployed\. .*cannot be reached/);
  github.refuseWith = 403;
  await refused({}, /GitHub refuses the comment \(403\)\. .*pull-requests: write/);
});

test('the command is installed from the checkout of the action, and only where it is needed', {
  skip: cannotRun,
}, async (t) => {
  const folder = await temporaryFolder(t);
  await cp(CI, join(folder, 'deploy/ci'), { recursive: true });
  await writeFile(join(folder, 'npm'), '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.called"\n');
  await chmod(join(folder, 'npm'), 0o755);
  const install = (COMPARE: string) =>
    runProgram('bash', [join(folder, 'deploy/ci/github/install.sh')], folder, {
      ...{ COMPARE, GITHUB_ACTION_PATH: join(folder, 'deploy/ci/github') },
      PATH: `${folder}:/usr/bin:/bin`,
    });
  const alone = await install('true');
  assert.equal(alone.code, 1);
  assert.match(alone.stdout, /lacks the repository around it/);

  await cp(join(CI, '../../package-lock.json'), join(folder, 'package-lock.json'));
  assert.equal((await install('false')).code, 0);
  assert.ok(!existsSync(join(folder, 'npm.called')));
  assert.equal((await install('true')).code, 0);
  const called = (await readFile(join(folder, 'npm.called'), 'utf8')).split('\n');
  assert.deepEqual(called.slice(0, 3), ['ci', '--prefix', folder]);
  assert.ok(called.includes('--ignore-scripts'));

  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  await writeFile(join(folder, 'node_modules/.bin/dashboard'), '', { mode: 0o755 });
  await writeFile(join(folder, 'npm'), '#!/bin/sh\nexit 9\n');
  assert.equal((await install('true')).code, 0);
});

test('no script of the action has an expression, and the workflow to copy fits it', async () => {
  const { inputs, runs } = await readAction(ACTION);
  for (const { run } of runs.steps) assert.doesNotMatch(run, /\$\{\{/);
  const workflow = parse(await readFile(join(ACTION, 'workflow.yml'), 'utf8'));
  assert.deepEqual(workflow.on.pull_request.types, ['opened', 'synchronize', 'reopened', 'closed']);
  assert.deepEqual(workflow.permissions, { contents: 'read', 'pull-requests': 'write' });
  const [checkout, action] = workflow.jobs.docs.steps;
  assert.equal(checkout.with['fetch-depth'], 0);
  assert.match(action.uses, /^[\w-]+\/[\w-]+\/deploy\/ci\/github@\w+$/);
  for (const name of Object.keys(action.with)) assert.ok(inputs[name], name);
  for (const [name, { required }] of Object.entries(inputs))
    assert.ok(!required || name in action.with, name);
});
