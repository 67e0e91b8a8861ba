import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { assertTook, timeUntil } from '@petstore/test-support/within.ts';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import type { Deploy, DeploySummary, LogLine } from '../../server/src/deploys/deploy.ts';
import type { Project } from '../../server/src/projects/project.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { appendLog } from '../../server/src/store/deploys.ts';
import { createProject, deploy, documentTitled, finished } from '../support/project.ts';
import { assertError, json, startService } from '../support/service.ts';
import { fetchFromSite, titleAt } from '../support/site.ts';
import { putDeploy } from '../support/store.ts';

const PATH = '/api/projects/pets/deploys';

onBothEngines('deploys go live, are previewed, fail apart, and are rolled back', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  assert.equal((await fetchFromSite(url)).status, 404);
  const activate = (id: string) => root.call('POST', `${PATH}/${id}/activate`);
  const project = async () => json<Project>(await root.call('GET', '/api/projects/pets'));

  const first = await deploy(root, 'pets', documentTitled('First'));
  assert.deepEqual([first.state, first.live, first.number], ['succeeded', true, 1]);
  assert.equal(await titleAt(url), 'First');
  assert.deepEqual((await project()).live?.id, first.id);

  const second = await deploy(root, 'pets', documentTitled('Second'), '?activate=false');
  assert.deepEqual([second.state, second.live, second.activatedAt], ['succeeded', false, null]);
  assert.equal(await titleAt(url), 'First');
  assert.equal(await titleAt(second.url), 'Second');

  const failed = await deploy(root, 'pets', '{"openapi": "3.1.0"}');
  assert.deepEqual([failed.state, failed.live], ['failed', false]);
  assert.ok(failed.errors.length > 0);
  assert.equal((await fetchFromSite(failed.url)).status, 404);
  assert.match(
    await assertError(await activate(failed.id), 409, 'conflict'),
    /Deploy #3 failed; only one that succeeded/,
  );
  assert.equal(await titleAt(url), 'First');
  assert.equal((await project()).latest?.id, failed.id);

  const live = await json<Deploy>(await activate(second.id));
  assert.deepEqual([live.live, live.activatedAt === null], [true, false]);
  assert.equal(await titleAt(url), 'Second');
  assert.equal((await json<Deploy>(await activate(first.id))).live, true);
  assert.equal(await titleAt(url), 'First');
  const audit = await json<Page<AuditEntry>>(await root.call('GET', '/api/projects/pets/audit'));
  const made = audit.items.filter(({ action }) => action === 'deploy.activate');
  assert.deepEqual(
    made.map(({ target, details }) => [details.from, target]),
    [
      ['#2', '#1'],
      ['#1', '#2'],
    ],
    'the audit names both deploys by their numbers',
  );
  const seen = await json<Deploy>(await root.call('GET', `${PATH}/${second.id}`));
  assert.equal(seen.live, false);

  for (const [id, noun] of [
    ['none', 'deploy'],
    ['%E2%82%AC', 'deploy'],
    ['a'.repeat(200), 'deploy'],
  ]) {
    for (const answer of [
      await root.call('GET', `${PATH}/${id}`),
      await root.call('GET', `${PATH}/${id}/log`),
      await activate(id ?? ''),
    ]) {
      assert.match(await assertError(answer, 404, 'not_found'), new RegExp(`no such ${noun}`));
    }
  }
  await createProject(root, 'other');
  const elsewhere = await root.call('GET', `/api/projects/other/deploys/${first.id}`);
  await assertError(elsewhere, 404, 'not_found');

  await service.db
    .updateTable('deploys')
    .set({ artifact_hash: null, pruned_at: Date.now() })
    .where('id', '=', second.id)
    .execute();
  assert.match(
    await assertError(await activate(second.id), 409, 'conflict'),
    /^The files of deploy #2 were removed to make room/,
  );
  assert.equal((await json<Deploy>(await root.call('GET', `${PATH}/${second.id}`))).isPruned, true);
});

