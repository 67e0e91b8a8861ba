import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import type { ChangeException } from '../../../server/src/deploys/exceptions/change-exception.ts';
import type { Page } from '../../../server/src/schema-types.ts';
import {
  activate,
  changesOf,
  entriesOf,
  holdBreaking,
  logOf,
  PROJECT,
  petsWith,
  readProject,
  setUp,
} from '../../support/changing-api.ts';
import { deployFiles } from '../../support/guides.ts';
import { deploy, joinAs, makeToken } from '../../support/project.ts';
import { assertError, json, type Visitor } from '../../support/service.ts';

const EXCEPTIONS = `${PROJECT}/change-exceptions`;

const DAY_MS = 86_400_000;

const OWNERS_GONE = {
  ...{ code: 'operation-removed', operation: 'GET /owners' },
  ...{ reason: 'Nobody calls it.', until: '2999-12-31' },
};

const allow = async (owner: Visitor, body: object = OWNERS_GONE) =>
  json<ChangeException>(await owner.call('POST', EXCEPTIONS, body), 201);

const listed = async (someone: Visitor) =>
  (await json<Page<ChangeException>>(await someone.call('GET', EXCEPTIONS))).items;

const readDeploy = async (someone: Visitor, { id }: Deploy) =>
  json<Deploy>(await someone.call('GET', `${PROJECT}/deploys/${id}`));

onBothEngines('an owner allows a change, and what waits for it alone may go live', async (t) => {
  const { service, root } = await setUp(t);
  const editor = await joinAs(service, root, 'pets', 'ed@example.com', 'editor');
  await holdBreaking(root);
  await deploy(editor, 'pets', petsWith(['/pets', '/owners'], ['id']));
  const held = await deploy(editor, 'pets', petsWith(['/pets', '/shops'], ['id']));
  assert.deepEqual(held.changes, { breaking: 1, risky: 0, compatible: 1, documentation: 0 });
  await assertError(await activate(editor, held), 403, 'forbidden');

  const added = await allow(root);
  assert.deepEqual(
    { ...added, id: '', createdAt: '' },
    { ...OWNERS_GONE, id: '', createdAt: '', createdBy: 'root@example.com' },
  );
  assert.deepEqual(await listed(editor), [added]);
  const [entry] = await entriesOf(root, 'exception.create');
  assert.deepEqual(
    [entry?.actor, entry?.target, entry?.details.reason, entry?.details.until],
    ['root@example.com', 'operation-removed of GET /owners', 'Nobody calls it.', '2999-12-31'],
  );

  // The deploy's counts, its list and the project say it at once.
  const free = await readDeploy(editor, held);
  assert.deepEqual(free.changes, { breaking: 0, risky: 0, compatible: 2, documentation: 0 });
  assert.deepEqual([free.held, free.live], [null, false]);
  assert.equal((await readProject(root)).latest?.held, null);
  const { changes, summary } = await changesOf(editor, held.id);
  assert.deepEqual(summary, free.changes);
  const removed = changes.find(({ code }) => code === 'operation-removed');
  assert.deepEqual(
    [removed?.verdict, removed?.allowed],
    ['compatible', { by: 'exception', reason: 'Nobody calls it.' }],
  );
  assert.match(
    removed?.message ?? '',
    /was removed\. Allowed until 2999-12-31: Nobody calls it\.$/,
  );

  // An exception that has ended allows nothing; then the editor needs an owner again.
  assert.equal((await root.call('DELETE', `${EXCEPTIONS}/${added.id}`)).status, 204);
  assert.deepEqual(await listed(root), []);
  assert.equal((await readDeploy(editor, held)).held?.reason, 'breaking');
  await assertError(await activate(editor, held), 403, 'forbidden');
  const [ended] = await entriesOf(root, 'exception.end');
  assert.equal(ended?.target, 'operation-removed of GET /owners');

  const again = await allow(root);
  assert.equal((await json<Deploy>(await activate(editor, held))).live, true);
  // It stays as it was when it went live.
  await root.call('DELETE', `${EXCEPTIONS}/${again.id}`);
  assert.equal((await readDeploy(editor, held)).changes?.breaking, 0);
  assert.deepEqual((await changesOf(editor, held.id)).changes, changes);
});

