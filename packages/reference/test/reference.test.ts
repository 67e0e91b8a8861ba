import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html, scriptJson } from '@petstore/http/html.ts';
import { ignoredFields, markNotes, readMarks } from '../src/extension-fields.ts';
import { panelSettings, referenceDocument } from '../src/reference-document.ts';

const documentOf = (operation: object) => ({
  openapi: '3.1.0',
  paths: { '/a': { get: operation } },
});

const shown = (operation: object) =>
  referenceDocument(documentOf(operation)).paths['/a'].get as {
    description?: string;
    deprecated?: boolean;
    'x-badges'?: { name: string }[];
  };

test('each stability has its badge, and what it promises only where that is said', () => {
  for (const stability of ['experimental', 'alpha', 'beta']) {
    const operation = { 'x-stability': stability, description: 'Own.' };
    const { description, 'x-badges': badges } = shown(operation);
    assert.equal(description, 'Own.');
    assert.equal('description' in shown({ 'x-stability': stability }), false);
    const promises = { beta: 'So beta.', alpha: 'So alpha.', experimental: 'So experimental.' };
    const promised = referenceDocument(documentOf(operation), { promises });
    const { get } = promised.paths['/a'];
    assert.equal((get as typeof operation).description, `So ${stability}.\n\nOwn.`);
    assert.deepEqual(
      badges?.map(({ name }) => name),
      [stability],
    );
  }
});

test('a last day is said in words, and makes an operation deprecated', () => {
  const {
    description,
    deprecated,
    'x-badges': badges,
  } = shown({ 'x-deprecated-sunset': '2030-12-05' });
  assert.equal(description, '**To be removed on 5 December 2030.**');
  assert.equal(deprecated, true);
  assert.deepEqual(
    badges?.map(({ name }) => name),
    ['until 5 December 2030'],
  );
  assert.deepEqual(
    markNotes({ sunset: '2030-12-05', hidesTryItPanel: false }, { successor: 'Use b.' }),
    ['**To be removed on 5 December 2030.** Use b.'],
  );
});

test('a day may come with a time, and must be in the calendar', () => {
  assert.equal(readMarks({ 'x-deprecated-sunset': '2028-02-29T12:00:00Z' }).sunset, '2028-02-29');
  for (const value of [
    '2030-02-30',
    '2030-13-01',
    'soon',
    '05/12/2030',
    '2030-12-05x',
    '',
    2030,
    null,
  ]) {
    assert.equal(readMarks({ 'x-deprecated-sunset': value }).sunset, undefined, String(value));
  }
});

test('values that mean nothing are ignored, and can be told', () => {
  const operation = {
    'x-stability': 'stable',
    'x-deprecated-sunset': 'soon',
    'x-hideTryItPanel': 'yes',
  };
  assert.deepEqual(readMarks(operation), { hidesTryItPanel: false });
  assert.deepEqual(shown(operation), operation);
  assert.deepEqual(
    ignoredFields(operation).map(({ field }) => field),
    ['x-stability', 'x-deprecated-sunset', 'x-hideTryItPanel'],
  );
  assert.deepEqual(ignoredFields({ 'x-stability': 'beta', 'x-hideTryItPanel': false }), []);
});

test('operations of webhooks are marked too, and a path item keeps its other members', () => {
  const document = referenceDocument({
    paths: { '/a': { parameters: [{ name: 'x' }], summary: 'S', servers: [] } },
    webhooks: { a: { post: { 'x-stability': 'beta' } } },
  });
  assert.deepEqual(document.paths['/a'], {
    parameters: [{ name: 'x' }],
    summary: 'S',
    servers: [],
  });
  assert.ok('x-badges' in document.webhooks.a.post);
});

test('large integers are shown with every digit, as text, and bounds that large are left out', () => {
  const schema = { type: 'integer', minimum: -9223372036854775808n, example: 9007199254740993n };
  const { components } = referenceDocument({ components: { schemas: { a: schema } } });
  assert.deepEqual(components.schemas.a, { type: 'integer', example: '9007199254740993' });
  assert.equal(schema.minimum, -9223372036854775808n);
});

test('data that looks like a reference to elsewhere is not one for the reader of the document', () => {
  const shownDocument = referenceDocument({
    example: { $ref: 'https://a.example' },
    schema: { $ref: '#/a' },
  });
  assert.deepEqual(Object.keys(shownDocument.example), ['$\u2060ref']);
  assert.deepEqual(shownDocument.schema, { $ref: '#/a' });
});

test('operations without a panel are told, with those that they could be taken for', () => {
  const hidden = { 'x-hideTryItPanel': true };
  const settings = panelSettings({
    paths: { '/a/{x}': { get: hidden, put: {} }, '/a/b': { get: {} }, '/c': { get: {} } },
  });
  assert.deepEqual(settings, { withoutPanel: ['GET /a/{x}'], withPanel: ['GET /a/b'] });
});

test('nothing that is put into a page becomes markup', () => {
  assert.equal(
    html`<b title="${'"<'}">${'<i>&'}</b>`.text,
    '<b title="&quot;&lt;">&lt;i&gt;&amp;</b>',
  );
  assert.equal(scriptJson({ a: '</script>' }).text, '{"a":"\\u003c/script>"}');
});
