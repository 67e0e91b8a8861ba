import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ERRORS } from '@petstore/http/errors.ts';
import { holdTimers } from '@petstore/test-support/hold-timers.ts';
import { exchange, type RawResponse } from '@petstore/test-support/raw-http.ts';
import { idempotencyConflict } from '../../src/idempotency/result.ts';
import type { Scope } from '../../src/keys/scope.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { StoreUnavailableError } from '../../src/store/store-errors.ts';
import { inPlace } from '../support/in-place.ts';
import { Receiver } from '../support/receiver.ts';
import { addSandbox } from '../support/sandboxes.ts';
import { type Service, startService } from '../support/service.ts';
import { addWebhook } from '../support/webhooks.ts';

// The document's examples are answers that the service really gives. Each is provoked here, and what
// comes back is held against the document: status, headers, body.

const EXAMPLE_BASE = 'https://petstore.example.com/v1';
const SUNSET = Date.parse('2030-12-05T00:00:00Z');

interface Answer {
  headers?: Record<string, { schema: { examples?: unknown[] } }>;
  content?: Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }>;
}

type Responses = Record<string, Answer>;

type Start = (t: TestContext) => Promise<Service>;

/** Which service, and which bytes on the wire, end an operation in an answer. */
interface Provocation {
  readonly start?: Start;
  readonly request: (key: string) => string;
}

/** As the document's examples have it; keys are limited, so that answers carry what it says of limits. */
const CONFIG = { baseUrl: EXAMPLE_BASE, rateLimit: 1_000, maxEventLoopDelayMs: 0 };

const NOON = Date.parse('2026-11-21T12:00:00.000Z');

const service = (t: TestContext) => startService(t, { config: CONFIG, now: () => NOON });

const withPets = async (t: TestContext) => {
  const started = await service(t);
  await started.post('/pets', '{"name":"Rex","categoryId":1}');
  await started.post('/pets', '{"name":"Ada","categoryId":9007199254740993,"status":"sold"}');
  await started.post('/pets', '{"name":"Kim","categoryId":2}');
  return started;
};

const BOLD = '{"name":{"prefix":"Bold"},"limit":1}';
const BOLD_QUERY = Buffer.from(BOLD).toString('base64url');

const withBold = async (t: TestContext) => {
  const started = await service(t);
  for (const name of ['Bold Rex', 'Bold Kim']) {
    await started.post('/pets', `{"name":"${name}","categoryId":1}`);
  }
  return started;
};

type Sent = [method: string, path: string, body?: string];

/** Ways to start a service, by what it has then: operations that need the same may share one. */
const starts = new Map<string, Start>();

function startWith(what: unknown, start: Start): Start {
  const name = JSON.stringify(what);
  const found = starts.get(name) ?? start;
  starts.set(name, found);
  return found;
}

/** A service that has seen these requests. */
const after = (...requests: Sent[]) =>
  startWith(['after', requests], async (t) => {
    const started = await service(t);
    for (const [method, path, body] of requests) {
      const headers = { 'content-type': 'application/json' };
      const answer = await started.call(path, { method, headers, ...(body && { body }) });
      assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
    }
    return started;
  });

/** The sandbox of the examples. */
const LESSON = { id: 'sbx_5f0c2a9be1d47386', name: 'lesson 4', seed: 200, pets: 50 };

/** A service as asked with the key of a sandbox, by the sandbox's id, that has seen these requests. */
async function sandboxOf(started: Service, id: string, requests: readonly Sent[]) {
  const { key } = await addSandbox(started.store, { ...LESSON, id });
  for (const [method, path, body] of requests) {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const answer = await started.call(path, { method, headers, ...(body && { body }) });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  }
  return { ...started, key };
}

/** The same of a service of its own. */
const inSandbox = (...requests: Sent[]) =>
  startWith(['in', requests], async (t) => sandboxOf(await service(t), LESSON.id, requests));

