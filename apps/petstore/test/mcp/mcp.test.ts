import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { FILE } from '@petstore/test-support/clean-up.ts';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { generateKey } from '../../src/keys/key.ts';
import type { Scope } from '../../src/keys/scope.ts';
import type { Report } from '../../src/report/report.ts';
import { assertError } from '../support/assert-error.ts';
import {
  callTool,
  listedTools,
  messageHeaders,
  messageText,
  postMcp,
  sendMcp,
  statusOf,
} from '../support/mcp.ts';
import { type ServiceWithSandbox, startWithSandbox } from '../support/sandbox.ts';
import { startService } from '../support/service.ts';

let service: ServiceWithSandbox;
before(async () => {
  service = await startWithSandbox(FILE);
});

async function keyWith(scopes: readonly Scope[]): Promise<string> {
  const { key, hash, record } = generateKey('other', 'production', new Date(), { scopes });
  await service.store.keys.add({ key, hash, record });
  return key;
}

const call = (name: string, args: string, headers?: Record<string, string>, key = service.key) =>
  callTool(service.origin, key, name, args, headers);
const inSandbox = (name: string, args: string, headers?: Record<string, string>) =>
  call(name, args, headers, service.sandboxKey);

test('an agent adds, reads, changes and deletes an animal, whose ids keep every digit', async () => {
  const added = await call('createPet', '{"name":"Rex","categoryId":9007199254740993}');
  assert.equal(added.isError, false);
  assert.match(
    added.text,
    /^\{"id":\d+,"name":"Rex","categoryId":9007199254740993,"status":"available"\}$/,
  );
  const { id } = JSON.parse(added.text) as { id: number };
  const read = await call('getPet', `{"petId":"${id}"}`);
  assert.equal(read.text, await (await service.get(`/pets/${id}`)).text(), 'the bytes of the API');
  const tag = /ETag, for If-Match: (.+)/.exec(read.notes.join())?.[1];
  assert.ok(tag);
  const change = `{"petId":${id},"categoryId":"9007199254740995","If-Match":${JSON.stringify(tag)}}`;
  assert.match((await call('updatePet', change)).text, /"categoryId":9007199254740995/);
  assert.equal(statusOf(await call('updatePet', change)), 412, 'somebody has changed it');
  assert.equal((await call('deletePet', `{"petId":${id}}`)).text, 'Done: 204.');
  const gone = await call('getPet', `{"petId":${id}}`);
  assert.deepEqual([gone.isError, statusOf(gone)], [true, 404]);
  assert.match(gone.notes.join(), /nothing has this id/, 'what to do stands with it');
  const none = await call('getPet', '{"petId":9007199254740993}');
  assert.equal(statusOf(none), 404);
});

test('a list says with which argument it goes on', async () => {
  await call('createPet', '{"name":"A","categoryId":1}');
  await call('createPet', '{"name":"B","categoryId":1}');
  const first = await call('listPets', '{"limit":1}');
  const cursor = /Call listPets again with "cursor": (".+")/.exec(first.notes.join())?.[1];
  assert.ok(cursor, first.notes.join());
  const next = await call('listPets', `{"limit":1,"cursor":${cursor}}`);
  assert.notEqual(next.text, first.text);
  assert.equal(next.isError, false);
});

test('a query says with which call it goes on', async () => {
  await call('createPet', '{"name":"Quinn","categoryId":1}');
  await call('createPet', '{"name":"Quincy","categoryId":1}');
  const first = await call('queryPets', '{"name":{"prefix":"Quin"},"limit":1}');
  assert.match(first.text, /"Quinn"/);
  const query = /^There is more\. Call repeatPetQuery with "query": (".+")\.$/.exec(
    first.notes.join(),
  )?.[1];
  assert.ok(query, first.notes.join());
  const next = await call('repeatPetQuery', `{"query":${query}}`);
  assert.match(next.text, /"Quincy"/);
  assert.deepEqual(next.notes, [], 'it ends, and nothing can be changed with its tag');
});

test('a create with an Idempotency-Key is done once', async () => {
  const args = '{"name":"Once","categoryId":1,"Idempotency-Key":"agent-1"}';
  const first = await call('createPet', args);
  assert.deepEqual(await call('createPet', args), first);
  const other = await call('createPet', args.replace('Once', 'Twice'));
  assert.equal(statusOf(other), 422);
});

