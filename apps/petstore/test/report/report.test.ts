import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import type { Report } from '../../src/report/report.ts';
import { assertError } from '../support/assert-error.ts';
import { petstore } from '../support/program.ts';
import { newSandbox, startWithSandbox } from '../support/sandbox.ts';

const ruleOf = ({ rules }: Report, code: string) => rules.find((rule) => rule.code === code);

test('the report is JSON, JUnit XML, a page or a badge, as the client accepts', async (t) => {
  const { inSandbox, get, origin } = await startWithSandbox(t);
  await (await inSandbox('/pets?page=2&secret=<b>')).text();
  const as = async (accept: string) => {
    const answer = await inSandbox('/report', { headers: { accept } });
    assert.match(answer.headers.get('cache-control') ?? '', /^no-(?:store|cache)$/);
    return { type: answer.headers.get('content-type'), text: await answer.text(), answer };
  };
  const json = await as('*/*');
  assert.match(json.type ?? '', /^application\/json/);
  const report = JSON.parse(json.text) as Report;
  assert.equal(report.verdict, 'broken');
  assert.equal(report.requests.count, 1, 'to ask for the report is no behaviour of the client');
  assert.deepEqual(ruleOf(report, 'pages_by_link')?.evidence[0]?.requests, [1]);

  const { type, text: xml } = await as('text/html;q=0.1, application/xml');
  assert.match(type ?? '', /^application\/xml/);
  assert.match(
    xml,
    /<testsuite name="petstore report" tests="17" failures="1" errors="0" skipped="14"/,
  );
  assert.match(
    xml,
    /<failure type="pages_by_link" message="GET \/v1\/pets\?page=…&amp;secret=… counts/,
  );

  const { text: page, answer } = await as('text/html,application/xhtml+xml,*/*;q=0.8');
  assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.match(page, /<article class="broken" id="pages_by_link">/);
  assert.doesNotMatch(page, /<b>secret|secret=<b>/);

  assert.match((await as('image/svg+xml')).text, /broke pages_by_link at request 1<\/title>/);
  const document = (await (await fetch(`${origin}/v1/openapi.json`)).json()) as {
    paths: Record<string, { get: { responses: { 200: { content: object } } } }>;
  };
  for (const path of ['/report', '/challenges/verdict']) {
    const types = Object.keys(document.paths[path]?.get.responses[200].content ?? {});
    assert.equal(types.length, 4, path);
    for (const accept of types) assert.ok((await as(accept)).type?.startsWith(accept), accept);
  }
  assert.equal((await as('video/mp4')).type, json.type, 'a form that nobody asked for is JSON');
  await assertError(await get('/report'), 'not_found', /not that of a sandbox/);
});

