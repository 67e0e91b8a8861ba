import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { domainInterval } from '../../web/src/domains/interval.ts';
import { active, added, issuance, overdue, verified } from '../support/domain-responses.ts';

const inAnHour = new Date(Date.now() + 3_600_000).toISOString();

test('a domain is asked after every 2 s while something is about to change, and else every 15 s', () => {
  for (const [what, domain, seconds] of [
    ['its check is due', added(), 2],
    ['its check is due in an hour', added({ nextCheckAt: inAnHour }), 15],
    ['it is no longer checked by itself', added({ nextCheckAt: null }), 15],
    ['its certificate is about to be requested', verified(issuance(), { issuance: null }), 2],
    ['its certificate is under way', verified(issuance()), 2],
    ['its certificate is tried again later', verified(overdue()), 15],
    ['its certificate was given up', verified(issuance({ nextAttemptAt: null })), 15],
    ['it is active', active(), 15],
    ['its certificate is being renewed', active({ issuance: issuance() }), 2],
  ] as const) {
    assert.equal(domainInterval([domain]), seconds * 1_000, what);
    assert.equal(domainInterval([active(), domain]), seconds * 1_000, `${what}, of two`);
  }
  assert.equal(domainInterval([]), 15_000);
});
