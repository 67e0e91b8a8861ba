import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProject } from '../support/project.ts';
import { assertError, json, startService } from '../support/service.ts';

const LONGEST = 'a'.repeat(40);

const REFUSED: [slug: unknown, why: RegExp][] = [
  ['', /slug must be 1 to 40 characters long; it has 0/],
  [`${LONGEST}a`, /slug must be 1 to 40 characters long; it has 41/],
  ['Pets', /lower-case letters a to z, digits and dashes alone/],
  ['pét', /lower-case letters/],
  ['ｐｅｔｓ', /lower-case letters/],
  ['pet.store', /lower-case letters/],
  ['pet_store', /lower-case letters/],
  ['pet store', /lower-case letters/],
  ['pets\n', /lower-case letters/],
  ['pets\0', /lower-case letters/],
  ['-pets', /must not begin or end with a dash/],
  ['pets-', /must not begin or end with a dash/],
  ['-', /must not begin or end with a dash/],
  ['pet--store', /two dashes in a row/],
  ['xn--pts-bma', /two dashes in a row/],
  ['www', /must not be www, which is reserved/],
  ['api', /must not be api, which is reserved/],
  ['dashboard', /must not be dashboard, which is reserved/],
  [4, /slug must be text/],
  [null, /slug must be text/],
];

test('a slug is a DNS label that is neither reserved nor taken', async (t) => {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  await createProject(owner, 'first');
  for (const [slug, why] of REFUSED) {
    for (const answer of [
      await owner.call('POST', '/api/projects', { name: 'A', slug }),
      await owner.call('PATCH', '/api/projects/first', { slug }),
    ]) {
      assert.match(await assertError(answer, 400, 'invalid_request'), why, JSON.stringify(slug));
    }
  }
  for (const slug of [LONGEST, 'a', '1', 'v2-0', 'www3', 'api-docs']) {
    assert.equal((await createProject(owner, slug)).slug, slug);
  }
  const taken = await owner.call('PATCH', '/api/projects/first', { slug: 'a' });
  assert.match(await assertError(taken, 409, 'conflict'), /The slug a is taken/);
  await json(await owner.call('PATCH', '/api/projects/first', { slug: 'first' }));
});