onBothEngines('exceptions count in later deploys, together with those of docs.yaml', async (t) => {
  const { root } = await setUp(t);
  await holdBreaking(root);
  const files = (paths: readonly string[], rules = '') => ({
    'docs.yaml': `title: Pets\nopenapi: pets.json\n${rules}`,
    'index.md': '# Pets\n',
    'pets.json': petsWith(paths, ['id']),
  });
  await deployFiles(root, 'pets', files(['/pets', '/owners', '/shops']));
  const rules =
    'changes:\n  exceptions:\n    - code: operation-removed\n      operation: GET /shops\n      reason: It moved.\n      until: 2999-12-31\n';
  await allow(root);
  const both = await deployFiles(root, 'pets', files(['/pets'], rules));
  assert.deepEqual([both.live, both.held], [true, null]);
  assert.deepEqual(both.changes, { breaking: 0, risky: 0, compatible: 2, documentation: 0 });
  assert.ok(
    (await logOf(root, both.id)).some((line) =>
      line.endsWith('deploy #1, which is live: 2 compatible changes.'),
    ),
  );
  const { changes } = await changesOf(root, both.id);
  assert.deepEqual(changes.map(({ message }) => message.replace(/^.*?: /, '')).sort(), [
    'It moved.',
    'Nobody calls it.',
  ]);

  // Every change of an operation, and a change of every operation.
  const none = await deployFiles(root, 'pets', files([]));
  assert.equal(none.held?.reason, 'breaking');
  const { code, operation: _, ...rest } = OWNERS_GONE;
  for (const some of [{ operation: 'GET /pets' }, { code }]) {
    const { id } = await allow(root, { ...rest, ...some });
    assert.equal((await readDeploy(root, none)).held, null);
    await root.call('DELETE', `${EXCEPTIONS}/${id}`);
  }
  await allow(root, { ...rest, code, operation: 'GET /shops' });
  assert.equal((await readDeploy(root, none)).held?.reason, 'breaking');
});

onBothEngines('an exception ends with its day, in UTC', async (t) => {
  const clock = { at: Date.parse('2026-11-30T23:59:00Z') };
  const { root } = await setUp(t, { now: () => clock.at });
  await holdBreaking(root);
  await deploy(root, 'pets', petsWith(['/pets', '/owners'], ['id']));
  const today = { ...OWNERS_GONE, until: '2026-11-30' };
  await allow(root, today);
  const quiet = await deploy(root, 'pets', petsWith(['/pets'], ['id']), '?activate=false');
  assert.equal(quiet.changes?.breaking, 0);
  const late = await deploy(root, 'pets', petsWith([], ['id']), '?activate=false');
  assert.equal(late.changes?.breaking, 1);
  clock.at += 2 * 60_000;
  assert.deepEqual(await listed(root), []);
  assert.equal((await readDeploy(root, quiet)).changes?.breaking, 1);
  const refused = await root.call('POST', EXCEPTIONS, today);
  assert.match(await assertError(refused, 400, 'invalid_request'), /until .* today, 2026-12-01/);
  clock.at += DAY_MS;
  await allow(root, { ...OWNERS_GONE, until: '2026-12-02' });
  assert.equal((await listed(root)).length, 1);
});

onBothEngines('what is no exception is refused, and changes nothing', async (t) => {
  const { service, root } = await setUp(t);
  const editor = await joinAs(service, root, 'pets', 'ed@example.com', 'editor');
  const deployer = root.withToken((await makeToken(root, 'pets')).token);
  for (const someone of [editor, deployer])
    await assertError(await someone.call('POST', EXCEPTIONS, OWNERS_GONE), 403, 'forbidden');
  const cases: readonly [object, RegExp][] = [
    [{ code: undefined, operation: undefined }, /^code or operation must be there/],
    [{ code: 'operation-remove' }, /^code must be .*`?operation-removed`?/],
    [{ code: '__proto__' }, /^code must be/],
    [{ operation: 'pets' }, /^operation must be a method and a path/],
    [{ operation: `GET /${'a'.repeat(2_000)}` }, /^operation must be/],
    [{ reason: '   ' }, /^reason must be/],
    [{ reason: 'One\nline' }, /^reason must be/],
    [{ reason: '\u202efed' }, /^reason must be/],
    [{ reason: 'a'.repeat(501) }, /^reason must be/],
    [{ until: '2026-02-30' }, /until/],
    [{ until: '1999-12-31' }, /^until must be the last day/],
    [{ until: 'tomorrow' }, /until/],
  ];
  for (const [change, message] of cases) {
    const answer = await root.call('POST', EXCEPTIONS, { ...OWNERS_GONE, ...change });
    assert.match(await assertError(answer, 400, 'invalid_request'), message);
  }
  assert.deepEqual(await listed(root), []);
  await assertError(await root.call('DELETE', `${EXCEPTIONS}/none`), 404, 'not_found');

  // In another alphabet, and as many as there is room for.
  await allow(root, { ...OWNERS_GONE, operation: 'GET /животные/{имя}', reason: '誰も使わない。' });
  const rows = Array.from({ length: 499 }, (_, number) => ({
    ...{ id: `exc_${number}`, code: null, operation: 'GET /pets', reason: 'x' },
    ...{ until: '2999-12-31', created_at: 0, created_by_email: 'root@example.com' },
  }));
  const { id: project_id } = await service.db
    .selectFrom('projects')
    .select('id')
    .executeTakeFirstOrThrow();
  await service.db
    .insertInto('change_exceptions')
    .values(rows.map((row) => ({ ...row, project_id })))
    .execute();
  const full = await assertError(await root.call('POST', EXCEPTIONS, OWNERS_GONE), 409, 'conflict');
  assert.match(full, /500 exceptions at most\. End one first\./);
});
