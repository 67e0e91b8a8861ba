import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  proofNearMiss,
  targetNearMiss,
  unquoted,
} from '../../../server/src/domains/dns/rules/near-miss.ts';
import { expectationOf, PLATFORM, TARGET } from './support/model-dns.ts';

test('a target that is almost right is told apart from one that is another', () => {
  const values: Record<string, string | undefined> = {
    [`${TARGET}.example.com`]: 'zone_appended',
    [PLATFORM]: 'bare_platform_host',
    [TARGET.slice(1)]: 'target_typo',
    [TARGET.slice(2)]: 'target_typo',
    [TARGET.slice(3)]: 'other_claim',
    [`xx${TARGET}`]: 'target_typo',
    [`https://${TARGET}/docs`]: 'target_typo',
    [TARGET.replace('k7', '7k')]: 'target_typo',
    [TARGET.replace('k7m', 'abc')]: 'other_claim',
    [TARGET.padStart(255, 'x')]: 'target_typo',
    [TARGET.padStart(256, 'x')]: 'other_claim',
    [`another.${PLATFORM}`]: 'other_claim',
    [TARGET]: 'other_claim',
    [`x${PLATFORM}`]: undefined,
    'pages.example.org': undefined,
  };
  for (const [value, expected] of Object.entries(values)) {
    assert.equal(targetNearMiss(value, expectationOf('docs.example.com')), expected, value);
  }
});

test('a proof that is almost right is told apart from another text', () => {
  const proof = 'docs-proof-1234';
  const values: Record<string, string | undefined> = {
    [proof]: undefined,
    [`"${proof}"`]: 'proof_quoted',
    [` ${proof}`]: 'proof_quoted',
    [`${proof}\t`]: 'proof_quoted',
    [`“${proof}„`]: 'proof_quoted',
    [`\\"${proof}\\"`]: 'proof_quoted',
    'docs-proof-123': 'proof_typo',
    'docs-proof-12': 'proof_typo',
    'docs-proof-1': undefined,
    'docs-proof-1243': 'proof_typo',
    '"docs-proof-1235"': 'proof_typo',
    [`TXT ${proof} x`]: 'proof_typo',
    [proof.padStart(255, 'x')]: 'proof_typo',
    [proof.padStart(256, 'x')]: undefined,
    [`${proof}${' '.repeat(240)}`]: 'proof_quoted',
    [`${proof}${' '.repeat(241)}`]: undefined,
    'v=spf1 -all': undefined,
    '': undefined,
  };
  for (const [value, expected] of Object.entries(values)) {
    assert.equal(proofNearMiss(value, proof), expected, JSON.stringify(value));
  }
  assert.equal(unquoted(` '"a "b" c"' `), 'a "b" c');
});
