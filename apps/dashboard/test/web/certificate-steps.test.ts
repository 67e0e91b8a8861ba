import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Certificate, DomainEvent } from '../../server/src/domains/domain.ts';
import { stepsDone, stepsUnderWay } from '../../web/src/domains/certificate-steps.ts';
import { active, EVENTS, issuance, overdue } from '../support/domain-responses.ts';

const statuses = (steps: readonly { status: string }[]) => steps.map(({ status }) => status);

test('every step of an issuance is one of the five that are shown', () => {
  for (const [step, expected] of [
    ['account', ['done', 'running', 'ahead', 'ahead', 'ahead']],
    ['order', ['done', 'running', 'ahead', 'ahead', 'ahead']],
    ['challenge', ['done', 'done', 'running', 'ahead', 'ahead']],
    ['validate', ['done', 'done', 'done', 'running', 'ahead']],
    ['finalize', ['done', 'done', 'done', 'done', 'running']],
    ['download', ['done', 'done', 'done', 'done', 'running']],
  ] as const) {
    assert.deepEqual(statuses(stepsUnderWay(issuance({ step }), [])), expected, step);
  }
});

test('a failed attempt waits for the next one, and one that is given up has failed', () => {
  const waiting = overdue();
  const [, step] = stepsUnderWay(waiting, []);
  assert.deepEqual([step?.status, step?.at], ['waiting', waiting.nextAttemptAt]);
  const [, failed] = stepsUnderWay({ ...waiting, nextAttemptAt: null }, []);
  assert.equal(failed?.status, 'failed');
});

test('the steps of a certificate that is there have the times of its events', () => {
  const { issuedAt } = active().certificate as Certificate;
  const steps = stepsDone({ issuedAt } as Certificate, EVENTS);
  const at = (step: string) => EVENTS.find(({ details }) => details.step === step)?.at;
  assert.deepEqual(
    steps.map((step) => step.at),
    [EVENTS[4]?.at, at('challenge'), at('validate'), at('finalize'), issuedAt],
  );
});

test('a renewed certificate is not told with the steps of the first one', () => {
  const renewed: DomainEvent = {
    id: 9,
    at: new Date().toISOString(),
    kind: 'certificate.renewed',
    message: 'Renewed.',
    details: {},
  };
  assert.deepEqual(stepsDone({ issuedAt: renewed.at } as Certificate, [renewed, ...EVENTS]), []);
});