onBothEngines(
  'who is told that a deploy succeeded finds it at the edge of the process that built it',
  async (t) => {
    const service = await startService(t);
    const { db } = service;
    const root = await service.signUp('root@example.com');
    const { url } = await createProject(root, 'pets');
    await deploy(root, 'pets', documentTitled('First'));
    assert.equal(await titleAt(url), 'First');

    const states = db.selectFrom('deploys').select('state').where('number', '=', 2);
    const isStored = async () => (await states.executeTakeFirst())?.state === 'succeeded';
    const held = Promise.withResolvers<void>();
    cleanUp(t, held.resolve);
    // As where the database has stored it, and its response to that is on the way.
    const begin = db.transaction.bind(db);
    t.mock.method(db, 'transaction', () => {
      const transaction = begin();
      const execute = transaction.execute.bind(transaction);
      const executeAndHold: typeof execute = async (work) => {
        const result = await execute(work);
        if (await isStored()) await held.promise;
        return result;
      };
      return Object.assign(transaction, { execute: executeAndHold });
    });
    const sent = await root.call('POST', PATH, documentTitled('Second'));
    const { id } = await json<Deploy>(sent, 202);
    await timeUntil(isStored);
    const order: string[] = [];
    const told = root.call('GET', `${PATH}/${id}`).then(async (response) => {
      order.push('told');
      return json<Deploy>(response);
    });
    const followed = root
      .call('GET', `${PATH}/${id}/log`, undefined, { accept: 'text/event-stream' })
      .then((response) => response.text())
      .then(() => order.push('followed'));
    // What is asked for meanwhile is answered, and comes after.
    for (let at = 0; at < 20; at++) await (await root.call('GET', '/api/projects')).text();
    order.push('held');
    held.resolve();
    assert.equal((await told).state, 'succeeded');
    assert.equal(await titleAt(url), 'Second');
    await followed;
    assert.equal(order[0], 'held');
  },
);

onBothEngines('a list shows the newest first, page by page', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const ids: string[] = [];
  for (let at = 0; at < 5; at++) {
    const answer = await root.call('POST', PATH, documentTitled(`Pets ${at}`));
    ids.unshift((await json<Deploy>(answer, 202)).id);
  }
  const page = async (query: string) =>
    json<Page<DeploySummary>>(await root.call('GET', `${PATH}?${query}`));
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const part: Page<DeploySummary> = await page(`limit=2${cursor && `&cursor=${cursor}`}`);
    seen.push(...part.items.map(({ id }) => id));
    cursor = part.nextCursor;
    // One that comes meanwhile does not shift the pages.
    if (seen.length === 2) await root.call('POST', PATH, documentTitled('Newer'));
  }
  assert.deepEqual(seen, ids);
  assert.equal((await page('')).items.length, 6);
  for (const position of ['', 'x', '-1', '2147483648', '99999999999999999999', 'a\0']) {
    const bad = Buffer.from(position).toString('base64url');
    const answer = await root.call('GET', `${PATH}?cursor=${bad}`);
    await assertError(answer, 400, 'invalid_cursor');
  }
  for (const limit of ['0', '101', '1e1', '+5', '', '1.0', 'x']) {
    const answer = await root.call('GET', `${PATH}?limit=${encodeURIComponent(limit)}`);
    assert.match(await assertError(answer, 400, 'invalid_request'), /^limit must be /, limit);
  }
});

onBothEngines(
  'what is against the specification is a warning, and fails a strict deploy',
  async (t) => {
    const service = await startService(t);
    const root = await service.signUp('root@example.com');
    await createProject(root, 'pets');
    const document = `openapi: 3.1.0
info: {title: Pets, version: "1"}
paths: {}
components:
  schemas:
    Pet:
      properties:
        id: {type: int}
`;
    const place = { path: '/components/schemas/Pet/properties/id/type', line: 8 };
    const message =
      '`id.type` must be `array`, `boolean`, `integer`, `null`, `number`, `object` or `string`; it is `int`. Did you mean `integer`?';
    const loose = await deploy(root, 'pets', document);
    assert.deepEqual(
      [loose.state, loose.live, loose.strict, loose.errors],
      ['succeeded', true, false, []],
    );
    const file = loose.sourceName;
    assert.deepEqual(loose.warnings, [{ rule: 'structure', message, file, ...place }]);
    assert.deepEqual(loose.hints, []);
    const log = await json<Page<LogLine>>(await root.call('GET', `${PATH}/${loose.id}/log`));
    assert.ok(log.items.some((line) => line.level === 'warning' && line.message.endsWith(message)));

    const strict = await deploy(root, 'pets', document, '?strict=true');
    assert.deepEqual([strict.state, strict.live, strict.strict], ['failed', false, true]);
    assert.deepEqual(strict.errors, [{ message, file, ...place }]);
    assert.equal(strict.warnings.length, 1);

    const project = await json<Project>(
      await root.call('PATCH', '/api/projects/pets', { strict: true }),
    );
    assert.equal(project.strict, true);
    // A sender cannot ask for less than the project wants.
    const wanted = await deploy(root, 'pets', document, '?strict=false');
    assert.deepEqual([wanted.state, wanted.strict], ['failed', true]);
    const { state, warnings } = await deploy(root, 'pets', documentTitled('Pets'));
    assert.equal(state, 'succeeded');
    assert.ok(warnings.every(({ rule }) => rule === 'gone-page'));
  },
);

