import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { readConfig } from '../../src/config.ts';
import { type Service, startService } from '../support/service.ts';

interface Answer {
  readonly what: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const DOG = '{"name":"Rex","categoryId":1}';

/** Every kind of answer that the service has, whichever part of it gives it. */
async function everyKindOfAnswer(service: Service): Promise<Answer[]> {
  const { origin, port, key, store } = service;
  const answers: Answer[] = [];
  const authorization = `Bearer ${key}`;
  const ask = async (method: string, path: string, init: RequestInit = {}) => {
    const headers = { authorization, ...init.headers };
    const answer = await fetch(origin + path, { redirect: 'manual', method, ...init, headers });
    const { status } = answer;
    const received = Object.fromEntries(answer.headers);
    const what = `${status} ${method} ${path.slice(0, 40)}`;
    answers.push({ what, status, headers: received, body: await answer.text() });
    return received;
  };
  const raw = async (bytes: string | readonly string[], timeoutMs = 300) => {
    for (const { status, headers, body } of await exchange(port, bytes, { timeoutMs })) {
      if (status === 100) continue; // Goes before the answer, and has no headers.
      answers.push({ what: `${status} to ${bytes.slice(0, 40)}`, status, headers, body });
    }
  };

  const json = { 'content-type': 'application/json' };
  await ask('POST', '/v1/pets', { body: DOG, headers: json });
  const { etag = '' } = await ask('GET', '/v1/pets');
  for (let i = 0; i < 3; i++) await ask('GET', '/v1/pets'); // The fast path, from the second on.
  for (let i = 0; i < 2; i++) await ask('GET', '/v1/pets/1');
  await ask('HEAD', '/v1/pets');
  await ask('GET', '/v1/pets', { headers: { 'if-none-match': etag } });
  await ask('GET', '/');
  await ask('GET', '/livez');
  await ask('GET', '/readyz');
  await ask('GET', '/errors');
  await ask('GET', '/errors/not_found');
  await ask('GET', '/llms.txt');
  await ask('GET', '/v1/openapi.json');
  await ask('GET', '/v1/openapi.yaml');
  await ask('GET', '/reference');
  await ask('GET', '/reference/openapi.json');
  await ask('OPTIONS', '/v1/pets');
  await ask('OPTIONS', '/v1/pets', {
    headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
  });
  await ask('GET', '/v1/pets?limit=0');
  await ask('GET', '/v1/pets?cursor=x');
  await ask('POST', '/v1/pets', { body: '{', headers: json });
  await ask('POST', '/v1/pets', { body: DOG, headers: { 'content-type': 'text/xml' } });
  await ask('POST', '/v1/pets', { body: ' '.repeat(70_000), headers: json });
  await ask('GET', '/v1/pets', { headers: { authorization: '' } });
  await ask('GET', '/v1/pets/2');
  await ask('GET', '/v1/pets/%zz');
  await ask('GET', '/nothing');
  await ask('GET', '/reference/nothing.js');
  await ask('GET', `/v1/pets?${'x'.repeat(9_000)}`);
  await ask('PUT', '/v1/pets');
  await ask('DELETE', '/v1/pets/1', { headers: { 'if-match': '"x"' } });
  await ask('DELETE', '/v1/pets/1');

  await raw('nonsense\r\n\r\n');
  await raw('GET /v1/pets HTTP/1.1\r\n\r\n');
  await raw('GET /v1/pets HTTP/2.0\r\nHost: a\r\n\r\n');
  await raw('CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n');
  await raw(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
  // Turned away in front of all else.
  await raw(`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${'X: y\r\n'.repeat(1_000)}\r\n`);
  await raw(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await raw('GET / HTTP/1.1\r\nHost: a\r\n', 3_000);
  await raw(
    `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
  );
  await store.close();
  await ask('GET', '/v1/pets');
  await ask('GET', '/readyz');
  return answers;
}

const KINDS = [
  ...[200, 201, 204, 302, 304],
  ...[400, 401, 404, 405, 408, 412, 413, 414, 415, 431, 503],
];

const start = (t: TestContext, env: Record<string, string> = {}) =>
  startService(t, {
    config: {
      ...readConfig(env),
      port: 0,
      // However busy the machine is, each request is answered by itself.
      maxEventLoopDelayMs: 0,
      headersTimeoutMs: 1_000,
      requestTimeoutMs: 1_000,
    },
  });

test('no response is taken for another type than it has, and none tells what the service is made of', async (t) => {
  const answers = await everyKindOfAnswer(await start(t));
  const statuses = [...new Set(answers.map(({ status }) => status))].sort((a, b) => a - b);
  assert.deepEqual(statuses, KINDS);
  for (const { what, headers, body } of answers) {
    assert.equal(headers['x-content-type-options'], 'nosniff', what);
    for (const banner of ['server', 'x-powered-by', 'via', 'x-runtime', 'x-aspnet-version']) {
      assert.ok(!(banner in headers), `${what} has the header ${banner}`);
    }
    assert.doesNotMatch(JSON.stringify(headers), /fastify|node\.?js/i, what);
    if (Number(what.slice(0, 3)) >= 400) {
      assert.doesNotMatch(body, /fastify|node_modules|\.ts:\d|\bat .+:\d+:\d+/i, what);
    }
  }
});

test('strict transport is asked for where the public address is https, and nowhere else', async (t) => {
  const yes = { PETSTORE_BASE_URL: 'https://api.example.com/v1' };
  for (const { what, headers } of await everyKindOfAnswer(await start(t, yes))) {
    assert.equal(headers['strict-transport-security'], 'max-age=31536000', what);
  }
  const no: Record<string, string>[] = [
    {},
    { PETSTORE_BASE_URL: 'http://api.example.com/v1' },
    // The address of the other environment.
    { PETSTORE_STAGING_BASE_URL: 'https://staging.example.com/v1' },
    { ...yes, PETSTORE_ENV: 'staging' },
  ];
  for (const env of no) {
    const { get } = await start(t, env);
    assert.equal((await get('/pets')).headers.get('strict-transport-security'), null);
  }
});

test('with origins that may read responses, every response still has the other headers', async (t) => {
  const service = await start(t, { PETSTORE_CORS_ORIGINS: 'https://a.example' });
  for (const { what, headers } of await everyKindOfAnswer(service)) {
    assert.equal(headers['x-content-type-options'], 'nosniff', what);
    assert.match(headers.vary ?? '', /Origin/, what);
  }
});

test('a page runs nothing from elsewhere, is in no frame, and tells no other site where its reader was', async (t) => {
  const { origin } = await start(t);
  for (const path of ['/reference', '/errors', '/errors/not_found']) {
    const { headers } = await fetch(origin + path);
    const policy = headers.get('content-security-policy')?.split('; ') ?? [];
    for (const directive of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ]) {
      assert.ok(policy.includes(directive), `${path}: ${directive}`);
    }
    assert.doesNotMatch(policy.join('; '), /unsafe-eval|script-src[^;]*(unsafe-inline|\*|https?:)/);
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('x-frame-options'), 'DENY');
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
  }
  const page = await (await fetch(`${origin}/reference`)).text();
  const files = [...page.matchAll(/(?:src|href)="(\/_assets\/[^"]+)"/g)].map(([, path]) => path);
  assert.equal(files.length, 3);
  for (const path of files) {
    const { headers } = await fetch(origin + path);
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin', path);
  }
});
