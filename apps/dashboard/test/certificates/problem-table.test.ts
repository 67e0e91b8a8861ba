import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blameOf } from '../../server/src/certificates/problem.ts';
import { kindOf, OWN_TYPES, STANDARD_TYPES } from '../../server/src/certificates/problem-table.ts';

/** By hand, from what each problem means: who is asked after it. */
const BLAMES: Readonly<Record<string, readonly string[]>> = {
  // Its DNS, its ports, its server: other authorities look at the same.
  name: ['connection', 'dns', 'incorrectResponse', 'tls'],
  // The rules, limits and states of one authority.
  'authority for this name': [
    ...['alreadyReplaced', 'alreadyRevoked', 'badCSR', 'badCertificate', 'badPublicKey'],
    ...['badRevocationReason', 'budget', 'caa', 'compound', 'malformed', 'noChallenge'],
    ...['rateLimited', 'rejectedIdentifier', 'unauthorized', 'unsupportedIdentifier'],
  ],
  authority: [
    ...['accountRefused', 'badSignatureAlgorithm', 'externalAccountRequired', 'invalidContact'],
    ...['invalidProfile', 'serverInternal', 'timeout', 'unreachable', 'unsupportedContact'],
    'userActionRequired',
  ],
  request: ['accountDoesNotExist', 'badNonce', 'orderGone', 'orderNotReady'],
};

const ALL = [...STANDARD_TYPES, ...OWN_TYPES];

test('every problem has its blame, and a section of a standard', () => {
  assert.deepEqual(Object.values(BLAMES).flat().toSorted(), ALL.toSorted());
  for (const [blame, types] of Object.entries(BLAMES)) {
    for (const type of types) {
      assert.equal(blameOf({ type, detail: '', at: 0 }), blame, type);
      assert.match(
        kindOf(type).section,
        /^(RFC \d{4}|draft-[a-z-]+), \d+(\.\d+)*(; RFC \d{4}, \d+)?$/,
      );
    }
  }
});

test('all types of RFC 8555 are there', () => {
  // Section 6.7, without alreadyReplaced of RFC 9773 and invalidProfile of the draft.
  assert.equal(STANDARD_TYPES.length, 24 + 2);
  assert.deepEqual(STANDARD_TYPES, STANDARD_TYPES.toSorted());
});

test('what an authority found at the name is the name’s, and a refusal without a challenge is its own', () => {
  const refused = { type: 'unauthorized', detail: '', at: 0 };
  for (const challenge of ['http-01', 'tls-alpn-01'] as const) {
    assert.equal(blameOf({ ...refused, challenge }), 'name');
  }
  assert.equal(blameOf(refused), 'authority for this name');
  const unknown = blameOf({ ...refused, type: 'somethingNew' });
  assert.equal(unknown, 'authority for this name', 'another may not have it');
  assert.equal(kindOf('somethingNew').section, 'RFC 8555, 6.7');
});

test('only what is kept costs no order, and only what is lost counts as no failure', () => {
  const by = (order: string) => ALL.filter((type) => kindOf(type).order === order);
  assert.deepEqual(by('kept'), [
    'badNonce',
    'rateLimited',
    'serverInternal',
    'unreachable',
    'timeout',
    'budget',
  ]);
  assert.deepEqual(by('lost'), ['accountDoesNotExist', 'orderGone']);
  for (const type of by('kept')) assert.equal(kindOf(type).isGivenUp, undefined, type);
});
