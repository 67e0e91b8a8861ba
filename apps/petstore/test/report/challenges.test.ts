import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { challenged, solve } from '../../../../packages/client/examples/challenge.ts';
import { CHALLENGES } from '../../src/report/challenges/challenges.ts';
import type { Report } from '../../src/report/report.ts';
import { reportTable } from '../../src/report/report-table.ts';
import { newSandbox, startWithSandbox } from '../support/sandbox.ts';

interface Verdict {
  readonly verdict: string;
  readonly requests: { readonly count: number };
  readonly challenge: {
    readonly code: string;
    readonly seed: number;
    readonly endedAt: string | null;
  };
  readonly rules: readonly {
    readonly code: string;
    readonly verdict: string;
    readonly evidence: readonly { readonly seen: string }[];
  }[];
}

type Sandbox = Awaited<ReturnType<typeof newSandbox>>;

async function start({ inSandbox }: Sandbox, code: string, seed = 1): Promise<void> {
  const started = await inSandbox(`/challenges/${code}/start?seed=${seed}`, { method: 'POST' });
  assert.equal(started.status, 201, await started.text());
}

async function end({ inSandbox }: Sandbox): Promise<Verdict> {
  const ended = await inSandbox('/challenges/verdict', { method: 'POST' });
  assert.equal(ended.status, 200);
  return (await ended.json()) as Verdict;
}

test('our client passes every challenge, and a client that does nothing passes none', async (t) => {
  const service = await startWithSandbox(t);
  const baseUrl = `${service.origin}/v1`;
  assert.ok(CHALLENGES.length >= 12);
  await Promise.all(
    CHALLENGES.filter(({ triesWebhooks }) => !triesWebhooks).map(async ({ code, rules }) => {
      const sandbox = await newSandbox(service, 30);
      await start(sandbox, code);
      const idle = await end(sandbox);
      assert.notEqual(idle.verdict, 'kept', code);

      await start(sandbox, code, 7);
      await solve(code, challenged(baseUrl, sandbox.sandboxKey));
      const found = await end(sandbox);
      assert.equal(found.verdict, 'kept', `${code}: ${JSON.stringify(found.rules, null, 1)}`);
      assert.deepEqual(
        found.rules.slice(0, rules.length).map((rule) => [rule.code, rule.verdict]),
        rules.map((rule) => [rule.code, 'kept']),
      );
      assert.equal(found.challenge.seed, 7);
      assert.ok(found.challenge.endedAt);
    }),
  );
});

test('a client that gives up at the first failure is told at which request it did', async (t) => {
  const service = await startWithSandbox(t);
  const sandbox = await newSandbox(service, 30);
  const { inSandbox } = sandbox;
  await start(sandbox, 'cut-short');
  await (await inSandbox('/pets?limit=10')).text();
  await inSandbox('/pets?limit=10')
    .then((page) => page.text())
    .catch(() => undefined);
  const soFar = await inSandbox('/challenges/verdict');
  assert.equal(((await soFar.json()) as Verdict).verdict, 'not_seen', 'it may go on');
  const { verdict, rules } = await end(sandbox);
  assert.equal(verdict, 'broken');
  assert.equal(rules[0]?.code, 'everything_listed');
  assert.match(rules[0]?.evidence[0]?.seen ?? '', /stopped behind GET \/v1\/pets\?limit=10/);

  const badge = await inSandbox('/challenges/verdict', { headers: { accept: 'image/svg+xml' } });
  assert.match(badge.headers.get('content-type') ?? '', /^image\/svg\+xml/);
  assert.match(await badge.text(), /^<svg .*broke everything_listed at request 2/s);
  const after = await inSandbox('/faults');
  assert.deepEqual(await after.json(), [], 'nothing goes wrong any more');
});

test('a list that fits into one page breaks nothing, and does not pass; what is missing is told once', async (t) => {
  const sandbox = await newSandbox(await startWithSandbox(t), 30);
  await start(sandbox, 'list-while-others-add');
  await (await sandbox.inSandbox('/pets?limit=100')).text();
  const { verdict, rules } = await end(sandbox);
  assert.deepEqual([verdict, rules[1]?.verdict], ['not_seen', 'not_seen']);

  await start(sandbox, 'add-once');
  const added = (await end(sandbox)) as unknown as Report;
  const text = reportTable(added);
  assert.match(text, /Practice 1 is missing\.\n {2}Practice 2 is missing\./);
  assert.equal(text.split('Add each once').length, 2);
});

test('what came before the end of a challenge counts, also when the clock was set back meanwhile', async (t) => {
  let now = Date.now();
  const service = await startWithSandbox(t, { now: () => now });
  const sandbox = await newSandbox(service, 30);
  await start(sandbox, 'manners');
  for (let i = 0; i < 10; i++) await (await sandbox.inSandbox('/categories')).text();
  now -= 3_600_000;
  assert.equal((await end(sandbox)).verdict, 'kept');
  await (await sandbox.inSandbox('/pets/1')).text();
  const later = (await (await sandbox.inSandbox('/challenges/verdict')).json()) as Verdict;
  assert.equal(later.verdict, 'kept', 'what comes behind the end does not count');
  assert.equal(later.requests.count, 10);
});

test('while a list is read, others add and remove; with the same seed it is the same', async (t) => {
  const service = await startWithSandbox(t);
  const seen = async () => {
    const sandbox = await newSandbox(service, 0);
    await start(sandbox, 'list-while-others-add', 3);
    const names: string[] = [];
    for (let path: string | undefined = '/pets?limit=10'; path; ) {
      const page = await sandbox.inSandbox(path);
      names.push(...((await page.json()) as { name: string }[]).map(({ name }) => name));
      path = /<[^>]*\/v1([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    return {
      names,
      left: ((await (await sandbox.inSandbox('/pets?limit=100')).json()) as object[]).length,
    };
  };
  const [one, other] = await Promise.all([seen(), seen()]);
  assert.deepEqual(one, other);
  assert.equal(new Set(one.names).size, one.names.length, 'none twice');
  assert.equal(one.names.filter((name) => !name.startsWith('Newcomer')).length, 25, 'none missing');
  assert.ok(one.names.some((name) => name.startsWith('Newcomer')));
});

test('a challenge that there is not is a 404 that names those that there are', async (t) => {
  const { inSandbox } = await startWithSandbox(t);
  const missing = await inSandbox('/challenges/big-id/start', { method: 'POST' });
  assert.equal(missing.status, 404);
  assert.match(await missing.text(), /no challenge big-id; there are .*big-ids/);
  assert.equal((await inSandbox('/challenges/verdict')).status, 404);
  const listed = (await (await inSandbox('/challenges')).json()) as { code: string }[];
  assert.deepEqual(
    listed.map(({ code }) => code),
    CHALLENGES.map(({ code }) => code),
  );
  const bad = await inSandbox('/challenges/poll/start?seed=x', { method: 'POST' });
  assert.equal(bad.status, 400);
});
