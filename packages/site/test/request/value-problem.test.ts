import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson } from '../../src/request/json-text.ts';
import type { SchemaData } from '../../src/request/operation-data.ts';
import { jsonProblem, valueProblem } from '../../src/request/value-problem.ts';

const PET: SchemaData = {
  type: 'object',
  properties: [
    { name: 'id', required: true, schema: { type: 'integer' } },
    { name: 'tags', schema: { type: 'array', max: '2', items: { type: 'string', min: '2' } } },
  ],
};

const CASES: readonly (readonly [SchemaData, string, string | undefined])[] = [
  [{}, '{"a":[]}', undefined],
  [{ type: 'integer' }, '1.0', undefined],
  [{ type: 'integer' }, '1e3', undefined],
  [{ type: 'integer' }, '1.5', 'This is not an integer.'],
  [{ type: 'integer' }, '"abc"', 'This is not an integer.'],
  [{ type: 'number' }, '-0.5', undefined],
  [{ type: 'boolean' }, '"true"', 'This is not a boolean.'],
  [{ type: 'string' }, '1', 'This is not a string.'],
  [{ type: 'array' }, '{}', 'This is not an array.'],
  [{ type: 'string', nullable: true, min: '3' }, 'null', undefined],
  [{ type: 'string' }, 'null', 'This is not a string.'],
  [
    { type: 'integer', max: '9007199254740992' },
    '9007199254740993',
    'The maximum is 9007199254740992.',
  ],
  [{ type: 'integer', min: '-5', max: '5' }, '-5', undefined],
  [{ type: 'number', min: '0.5' }, '0.25', 'The minimum is 0.5.'],
  [{ type: 'number', above: '0' }, '0', 'It has to be more than 0.'],
  [{ type: 'number', below: '1' }, '1', 'It has to be less than 1.'],
  [{ type: 'string', min: '2' }, '"\u{1F436}"', 'At least 2 characters: there is 1.'],
  [{ type: 'string', max: '1' }, '"\u{1F436}"', undefined],
  [{ type: 'string', enum: ['a', ''] }, '""', undefined],
  [{ type: 'string', enum: ['a', 'b'] }, '"c"', 'This is none of the allowed values: a, b.'],
  [{ type: 'integer', enum: ['1', '2'] }, '1.0', undefined],
  [{ type: 'string', pattern: '^[a-z]{2}$' }, '"ab"', undefined],
  [{ type: 'string', pattern: '^[a-z]{2}$' }, '"a1"', 'This does not match the pattern ^[a-z]{2}$'],
  [PET, '{"id":1,"more":true}', undefined],
  [PET, '{}', '“id” is missing.'],
  [PET, '{"id":1,"tags":["ab","c"]}', 'tags: item 2: At least 2 characters: there is 1.'],
  [PET, '{"id":1,"tags":["ab","cd","ef"]}', 'tags: At most 2 items: there are 3.'],
];

for (const [schema, text, problem] of CASES) {
  test(`${text} as ${JSON.stringify(schema)}: ${problem ?? 'nothing is wrong'}`, () => {
    const node = parseJson(text);
    assert.ok(node);
    assert.equal(valueProblem(schema, node), problem);
  });
}

test('a text that is not JSON is told from one that is', () => {
  assert.equal(jsonProblem('{"a": 1}'), undefined);
  assert.match(jsonProblem('{"name": "x",}') ?? '', /^This is not JSON: ./);
});
