import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines, onSharedEngines } from '@petstore/test-support/engines.ts';
import { openStore } from '../../src/store/open-store.ts';
import { assertError } from '../support/assert-error.ts';
import { newSandbox, type ServiceWithSandbox, startWithSandbox } from '../support/sandbox.ts';
import { startService, UP_TO_DATE } from '../support/service.ts';

type InSandbox = ServiceWithSandbox['inSandbox'];

const PET = '{"name":"Rex","categoryId":1}';

function setRules(inSandbox: InSandbox, rules: unknown): Promise<Response> {
  return inSandbox('/faults', { method: 'PUT', body: JSON.stringify(rules) });
}

/** The statuses of some lists, one after the other. */
async function statuses(inSandbox: InSandbox, count: number, path = '/pets'): Promise<number[]> {
  const found: number[] = [];
  for (let at = 0; at < count; at++) {
    const response = await inSandbox(path);
    await response.arrayBuffer();
    found.push(response.status);
  }
  return found;
}

onBothEngines('rules are added, listed, replaced and removed', async (t) => {
  const { inSandbox } = await startWithSandbox(t);
  const list = async () => (await (await inSandbox('/faults')).json()) as Record<string, unknown>[];
  assert.deepEqual(await list(), []);
  const added = await inSandbox('/faults', {
    method: 'POST',
    body: '{"fault":"status=503;rate=0.5;seed=7","operations":["createPet"],"times":3}',
  });
  assert.equal(added.status, 201);
  const rule = (await added.json()) as { id: string };
  assert.match(rule.id, /^fault_[0-9a-f]{16}$/);
  assert.deepEqual(rule, {
    ...{ id: rule.id, fault: 'status=503;rate=0.5;seed=7', operations: ['createPet'] },
    ...{ from: 1, times: 3, requests: 0 },
  });
  assert.deepEqual(await list(), [rule]);
  await inSandbox('/pets', { method: 'POST', body: PET });
  assert.deepEqual(await list(), [{ ...rule, requests: 1 }]);
  const replaced = await setRules(inSandbox, [{ fault: 'cut', from: 2 }, { fault: 'slow' }]);
  assert.equal(replaced.status, 200);
  const now = await list();
  assert.deepEqual(now, await replaced.json());
  assert.deepEqual(
    now.map(({ id: _id, ...rest }) => rest),
    [
      { fault: 'cut', from: 2, requests: 0 },
      { fault: 'slow', from: 1, requests: 0 },
    ],
  );
  assert.equal((await inSandbox('/faults', { method: 'DELETE' })).status, 204);
  assert.deepEqual(await list(), []);
});

onBothEngines(
  'a rule is for its operations, from a request on, for a number of them',
  async (t) => {
    const { inSandbox } = await startWithSandbox(t);
    await setRules(inSandbox, [
      { fault: 'status=503', operations: ['listPets'], from: 2, times: 2 },
      { fault: 'status=429', operations: ['listPets', 'getPet'], from: 5, times: 1 },
      { fault: 'status=500', operations: ['listCategories'] },
    ]);
    assert.deepEqual(await statuses(inSandbox, 7), [200, 503, 503, 200, 429, 200, 200]);
    assert.deepEqual(await statuses(inSandbox, 1, '/pets/1'), [200]);
    assert.deepEqual(await statuses(inSandbox, 2, '/categories'), [500, 500]);
    const seen = await inSandbox('/pets', { fault: 'status=418' });
    assert.equal(seen.status, 418, 'the header comes before all rules');
    const counted = (await (await inSandbox('/faults')).json()) as { requests: number }[];
    assert.deepEqual(
      counted.map(({ requests }) => requests),
      [7, 8, 2],
    );
  },
);

onBothEngines('the first rule that has something for a request gives it', async (t) => {
  const { inSandbox } = await startWithSandbox(t);
  await setRules(inSandbox, [
    { fault: 'status=503;rate=0.5;seed=7', times: 20 },
    { fault: 'status=502', from: 1 },
  ]);
  const drawn = 'xx.xx..x...xx.xxx.xx'.split('').map((hit) => (hit === 'x' ? 503 : 502));
  assert.deepEqual(await statuses(inSandbox, 21), [...drawn, 502]);
});

