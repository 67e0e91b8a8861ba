import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDocument } from '@petstore/site/openapi/read-document.ts';
import { schemaProblems } from '@petstore/site/openapi/schema-problems.ts';
import { upgradeDocument } from '@petstore/site/openapi/upgrade-document.ts';
import { versionOf } from '@petstore/site/openapi/version.ts';
import { toJson } from '@petstore/site/syntax/exact-text.ts';
import { coverNothing } from '@petstore/test-support/program.ts';
import { cpuTimeOf } from '@petstore/test-support/within.ts';
import fc from 'fast-check';
import { parse } from 'yaml';
import { built, fixture, textOf } from '../../support/build-site.ts';

coverNothing();

const FIXTURES = ['payments.yaml', 'code-hosting.json', 'weather.json'];

function read(bytes: Uint8Array | string, name = '') {
  const source = readDocument(Buffer.from(bytes), name);
  assert.ok('value' in source, 'problem' in source ? source.problem.message : '');
  return source.value;
}

test('JSON and YAML are read with every digit, and written with them', () => {
  const json = read('{"a": [9007199254740993, -9223372036854775808, 0.5, 1, 1234567890123456]}');
  const yaml = read('a: [9007199254740993, -9223372036854775808, 0.5, 1, 1234567890123456]');
  assert.deepEqual(json, {
    a: [9007199254740993n, -9223372036854775808n, 0.5, 1, 1234567890123456],
  });
  assert.deepEqual(yaml, json);
  assert.match(toJson(json), /9007199254740993,\s+-9223372036854775808,/);
});

test('whatever JSON says is read as it is', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const text = JSON.stringify(value);
      assert.equal(toJson(read(text)), toJson(JSON.parse(text)));
    }),
  );
});

test('a byte order mark, merged aliases, and dates that stay text are read', () => {
  assert.deepEqual(read('\ufeffbase: &b {x: 1}\nmore: {<<: *b, day: 2030-12-05}'), {
    base: { x: 1 },
    more: { x: 1, day: '2030-12-05' },
  });
});

test('names that objects inherit are names like others, and change no other object', async () => {
  const value = read('__proto__: {polluted: yes}\nconstructor: {prototype: {polluted: yes}}');
  assert.deepEqual(Object.keys(value), ['__proto__', 'constructor']);
  upgradeDocument({ swagger: '2.0', paths: {}, ...value });
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});

for (const name of FIXTURES) {
  test(`${name}: what is published says what was uploaded, in JSON and in YAML`, async () => {
    const bytes = await fixture(name);
    const artifact = await built(bytes, name);
    const uploaded = read(bytes, name);
    assert.deepEqual(read(textOf(artifact, '/openapi.json')), uploaded);
    assert.deepEqual(read(textOf(artifact, '/openapi.yaml')), uploaded);
    assert.equal(toJson(uploaded), textOf(artifact, '/openapi.json'), 'in the same order');
  });

  test(`${name}: upgraded, it is OpenAPI 3.1 with every digit, and the original is left alone`, async () => {
    const value = read(await fixture(name), name);
    const before = toJson(value);
    const upgraded = upgradeDocument(value);
    assert.equal(toJson(value), before);
    const digits = (text: string) => text.match(/\d{16,}/g)?.sort();
    assert.deepEqual(digits(toJson(upgraded)), digits(before));
    assert.equal(versionOf(upgraded), '3.1');
    assert.deepEqual(await schemaProblems(upgraded), []);
  });
}

test('JSON of 10 MB is read in a second', () => {
  const text = JSON.stringify({
    items: Array(99_000).fill({ name: 'x'.repeat(50), list: [1, 2, 3], deep: { a: true } }),
  });
  assert.ok(text.length > 9_000_000 && text.length < 10_000_000);
  const took = cpuTimeOf(() => read(text));
  assert.ok(took < 2_000, `${took} ms, allowed twice the time for machines that are busy`);
});

test('a document in YAML and the same in JSON make the same site', async () => {
  const bytes = await fixture('payments.yaml');
  const artifact = await built(bytes);
  const again = await built(Buffer.from(textOf(artifact, '/openapi.json')));
  assert.equal(again.hash, artifact.hash);
  assert.ok(parse(bytes.toString(), { merge: true }));
});