test('pages that are live and would be gone are told, each with the redirect to add', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const operation = (operationId: string, tag: string) => ({
    ...{ operationId, summary: operationId, tags: [tag] },
    responses: { 200: { description: 'Pets.' } },
  });
  const document = (paths: object) =>
    JSON.stringify({ openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths });
  const first = document({
    '/a': { get: operation('listPets', 'pets') },
    '/b': { get: operation('getPet', 'pets') },
  });
  assert.deepEqual((await deploy(root, 'pets', first)).warnings, []);
  const moved = document({ '/a': { get: operation('listPets', 'animals') } });
  const { state, warnings } = await deploy(root, 'pets', moved, '?activate=false');
  assert.equal(state, 'succeeded');
  const told = (path: string, target: string) =>
    `\`${path}\` is live, and this deploy has no such page. Where it has moved, say so under \`redirects\` of docs.yaml: \`${path}: ${target}\`.`;
  assert.deepEqual(
    warnings.map(({ rule, message }) => [rule, message]),
    [
      ['gone-page', told('/reference/pets', '/…')],
      ['gone-page', told('/reference/pets/getPet', '/…')],
      ['gone-page', told('/reference/pets/listPets', '/reference/animals/listPets')],
    ],
  );
  const strict = await deploy(root, 'pets', moved, '?strict=true&activate=false');
  assert.deepEqual(
    [strict.state, strict.warnings.length],
    ['succeeded', 3],
    'it may be on purpose',
  );
  assert.deepEqual((await deploy(root, 'pets', first)).warnings, [], 'compared with what is live');
});

test('hints are told apart from warnings, and fail nothing', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const document = {
    ...{ openapi: '3.1.0', info: { title: 'Pets', version: '1' } },
    paths: { '/pets': { get: { responses: { 200: { description: 'Pets.' } } } } },
  };
  const text = JSON.stringify(document);
  const { state, warnings, hints } = await deploy(root, 'pets', text, '?strict=true');
  assert.deepEqual([state, warnings], ['succeeded', []]);
  assert.deepEqual(
    hints.map(({ rule, path }) => [rule, path]),
    [
      ['no-summary', '/paths/~1pets/get'],
      ['no-operation-id', '/paths/~1pets/get'],
    ],
  );
});

onBothEngines('a log is read whole, or followed to the end and from any line', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const queued = await json<Deploy>(await root.call('POST', PATH, documentTitled('Pets')), 202);
  const path = `${PATH}/${queued.id}/log`;
  const follow = (lastId?: string) =>
    root.call('GET', path, undefined, {
      accept: 'text/event-stream',
      ...(lastId && { 'last-event-id': lastId }),
    });
  const live = await follow();
  assert.equal(live.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.equal(live.headers.get('cache-control'), 'no-store');
  const events = eventsIn(await live.text());
  const { items } = await json<Page<LogLine>>(await root.call('GET', path));
  assert.deepEqual(
    items.map(({ seq }) => seq),
    Array.from(items, (_, at) => at + 1),
  );
  const lines = events.filter(({ event }) => event === 'log');
  assert.deepEqual(
    lines.map(({ data }) => data),
    items,
  );
  assert.deepEqual(
    lines.map(({ id }) => Number(id)),
    items.map(({ seq }) => seq),
  );
  const end = events.at(-1);
  assert.equal(end?.event, 'end');
  assert.deepEqual(end?.data, await finished(root, 'pets', queued.id));

  const rest = eventsIn(await (await follow('2')).text());
  assert.deepEqual(rest.map(({ event }) => event).slice(-1), ['end']);
  assert.deepEqual(
    rest.slice(0, -1).map(({ data }) => data),
    items.slice(2),
  );
  assert.equal(eventsIn(await (await follow('999')).text()).length, 1);
  const odd = eventsIn(await (await follow('not a number')).text());
  assert.equal(odd.length, items.length + 1);
});