test('a key in an address breaks its rule, with or without one in the header, and is not kept', async (t) => {
  const service = await startWithSandbox(t);
  const { origin, store, logged } = service;
  const seen = async (send: (sandboxKey: string) => Promise<Response>) => {
    const { sandboxKey, inSandbox } = await newSandbox(service);
    await (await send(sandboxKey)).text();
    const report = (await (await inSandbox('/report')).json()) as Report;
    assert.equal(ruleOf(report, 'credentials_in_header')?.verdict, 'broken');
    const kept = JSON.stringify(await store.reports.requests(report.sandbox));
    assert.doesNotMatch(kept + logged.join(''), /pk_sand_/);
    assert.ok(!kept.includes(sandboxKey.slice(10, 30)));
    return ruleOf(report, 'credentials_in_header')?.evidence[0]?.seen ?? '';
  };
  const inHeader = (key: string, path: string) =>
    fetch(`${origin}/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
  assert.match(await seen((key) => inHeader(key, `/pets?api_key=${key}`)), /parameter api_key/);
  assert.match(
    await seen((key) => inHeader(key, `/pets?x=${encodeURIComponent(`a ${key}`)}`)),
    /parameter x/,
  );
  assert.match(
    await seen((key) => inHeader(key, `/pets/${key}`)),
    /The path of GET \/v1\/pets\/… had/,
  );
  assert.match(await seen((key) => fetch(`${origin}/v1/pets?token=${key}`)), /parameter token/);
  assert.match(
    await seen((key) => inHeader(key, `/pets?${key}=1`)),
    /parameter … of GET \/v1\/pets\?…/,
  );
});

test('no body, key or foreign value of a request is kept, and no sandbox sees the requests of another', async (t) => {
  const service = await startWithSandbox(t);
  const { store } = service;
  const other = await newSandbox(service);
  await other.inSandbox('/pets', {
    method: 'POST',
    body: '{"name":"Secretariat","categoryId":1}',
    headers: {
      'idempotency-key': 'secret-key',
      'if-match': '"my secret"',
      'user-agent': 'secret/1',
    },
  });
  await (await other.inSandbox('/pets?status=secret&cursor=secret&limit=secret&secret=1')).text();
  const { sandbox } = (await (await other.inSandbox('/report')).json()) as Report;
  const kept = await store.reports.requests(sandbox);
  assert.equal(kept.length, 2);
  assert.doesNotMatch(JSON.stringify(kept), /secretariat|secret-key|my secret|secret\//i);
  assert.equal(kept[1]?.target, '/v1/pets?status=…&cursor=…&limit=…&secret=…');
  await (await other.inSandbox(`/webhooks/sk_${'0'.repeat(32)}`)).text();
  await (await other.inSandbox('/webhooks/wh_0123456789abcdef')).text();
  await (await other.inSandbox('/report')).text();
  const [, , secret, ofOurs] = await store.reports.requests(sandbox);
  assert.equal(secret?.target, '/v1/webhooks/…', 'it may be the key of something else');
  assert.equal(ofOurs?.target, '/v1/webhooks/wh_0123456789abcdef');
  const own = (await (await service.inSandbox('/report')).json()) as Report;
  assert.equal(own.requests.count, 0);
});

test('a stream that is followed is no wait, and HTTP/1.0 no habit of the client', async (t) => {
  const { origin, inSandbox, sandboxKey, store } = await startWithSandbox(t);
  for (let i = 0; i < 7; i++) {
    const leaving = new AbortController();
    const headers = { accept: 'text/event-stream' };
    await inSandbox('/events', { headers, signal: leaving.signal });
    leaving.abort();
    await overHttp10(origin, `GET /v1/pets?limit=${i + 1}`, sandboxKey);
  }
  const { rules, sandbox } = (await (await inSandbox('/report')).json()) as Report;
  const broken = rules.filter(({ verdict }) => verdict === 'broken');
  assert.deepEqual(broken, []);
  const kept = await store.reports.requests(sandbox);
  assert.equal(kept.filter(({ isHttp10 }) => isHttp10).length, 7);
  assert.equal(kept.filter(({ isStream }) => isStream).length, 7);
});

/** Sends a request as nginx does for its clients unless it is told otherwise: over a connection of its own. */
async function overHttp10(origin: string, line: string, key: string): Promise<void> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.end(`${line} HTTP/1.0\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  assert.match(await text(socket), /^HTTP\/1\.1 200 /);
}

test('petstore report prints what the service says, and ends with 1 where a rule is broken', async (t) => {
  const { origin, inSandbox, sandboxKey } = await startWithSandbox(t);
  const folder = await temporaryFolder(t);
  const run = (...args: string[]) => petstore(folder, [...args, '--url', `${origin}/v1`]);
  await (await inSandbox('/pets')).text();
  const good = await run('report', sandboxKey);
  assert.equal(good.code, 0, good.stderr);
  assert.match(good.stdout, /passed\.\nRequests: 1\. Rules: 2 kept, 0 broken, 15 not seen\./);
  await (await inSandbox('/pets?offset=20')).text();
  const broken = await run('report', sandboxKey);
  assert.equal(broken.code, 1);
  assert.match(
    broken.stdout,
    /BROKEN +pages_by_link[\s\S]*Request 2: GET \/v1\/pets\?offset=… counts with offset/,
  );
  const junit = await run('report', sandboxKey, '--format', 'junit');
  assert.equal(junit.code, 1);
  assert.match(junit.stdout, /^<\?xml[\s\S]*<\/testsuites>\n$/);
  assert.equal(
    JSON.parse((await run('report', sandboxKey, '--format', 'json')).stdout).verdict,
    'broken',
  );

  const started = await run('challenge', 'start', sandboxKey, 'big-ids');
  assert.match(started.stdout, /Keep every digit[\s\S]*named Exact/);
  const verdict = await run('challenge', 'verdict', sandboxKey, '--format', 'svg');
  assert.equal(verdict.code, 1);
  assert.match(verdict.stdout, /^<svg[\s\S]*not finished/);
  assert.match(
    (await petstore(folder, ['challenge', 'list'])).stdout,
    /^bad-hour +Survive a bad hour +added_once/m,
  );

  for (const [args, message] of [
    [['report', 'pk_live_x', '--url', `${origin}/v1`], /not the key of a sandbox/],
    [['report', sandboxKey, '--url', origin], /--url must be .* ends in \/v1/],
    [['report', sandboxKey, '--url', 'http://127.0.0.1:1/v1'], /No service responds at/],
    [
      ['report', `${sandboxKey.slice(0, 8)}${'0'.repeat(38)}`, '--url', `${origin}/v1`],
      /not the key of a sandbox/,
    ],
    [['challenge', 'start', sandboxKey, 'nope', '--url', `${origin}/v1`], /no challenge nope/],
  ] as const) {
    const refused = await petstore(folder, [...args]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, message);
    assert.ok(!refused.stderr.includes(sandboxKey), 'no key in an error');
  }
});

test('a service without sandboxes has no report', async (t) => {
  const { get, origin, sandboxKey } = await startWithSandbox(t, { config: { sandboxes: 'off' } });
  await assertError(await get('/report'), 'not_found');
  const args = ['report', sandboxKey, '--url', `${origin}/v1`];
  const { code, stderr } = await petstore(await temporaryFolder(t), args);
  assert.equal(code, 1);
  assert.match(stderr, /does not have this operation\. PETSTORE_STABILITY or PETSTORE_SANDBOXES/);
});
