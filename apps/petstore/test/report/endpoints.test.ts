import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { RULES } from '../../src/report/judge.ts';
import type { Report } from '../../src/report/report.ts';
import { type Received, Receiver } from '../support/receiver.ts';
import { newSandbox, startWithSandbox } from '../support/sandbox.ts';

const CODES = RULES.map(({ code }) => code).filter((code) => code.startsWith('webhooks_'));

/** What an endpoint answers. `isFirst`: the event comes for the first time. */
type Endpoint = (
  received: Received,
  isSigned: boolean,
  isFirst: boolean,
) => number | Promise<number>;

test('an endpoint that breaks one rule is told so, and of no other; a good one keeps them all', async (t) => {
  const service = await startWithSandbox(t, { config: { webhookPrivateAddresses: 'allow' } });
  const judged = async (answer: Endpoint, isRotated = false) => {
    const receiver = await Receiver.start(t);
    const { inSandbox } = await newSandbox(service, 3);
    const post = (path: string, body?: object) =>
      inSandbox(path, { method: 'POST', ...(body && { body: JSON.stringify(body) }) });
    await post('/challenges/webhooks/start');
    const made = await post('/webhooks', { url: receiver.url, events: ['order.cancelled'] });
    const { id, secret } = (await made.json()) as { id: string; secret: string };
    // The endpoint has the old secret, which still signs.
    if (isRotated) await post(`/webhooks/${id}/rotate`);
    const seen = new Set<string>();
    receiver.answer = (received) => {
      const isFirst = !seen.has(received.webhookId);
      seen.add(received.webhookId);
      return answer(received, isSigned(received, secret), isFirst);
    };
    await post('/pets', { name: 'Rex', categoryId: 1 });
    const { verdict, rules } = (await (await post('/challenges/verdict')).json()) as Report;
    assert.equal(receiver.received.length, 3);
    const of = (wanted: string) =>
      rules.filter((rule) => rule.verdict === wanted).map(({ code }) => code);
    return { verdict, broken: of('broken'), kept: of('kept') };
  };
  const [good, rotated, careless, slow, strict, deaf] = await Promise.all([
    judged((_, isSigned) => (isSigned ? 204 : 401)),
    judged((_, isSigned) => (isSigned ? 204 : 401), true),
    judged(() => 204),
    judged(async (_, isSigned, isFirst) => {
      // An hour is longer than any time that an endpoint has.
      if (isSigned && !isFirst)
        await new Promise((resolve) => setTimeout(resolve, 3_600_000).unref());
      return isSigned ? 204 : 401;
    }),
    judged((_, isSigned, isFirst) => (isSigned && isFirst ? 204 : 409)),
    judged(() => 404),
  ]);
  assert.deepEqual([good.verdict, good.broken, good.kept], ['kept', [], CODES]);
  assert.deepEqual(rotated, good);
  assert.deepEqual([careless.verdict, careless.broken], ['broken', ['webhooks_verified']]);
  assert.deepEqual([slow.verdict, slow.broken], ['broken', ['webhooks_answered_in_time']]);
  assert.deepEqual([strict.verdict, strict.broken], ['broken', ['webhooks_taken_twice']]);
  // Who refuses everything has verified nothing.
  assert.deepEqual([deaf.verdict, deaf.broken, deaf.kept], ['not_seen', [], []]);
});

function isSigned({ body, headers }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
