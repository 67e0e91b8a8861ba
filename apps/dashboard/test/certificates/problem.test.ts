import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ProblemError, UnreachableError } from '../../server/src/certificates/acme-transport.ts';
import {
  explainProblem,
  isConnectionProblem,
  isGivenUp,
  isTransient,
  OrderFailedError,
  type Problem,
  parseProblem,
  problemOf,
  problemToShow,
  problemTypeOf,
} from '../../server/src/certificates/problem.ts';
import { OWN_TYPES } from '../../server/src/certificates/problem-table.ts';
import { HOST } from './support/lab.ts';

// To look at the words after a change of them:
// node --test --test-update-snapshots apps/dashboard/test/certificates/problem.test.ts

const EXPLANATIONS = join(import.meta.dirname, 'fixtures/explanations.txt');

/** Each problem, and whether it is never retried, or transient: the order is still good. */
const PROBLEMS: Readonly<Record<string, 'never' | 'transient' | 'retried'>> = {
  accountDoesNotExist: 'retried',
  alreadyReplaced: 'retried',
  alreadyRevoked: 'retried',
  badCSR: 'never',
  badNonce: 'transient',
  badPublicKey: 'never',
  badRevocationReason: 'retried',
  badSignatureAlgorithm: 'never',
  caa: 'never',
  compound: 'never',
  connection: 'retried',
  dns: 'retried',
  externalAccountRequired: 'never',
  incorrectResponse: 'retried',
  invalidContact: 'never',
  invalidProfile: 'retried',
  malformed: 'retried',
  orderNotReady: 'retried',
  rateLimited: 'transient',
  rejectedIdentifier: 'never',
  serverInternal: 'transient',
  tls: 'retried',
  unauthorized: 'retried',
  unsupportedContact: 'never',
  unsupportedIdentifier: 'never',
  userActionRequired: 'never',
  unreachable: 'transient',
  timeout: 'transient',
  orderGone: 'retried',
  accountRefused: 'retried',
  badCertificate: 'retried',
  noChallenge: 'never',
  budget: 'transient',
  somethingNew: 'retried',
};

const problem = (type: string, more: Partial<Problem> = {}): Problem => ({
  ...{ type, detail: '', at: 1 },
  ...more,
});

test('each problem is explained: what it means for the name, and what to do', (t) => {
  const cases: [string, Problem][] = [
    ...Object.keys(PROBLEMS).map((type): [string, Problem] => [type, problem(type)]),
    ['connection by http-01', problem('connection', { challenge: 'http-01' })],
    ['connection by tls-alpn-01', problem('connection', { challenge: 'tls-alpn-01' })],
    ['unauthorized by http-01', problem('unauthorized', { challenge: 'http-01' })],
    ['unauthorized by dns-01', problem('unauthorized', { challenge: 'dns-01' })],
    ['budget, with why and until', problem('budget', { detail: '4 failed', retryAt: 60_000 })],
  ];
  const text = cases.map(([title, it]) => `${title}: ${explainProblem(it, HOST)}\n`).join('\n');
  t.assert.fileSnapshot(text, EXPLANATIONS, { serializers: [String] });
});

test('what cannot help is not tried again, and what costs no order is tried with the same one', () => {
  assert.deepEqual(OWN_TYPES, Object.keys(PROBLEMS).slice(-8, -1));
  for (const [type, kind] of Object.entries(PROBLEMS)) {
    assert.equal(isGivenUp(problem(type)), kind === 'never', type);
    assert.equal(isTransient(problem(type)), kind === 'transient', type);
  }
});

test('a failed look-up of the name is a problem of the DNS, whatever the authority calls it', () => {
  const details = ['Could not resolve', 'no such host', 'NXDOMAIN', 'SERVFAIL', 'DNS problem: x'];
  for (const detail of [...details, 'No valid IP addresses found']) {
    for (const type of ['connection', 'malformed']) {
      assert.equal(problemTypeOf({ type, detail }), 'dns', detail);
    }
    assert.equal(problemTypeOf({ type: 'unauthorized', detail }), 'unauthorized');
  }
  assert.equal(problemTypeOf({ type: 'connection', detail: 'refused' }), 'connection');
});

test('a port that is closed matters to another challenge only where a challenge failed', () => {
  for (const type of Object.keys(PROBLEMS)) {
    const isOne = ['connection', 'tls', 'incorrectResponse'].includes(type);
    assert.equal(isConnectionProblem(problem(type, { challenge: 'http-01' })), isOne, type);
    assert.equal(isConnectionProblem(problem(type)), false);
  }
});

test('of two challenges that failed, the first is shown unless the second says more', () => {
  const http = problem('connection', { challenge: 'http-01' });
  const tls = (type: string) => problem(type, { challenge: 'tls-alpn-01', detail: 'second' });
  const both = { ...http, alsoFailed: 'tls-alpn-01' };
  for (const type of ['connection', 'tls', 'incorrectResponse', 'unauthorized']) {
    assert.deepEqual(problemToShow(http, tls(type)), both, type);
  }
  const first = problem('tls', { challenge: 'tls-alpn-01' });
  const newer: [Problem | undefined, Problem][] = [
    [undefined, tls('connection')],
    [http, tls('caa')],
    [http, problem('connection')],
    [http, problem('connection', { challenge: 'http-01', detail: 'again' })],
    [{ ...http, alsoFailed: 'tls-alpn-01' }, tls('connection')],
    [problem('connection'), tls('connection')],
    [problem('unauthorized', { challenge: 'http-01' }), tls('connection')],
    [first, problem('unauthorized', { challenge: 'http-01' })],
  ];
  for (const [last, shown] of newer) assert.equal(problemToShow(last, shown), shown);
});

test('the problem behind an error has the words, the time and the wait of the authority', () => {
  const failed = problem('caa');
  assert.equal(problemOf(new OrderFailedError(failed), 5), failed);
  assert.equal(new OrderFailedError(problem('caa', { detail: 'no' })).message, 'caa: no');
  assert.equal(new OrderFailedError(failed).name, 'OrderFailedError');
  for (const [isTimeout, type] of [
    [true, 'timeout'],
    [false, 'unreachable'],
  ] as const) {
    const error = new UnreachableError('gone', { isTimeout });
    assert.deepEqual(problemOf(error, 5), { type, detail: 'gone', at: 5 });
  }
  const document = { type: 'rateLimited', detail: 'slow', status: 429 };
  const known = { type: 'rateLimited', detail: 'slow', at: 5 };
  assert.deepEqual(problemOf(new ProblemError(document), 5), known);
  assert.deepEqual(problemOf(new ProblemError(document, 7), 5), { ...known, retryAt: 12 });
  assert.equal(problemOf(new Error('a defect'), 5), undefined);
  assert.equal(parseProblem(null), undefined);
  assert.deepEqual(parseProblem(JSON.stringify(known)), known);
});