test('a key sees the tools that its scopes allow, and the API refuses the others', async () => {
  const key = await keyWith(['pets:read']);
  const names = (await listedTools(service.origin, key)).map(({ name }) => name);
  assert.ok(
    ['listPets', 'getPet', 'queryPets', 'repeatPetQuery'].every((name) => names.includes(name)),
  );
  for (const name of ['createPet', 'deletePet', 'listOrders', 'createWebhook']) {
    assert.ok(!names.includes(name), name);
  }
  const refused = await callTool(service.origin, key, 'createPet', '{"name":"A","categoryId":1}');
  assert.deepEqual([refused.isError, statusOf(refused)], [true, 403]);
  assert.match(refused.text, /lacks the scope pets:write/);
  const { result } = await sendMcp(service.origin, key, 'tools/list');
  assert.equal(result?.cacheScope, 'private', 'no cache gives the tools of one key to another');
  const all = await listedTools(service.origin, await keyWith(['admin']));
  assert.ok(all.some(({ name }) => name === 'deleteWebhook'));
});

test("a sandbox's key works on its sandbox, whose report has the requests", async () => {
  const before = await call('listPets', '{"limit":100}');
  const added = await inSandbox('createPet', '{"name":"Sandy","categoryId":1}');
  assert.match(added.text, /"name":"Sandy"/);
  assert.equal((await call('listPets', '{"limit":100}')).text, before.text);
  const report = await inSandbox('getReport', '{}');
  assert.equal(report.isError, false, report.text);

  const { requests, rules } = JSON.parse(report.text) as Report;
  assert.equal(requests.count, 1);
  const verdictOf = (code: string) => rules.find((rule) => rule.code === code)?.verdict;
  assert.equal(verdictOf('credentials_in_header'), 'kept');
  const reset = await inSandbox('resetSandbox', '{}');
  assert.match(reset.text, /"pets":3/);
});

test('faults happen to calls: those that rules ask for, and those of the header', async () => {
  const fault = { 'petstore-fault': 'status=503' };
  const failed = await inSandbox('listPets', '{}', fault);
  assert.deepEqual([failed.isError, statusOf(failed)], [true, 503]);
  assert.match(failed.notes.join(), /Applied fault: status=503/);
  for (const ended of ['reset=before', 'cut', 'malformed']) {
    const { isError, text, notes } = await inSandbox('listPets', '{}', { 'petstore-fault': ended });
    assert.equal(isError, true, `${ended}: ${text}`);
    assert.match(text + notes.join(), /connection ended|not JSON/, ended);
  }
  assert.equal((await inSandbox('listPets', '{}')).isError, false, 'the next call is as any other');
  const rule = await inSandbox(
    'addFault',
    '{"fault":"status=429","operations":["listCategories"]}',
  );
  assert.equal(rule.isError, false, rule.text);
  const limited = await inSandbox('listCategories', '{}');
  assert.equal(statusOf(limited), 429);
  assert.match(limited.notes.join(), /Retry after: \d+ seconds/);
  assert.equal((await inSandbox('clearFaults', '{}')).isError, false);
  const notASandbox = await call('listPets', '{}', fault);
  assert.equal(statusOf(notASandbox), 400);
});

test('arguments of which no request can be made are told to the agent, and nothing is sent', async () => {
  for (const [name, args, problem] of [
    ['deletePet', '{"petId":".."}', /petId must not be/],
    ['createPet', '{"name":"A","categoryId":1,"Idempotency-Key":"a\\r\\nX: y"}', /one line/],
    ['createPet', '{"nam":"A"}', /Did you mean name\?/],
  ] as const) {
    const { isError, text } = await call(name, args);
    assert.equal(isError, true);
    assert.match(text, problem);
  }
  const escaped = await call('deletePet', '{"petId":"../sandboxes"}');
  assert.equal(statusOf(escaped), 404);
  const wrong = await call('createPet', '{"name":"","categoryId":"x"}');
  assert.equal(statusOf(wrong), 400);
  assert.match(wrong.text, /name must be .*categoryId must be/);
});

test('without a key, with a wrong one, or one that has ended there is no message', async () => {
  const body = messageText(1, 'tools/list');
  const headers = messageHeaders('tools/list');
  for (const key of [undefined, `pk_live_${'a'.repeat(38)}`]) {
    const response = await postMcp(service.origin, key, body, headers);
    assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/);
    await assertError(response, 'unauthorized');
  }
});

