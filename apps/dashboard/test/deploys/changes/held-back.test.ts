import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { Deploy } from '../../../server/src/deploys/deploy.ts';
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
import { assertError, json } from '../../support/service.ts';

onBothEngines('a deploy lists what it changes in the API that is live', async (t) => {
  const { root } = await setUp(t);
  const first = await deploy(root, 'pets', petsWith(['/pets', '/owners']));
  assert.deepEqual([first.changes, first.comparedWith, first.held], [null, null, null]);
  assert.deepEqual(await changesOf(root, first.id), {
    ...{ summary: null, changes: [], leftOut: 0, comparedWith: null, problem: null },
  });

  const second = await deploy(root, 'pets', petsWith(['/pets', '/shops'], ['id', 'tag']));
  assert.equal(second.live, true);
  assert.deepEqual(second.changes, { breaking: 2, risky: 0, compatible: 2, documentation: 0 });
  assert.deepEqual(second.comparedWith, { id: first.id, number: 1 });
  assert.ok(
    (await logOf(root, second.id)).includes(
      'Compared the API with that of deploy #1, which is live: 2 breaking and 2 compatible changes.',
    ),
  );
  const { summary, changes, comparedWith, leftOut } = await changesOf(root, second.id);
  assert.deepEqual(summary, second.changes);
  assert.deepEqual(comparedWith, { id: first.id, number: 1, url: first.url });
  assert.equal(leftOut, 0);
  assert.deepEqual(
    changes.map(({ code, verdict, operation, pages }) => [code, verdict, operation, pages]),
    [
      [
        'operation-removed',
        'breaking',
        'GET /owners',
        { old: '/reference/animals/get-owners', new: null },
      ],
      [
        'response-required-property-removed',
        'breaking',
        'GET /pets',
        { old: '/reference/animals/get-pets', new: '/reference/animals/get-pets' },
      ],
      [
        'operation-added',
        'compatible',
        'GET /shops',
        { old: null, new: '/reference/animals/get-shops' },
      ],
      [
        'response-required-property-added',
        'compatible',
        'GET /pets',
        { old: '/reference/animals/get-pets', new: '/reference/animals/get-pets' },
      ],
    ],
  );
  const [removed] = changes;
  assert.equal(removed?.old?.file, 'openapi.json');
  assert.equal(typeof removed?.old?.line, 'number');
  assert.equal(removed?.new, null);

  // The same documents again: nothing is to be said.
  const third = await deploy(root, 'pets', petsWith(['/pets', '/shops'], ['id', 'tag']));
  assert.deepEqual(third.changes, { breaking: 0, risky: 0, compatible: 0, documentation: 0 });
  assert.deepEqual((await changesOf(root, third.id)).changes, []);
});

