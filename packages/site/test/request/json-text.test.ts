import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatJson, parseJson, writeJson } from '../../src/request/json-text.ts';

test('JSON is laid out with every digit, escape and repeated name that it had', () => {
  const text = String.raw`{"id":9007199254740993,"a":[1.10,-0,1e400,[],{}],"s":"\u0041\"\\, {","a":null,"__proto__":{"x":true}}`;
  const wanted = String.raw`{
  "id": 9007199254740993,
  "a": [
    1.10,
    -0,
    1e400,
    [],
    {}
  ],
  "s": "\u0041\"\\, {",
  "a": null,
  "__proto__": {
    "x": true
  }
}`;
  assert.equal(formatJson(text), wanted);
  assert.equal(formatJson(wanted), wanted);
  const node = parseJson(text);
  assert.ok(node?.kind === 'object');
  assert.deepEqual(node.members.get('id'), { kind: 'literal', text: '9007199254740993' });
  assert.match(writeJson(node), /^\{"id":9007199254740993,.*"__proto__":\{"x":true\}\}$/);
});

test('what is no JSON, or far too deep, is not laid out as if it were', () => {
  for (const text of ['', '{', '{"a":1,}', "{'a':1}", '1 2'])
    assert.equal(formatJson(text), undefined);
  const deep = '['.repeat(5000) + ']'.repeat(5000);
  assert.equal(parseJson(deep), undefined);
  assert.ok((formatJson(deep)?.length ?? 0) < 1_000_000);
});