onSharedEngines(
  'rules and counts are one for all processes, and outlive them',
  async (t, engine) => {
    const url = await engine.createDatabase(t, UP_TO_DATE);
    const first = await startWithSandbox(t, { store: await openStore(url) });
    const second = await startService(t, { store: await openStore(url) });
    const rule = { fault: 'status=503;rate=0.5;seed=7' };
    await setRules(first.inSandbox, [rule]);
    const found: number[] = [];
    for (const [at, hit] of [...'xx.xx..x...xx.xxx.xx'].entries()) {
      const { origin } = at % 2 === 0 ? first : second;
      const headers = { authorization: `Bearer ${first.sandboxKey}` };
      found.push((await fetch(`${origin}/v1/pets`, { headers })).status);
      assert.equal(found.at(-1), hit === 'x' ? 503 : 200, `request ${at + 1}`);
    }
  },
);

onBothEngines('a reset keeps the rules, and counts from 1 again', async (t) => {
  const service = await startWithSandbox(t);
  const { inSandbox } = service;
  const byHeader = async () => {
    const hits: string[] = [];
    for (let at = 0; at < 10; at++) {
      const { status } = await inSandbox('/pets', { fault: 'status=503;rate=0.5;seed=7' });
      hits.push(status === 503 ? 'x' : '.');
    }
    return hits.join('');
  };
  assert.equal(await byHeader(), 'xx.xx..x..');
  assert.equal(await byHeader(), '.xx.xxx.xx');
  await setRules(inSandbox, [{ fault: 'status=500', times: 1 }]);
  assert.deepEqual(await statuses(inSandbox, 2), [500, 200]);
  assert.equal((await inSandbox('/sandbox/reset', { method: 'POST' })).status, 200);
  assert.deepEqual(await statuses(inSandbox, 2), [500, 200]);
  assert.equal(await byHeader(), 'xx.xx..x..');
  const other = await newSandbox(service);
  assert.deepEqual(await statuses(other.inSandbox, 2), [200, 200], "another's rules");
});

test('a rule that is not right is a 400 that says where', async (t) => {
  const { inSandbox, call } = await startWithSandbox(t);
  const add = (rule: unknown) =>
    inSandbox('/faults', { method: 'POST', body: JSON.stringify(rule) });
  const cases: [unknown, RegExp][] = [
    [{}, /^fault is required and must be a string such as "status=503"; a rule has fault, op/],
    [{ fault: 7 }, /^fault is required/],
    [{ fault: 'status=700' }, /^fault: status=700 is not right: status must be an error status/],
    [
      { fault: 'cut', operations: [] },
      /^operations must be an array of some of deliverEvent, listPets, createPet/,
    ],
    [{ fault: 'cut', operations: ['listFaults'] }, /^operations must be/],
    [{ fault: 'cut', operations: 'listPets' }, /^operations must be/],
    [{ fault: 'cut', from: 0 }, /^from must be an integer from 1 to 1000000000/],
    [{ fault: 'cut', times: 1.5 }, /^times must be an integer/],
    [{ fault: 'cut', times: '5' }, /^times must be an integer/],
    [[], /^a rule must be a JSON object/],
  ];
  for (const [rule, message] of cases)
    await assertError(await add(rule), 'invalid_request', message);
  const second = await setRules(inSandbox, [{ fault: 'cut' }, { fault: 'cit' }]);
  await assertError(second, 'invalid_request', /^Rule 2: fault: cit is unknown/);
  await assertError(await setRules(inSandbox, { fault: 'cut' }), 'invalid_request', /JSON array/);
  const many = Array.from({ length: 20 }, () => ({ fault: 'cut;rate=0' }));
  assert.equal((await setRules(inSandbox, many)).status, 200);
  await assertError(await add({ fault: 'cut' }), 'conflict', /at most 20 rules/);
  await assertError(
    await setRules(inSandbox, [...many, {}]),
    'invalid_request',
    /at most 20 rules/,
  );
  await inSandbox('/faults', { method: 'DELETE' });
  const raced = await Promise.all(Array.from({ length: 5 }, () => add({ fault: 'cut' })));
  assert.deepEqual(new Set(raced.map(({ status }) => status)), new Set([201]));
  assert.equal(((await (await inSandbox('/faults')).json()) as []).length, 5, 'none was lost');
  for (const method of ['GET', 'DELETE']) {
    await assertError(await call('/faults', { method }), 'not_found', /not that of a sandbox/);
  }
  const body = '{"fault":"cut"}';
  const headers = { 'content-type': 'application/json' };
  await assertError(await call('/faults', { method: 'POST', body, headers }), 'not_found');
});