test('what is no message is refused', async () => {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"createPet","arguments":{"name":${'['.repeat(30_000)}${']'.repeat(30_000)}}}}`;
  for (const [what, body, code] of [
    ['no JSON', '{', -32700],
    ['nothing', '', -32700],
    ['a batch', `[${Array(1_000).fill(ping).join()}]`, -32600],
    ['deep nesting', deep, -32700],
  ] as const) {
    const response = await postMcp(service.origin, service.key, body);
    const { error } = (await response.json()) as { error: { code: number } };
    assert.deepEqual([response.status, error.code], [400, code], what);
  }
  const args = '{"name":"Ren\xe9","categoryId":1}';
  const latin1 = Buffer.from(messageText(1, 'tools/call', 'createPet', args), 'latin1');
  const headers = messageHeaders('tools/call', 'createPet');
  const garbled = await postMcp(service.origin, service.key, latin1, headers);
  assert.equal(garbled.status, 400);
  assert.match(await garbled.text(), /"code":-32700,"message":"The message is not valid UTF-8\."/);
  const long = await postMcp(service.origin, service.key, ' '.repeat(64 * 1024 + 1));
  await assertError(long, 'payload_too_large');
  const typed = await postMcp(service.origin, service.key, ping, { 'content-type': 'text/plain' });
  await assertError(typed, 'unsupported_media_type');
  const coded = await postMcp(service.origin, service.key, ping, { 'content-encoding': 'gzip' });
  assert.equal(coded.headers.get('accept-encoding'), 'identity');
  await assertError(coded, 'unsupported_media_type');
  const unknown = await sendMcp(service.origin, service.key, 'tools/call', { name: 'listPet' });
  assert.equal(unknown.error?.code, -32602);
  assert.match(unknown.error.message, /did you mean `listPets`/);
  const method = await sendMcp(service.origin, service.key, 'no/such');
  assert.equal(method.error?.code, -32601);
  const notification = await postMcp(
    service.origin,
    service.key,
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  );
  assert.deepEqual([notification.status, await notification.text()], [202, '']);
});

test('a client that waits before it sends the message is told to go on', async () => {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const head =
    `POST /mcp HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${ping.length}\r\nExpect: 100-continue\r\n\r\n`;
  const [interim] = await exchange(service.port, head, { timeoutMs: 50 });
  assert.equal(interim?.status, 100);
});

test('a client of an earlier revision begins with initialize', async () => {
  const body = JSON.stringify({
    ...{ jsonrpc: '2.0', id: 'a', method: 'initialize' },
    params: {
      ...{ protocolVersion: '2025-06-18', capabilities: {} },
      clientInfo: { name: 'test', version: '1' },
    },
  });
  const response = await postMcp(service.origin, service.key, body);
  const { id, result } = (await response.json()) as { id: string; result: Record<string, unknown> };
  assert.deepEqual([id, result.protocolVersion], ['a', '2025-06-18']);
  assert.deepEqual(result.capabilities, { tools: { listChanged: false } });
});

test('GET and DELETE are a 405, and a page of another origin gets a 403', async () => {
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const response = await fetch(`${service.origin}/mcp`, { method });
    assert.equal(response.headers.get('allow'), 'POST');
    await assertError(response, 'method_not_allowed');
  }
  const body = messageText(1, 'tools/list');
  const from = (origin: string) =>
    postMcp(service.origin, service.key, body, { ...messageHeaders('tools/list'), origin });
  for (const origin of ['https://evil.example', 'null']) {
    await assertError(await from(origin), 'forbidden');
  }
  assert.equal((await from(service.origin)).status, 200);
});

test('a level of stability without experiments has no /mcp', async (t) => {
  const stable = await startService(t, { config: { stability: 'beta' } });
  await assertError(await postMcp(stable.origin, stable.key, '{}'), 'not_found');
  await assertError(await fetch(`${stable.origin}/mcp`), 'not_found');
});

test('a call counts as one request of the quota, and so does every other message', async (t) => {
  const limited = await startService(t, {
    config: { rateLimit: 4, rateLimitWindowSeconds: 1 },
    now: () => Date.UTC(2026, 10, 26),
  });
  const { origin, key } = limited;
  const list = () => callTool(origin, key, 'listPets', '{}');
  assert.equal((await list()).isError, false);
  assert.equal((await callTool(origin, key, 'getPet', '{"petId":".."}')).isError, true);
  assert.ok((await listedTools(origin, key)).length > 0);
  assert.equal((await list()).isError, false);
  assert.equal(statusOf(await list()), 429);
  const refused = await postMcp(
    origin,
    key,
    messageText(1, 'tools/list'),
    messageHeaders('tools/list'),
  );
  await assertError(refused, 'rate_limited');
});
