import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareDocuments } from '@petstore/changes/compare-documents.ts';
import type { Exception } from '@petstore/changes/exceptions.ts';
import { type ChangelogEntry, MOST } from '@petstore/site/changelog/changelog.ts';
import { changelogEntry } from '../../../server/src/deploys/changes/changelog-entry.ts';

const AT = '2026-03-02T10:00:00Z';

const operation = (more: object = {}) => ({
  get: { responses: { 200: { description: 'Done.' } }, ...more },
});

const api = (paths: Readonly<Record<string, object>>, info: object = { version: '1' }) => ({
  openapi: '3.1.0',
  info: { title: 'Pets', ...info },
  paths,
});

function entryOf(
  old: object,
  now: object,
  exceptions: readonly Exception[] = [],
): ChangelogEntry | undefined {
  const placed = (document: object) => ({
    document: document as Record<string, unknown>,
    placeOf: (pointer: string) => ({ file: 'openapi.json', pointer, line: 1 }),
  });
  const pair = { address: '', old: placed(old), now: placed(now) };
  const { changes } = compareDocuments(pair.old, pair.now, { today: '2026-03-02', exceptions });
  return changelogEntry(pair, changes, AT);
}

test('an entry says what is new, and the same every time', () => {
  const entry = entryOf(
    api({ '/a': operation(), '/b': operation() }),
    api({
      '/a': operation({ deprecated: true, 'x-deprecated-sunset': '2027-01-01' }),
      '/c': operation(),
    }),
  );
  assert.deepEqual(entry?.operations, [
    { name: 'GET /b', did: ['removed'] },
    { name: 'GET /c', did: ['added'] },
    { name: 'GET /a', did: ['deprecated'], sunset: '2027-01-01' },
  ]);
  assert.deepEqual(
    entry?.changes.map(({ verdict, code }) => [verdict, code]),
    [
      ['breaking', 'operation-removed'],
      ['compatible', 'operation-added'],
      ['compatible', 'deprecated'],
      ['compatible', 'sunset-announced'],
    ],
  );
  assert.match(entry?.id ?? '', /^[\da-f]{16}$/);
});

test('a parameter that is deprecated changes its operation, and deprecates it not', () => {
  const parameter = { name: 'limit', in: 'query', schema: { type: 'integer' } };
  const entry = entryOf(
    api({ '/a': operation({ parameters: [parameter] }) }),
    api({ '/a': operation({ parameters: [{ ...parameter, deprecated: true }] }) }),
  );
  assert.deepEqual(entry?.operations, [{ name: 'GET /a', did: ['changed'] }]);
});

test('documentation alone is no entry, but with a new version', () => {
  const before = api({ '/a': operation() });
  const described = { '/a': operation({ description: 'Text.' }) };
  assert.equal(entryOf(before, before), undefined);
  assert.equal(entryOf(before, api(described)), undefined);
  const entry = entryOf(before, api(described, { version: '2' }));
  assert.deepEqual(
    [entry?.version, entry?.before, entry?.documentation, entry?.changes],
    ['2', '1', 2, []],
  );
  // YAML has numbers where texts are meant.
  assert.equal(entryOf(before, api(described, { version: 1.5 }))?.version, '1.5');
});

test('an exception has a reason that nobody reads, and the verdict of its rule', () => {
  const exception: Exception = {
    ...({ code: 'operation-removed', operation: 'GET /b' } as const),
    until: '2026-12-31',
    reason: 'Acme: see Allowed until 2026-01-01: their contract `x`.',
  };
  const entry = entryOf(api({ '/a': operation(), '/b': operation() }), api({ '/a': operation() }), [
    exception,
  ]);
  assert.deepEqual(
    entry?.changes.map(({ verdict, message }) => [verdict, message]),
    [['breaking', '`GET /b` was removed.']],
  );
  assert.doesNotMatch(JSON.stringify(entry), /Acme|Allowed/);
});

test('an entry has bounds, and says how much more there is', () => {
  const paths = (count: number, more = {}) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`/${'long-'.repeat(20)}${at}`, operation(more)]),
    );
  const entry = entryOf(api({}), api(paths(3_000)));
  assert.ok(entry);
  assert.ok(entry.changes.length <= MOST.changes);
  assert.equal(entry.changes.length + entry.leftOut, 3_000);
  assert.ok(JSON.stringify(entry.changes).length <= MOST.changeLetters + MOST.changes);
  assert.ok(JSON.stringify(entry.operations).length <= MOST.operationLetters + 1_000);
  // A change of many operations is one, which names some of them.
  const shared = (type: string) => ({
    ...api(
      paths(200, {
        responses: {
          200: {
            description: 'Done.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
          },
        },
      }),
    ),
    components: { schemas: { Pet: { type: 'object', properties: { id: { type } } } } },
  });
  const one = entryOf(shared('string'), shared('integer'));
  assert.equal(one?.changes.length, 1);
  const [change] = one?.changes ?? [];
  assert.equal((change?.operations.length ?? 0) + (change?.more ?? 0), 200);
  assert.equal(change?.operations.length, MOST.named);
  assert.equal(one?.operations.length, 200);
  // A sentence that quotes something endless is cut.
  const long = entryOf(api({}, { version: 'v'.repeat(9_999) }), api({ '/a': operation() }));
  assert.ok((long?.before?.length ?? 0) <= 101);
});
