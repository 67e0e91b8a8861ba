import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entityTag } from '@petstore/http/entity-tags.ts';
import { failedCondition, refuseByPrecondition } from '../src/precondition.ts';

const TAG = '"abc"';
const none = { ifMatch: undefined, ifNoneMatch: undefined };

test('an entity tag is a quoted digest that differs where the text does', () => {
  // SHA-256 of nothing begins with these 132 bits (FIPS 180-4). Clients keep tags across updates.
  assert.equal(entityTag(''), '"47DEQpj8HBSa-_TImW-5JC"');
  assert.match(entityTag('{"id":1}'), /^"[\w-]{22}"$/);
  assert.notEqual(entityTag('{"id":1}'), entityTag('{"id":2}'));
});

test('If-Match holds where the list has the tag itself, or is any', () => {
  for (const held of [
    TAG,
    ` ${TAG} `,
    '*',
    ' * ',
    `"x", ${TAG}`,
    `${TAG},"x"`,
    `"x",\t${TAG} ,"y"`,
  ]) {
    assert.equal(failedCondition({ ...none, ifMatch: held }, TAG), undefined, held);
  }
  for (const missed of ['', '"x"', 'abc', `W/${TAG}`, '"abc', `"x" ${TAG}`, '"*"']) {
    assert.equal(failedCondition({ ...none, ifMatch: missed }, TAG), 'ifMatch', missed);
  }
});

test('If-None-Match fails where the list has the tag, weak or not, or is any', () => {
  for (const listed of [TAG, `"x", ${TAG}`, `W/${TAG}`, '*', `"x", W/${TAG}`, `W/"x",W/${TAG}`]) {
    assert.equal(failedCondition({ ...none, ifNoneMatch: listed }, TAG), 'ifNoneMatch', listed);
  }
  for (const missed of ['', '"x"', 'W/"x"', `w/${TAG}`]) {
    assert.equal(failedCondition({ ...none, ifNoneMatch: missed }, TAG), undefined, missed);
  }
});

test('of two conditions If-Match is asked first, and both have to hold', () => {
  assert.equal(failedCondition({ ifMatch: '"x"', ifNoneMatch: TAG }, TAG), 'ifMatch');
  assert.equal(failedCondition({ ifMatch: TAG, ifNoneMatch: TAG }, TAG), 'ifNoneMatch');
  assert.equal(failedCondition({ ifMatch: TAG, ifNoneMatch: '"x"' }, TAG), undefined);
  assert.equal(failedCondition(none, TAG), undefined);
});

test('a write that is refused by a condition says which of the two, and what to do', () => {
  const refused = (precondition: { ifMatch?: string; ifNoneMatch?: string }) =>
    refuseByPrecondition('{}', { ...none, ...precondition });
  assert.deepEqual(refused({ ifMatch: '"x"' }), {
    refused: 'precondition_failed',
    message: 'If-Match does not match the current ETag. Read it again first.',
  });
  assert.deepEqual(refused({ ifNoneMatch: '*' }), {
    refused: 'precondition_failed',
    message: 'If-None-Match matches the current ETag, so nothing was done.',
  });
  assert.equal(refused({ ifMatch: entityTag('{}') }), undefined);
  assert.equal(refuseByPrecondition('{}', undefined), undefined);
});
