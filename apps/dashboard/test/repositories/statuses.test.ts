import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { WITHOUT_GIT } from '@petstore/test-support/git-hosts/requirements.ts';
import { makeTestRepository } from '@petstore/test-support/git-hosts/test-repository.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { Ajv } from 'ajv';
import { statusRequest } from '../../server/src/repositories/statuses/status-request.ts';
import { documentTitled } from '../support/project.ts';
import {
  check,
  connect,
  deploysOf,
  inState,
  readRepository,
  startGitWorld,
} from './support/repositories.ts';

const skip = WITHOUT_GIT;

/** An operation of GitHub's own document. `x-source` says where it is from. */
const DOCUMENT = JSON.parse(
  readFileSync(new URL('fixtures/github-statuses.json', import.meta.url), 'utf8'),
);
const GITHUB = '/repos/{owner}/{repo}/statuses/{sha}';

interface Told {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, string>;
}

/** A host of git that takes commit statuses, too. `status`: what it answers. */
async function startHost(t: TestContext, api: string) {
  const world = await startGitWorld(t);
  const repository = makeTestRepository(world.folder, 'ada/pets.git');
  repository.commit({ 'openapi.json': documentTitled('Pets') });
  const told: Told[] = [];
  const answers = { status: 201, body: '{}' };
  world.host.credentials = 'ada:secret-token';
  world.host.answer = (request, response) => {
    const { url: path = '', headers } = request;
    if (!path.startsWith(api)) return false;
    void text(request).then((body) => {
      told.push({ path, headers, body: JSON.parse(body) });
      response.writeHead(answers.status, { 'content-type': 'application/json' }).end(answers.body);
    });
    return true;
  };
  const input = {
    url: `${world.host.origin}/ada/pets.git`,
    access: 'token' as const,
    ...{ token: 'secret-token', username: 'ada' },
  };
  const states = () => told.map(({ body }) => body.state);
  return { ...world, repository, told, states, answers, input };
}

test('GitHub is told what becomes of each commit, as its document has it', { skip }, async (t) => {
  const { input, repository, root, service, states, told } = await startHost(t, '/api/v3/');
  const head = repository.git(['rev-parse', 'main']);
  const connected = await connect(root, { ...input, provider: 'github' });
  assert.equal(connected.statuses, true);
  await inState(root, 'ok');
  await timeUntil(async () => states().includes('success'));
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const { requestBody } = DOCUMENT.paths[GITHUB].post;
  const validate = ajv.compile(requestBody.content['application/json'].schema);
  for (const { path, headers, body } of told) {
    assert.equal(path, `/api/v3/repos/ada/pets/statuses/${head}`);
    assert.equal(headers.authorization, 'Bearer secret-token');
    assert.ok(validate(body), JSON.stringify(validate.errors));
    assert.equal(body.context, 'docs/pets');
  }
  assert.ok(states().every((state) => ['pending', 'success'].includes(state ?? '')));
  assert.equal(told.at(-1)?.body.target_url, service.addresses.site('pets'));

  const broken = repository.commit({ 'openapi.json': '{"openapi": "3.1.0"' });
  await check(root);
  await timeUntil(async () => states().includes('failure'));
  const failure = told.at(-1);
  assert.ok(failure);
  assert.ok(failure.path.endsWith(broken));
  assert.match(failure.body.description ?? '', /^Deploy #2 failed\. /);
  assert.match(failure.body.target_url ?? '', /\/projects\/pets\/deploys\/\w+$/);
  // A commit that never became a deploy.
  await connect(root, { ...input, provider: 'github', folder: 'none' });
  await inState(root, 'folder_missing');
  await timeUntil(async () => /`none`/.test(told.at(-1)?.body.description ?? ''));
});

test('a host that refuses a commit status is told of, and harms nothing', {
  skip,
}, async (t) => {
  const { answers, input, root, service, states } = await startHost(t, '/api/v4/');
  Object.assign(answers, { status: 403, body: '{"message":"secret-token"}' });
  await connect(root, { ...input, provider: 'gitlab' });
  await inState(root, 'ok');
  await timeUntil(async () => (await readRepository(root)).statusProblem !== null);
  const { statusProblem, state } = await readRepository(root);
  assert.equal(statusProblem?.code, 'status_refused');
  assert.match(statusProblem.message, /403/);
  assert.equal(state.code, 'ok');
  assert.ok((await deploysOf(root))[0]?.live);
  await timeUntil(
    async () => (await service.db.selectFrom('commit_statuses').selectAll().execute()).length === 0,
  );
  const { length } = states();
  // With the right the next one is taken, and the problem is gone.
  Object.assign(answers, { status: 201 });
  await check(root, '?branch=main');
  await inState(root, 'ok');
  await timeUntil(async () => states().length > length && states().at(-1) === 'success');
  await timeUntil(async () => (await readRepository(root)).statusProblem === null);
  assert.doesNotMatch(service.logged.join(''), /secret-token/);
});

test('each host is told by its own interface', () => {
  const status = {
    ...{ commit_hash: 'c0ffee', branch: 'main', state: 'failure' as const },
    ...{ description: 'x'.repeat(200), url: 'https://docs.example.com/' },
  } as const;
  const request = (provider: string, url: string, username: string | null = null) => {
    const made = statusRequest({ provider, url, username }, 'tok', status, 'docs/pets');
    return { ...made, url: made?.url.href };
  };
  const github = request('github', 'https://github.com/ada/pets.git');
  assert.equal(github.url, 'https://api.github.com/repos/ada/pets/statuses/c0ffee');
  assert.equal([...(github.body as { description: string }).description].length, 140);
  assert.equal(
    request('github', 'https://acme.ghe.com/ada/pets').url,
    'https://api.acme.ghe.com/repos/ada/pets/statuses/c0ffee',
  );
  const gitlab = request('gitlab', 'https://gitlab.com/group/sub/pets.git');
  assert.equal(gitlab.url, 'https://gitlab.com/api/v4/projects/group%2Fsub%2Fpets/statuses/c0ffee');
  assert.deepEqual(gitlab.headers, { 'private-token': 'tok' });
  assert.equal((gitlab.body as { state: string }).state, 'failed');
  const gitea = request('gitea', 'https://git.example.com:3000/ada/pets.git');
  assert.equal(gitea.url, 'https://git.example.com:3000/api/v1/repos/ada/pets/statuses/c0ffee');
  assert.deepEqual(gitea.headers, { authorization: 'token tok' });
  const bitbucket = request('bitbucket', 'https://bitbucket.org/ada/pets.git', 'x-token-auth');
  assert.equal(
    bitbucket.url,
    'https://api.bitbucket.org/2.0/repositories/ada/pets/commit/c0ffee/statuses/build',
  );
  assert.deepEqual(bitbucket.headers, { authorization: 'Bearer tok' });
  const { state, key } = bitbucket.body as { state: string; key: string };
  assert.deepEqual([state, key], ['FAILED', 'docs/pets']);
  const byUser = request('bitbucket', 'https://bitbucket.org/ada/pets.git', 'ada');
  assert.deepEqual(byUser.headers, { authorization: `Basic ${btoa('ada:tok')}` });
  // `api.` of another host is anybody's, and of an address it is no name.
  for (const host of ['git.example.com', '10.0.0.5', '[fd00::1]'])
    assert.deepEqual(request('bitbucket', `https://${host}/ada/pets.git`), { url: undefined });
  assert.equal(
    statusRequest(
      { provider: 'other', url: 'https://x.org/a/b', username: null },
      't',
      status,
      'c',
    ),
    undefined,
  );
});
