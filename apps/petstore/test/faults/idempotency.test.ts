import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, onSharedEngines as test } from '@petstore/test-support/engines.ts';
import { coverNoPrograms, finished } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { petstore, serve } from '../support/program.ts';

coverNoPrograms();

const CLIENTS = 8;

/** A folder, what a service needs to run in it on an engine, and a key of its API. */
async function place(t: TestContext, engine: Engine) {
  const folder = await temporaryFolder(t);
  // Each service has a port of its own, so it would give addresses of its own.
  const env = { PETSTORE_DATABASE_URL: await engine.createDatabase(t) };
  const { stdout } = await petstore(folder, ['keys', 'create', '--name', 'x', '--json'], env);
  const { key } = JSON.parse(stdout) as { key: string };
  const start = async () => {
    const program = await serve(t, folder, env);
    return program;
  };
  return { folder, env, key, start };
}

/** Adds the animal of a key: the status, and all that a repetition must be answered with again. */
async function post(origin: string, apiKey: string, name: string) {
  const answer = await fetch(`${origin}/v1/pets`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': name,
    },
    body: JSON.stringify({ name, categoryId: 1 }),
  });
  const body = await answer.text();
  return { status: answer.status, seen: `${answer.headers.get('location')} ${body}` };
}

/** The names of all animals. */
async function names(folder: string, env: Record<string, string>): Promise<string[]> {
  const { stdout } = await petstore(folder, ['export', '-'], env);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => String((JSON.parse(line) as { name: unknown }).name));
}

test('killed at any moment, the service has added exactly one animal for each key', async (t, engine) => {
  const { folder, env, key, start } = await place(t, engine);
  const answers = new Map<string, string | undefined>();
  let answered = 0;
  let unanswered = 0;
  // How often the service is killed. It is the embedded database that dies with it.
  const rounds = engine.name === 'PostgreSQL' ? 2 : 5;
  for (let round = 0; round < rounds; round++) {
    const { child, origin, output } = await start();
    let isDead = false;
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let i = 0; !isDead; i++) {
        const name = `${round}-${client}-${i}`;
        answers.set(name, undefined);
        const answer = await post(origin, key, name).catch(() => undefined);
        if (!answer) unanswered++;
        else {
          answered++;
          if (answer.status === 201) answers.set(name, answer.seen);
        }
      }
    });
    // In the middle of the work, however slow the machine is.
    const enough = answered + 2 * CLIENTS;
    await timeUntil(async () => answered > enough);
    await sleep(Math.random() * 200);
    child.kill('SIGKILL');
    await finished({ child, output });
    isDead = true;
    await Promise.all(clients);
  }

  const { origin } = await start();
  assert.ok(answers.size > rounds * CLIENTS && unanswered > 0);
  const repetitions = answers.entries();
  const clients = Array.from({ length: CLIENTS }, async () => {
    for (const [name, first] of repetitions) {
      const again = await post(origin, key, name);
      assert.equal(again.status, 201, name);
      if (first !== undefined) assert.equal(again.seen, first);
    }
  });
  await Promise.all(clients);
  assert.deepEqual((await names(folder, env)).sort(), [...answers.keys()].sort());
});

test('two services that are sent the same at once do it once, and answer alike', async (t, engine) => {
  const { folder, env, key, start } = await place(t, engine);
  const origins = (await Promise.all([start(), start()])).map(({ origin }) => origin);
  const KEYS = 100;
  const persistently = async (origin: string, name: string): Promise<string> => {
    for (;;) {
      const { status, seen } = await post(origin, key, name);
      if (status === 201) return seen;
      assert.equal(status, 409, seen);
      await sleep(5);
    }
  };
  let next = 0;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (next < KEYS) {
      const name = `${next++}`;
      const [one, two] = await Promise.all(origins.map((origin) => persistently(origin, name)));
      assert.equal(two, one);
    }
  });
  await Promise.all(clients);
  const added = await names(folder, env);
  assert.deepEqual([added.length, new Set(added).size], [KEYS, KEYS]);
});