onBothEngines('a breaking deploy is held back until an owner confirms it', async (t) => {
  const { service, root } = await setUp(t);
  const editor = await joinAs(service, root, 'pets', 'ed@example.com', 'editor');
  await holdBreaking(root);
  const first = await deploy(editor, 'pets', petsWith(['/pets', '/owners']));
  assert.equal(first.live, true);

  const held = await deploy(editor, 'pets', petsWith(['/pets']));
  assert.deepEqual([held.state, held.live], ['succeeded', false]);
  assert.deepEqual(held.held, {
    reason: 'breaking',
    message: 'It has 1 breaking change for those who use deploy #1.',
  });
  const project = await readProject(root);
  assert.deepEqual([project.live?.id, project.latest?.held?.reason], [first.id, 'breaking']);
  assert.match((await logOf(root, held.id)).at(-1) ?? '', /^Succeeded, and held back\. It has 1/);

  const refusal = await assertError(await activate(editor, held), 403, 'forbidden');
  assert.match(refusal, /^Deploy #2 is held back\. It has 1 breaking change .* An owner/);
  assert.equal((await readProject(root)).live?.id, first.id);

  const blank = await activate(root, held, '?allow-breaking=%20');
  assert.match(await assertError(blank, 400, 'invalid_request'), /allow-breaking must be the/);
  const query = '?allow-breaking=Nobody%20calls%20it.';
  const confirmed = await json<Deploy>(await activate(root, held, query));
  assert.deepEqual([confirmed.live, confirmed.held], [true, null]);
  const [entry] = await entriesOf(root, 'deploy.activate');
  assert.equal(entry?.actor, 'root@example.com');
  assert.deepEqual(
    [entry?.details.held, entry?.details.breaking, entry?.details.allowBreaking],
    ['breaking', 1, 'Nobody calls it.'],
  );

  // To go back needs no owner, whatever it breaks.
  assert.equal((await json<Deploy>(await activate(editor, first))).live, true);
  // What breaks nothing goes live by itself.
  const more = await deploy(editor, 'pets', petsWith(['/pets', '/owners', '/shops']));
  assert.deepEqual([more.live, more.held], [true, null]);
});

onBothEngines(
  'no way around the rule: not later, and not beside a deploy that is live by now',
  async (t) => {
    const { service, root } = await setUp(t);
    const editor = await joinAs(service, root, 'pets', 'ed@example.com', 'editor');
    await holdBreaking(root);
    await deploy(editor, 'pets', petsWith(['/pets', '/owners']));
    const quiet = await deploy(editor, 'pets', petsWith(['/pets']), '?activate=false');
    // It was to stay away from readers, and nobody has to confirm that.
    assert.deepEqual([quiet.live, quiet.held, quiet.changes?.breaking], [false, null, 1]);
    await assertError(await activate(editor, quiet), 403, 'forbidden');

    const old = await deploy(editor, 'pets', petsWith(['/pets', '/owners']), '?activate=false');
    assert.equal(old.changes?.breaking, 0);
    await deploy(editor, 'pets', petsWith(['/pets', '/owners', '/shops']));
    assert.match(
      await assertError(await activate(editor, old), 403, 'forbidden'),
      /It was compared with deploy #1, and another one is live by now\./,
    );
    const asEditor = await editor.call(
      'POST',
      `${PROJECT}/deploys?allow-breaking=mine`,
      petsWith(['/pets']),
    );
    await assertError(asEditor, 403, 'forbidden');
    const without = await editor.call('PATCH', PROJECT, { holdBreaking: false });
    await assertError(without, 403, 'forbidden');
  },
);

onBothEngines('an owner allows a deploy to break with a reason, which is kept', async (t) => {
  const { root } = await setUp(t);
  await holdBreaking(root);
  await deploy(root, 'pets', petsWith(['/pets', '/owners']));
  // An owner's own deploy waits as well: it may come from a pipeline.
  const token = root.withToken((await makeToken(root, 'pets')).token);
  assert.equal((await deploy(token, 'pets', petsWith(['/pets']))).held?.reason, 'breaking');
  const query = '?allow-breaking=Version%202%20is%20announced.';
  const allowed = await deploy(token, 'pets', petsWith(['/pets'], ['id']), query);
  assert.deepEqual([allowed.live, allowed.held, allowed.changes?.breaking], [true, null, 2]);
  const [sent] = await entriesOf(root, 'deploy.create');
  assert.deepEqual(
    [sent?.actor, sent?.details.allowBreaking],
    ['root@example.com', 'Version 2 is announced.'],
  );
  const [done] = await entriesOf(root, 'deploy.succeed');
  assert.deepEqual([done?.details.live, done?.details.breaking], [true, 2]);
});

onBothEngines(
  'exceptions of docs.yaml count, and each reference is compared with its own',
  async (t) => {
    const { root } = await setUp(t);
    await holdBreaking(root);
    const files = (paths: readonly string[], rules = '') => ({
      'docs.yaml': `title: Shop\nreferences:\n  - openapi: pets.json\n  - openapi: shops.json\n${rules}`,
      'index.md': '# Shop\n',
      'pets.json': petsWith(paths),
      'shops.json': petsWith(['/shops']),
    });
    await deployFiles(root, 'pets', files(['/pets', '/owners']));
    const rules = (code: string) =>
      `changes:\n  exceptions:\n    - code: ${code}\n      operation: GET /owners\n      reason: Nobody calls it.\n      until: 2999-12-31\n`;
    const wrong = await deployFiles(root, 'pets', files(['/pets'], rules('operation-remove')));
    assert.equal(wrong.held?.reason, 'breaking');
    assert.ok(
      (await logOf(root, wrong.id)).some((line) =>
        /^docs\.yaml:\d+: There is no change with the code `operation-remove`.*operation-removed/.test(
          line,
        ),
      ),
    );
    const { changes } = await changesOf(root, wrong.id);
    assert.deepEqual(changes[0]?.pages, { old: '/reference/pets/animals/get-owners', new: null });
    assert.equal(changes[0]?.old?.file, 'reference/pets/openapi.json');
    const right = await deployFiles(root, 'pets', files(['/pets'], rules('operation-removed')));
    assert.deepEqual([right.live, right.held], [true, null]);
    assert.deepEqual(right.changes, { breaking: 0, risky: 0, compatible: 1, documentation: 0 });
    assert.match((await changesOf(root, right.id)).changes[0]?.message ?? '', /Nobody calls it\./);
  },
);

onBothEngines('branches and versions are compared where they are shown', async (t) => {
  const { root } = await setUp(t);
  await holdBreaking(root);
  const live = await deploy(root, 'pets', petsWith(['/pets', '/owners']));
  const branch = await deploy(root, 'pets', petsWith(['/pets']), '?branch=x');
  assert.deepEqual([branch.changes?.breaking, branch.comparedWith?.id], [1, live.id]);
  assert.equal(branch.held, null);
  // A version that nobody has seen breaks nobody.
  const v2 = await deploy(root, 'pets', petsWith(['/pets']), '?version=v2');
  assert.deepEqual([v2.live, v2.changes, v2.held], [true, null, null]);
  const next = await deploy(root, 'pets', petsWith(['/shops']), '?version=v2');
  assert.deepEqual(
    [next.live, next.held?.reason, next.comparedWith?.id],
    [false, 'breaking', v2.id],
  );
  assert.equal((await json<Deploy>(await activate(root, next))).live, true);
});

onBothEngines('a version is no way around the rule', async (t) => {
  const { service, root } = await setUp(t);
  const editor = await joinAs(service, root, 'pets', 'ed@example.com', 'editor');
  await holdBreaking(root);
  await deploy(editor, 'pets', petsWith(['/pets', '/owners']));
  // Nobody has used the version yet, so nothing of it is held back. The site's address is another matter.
  const v2 = await deploy(editor, 'pets', petsWith(['/pets']), '?version=v2');
  assert.equal(v2.live, true);
  const choose = (someone: typeof root, isDefault: boolean) =>
    someone.call('PATCH', `${PROJECT}/versions/v2`, { default: isDefault });
  const refusal = await assertError(await choose(editor, true), 403, 'forbidden');
  assert.match(refusal, /holds breaking deploys back.*An owner of the project/);
  assert.equal((await readProject(root)).defaultVersion, null);
  await json(await choose(root, true));
  await assertError(await choose(editor, false), 403, 'forbidden');
  await json(await choose(root, false));

  // To retire a version and to deploy it again is not its first deploy.
  await editor.call('DELETE', `${PROJECT}/versions/v2`);
  const again = await deploy(editor, 'pets', petsWith(['/shops']), '?version=v2');
  assert.deepEqual([again.live, again.held?.reason], [false, 'not_compared']);
  await assertError(await activate(editor, again), 403, 'forbidden');
  assert.equal((await json<Deploy>(await activate(root, again))).live, true);

  // Without the rule it is an editor's to choose.
  await root.call('PATCH', PROJECT, { holdBreaking: false });
  await json(await choose(editor, true));
});
