import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { assertRefusedHeadsGetNoContent } from '@petstore/test-support/refused-heads.ts';
import { createProject } from '../support/project.ts';
import { assertError, json, type Service, startService } from '../support/service.ts';

const portOf = ({ origin }: Service) => Number(new URL(origin).port);

test('what is at no address, and what no method does there, is said in the Error body', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  for (const path of [
    '/api',
    '/api/',
    '/api/nothing',
    '/api/projects/a/b/c',
    '/api/Projects',
    '/api//projects',
    '/api/projects/%zz',
    '/api/projects/%ff',
    `/api/projects/${'a'.repeat(500)}`,
  ]) {
    for (const method of ['GET', 'POST', 'PROPFIND', 'QUERY']) {
      const answer = await root.call(method, path);
      assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/, path);
      await assertError(answer, 404, 'not_found');
    }
  }
  for (const path of ['/api/projects/', '/api/projects/%00', '/api/projects/a%00b/deploys']) {
    await assertError(await root.call('GET', path), 404, 'not_found');
  }
  for (const [path, method, allow] of [
    ['/api/projects', 'DELETE', 'GET, HEAD, POST'],
    ['/api/projects', 'PROPFIND', 'GET, HEAD, POST'],
    ['/api/projects/none', 'POST', 'DELETE, GET, HEAD, PATCH'],
    ['/api/projects/none/deploys', 'PUT', 'GET, HEAD, POST'],
    ['/api/projects/none/deploys/x/activate', 'GET', 'POST'],
    ['/api/openapi.json', 'POST', 'GET, HEAD'],
    // It may be an id as well.
    ['/api/account/passkeys/options', 'PUT', 'DELETE, PATCH, POST'],
  ] as const) {
    // Before anybody is asked who they are, and before the body is read.
    const answer = await service.visitor().call(method, path, method === 'GET' ? undefined : '{');
    assert.equal(answer.headers.get('allow'), allow, path);
    assert.match(await assertError(answer, 405, 'method_not_allowed'), new RegExp(`use ${allow}`));
  }
});

test('a body that is not a JSON object of the right fields is refused in words', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const asJson = { 'content-type': 'application/json' };
  const table: [path: string, body: unknown, status: number, message: RegExp][] = [
    ['/api/projects', '{"name":', 400, /^The body is not valid JSON/],
    ['/api/projects', '\xff', 400, /^The body is not valid JSON/],
    ['/api/projects', '', 400, /^The body must be a JSON object\.$/],
    ['/api/projects', 'null', 400, /^The body must be a JSON object\.$/],
    ['/api/projects', '[]', 400, /^The body must be a JSON object\.$/],
    ['/api/projects', '"text"', 400, /^The body must be a JSON object\.$/],
    ['/api/projects', '{"slug":"a"}', 400, /^name is required\.$/],
    ['/api/projects', '{"slug":"a","name":5}', 400, /^name must be text\.$/],
    ['/api/projects', '{"slug":"a","name":null}', 400, /^name must be text\.$/],
    ['/api/projects', '{"slug":"a","name":""}', 400, /^name must not be empty\.$/],
    ['/api/projects', `{"slug":"a","name":"${'n'.repeat(101)}"}`, 400, /^name must be at most 100/],
    ['/api/projects', '{"slug":"a","name":"\\u0000"}', 400, /^name .* without control char/],
    ['/api/projects', '{"slug":"a","name":"\\ud800"}', 400, /^name .* without control char/],
    [
      '/api/account/tokens',
      '{"name":"a","expiresInDays":"5"}',
      400,
      /^expiresInDays must be an integer or null\.$/,
    ],
    [
      '/api/account/tokens',
      '{"name":"a","expiresInDays":4000}',
      400,
      /^expiresInDays must be at most 3650 or null\.$/,
    ],
    [
      '/api/projects/pets/invitations',
      '{"email":"a@b","role":"god"}',
      400,
      /^role must be one of owner, editor, viewer\.$/,
    ],
    [
      '/api/projects',
      `{"name":"${'n'.repeat(70_000)}"}`,
      413,
      /^The body must be at most 65,536 bytes/,
    ],
  ];
  for (const [path, body, status, message] of table) {
    const answer = await root.call('POST', path, body, asJson);
    const text = await answer.text();
    assert.equal(answer.status, status, text);
    assert.match(JSON.parse(text).message, message);
  }
  for (const type of ['text/plain', 'application/xml', 'multipart/form-data', 'nonsense']) {
    const headers = { 'content-type': type };
    const answer = await root.call('POST', '/api/projects', '{}', headers);
    await assertError(answer, 415, 'unsupported_media_type');
  }
});

test('fields that no schema knows are ignored, whatever they are called', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const body =
    '{"name":"A","slug":"a","plan":"enterprise","__proto__":{"plan":"pro"},"constructor":{"prototype":{}},"id":"x"}';
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  const made = await json<{ plan: string }>(
    await root.call('POST', '/api/projects', body, headers),
    201,
  );
  assert.equal(made.plan, 'free');
  // Clients that name a type for every request do so where there is no body too.
  const gone = await root.call('DELETE', '/api/account/tokens/x', undefined, headers);
  await assertError(gone, 404, 'not_found');
});

test('HEAD responds as GET does, without the body', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  for (const path of [
    '/api/projects',
    '/api/projects/pets',
    '/api/projects/none',
    '/api/nothing',
  ]) {
    const [get, head] = [await root.call('GET', path), await root.call('HEAD', path)];
    assert.equal(head.status, get.status);
    assert.equal(head.headers.get('content-type'), get.headers.get('content-type'));
    assert.equal(await head.text(), '');
  }
});

test('what never becomes a request has the Error body too', async (t) => {
  const service = await startService(t);
  const port = portOf(service);
  const table: [bytes: string, status: number, code: string][] = [
    ['nonsense\r\n\r\n', 400, 'invalid_request'],
    [`GET /${'a'.repeat(20_000)}`, 414, 'uri_too_long'],
    [`GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n', 405, 'method_not_allowed'],
  ];
  for (const [bytes, status, code] of table) {
    const [answer] = await exchange(port, bytes);
    assert.equal(answer?.status, status, bytes.slice(0, 30));
    assert.equal(JSON.parse(answer?.body ?? '').code, code, bytes.slice(0, 30));
  }
});

test('a HEAD that never becomes a request gets no content', async (t) => {
  const port = portOf(await startService(t));
  await assertRefusedHeadsGetNoContent(
    () => connect(port, '127.0.0.1'),
    'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n',
  );
});

test('responses of the API are kept by no cache and shown as nothing else', async (t) => {
  const service = await startService(t);
  for (const path of ['/api/installation', '/api/session', '/api/openapi.json', '/api/nothing']) {
    const { headers } = await service.visitor().call('GET', path);
    assert.equal(headers.get('cache-control'), 'no-store', path);
    assert.match(headers.get('content-type') ?? '', /^application\/json/, path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
  }
});