onBothEngines('long texts that an earlier version stored are sent short', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const { id } = await deploy(root, 'pets', '{"openapi": "3.1.0"}');
  const long = 'x'.repeat(100_000);
  const errors = JSON.stringify([{ message: long, path: `/${long}`, line: 7 }]);
  await service.db.updateTable('deploys').set({ errors }).where('id', '=', id).execute();
  await appendLog(service.db, id, Date.now(), 'error', long);

  const sent = await json<Deploy>(await root.call('GET', `${PATH}/${id}`));
  const message = `${'x'.repeat(999)}…`;
  assert.deepEqual(sent.errors, [{ message, path: `/${'x'.repeat(498)}…`, line: 7 }]);
  const log = await json<Page<LogLine>>(await root.call('GET', `${PATH}/${id}/log`));
  assert.equal(log.items.at(-1)?.message, `${'x'.repeat(1_999)}…`);
  const followed = await root.call('GET', `${PATH}/${id}/log`, undefined, {
    accept: 'text/event-stream',
  });
  const events = eventsIn(await followed.text());
  assert.deepEqual(
    events.slice(-2).map(({ data }) => data),
    [log.items.at(-1), sent],
  );
});

function eventsIn(stream: string) {
  return stream
    .split('\n\n')
    .filter((block) => block.includes('data: '))
    .map((block) => {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)));
      return { event: fields.event, id: fields.id, data: JSON.parse(fields.data ?? 'null') };
    });
}

onBothEngines('the log tells how many files a deploy changes of what is live', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  await createProject(root, 'others');
  const storing = async (slug: string, title: string, query = '') => {
    const { id } = await deploy(root, slug, documentTitled(title), query);
    const log = await root.call('GET', `/api/projects/${slug}/deploys/${id}/log`);
    const { items } = await json<Page<LogLine>>(log);
    return items.find(({ message }) => message.startsWith('Storing'))?.message ?? '';
  };
  assert.match(
    await storing('others', 'Pets'),
    /^Storing the site: \d+ files, the first of this project\.$/,
  );
  const first = await storing('pets', 'Pets');
  assert.match(first, /^Storing the site: \d+ files, the first of this project\.$/);
  const [files = 0] = (/\d+/.exec(first) ?? []).map(Number);
  assert.equal(
    await storing('pets', 'Pets'),
    `Storing the site: 0 files changed, ${files} unchanged, compared with deploy #1.`,
  );
  assert.match(
    await storing('pets', 'Pets', '?version=v2'),
    /^Storing the site: \d+ files, the first of the version v2\.$/,
  );
  const other = await storing('pets', 'Dogs');
  const [, changed, added = '0', unchanged] =
    /: (\d+) files changed, (?:(\d+) added, \d+ removed, )?(\d+) unchanged, compared with deploy #2\.$/.exec(
      other,
    ) ?? [];
  assert.ok(Number(changed) > 0 && Number(unchanged) > 0, other);
  assert.equal(Number(changed) + Number(added) + Number(unchanged), files, other);
});

test('who follows a log that goes on may leave, and is let go when the service stops', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const { id } = await service.db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
  // Another process builds it, and takes its time.
  const deployId = await putDeploy(service.db, id, 1, {
    state: 'building',
    leased_by: 'another',
    leased_until: Date.now() + 3_600_000,
  });
  const path = `/api/projects/pets/deploys/${deployId}/log`;
  const accept = { accept: 'text/event-stream' };
  const head = await root.call('HEAD', path, undefined, accept);
  assert.equal(head.headers.get('content-type'), 'text/event-stream; charset=utf-8');

  const left = await root.call('GET', path, undefined, accept);
  await left.body?.cancel();
  const kept = await root.call('GET', path, undefined, accept);
  const stopping = performance.now();
  const [text] = await Promise.all([kept.text(), service.close()]);
  await assertTook(performance.now() - stopping, 3_000);
  assert.deepEqual(
    eventsIn(text).map(({ event }) => event),
    ['deploy'],
  );
});
