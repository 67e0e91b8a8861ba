import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Judgement, judge, RULES } from '../../src/report/judge.ts';
import { PracticeClient } from '../support/practice-client.ts';
import { newSandbox, startWithSandbox } from '../support/sandbox.ts';

/** A client may not wait longer in these sessions, in milliseconds: one whose limit is 0.7 s does not. */
const LONGEST_WAIT_MS = 5_000;

/** Those that requests alone show. */
const CODES = RULES.map(({ code }) => code).filter((code) => !code.startsWith('webhooks_'));

const DEPRECATED = 'deprecated_operations';

/** The day on which deprecated operations are gone. */
const AFTER_SUNSET = Date.parse('2030-12-06T00:00:00Z');

/** What is said of clients that each break one rule, or none, on a service that has a time. */
async function judgedSessions(
  t: TestContext,
  habits: readonly (string | undefined)[],
  startedAt: number,
): Promise<{ habit: string | undefined; rules: Judgement[]; isLater: boolean }[]> {
  const began = performance.now();
  const now = () => startedAt + performance.now() - began;
  const service = await startWithSandbox(t, { now });
  const { store, origin } = service;
  const judged = async (habit: string | undefined) => {
    const { sandboxKey, inSandbox } = await newSandbox(service, 9, now());
    await new PracticeClient(origin, sandboxKey, habit).session();
    const { sandbox } = (await (await inSandbox('/report')).json()) as { sandbox: string };
    const requests = await store.reports.requests(sandbox);
    const recording = { requests, isWhole: true, deliveries: [], isOver: true, now: now() };
    const rules = judge({ ...recording, longestWaitMs: LONGEST_WAIT_MS });
    return { habit, rules, isLater: startedAt === AFTER_SUNSET };
  };
  return await Promise.all(habits.map(judged));
}

test('a client that breaks one rule is told so, and of no other; a good one keeps them all', async (t) => {
  const [today, later] = await Promise.all([
    judgedSessions(t, [undefined, ...CODES], Date.now()),
    judgedSessions(t, [undefined, DEPRECATED], AFTER_SUNSET),
  ]);
  const broken = new Set<string>();
  for (const { habit, rules, isLater } of [...today, ...later]) {
    const of = (wanted: string) =>
      rules.filter(({ verdict }) => verdict === wanted).map(({ code }) => code);
    // What goes away may be used until its day.
    const isGood = habit === undefined || (habit === DEPRECATED && !isLater);
    const evidence = rules.filter(({ verdict }) => verdict === 'broken');
    const expected = isGood ? [] : [habit];
    assert.deepEqual(of('broken'), expected, `${habit}: ${JSON.stringify(evidence, null, 1)}`);
    if (isGood) assert.deepEqual(of('kept'), CODES);
    for (const code of of('broken')) broken.add(code);
  }
  assert.deepEqual([...broken].sort(), [...CODES].sort(), 'each rule has a client that breaks it');
});