/** The key of a sandbox in which there is no room. */
const fullSandbox = async (t: TestContext) => {
  const started = await inSandbox()(t);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${started.key}` };
  for (const name of ['🐈'.repeat(255), 'Rex']) {
    const body = JSON.stringify({ name, categoryId: 1 });
    while ((await started.call('/pets', { method: 'POST', headers, body })).ok);
  }
  return started;
};

const aChallenge: Sent = ['POST', '/challenges/big-ids/start'];
const aSnapshot: Sent = ['POST', '/sandbox/snapshots', '{"name":"before-lunch"}'];
const fiveSnapshots = [1, 2, 3, 4, 5].map(
  (n): Sent => ['POST', '/sandbox/snapshots', `{"name":"${n}"}`],
);

const FAULT =
  '{"fault":"status=503;rate=0.5;seed=5","operations":["createPet"],"from":1,"times":10}';
const aFault: Sent = ['POST', '/faults', FAULT];
const allFaults: Sent = ['PUT', '/faults', `[${Array.from({ length: 20 }, () => FAULT)}]`];

const aPet: Sent = ['POST', '/pets', '{"name":"Rex","categoryId":1}'];
const aSoldPet: Sent = ['POST', '/pets', '{"name":"Rex","categoryId":1,"status":"sold"}'];
const category = (name: string): Sent => ['POST', '/categories', `{"name":"${name}"}`];
const dogs = category('Dogs');
const cats = category('Cats');
const orderOf = (petId: number): Sent => ['POST', '/store/orders', `{"petId":${petId}}`];
const anOrder = orderOf(1);

const failing = (error: Error) => async (t: TestContext) => {
  const fail = () => {
    throw error;
  };
  const working = await openStore('sqlite::memory:');
  const broken = new Proxy({}, { get: () => async () => fail() });
  const events = { of: () => broken, sweep: fail };
  const webhooks = broken;
  const own = { pets: broken, categories: broken, orders: broken, sandboxes: broken };
  const store = { ...working, ...own, events, webhooks } as unknown as Store;
  return startService(t, { store, config: CONFIG });
};

const broken = failing(new Error('broken'));
const away = failing(new StoreUnavailableError('away'));

/** The same for the key of a sandbox, which is still found. */
const failingSandbox = (error: Error) => async (t: TestContext) => {
  const working = await openStore('sqlite::memory:');
  const { key } = await addSandbox(working, LESSON);
  const fail = async () => {
    throw error;
  };
  const { findByKey } = working.sandboxes;
  const snapshots = new Proxy({}, { get: () => fail });
  const failing = new Proxy({ findByKey, snapshots } as Record<string, unknown>, {
    get: (working, name) => working[String(name)] ?? fail,
  });
  const reports = new Proxy({}, { get: () => fail });
  const store = { ...working, reports, sandboxes: failing as unknown } as Store;
  return { ...(await startService(t, { store, config: CONFIG, now: () => NOON })), key };
};

const brokenSandbox = failingSandbox(new Error('broken'));
const sandboxAway = failingSandbox(new StoreUnavailableError('away'));

/** The same where its faults cannot be read. */
const failingFaults = (error: Error) => async (t: TestContext) => {
  const working = await openStore('sqlite::memory:');
  const { key } = await addSandbox(working, LESSON);
  const fail = async () => {
    throw error;
  };
  const store = { ...working, faults: new Proxy({}, { get: () => fail }) } as Store;
  return { ...(await startService(t, { store, config: CONFIG, now: () => NOON })), key };
};

const brokenFaults = failingFaults(new Error('broken'));
const faultsAway = failingFaults(new StoreUnavailableError('away'));

/** A service whose key is for something else. */
const withScope = (scope: Scope) => (t: TestContext) =>
  startService(t, { scopes: [scope], config: CONFIG });
const readsPets = withScope('pets:read');
const readsOrders = withScope('orders:read');

/** A service where the first request with a key never ends. */
const busy = async (t: TestContext) => {
  const working = await openStore('sqlite::memory:');
  const running = new Proxy({}, { get: () => async () => idempotencyConflict() });
  const store = { ...working, pets: running, categories: running, orders: running } as Store;
  return startService(t, { store, config: CONFIG });
};

const impatient = (t: TestContext) =>
  startService(t, {
    config: { ...CONFIG, headersTimeoutMs: 50, requestTimeoutMs: 100 },
  });

/** A service whose key has made the one request of its quota. */
const usedUp = async (t: TestContext) => {
  const started = await startService(t, {
    config: { ...CONFIG, rateLimit: 1 },
    now: () => NOON,
  });
  await started.get('/pets');
  return started;
};

function request(line: string, body?: string, headers: readonly string[] = []) {
  return (key: string) =>
    [
      `${line} HTTP/1.1`,
      'Host: a',
      'Connection: close',
      `Authorization: Bearer ${key}`,
      ...(body === undefined ? [] : [`Content-Length: ${body.length}`]),
      ...(body === undefined || headers.length ? [] : ['Content-Type: application/json']),
      ...headers,
      '',
      body ?? '',
    ].join('\r\n');
}

/** The same request, for something else than what is there. */
const otherThan = (whole: (key: string) => string) => (key: string) =>
  whole(key).replace('Host: a', 'Host: a\r\nIf-Match: "x"');

const GOOD = '{"name":"Rex","categoryId":1}';

function common(
  line: string,
  body?: string,
  headers: readonly string[] = [],
): Record<string, Provocation> {
  const [method = '', path = ''] = line.split(' ');
  const whole = request(line, body, headers);
  return {
    ...(body === undefined && method !== 'GET' && unaskedBodies(line)),
    invalid_request: { request: (key) => whole(key).replace('Host: a\r\n', '') },
    unauthorized: { request: (key) => whole(key).replace(/Authorization: .*\r\n/, '') },
    forbidden: {
      start: path.includes('orders') ? readsPets : readsOrders,
      request: whole,
    },
    request_timeout: { start: impatient, request: (key) => whole(key).slice(0, -3) },
    uri_too_long: { request: (key) => whole(key).replace(path, `${path}?${'x'.repeat(9_000)}`) },
    headers_too_large: {
      request: (key) => whole(key).replace('Host: a', `Host: a\r\nX: ${'x'.repeat(17_000)}`),
    },
    not_implemented: {
      request: (key) =>
        whole(key)
          .replace(/content-length: \d+\r\n/i, '')
          .replace('Host: a', 'Host: a\r\nTransfer-Encoding: gzip, chunked'),
    },
    precondition_failed: { request: otherThan(whole) },
    rate_limited: { start: usedUp, request: whole },
    internal_error: { start: broken, request: whole },
    unavailable: { start: away, request: whole },
  };
}

/** The ways in which a body can be wrong where none is needed, and an empty one is none. */
function unaskedBodies(line: string): Record<string, Provocation> {
  return { ...bodies(line), invalid_json: { request: request(line, '\xff') } };
}

/** A service that has seen the Idempotency-Key, with another request. */
const seenBefore = async (t: TestContext) => {
  const started = await service(t);
  await started.post('/pets', GOOD, { 'idempotency-key': 'again' });
  return started;
};

/** What can become of a request that takes no condition. */
function withoutCondition({ precondition_failed: _, ...others }: Record<string, Provocation>) {
  return others;
}

/** What can become of any request for the sandbox of its key. */
function ofSandbox(line: string, body?: string): Record<string, Provocation> {
  const whole = request(line, body);
  return {
    ...withoutCondition(common(line, body)),
    internal_error: { start: brokenSandbox, request: whole },
    unavailable: { start: sandboxAway, request: whole },
    not_found: { request: whole },
  };
}

/** The same of one that is about its faults. */
function ofFaults(line: string, body?: string): Record<string, Provocation> {
  const whole = request(line, body);
  return {
    ...ofSandbox(line, body),
    internal_error: { start: brokenFaults, request: whole },
    unavailable: { start: faultsAway, request: whole },
  };
}

/** The same of an operation that every key can use. */
function withoutNotFound({ not_found: _, ...rest }: Record<string, Provocation>) {
  return rest;
}

/** What an Idempotency-Key can end in. */
function repeated(path: string, body?: string): Record<string, Provocation> {
  const key = ['Content-Type: application/json', 'Idempotency-Key: again'];
  const sent = request(`POST /v1${path}`, body, key);
  return {
    idempotency_conflict: { start: busy, request: sent },
    idempotency_mismatch: {
      start: seenBefore,
      request: sent,
    },
  };
}

/** The ways in which a body can be wrong before its members are looked at. */
const bodies = (line: string, type: readonly string[] = []): Record<string, Provocation> => ({
  invalid_json: { request: request(line, '', type) },
  payload_too_large: { request: request(line, 'x'.repeat(65_537), type) },
  unsupported_media_type: { request: request(line, '{}', ['Content-Type: text/xml']) },
});

const PATCH_TYPE = ['Content-Type: application/merge-patch+json'];

const patch = (path: string, body: string, headers: readonly string[] = []) =>
  request(`PATCH ${path}`, body, [...PATCH_TYPE, ...headers]);

function ending(verb: 'complete' | 'cancel'): Record<string, Provocation> {
  const path = `/store/orders/1/${verb}`;
  return {
    ...common(`POST /v1${path}`),
    ...repeated(path),
    200: { start: after(aPet, anOrder), request: request(`POST /v1${path}`) },
    precondition_failed: {
      start: after(aPet, anOrder),
      request: otherThan(request(`POST /v1${path}`)),
    },
    not_found: { request: request(`POST /v1${path}`) },
    invalid_transition: {
      start: after(aPet, anOrder, ['POST', path]),
      request: request(`POST /v1${path}`),
    },
  };
}

const HOOK = '{"url":"https://example.com/hooks","events":["pet.created"]}';
const WEBHOOK = '/v1/webhooks/wh_0123456789abcdef';

/** A service with an animal, the webhook of the examples, and what was delivered to it. */
const withWebhook = (more: { disabledAt?: number; url?: string } = {}) =>
  startWith(['webhook', more], async (t) => {
    const webhookPrivateAddresses = more.url ? 'allow' : 'refuse';
    const started = await startService(t, {
      config: { ...CONFIG, webhookPrivateAddresses },
      now: () => NOON,
    });
    await started.post('/pets', GOOD);
    const attempt = { at: NOON, ms: 12, status: 204, error: null, type: 'pet.created' } as const;
    await addWebhook(started.store, {
      ...{ id: 'wh_0123456789abcdef', url: 'https://example.com/hooks', createdAt: NOON },
      ...{ position: 0n, events: ['pet.created'], ...more },
      recent: ['1', '0'].map((event) => ({ ...attempt, event })),
    });
    return started;
  });

/** The same with a receiver that is there. */
const withReceiver = async (t: TestContext) =>
  withWebhook({ url: (await Receiver.start(t)).url })(t);

/** A service that has as many webhooks as it may. */
const fullOfWebhooks = async (t: TestContext) => {
  const working = await openStore('sqlite::memory:');
  const webhooks = { isAny: async () => false, add: async () => 'too_many' };
  const store = { ...working, webhooks } as unknown as Store;
  return startService(t, { store, config: CONFIG });
};

/** A service that keeps few events. */
const swept = async (t: TestContext) => {
  const working = await openStore('sqlite::memory:');
  const log = { list: async () => ({ oldest: 42n, newest: 50n }) };
  const events = { of: () => log, sweep: async () => 0 };
  const store = { ...working, events } as unknown as Store;
  return startService(t, { store, config: CONFIG });
};

/** What can become of any request for a webhook. */
function ofWebhook(line: string, body?: string, headers: readonly string[] = []) {
  const whole = request(line, body, headers);
  return { ...withoutCondition(common(line, body, headers)), not_found: { request: whole } };
}

const PROVOCATIONS: Record<string, Record<string, Provocation>> = {
  listPets: {
    ...common('GET /v1/pets'),
    200: { start: withPets, request: request('GET /v1/pets?limit=2') },
    304: {
      start: withPets,
      request: request('GET /v1/pets?limit=2', undefined, ['If-None-Match: *']),
    },
    invalid_request: { request: request('GET /v1/pets?limit=101') },
    invalid_cursor: { request: request('GET /v1/pets?cursor=1') },
  },
  queryPets: {
    ...common('QUERY /v1/pets', '{}'),
    ...bodies('QUERY /v1/pets'),
    200: { start: withBold, request: request('QUERY /v1/pets', BOLD) },
    304: {
      start: withBold,
      request: request('QUERY /v1/pets', BOLD, [
        ...['If-None-Match: *', 'Content-Type: application/json'],
      ]),
    },
    invalid_request: { request: request('QUERY /v1/pets', '{"status":["gone"]}') },
  },
  repeatPetQuery: {
    ...common(`GET /v1/pets/queries/${BOLD_QUERY}`),
    200: { start: withBold, request: request(`GET /v1/pets/queries/${BOLD_QUERY}`) },
    304: {
      start: withBold,
      request: request(`GET /v1/pets/queries/${BOLD_QUERY}`, undefined, ['If-None-Match: *']),
    },
    not_found: { request: request('GET /v1/pets/queries/1') },
  },
  createPet: {
    ...common('POST /v1/pets', GOOD),
    ...repeated('/pets', '{"name":"Ada","categoryId":1}'),
    201: { request: request('POST /v1/pets', GOOD) },
    conflict: { start: fullSandbox, request: request('POST /v1/pets', GOOD) },
    invalid_json: { request: request('POST /v1/pets', '') },
    invalid_request: { request: request('POST /v1/pets', '{"name":"Rex"}') },
    payload_too_large: { request: request('POST /v1/pets', 'x'.repeat(65_537)) },
    unsupported_media_type: { request: request('POST /v1/pets', GOOD, ['Content-Type: text/xml']) },
  },
  getPet: {
    ...common('GET /v1/pets/1'),
    200: { start: withPets, request: request('GET /v1/pets/1') },
    precondition_failed: { start: withPets, request: otherThan(request('GET /v1/pets/1')) },
    304: { start: withPets, request: request('GET /v1/pets/1', undefined, ['If-None-Match: *']) },
    not_found: { request: request('GET /v1/pets/1') },
    operation_removed: {
      start: (t) => startService(t, { config: CONFIG, now: () => SUNSET }),
      request: request('GET /v1/pets/1'),
    },
  },
  updatePet: {
    ...common('PATCH /v1/pets/1', '{"status":"sold"}', PATCH_TYPE),
    ...bodies('PATCH /v1/pets/1', PATCH_TYPE),
    200: { start: after(aPet), request: patch('/v1/pets/1', '{"status":"sold"}') },
    invalid_request: { request: patch('/v1/pets/1', '{"status":"lost"}') },
    not_found: { request: patch('/v1/pets/1', '{}') },
    conflict: { start: after(aPet, anOrder), request: patch('/v1/pets/1', '{"status":"sold"}') },
    invalid_transition: {
      start: after(aSoldPet),
      request: patch('/v1/pets/1', '{"status":"pending"}'),
    },
    precondition_failed: {
      start: after(aPet),
      request: patch('/v1/pets/1', '{}', ['If-Match: "x"']),
    },
  },
  deletePet: {
    ...common('DELETE /v1/pets/1'),
    204: { start: after(aPet), request: request('DELETE /v1/pets/1') },
    not_found: { request: request('DELETE /v1/pets/1') },
    conflict: { start: after(aPet, anOrder), request: request('DELETE /v1/pets/1') },
    precondition_failed: {
      start: after(aPet),
      request: request('DELETE /v1/pets/1', undefined, ['If-Match: "x"']),
    },
  },
  listCategories: {
    ...common('GET /v1/categories'),
    200: {
      start: after(dogs, cats, category('Cows')),
      request: request('GET /v1/categories?limit=2'),
    },
    304: {
      start: after(dogs, cats, category('Cows')),
      request: request('GET /v1/categories?limit=2', undefined, ['If-None-Match: *']),
    },
    invalid_request: { request: request('GET /v1/categories?limit=101') },
    invalid_cursor: { request: request('GET /v1/categories?cursor=1') },
  },
  createCategory: {
    ...common('POST /v1/categories', '{"name":"Dogs"}'),
    ...bodies('POST /v1/categories'),
    ...repeated('/categories', '{"name":"Dogs"}'),
    201: { request: request('POST /v1/categories', '{"name":"Dogs"}') },
    invalid_request: { request: request('POST /v1/categories', '{}') },
    conflict: { start: after(dogs), request: request('POST /v1/categories', '{"name":"DOGS"}') },
  },
  getCategory: {
    ...common('GET /v1/categories/1'),
    200: { start: after(dogs), request: request('GET /v1/categories/1') },
    precondition_failed: {
      start: after(dogs),
      request: otherThan(request('GET /v1/categories/1')),
    },
    304: {
      start: after(dogs),
      request: request('GET /v1/categories/1', undefined, ['If-None-Match: *']),
    },
    not_found: { request: request('GET /v1/categories/1') },
  },
  updateCategory: {
    ...common('PATCH /v1/categories/1', '{"name":"Hounds"}', PATCH_TYPE),
    ...bodies('PATCH /v1/categories/1', PATCH_TYPE),
    200: { start: after(dogs), request: patch('/v1/categories/1', '{"name":"Hounds"}') },
    invalid_request: { request: patch('/v1/categories/1', '{"name":5}') },
    not_found: { request: patch('/v1/categories/1', '{}') },
    conflict: { start: after(dogs, cats), request: patch('/v1/categories/1', '{"name":"cats"}') },
    precondition_failed: {
      start: after(dogs),
      request: patch('/v1/categories/1', '{}', ['If-Match: "x"']),
    },
  },
  deleteCategory: {
    ...common('DELETE /v1/categories/1'),
    204: { start: after(dogs), request: request('DELETE /v1/categories/1') },
    not_found: { request: request('DELETE /v1/categories/1') },
    conflict: { start: after(dogs, aPet), request: request('DELETE /v1/categories/1') },
    precondition_failed: {
      start: after(dogs),
      request: request('DELETE /v1/categories/1', undefined, ['If-Match: "x"']),
    },
  },
  listOrders: {
    ...common('GET /v1/store/orders'),
    200: {
      start: after(aPet, aPet, aPet, anOrder, orderOf(2), orderOf(3)),
      request: request('GET /v1/store/orders?limit=2'),
    },
    304: {
      start: after(aPet, aPet, aPet, anOrder, orderOf(2), orderOf(3)),
      request: request('GET /v1/store/orders?limit=2', undefined, ['If-None-Match: *']),
    },
    invalid_request: { request: request('GET /v1/store/orders?limit=101') },
    invalid_cursor: { request: request('GET /v1/store/orders?cursor=1') },
  },
  placeOrder: {
    ...common('POST /v1/store/orders', '{"petId":1}'),
    ...bodies('POST /v1/store/orders'),
    ...repeated('/store/orders', '{"petId":1}'),
    201: { start: after(aPet), request: request('POST /v1/store/orders', '{"petId":1}') },
    invalid_request: { request: request('POST /v1/store/orders', '{}') },
    not_found: { request: request('POST /v1/store/orders', '{"petId":1}') },
    conflict: { start: after(aSoldPet), request: request('POST /v1/store/orders', '{"petId":1}') },
  },
  getOrder: {
    ...common('GET /v1/store/orders/1'),
    200: { start: after(aPet, anOrder), request: request('GET /v1/store/orders/1') },
    precondition_failed: {
      start: after(aPet, anOrder),
      request: otherThan(request('GET /v1/store/orders/1')),
    },
    304: {
      start: after(aPet, anOrder),
      request: request('GET /v1/store/orders/1', undefined, ['If-None-Match: *']),
    },
    not_found: { request: request('GET /v1/store/orders/1') },
  },
  listFaults: {
    ...ofFaults('GET /v1/faults'),
    200: {
      start: inSandbox(aFault, aPet, aPet, aPet),
      request: request('GET /v1/faults'),
    },
  },
  addFault: {
    ...ofFaults('POST /v1/faults', FAULT),
    ...bodies('POST /v1/faults'),
    201: { start: inSandbox(), request: request('POST /v1/faults', FAULT) },
    invalid_request: {
      start: inSandbox(),
      request: request('POST /v1/faults', '{"fault":"status=700"}'),
    },
    conflict: { start: inSandbox(allFaults), request: request('POST /v1/faults', FAULT) },
  },
  setFaults: {
    ...ofFaults('PUT /v1/faults', `[${FAULT}]`),
    ...bodies('PUT /v1/faults'),
    200: { start: inSandbox(), request: request('PUT /v1/faults', `[${FAULT}]`) },
    invalid_request: { start: inSandbox(), request: request('PUT /v1/faults', '{}') },
  },
  clearFaults: {
    ...ofFaults('DELETE /v1/faults'),
    204: { start: inSandbox(aFault), request: request('DELETE /v1/faults') },
  },
  createSandbox: {
    ...withoutCondition(common('POST /v1/sandboxes', '{}')),
    ...unaskedBodies('POST /v1/sandboxes'),
    201: { request: request('POST /v1/sandboxes', '{"seed":200}') },
    unauthorized: {
      request: (key) => request('POST /v1/sandboxes', '{}')(key).replace('Bearer ', 'Basic '),
    },
    invalid_request: { request: request('POST /v1/sandboxes', '{"ttl":59}') },
  },
  getSandbox: {
    ...ofSandbox('GET /v1/sandbox'),
    200: { start: inSandbox(), request: request('GET /v1/sandbox') },
  },
  deleteSandbox: {
    ...ofSandbox('DELETE /v1/sandbox'),
    204: { start: inSandbox(), request: request('DELETE /v1/sandbox') },
  },
  resetSandbox: {
    ...ofSandbox('POST /v1/sandbox/reset'),
    200: {
      start: inSandbox(['POST', '/pets', GOOD], ['DELETE', '/pets/1']),
      request: request('POST /v1/sandbox/reset'),
    },
  },
  listSnapshots: {
    ...ofSandbox('GET /v1/sandbox/snapshots'),
    200: { start: inSandbox(aSnapshot), request: request('GET /v1/sandbox/snapshots') },
  },
  createSnapshot: {
    ...ofSandbox('POST /v1/sandbox/snapshots', '{"name":"before-lunch"}'),
    ...bodies('POST /v1/sandbox/snapshots'),
    201: {
      start: inSandbox(),
      request: request('POST /v1/sandbox/snapshots', '{"name":"before-lunch"}'),
    },
    invalid_request: {
      start: inSandbox(),
      request: request('POST /v1/sandbox/snapshots', '{"name":"a/b"}'),
    },
    conflict: {
      start: inSandbox(...fiveSnapshots),
      request: request('POST /v1/sandbox/snapshots', '{"name":"before-lunch"}'),
    },
  },
  restoreSnapshot: {
    ...ofSandbox('POST /v1/sandbox/snapshots/before-lunch/restore'),
    200: {
      start: inSandbox(aSnapshot, ['POST', '/pets', GOOD]),
      request: request('POST /v1/sandbox/snapshots/before-lunch/restore'),
    },
  },
  deleteSnapshot: {
    ...ofSandbox('DELETE /v1/sandbox/snapshots/before-lunch'),
    204: {
      start: inSandbox(aSnapshot),
      request: request('DELETE /v1/sandbox/snapshots/before-lunch'),
    },
  },
  listEvents: {
    ...withoutCondition(common('GET /v1/events')),
    200: {
      start: after(aPet, ['PATCH', '/pets/1', '{"status":"sold"}'], aPet),
      request: request('GET /v1/events?limit=2'),
    },
    invalid_request: { request: request('GET /v1/events?limit=101') },
    invalid_cursor: { request: request('GET /v1/events?cursor=1') },
    events_expired: { start: swept, request: request('GET /v1/events?after=1') },
  },
  listWebhooks: {
    ...withoutCondition(common('GET /v1/webhooks')),
    200: { start: withWebhook(), request: request('GET /v1/webhooks') },
  },
  createWebhook: {
    ...withoutCondition(common('POST /v1/webhooks', HOOK)),
    ...bodies('POST /v1/webhooks'),
    201: { request: request('POST /v1/webhooks', HOOK) },
    invalid_request: { request: request('POST /v1/webhooks', '{"url":"ftp://example.com"}') },
    conflict: { start: fullOfWebhooks, request: request('POST /v1/webhooks', HOOK) },
  },
  getWebhook: {
    ...ofWebhook('GET /v1/webhooks/wh_0123456789abcdef'),
    200: { start: withWebhook(), request: request(`GET ${WEBHOOK}`) },
  },
  updateWebhook: {
    ...ofWebhook('PATCH /v1/webhooks/wh_0123456789abcdef', '{}', PATCH_TYPE),
    ...bodies(`PATCH ${WEBHOOK}`, PATCH_TYPE),
    200: { start: withWebhook(), request: patch(WEBHOOK, '{"events":["pet.created"]}') },
    invalid_request: { start: withWebhook(), request: patch(WEBHOOK, '{"url":"ftp://a"}') },
  },
  deleteWebhook: {
    ...ofWebhook('DELETE /v1/webhooks/wh_0123456789abcdef'),
    204: { start: withWebhook(), request: request(`DELETE ${WEBHOOK}`) },
  },
  rotateWebhookSecret: {
    ...ofWebhook('POST /v1/webhooks/wh_0123456789abcdef/rotate'),
    200: { start: withWebhook(), request: request(`POST ${WEBHOOK}/rotate`) },
    invalid_request: { request: request(`POST ${WEBHOOK}/rotate?overlapSeconds=-1`) },
  },
  testWebhook: {
    ...ofWebhook('POST /v1/webhooks/wh_0123456789abcdef/test'),
    200: { start: withReceiver, request: request(`POST ${WEBHOOK}/test`) },
  },
  listDeliveries: {
    ...ofWebhook('GET /v1/webhooks/wh_0123456789abcdef/deliveries'),
    200: { start: withWebhook(), request: request(`GET ${WEBHOOK}/deliveries?limit=1`) },
    invalid_request: { request: request(`GET ${WEBHOOK}/deliveries?limit=101`) },
    invalid_cursor: { request: request(`GET ${WEBHOOK}/deliveries?cursor=1`) },
  },
  redeliver: {
    ...ofWebhook('POST /v1/webhooks/wh_0123456789abcdef/deliveries/1/redeliver'),
    202: { start: withWebhook(), request: request(`POST ${WEBHOOK}/deliveries/1/redeliver`) },
    not_found: {
      start: withWebhook(),
      request: request(`POST ${WEBHOOK}/deliveries/99/redeliver`),
    },
    conflict: {
      start: withWebhook({ disabledAt: NOON }),
      request: request(`POST ${WEBHOOK}/deliveries/1/redeliver`),
    },
  },
  getReport: {
    ...ofSandbox('GET /v1/report'),
    200: { start: inSandbox(['GET', '/pets']), request: request('GET /v1/report') },
  },
  listChallenges: {
    ...withoutNotFound(ofSandbox('GET /v1/challenges')),
    200: { start: inSandbox(), request: request('GET /v1/challenges') },
  },
  startChallenge: {
    ...ofSandbox('POST /v1/challenges/big-ids/start'),
    201: { start: inSandbox(), request: request('POST /v1/challenges/big-ids/start') },
    not_found: { start: inSandbox(), request: request('POST /v1/challenges/big-id/start') },
    invalid_request: {
      start: inSandbox(),
      request: request('POST /v1/challenges/big-ids/start?seed=x'),
    },
  },
  getChallengeVerdict: {
    ...ofSandbox('GET /v1/challenges/verdict'),
    200: { start: inSandbox(aChallenge), request: request('GET /v1/challenges/verdict') },
    not_found: { start: inSandbox(), request: request('GET /v1/challenges/verdict') },
  },
  endChallenge: {
    ...ofSandbox('POST /v1/challenges/verdict'),
    200: { start: inSandbox(aChallenge), request: request('POST /v1/challenges/verdict') },
    not_found: { start: inSandbox(), request: request('POST /v1/challenges/verdict') },
  },
  completeOrder: ending('complete'),
  cancelOrder: ending('cancel'),
};

/** Headers of answers that no route gives, since the request never reached one. */
const BELOW_ROUTES = new Set([
  'request_timeout',
  'headers_too_large',
  'uri_too_long',
  'invalid_request',
]);

function assertAsDocumented(name: string, answer: RawResponse, documented: Answer, body: unknown) {
  // What is made anew each time.
  const text = answer.body
    .replace(/"sbx_\w{16}"/, `"${LESSON.id}"`)
    // By the monotonic clock of the process.
    .replace(/"(from|to)":"[^"]+"/g, `"$1":"${new Date(NOON).toISOString()}"`)
    .replace(/"pk_sand_\w{38}"/, `"pk_sand_${'0'.repeat(38)}"`)
    .replace(/"fault_\w{16}"/, '"fault_0123456789abcdef"')
    .replace(/"wh_\w{16}"/, '"wh_0123456789abcdef"')
    .replace(/"whsec_[\w+/=]{44}"/, '"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"')
    .replace(/"durationMs":\d+/g, '"durationMs":12')
    // The time of the commit, which is the database's.
    .replaceAll(/("type":"pet\.\w+","createdAt"):"[^"]+"/g, '$1:"2026-11-21T12:00:00.000Z"');
  assert.equal(text, body === undefined ? '' : exactly(body), name);
  assert.equal(
    'content' in documented,
    answer.body !== '',
    `${name}: content where there is a body`,
  );
  for (const [header, { schema }] of Object.entries(documented.headers ?? {})) {
    const sent = answer.headers[header.toLowerCase()];
    const isOfSome = OF_SOME[`${answer.status} ${header}`]?.includes(name) === false;
    // Only with the key of a sandbox, where something goes wrong on request.
    if (header === 'Petstore-Fault-Applied' && sent === undefined) continue;
    if (sent === undefined && (BELOW_ROUTES.has(name) || isOfSome)) continue;
    assert.ok(sent, `${name} is documented with ${header}`);
    const shown = sent.replace(/\/wh_\w{16}$/, '/wh_0123456789abcdef');
    if (schema.examples) assert.equal(shown, String(schema.examples[0]), `${name}: ${header}`);
  }
  assert.deepEqual(undeclared(answer, documented), [], name);
}

/** Headers that not every answer of a status has, and the errors that have them. */
const OF_SOME: Record<string, readonly string[]> = {
  '409 Retry-After': ['idempotency_conflict'],
  '415 Accept-Encoding': [],
  // Of streams alone.
  '200 Last-Event-ID': [],
};

/** Headers that any HTTP server sends, or that say how a browser should take the answer. */
const GENERIC = new Set([
  ...['connection', 'content-length', 'content-type', 'date', 'keep-alive'],
  ...['strict-transport-security', 'x-content-type-options'],
]);

/** Headers that an answer has and the document does not say. */
function undeclared({ headers }: RawResponse, documented: Answer): string[] {
  const declared = Object.keys(documented.headers ?? {}).map((name) => name.toLowerCase());
  return Object.keys(headers).filter((name) => !GENERIC.has(name) && !declared.includes(name));
}

/** JSON whose large integers survived parsing as bigint. */
function exactly(value: unknown): string {
  return JSON.stringify(value, (_key, member) =>
    typeof member === 'bigint' ? JSON.rawJSON(`${member}`) : member,
  );
}

function parseExactly(json: string): unknown {
  return JSON.parse(json, (_key, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(source ?? '') : value,
  );
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly parameters?: readonly { name: string; in: string; schema: { pattern?: string } }[];
  readonly responses: Responses;
}

/** The document of a service, as text, and with what is among its components in its place. */
async function documentOf({ origin }: Service) {
  const text = await (await fetch(`${origin}/v1/openapi.json`)).text();
  return { text, document: inPlace(parseExactly(text) as { paths: object }) };
}

function operationsOf({ paths }: { paths: object }): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...(operation as Omit<Operation, 'method' | 'path'>),
      // OpenAPI 3.1 does not know the method QUERY.
      ...{ method: method.replace('x-', '').toUpperCase(), path },
    })),
  );
}

test('every response in the document is one that the service gives, and no other is documented', async (t) => {
  const { document } = await documentOf(await service(t));
  const operations = operationsOf(document);
  assert.deepEqual(
    operations.map(({ operationId }) => operationId).sort(),
    Object.keys(PROVOCATIONS).sort(),
  );

  // The service does not look for webhooks, and so delivers nothing to those that are put into its store.
  holdTimers(t, [2_000]);
  // An answer that is no success leaves its service as it was, for the next that is to meet one like it.
  const running = new Map<Provocation['start'], Service>();
  const serviceFor = async (start: NonNullable<Provocation['start']>, status: number) => {
    if (status < 300) return start(t);
    const found = running.get(start) ?? (await start(t));
    running.set(start, found);
    return found;
  };

  for (const { operationId, responses } of operations) {
    const provocations = PROVOCATIONS[operationId] ?? {};
    const documented = new Set<string>();
    for (const [status, answer] of Object.entries(responses)) {
      const { example, examples } = answer.content?.['application/json'] ?? {};
      const cases = examples
        ? Object.entries(examples).map(([code, { value }]) => [code, value] as const)
        : [[status, example] as const];
      for (const [name, body] of cases) {
        documented.add(name);
        const { start = service, request: bytes } = provocations[name] ?? {};
        assert.ok(bytes, `${operationId} ${name} is documented and never provoked`);
        const { port, key } = await serviceFor(start, Number(status));
        const [sent] = await exchange(port, bytes(key), { timeoutMs: 2_000 });
        assert.ok(sent, `${operationId} ${name}`);
        assert.equal(sent.status, Number(status), `${operationId} ${name}: ${sent.body}`);
        assertAsDocumented(name, sent, answer, body);
      }
    }
    assert.deepEqual([...documented].sort(), Object.keys(provocations).sort());
  }
});

test('every error code is either documented on an operation or belongs to no operation', async (t) => {
  const { text } = await documentOf(await service(t));
  const missing = Object.keys(ERRORS).filter((code) => !text.includes(`"code": "${code}"`));
  assert.deepEqual(missing, ['method_not_allowed']);
});

/** Headers of requests that could make a difference, each with a value that does. */
const CONDITIONS = {
  'Idempotency-Key': '"',
  'If-Match': '"x"',
  'If-None-Match': '*',
  'Last-Event-ID': '999',
  'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT',
  'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT',
  Accept: 'text/xml',
  'Petstore-Fault': 'status=500',
  Prefer: 'return=minimal',
  Range: 'bytes=0-1',
};

test('a header that changes what an operation does is its parameter in the document, and no other is', async (t) => {
  // As above.
  holdTimers(t, [2_000]);
  const bodies: Record<string, string> = {
    createPet: GOOD,
    queryPets: '{}',
    updatePet: '{"status":"sold"}',
    createCategory: '{"name":"Cats"}',
    updateCategory: '{"name":"Hounds"}',
    placeOrder: '{"petId":1}',
    createSandbox: '{}',
    addFault: FAULT,
    setFaults: `[${FAULT}]`,
    createSnapshot: '{"name":"1"}',
    createWebhook: HOOK,
    updateWebhook: '{"events":[]}',
  };
  // Sandboxes do not see each other: each request that changes one has a new one in the same service.
  const ofSandboxes = await service(t);
  let sandboxes = 0;
  const { document } = await documentOf(ofSandboxes);
  for (const { method, path, operationId, parameters = [] } of operationsOf(document)) {
    const target = `/v1${path
      .replace('{code}', 'big-ids')
      .replace('{petId}', '1')
      .replace('{query}', BOLD_QUERY)
      .replace('{webhookId}', 'wh_0123456789abcdef')
      .replace(/\{\w+\}/, '1')}`;
    const ordered = path.includes('orderId') ? [anOrder] : [];
    const ofSandbox = path.startsWith('/sandbox/')
      ? fiveSnapshots.slice(0, 1)
      : ['/sandbox', '/faults', '/report'].includes(path)
        ? []
        : path.startsWith('/challenges')
          ? [aChallenge]
          : undefined;
    const start = path.startsWith('/webhooks/')
      ? withReceiver
      : after(['POST', '/pets', '{"name":"Rex","categoryId":2}'], dogs, ...ordered);
    const sandbox = (requests: readonly Sent[]) => {
      sandboxes += 1;
      return sandboxOf(ofSandboxes, `sbx_${`${sandboxes}`.padStart(16, '0')}`, requests);
    };
    const begin = () => (ofSandbox ? sandbox(ofSandbox) : start(t));
    const shared = ['GET', 'QUERY'].includes(method) ? await begin() : undefined;
    const statusWith = async (headers: Record<string, string>) => {
      const { origin, key } = shared ?? (await begin());
      const body = bodies[operationId];
      const type = body ? { 'content-type': 'application/json' } : undefined;
      const sent = { authorization: `Bearer ${key}`, ...type, ...headers };
      const answer = await fetch(origin + target, { method, headers: sent, ...(body && { body }) });
      return answer.status;
    };
    const usual = await statusWith({});
    assert.ok(usual < 300, `${operationId}: ${usual}`);
    const honoured = [];
    for (const [name, value] of Object.entries(CONDITIONS)) {
      if ((await statusWith({ [name]: value })) !== usual) honoured.push(name);
    }
    const declared = parameters.filter((one) => one.in === 'header').map(({ name }) => name);
    assert.deepEqual(honoured, declared.sort(), operationId);
  }
});

test('the response to a compressed body has no header that the document does not say', async (t) => {
  const started = await service(t);
  const { document } = await documentOf(started);
  const headers = ['Content-Type: application/json', 'Content-Encoding: gzip'];
  const bytes = request('POST /v1/pets', GOOD, headers)(started.key);
  const [answer] = await exchange(started.port, bytes);
  const [createPet] = operationsOf(document).filter((one) => one.operationId === 'createPet');
  assert.ok(answer?.headers['accept-encoding'] && createPet);
  assert.deepEqual(undeclared(answer, createPet.responses[415] ?? {}), []);
});

test('a stream of events has a media type of the document, and no header that it does not say', async (t) => {
  const started = await service(t);
  const { document } = await documentOf(started);
  const [listEvents] = operationsOf(document).filter((one) => one.operationId === 'listEvents');
  const documented = listEvents?.responses[200] ?? {};
  const streams = ['text/event-stream', 'application/jsonl', 'application/x-ndjson'];
  assert.deepEqual(Object.keys(documented.content ?? {}), ['application/json', ...streams]);
  for (const accept of streams) {
    const response = await started.call('/events?after=latest', { headers: { accept } });
    await response.body?.cancel();
    assert.equal(response.headers.get('content-type')?.split(';')[0], accept);
    const answer = { headers: Object.fromEntries(response.headers) } as RawResponse;
    const others = ['transfer-encoding', 'x-accel-buffering'];
    assert.deepEqual(undeclared(answer, documented).sort(), others, 'of HTTP, and for proxies');
  }
});

test('the service takes those values of Idempotency-Key that match the pattern of the document', async (t) => {
  const started = await service(t);
  const { document } = await documentOf(started);
  const [createPet] = operationsOf(document).filter((one) => one.operationId === 'createPet');
  const parameter = createPet?.parameters?.find(({ name }) => name === 'Idempotency-Key');
  const pattern = new RegExp(parameter?.schema.pattern ?? '', 'u');
  const values = [
    ...[
      'a',
      '!#~',
      'a"b',
      'a\\b',
      'a b',
      '"',
      '""',
      '"a"',
      '"a b"',
      '"a',
      'a"',
      '"a"b"',
      '"a\\"b"',
    ],
    ...['"a\\\\"', '"a\\"', '"\\b"', 'é', '"é"', ' '],
    ...[255, 256].flatMap((length) => ['x'.repeat(length), `"${'x'.repeat(length)}"`]),
    `"${'\\"'.repeat(255)}"`,
  ];
  for (const value of values) {
    const headers = ['Content-Type: application/json', `Idempotency-Key: ${value}`];
    const bytes = request('POST /v1/pets', GOOD, headers)(started.key);
    const [answer] = await exchange(started.port, bytes);
    assert.equal(answer?.status === 201, pattern.test(value), `${value}: ${answer?.body}`);
  }
});
