import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import { tarGzOf } from '../../support/archives.ts';
import { createProject, documentTitled, finished } from '../../support/project.ts';
import { json, startService } from '../../support/service.ts';
import { fetchFromSite } from '../../support/site.ts';

const DOCUMENT = `openapi: 3.1.0
info:
  title: Parcels
  version: '1'
paths:
  /parcels:
    get:
      operationId: listParcels
      responses: { '200': { description: All } }
components:
  schemas:
    Parcel:
      type: object
`;

const FILES = {
  'start.md': '# Start\n\nHello.\n',
  'guides/ä b.md': '# Umlaut\n',
  'openapi.yaml': DOCUMENT,
};

const COMMIT = {
  commit: '9d9cec5b2c4f7e0a',
  'commit-branch': 'main',
  repository: 'https://github.com/ada/pets',
  'repository-folder': 'docs',
};
const PUBLIC = { ...COMMIT, 'repository-public': 'true' };

async function setUp(t: TestContext) {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'parcels');
  const path = '/api/projects/parcels/deploys';
  const upload = async (body: string | Buffer, query: Record<string, string>) => {
    const sent = await root.call('POST', `${path}?${new URLSearchParams(query)}`, body);
    const { id } = await json<Deploy>(sent, 202);
    const deploy = await finished(root, 'parcels', id);
    const log = await json<{ items: { message: string }[] }>(
      await root.call('GET', `${path}/${id}/log`),
    );
    return { deploy, log: log.items.map(({ message }) => message).join('\n') };
  };
  /** Deploys guides with more in their docs.yaml, and finds where their pages lead. */
  const deploy = async (config: string, query: Record<string, string> = {}) => {
    const files = { 'docs.yaml': `title: Parcels\n${config}`, ...FILES };
    const entries = Object.entries(files).map(([name, content]) => ({ name, content }));
    return upload(await tarGzOf(entries), query);
  };
  /** Where a page leads: its link to its file. */
  const linkOf = async (page: string) => {
    const { status, body } = await fetchFromSite(`${url}${page}`);
    assert.equal(status, 200, page);
    return /<p class="docs-source"><a href="([^"]*)">([^<]*)</.exec(body)?.slice(1) ?? null;
  };
  return { upload, deploy, linkOf };
}

test('pages lead to their files in a public repository, and operations to their lines', async (t) => {
  const { deploy, linkOf, upload } = await setUp(t);
  await deploy('', PUBLIC);
  const base = 'https://github.com/ada/pets';
  const edit = `${base}/edit/main/docs`;
  assert.deepEqual(await linkOf('/start'), [`${edit}/start.md`, 'Edit this page']);
  assert.deepEqual(await linkOf('/guides/ä b'), [`${edit}/guides/%C3%A4%20b.md`, 'Edit this page']);
  const view = `${base}/blob/main/docs/openapi.yaml`;
  const operation = '/reference/operations/listParcels';
  assert.deepEqual(await linkOf(operation), [`${view}#L7`, 'View source']);
  assert.deepEqual(await linkOf('/reference/models/Parcel'), [`${view}#L12`, 'View source']);
  assert.deepEqual(await linkOf('/reference'), [`${view}#L2`, 'View source']);

  const again = await deploy('', { ...PUBLIC, 'commit-branch': 'next' });
  assert.doesNotMatch(again.log, /were built before/, 'another branch is another site');
  assert.equal((await linkOf('/start'))?.[0], `${base}/edit/next/docs/start.md`);
  const same = await deploy('', { ...PUBLIC, 'commit-branch': 'next', commit: 'abcdef12' });
  assert.match(same.log, /were built before/, 'another commit is not');

  await upload(DOCUMENT, { ...PUBLIC, 'repository-folder': '.' });
  const alone = await linkOf('/reference/operations/listParcels');
  assert.equal(alone?.[0], `${base}/blob/main/openapi.yaml#L7`);
});

test('a repository that may be private is not told, unless docs.yaml says so, which wins', async (t) => {
  const { deploy, linkOf, upload } = await setUp(t);
  await deploy('', COMMIT);
  assert.equal(await linkOf('/start'), null);
  assert.equal(await linkOf('/reference/operations/listParcels'), null);
  await deploy('edit: false\n', PUBLIC);
  assert.equal(await linkOf('/start'), null);
  await deploy('edit: true\n', COMMIT);
  assert.equal(
    (await linkOf('/start'))?.[0],
    'https://github.com/ada/pets/edit/main/docs/start.md',
  );
  await deploy('repository: { branch: stable, folder: ./guides/ }\n', COMMIT);
  assert.equal(
    (await linkOf('/start'))?.[0],
    'https://github.com/ada/pets/edit/stable/guides/start.md',
  );
  const own = 'repository: { url: git@gitlab.com:ada/docs.git, branch: main }\n';
  await deploy(own, PUBLIC);
  assert.equal((await linkOf('/start'))?.[0], 'https://gitlab.com/ada/docs/-/edit/main/start.md');
  await deploy(own);
  assert.equal(
    (await linkOf('/reference/operations/listParcels'))?.[0],
    'https://gitlab.com/ada/docs/-/blob/main/openapi.yaml#L7',
    'without a commit, too',
  );
  await deploy('edit: { url: "https://git.example.com/change?file={path}" }\n', PUBLIC);
  const pattern = 'https://git.example.com/change?file=';
  assert.equal((await linkOf('/start'))?.[0], `${pattern}start.md`);
  assert.equal((await linkOf('/reference/operations/listParcels'))?.[0], `${pattern}openapi.yaml`);
  await upload(documentTitled('Pets'), COMMIT);
  assert.equal(await linkOf('/'), null);
});

test('a docs.yaml that asks for links and gets none is told what is missing', async (t) => {
  const { deploy, linkOf } = await setUp(t);
  const cases: [string, Record<string, string>, RegExp][] = [
    [
      'edit: true\n',
      {},
      /do not lead to their files, since the repository is not known: name it as `repository\.url` in docs\.yaml/,
    ],
    [
      'repository: { url: "https://git.example.com/a/b", branch: main }\n',
      {},
      /write `repository\.host`/,
    ],
    ['repository: { url: "https://github.com/a/b" }\n', {}, /name it as `repository\.branch`/],
    ['edit: true\n', { ...COMMIT, 'repository-folder': '' }, /name it as `repository\.folder`/],
  ];
  for (const [config, query, message] of cases) {
    assert.match((await deploy(config, query)).log, message);
    assert.equal(await linkOf('/start'), null);
  }
  const wrong: [string, RegExp][] = [
    ['edit: yes please\n', /`edit` must be `true`, `false`, or `url`/],
    ['repository: https://github.com/a/b\n', /`repository` must be a mapping with `url`/],
    ['repository: { url: "javascript:alert(1)" }\n', /`repository\.url` must be the address/],
    ['repository: { folder: ../up }\n', /`repository\.folder` must be the path/],
    [
      'repository: { branch: ../../../evil/r/edit/main }\n',
      /`repository\.branch` must be the name/,
    ],
    ['repository: { host: svn }\n', /`repository\.host` must be one of `github`/],
    ['repository: { brunch: main }\n', /no key `brunch`.*`branch`/],
  ];
  for (const [config, message] of wrong) {
    const { deploy: failed } = await deploy(config);
    assert.deepEqual([failed.state, failed.errors[0]?.line], ['failed', 2], config);
    assert.match(failed.errors[0]?.message ?? '', message);
  }
});
