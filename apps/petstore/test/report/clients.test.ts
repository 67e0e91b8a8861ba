import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge, RULES } from '../../src/report/judge.ts';
import { PracticeClient } from '../support/practice-client.ts';
import { newSandbox, startWithSandbox } from '../support/sandbox.ts';

/** A client may not wait longer in these sessions, in milliseconds: one whose limit is 0.7 s does not. */
const LONGEST_WAIT_MS = 5_000;

/** Those that requests alone show. */
const CODES = RULES.map(({ code }) => code).filter((code) => !code.startsWith('webhooks_'));

test('a client that breaks one rule is told so, and of no other; a good one keeps them all', async (t) => {
  const service = await startWithSandbox(t);
  const { store, origin } = service;
  const verdicts = async (habit: string | undefined) => {
    const { sandboxKey, inSandbox } = await newSandbox(service, 9);
    await new PracticeClient(origin, sandboxKey, habit).session();
    const { sandbox } = (await (await inSandbox('/report')).json()) as { sandbox: string };
    const requests = await store.reports.requests(sandbox);
    const recording = { requests, isWhole: true, deliveries: [], isOver: true, now: Date.now() };
    return judge({ ...recording, longestWaitMs: LONGEST_WAIT_MS });
  };
  const judged = await Promise.all(
    [undefined, ...CODES].map(async (habit) => ({ habit, rules: await verdicts(habit) })),
  );
  for (const { habit, rules } of judged) {
    const of = (wanted: string) =>
      rules.filter(({ verdict }) => verdict === wanted).map(({ code }) => code);
    const evidence = JSON.stringify(
      rules.filter(({ verdict }) => verdict === 'broken'),
      null,
      1,
    );
    assert.deepEqual(of('broken'), habit === undefined ? [] : [habit], `${habit}: ${evidence}`);
    if (habit === undefined) assert.deepEqual(of('kept'), CODES);
  }
});
