import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { finished } from '@petstore/test-support/program.ts';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { assertTook } from '@petstore/test-support/within.ts';
import { type CollectedSpan, startCollector } from '../support/collector.ts';
import { serve } from '../support/program.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

/** The service as a process that traces; `call` sends with its key. */
async function startTraced(t: TestContext, env: Record<string, string>) {
  const folder = await temporaryFolder(t);
  const program = await serve(t, folder, { PETSTORE_ACCESS_LOG: 'all', ...env }, ['--first-key']);
  const key = /API key +(pk_\w+)/.exec(program.output.stdout)?.[1];
  const call = (path: string, headers: Record<string, string> = {}, body?: string) =>
    fetch(program.origin + path, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { method: 'POST', body }),
    });
  const stop = async () => {
    program.child.kill('SIGTERM');
    return finished(program);
  };
  return { ...program, folder, call, stop, key };
}

const isRequest = ({ kind }: CollectedSpan) => kind === 2;
const isCall = ({ kind }: CollectedSpan) => kind === 3;

test('the trace of a client goes on through a request to the database, in spans and in the log', async (t) => {
  const { endpoint, spans, collected } = await startCollector(t);
  const { call, origin, output, stop, key } = await startTraced(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  const headers = { traceparent: TRACEPARENT, tracestate: 'vendor=1' };
  // In two pieces: what is read later comes from outside the request's own context.
  const head = `POST /v1/pets HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n`;
  const traced = `traceparent: ${TRACEPARENT}\r\ntracestate: vendor=1\r\n`;
  const typed = 'Content-Type: application/json\r\nContent-Length: 29\r\n\r\n';
  const pieces = [`${head}${traced}${typed}`, '{"name":"Rex","categoryId":1}'];
  const port = Number(new URL(origin).port);
  const added = await exchange(port, [...pieces, ...pieces], {
    ...{ pauseMs: 100, timeoutMs: 200 },
    responses: 2,
  });
  assert.deepEqual(
    added.map(({ status }) => status),
    [201, 201],
  );
  assert.equal((await call('/v1/pets/1?secret=value', headers)).status, 200);
  assert.equal((await call('/v1/nothing/secret', headers)).status, 404);
  await collected(4, isRequest);
  assert.equal((await stop()).code, 0);

  assert.ok(spans.every(({ traceId }) => traceId === TRACE));
  const [created, again, got, absent] = spans.filter(isRequest);
  assert.deepEqual(
    [created?.name, got?.name, absent?.name],
    ['POST /v1/pets', 'GET /v1/pets/:petId', 'GET'],
  );
  for (const span of [created, again, got, absent]) {
    assert.equal(span?.parentSpanId, PARENT);
    assert.equal(span.traceState, 'vendor=1');
    assert.notEqual(span.status.code, 2);
    assert.equal(span.resource['service.name'], 'petstore');
    assert.equal(span.resource['service.version'], '0.1.0');
    assert.equal(span.resource['deployment.environment.name'], 'test');
  }
  assert.deepEqual(created?.attributes, {
    'http.request.method': 'POST',
    'http.route': '/v1/pets',
    'http.response.status_code': 201,
    'url.scheme': 'http',
    'server.address': '127.0.0.1',
  });
  const calls = spans.filter(isCall).filter(({ parentSpanId }) => parentSpanId === created.spanId);
  assert.deepEqual(
    calls.map(({ name }) => name),
    ['SELECT api_keys', 'INSERT pets'],
  );
  const inserts = spans.filter(({ name }) => name === 'INSERT pets');
  assert.deepEqual(
    inserts.map(({ parentSpanId }) => parentSpanId),
    [created.spanId, again?.spanId],
    'each on a connection with others has its own parent',
  );
  assert.deepEqual(calls[1]?.attributes, {
    'db.system.name': 'sqlite',
    'db.operation.name': 'INSERT',
    'db.collection.name': 'pets',
  });
  const lines = output.stderr.split('\n').filter((line) => line.includes('"request"'));
  assert.ok(lines.length >= 3 && lines.every((line) => line.includes(`"traceId":"${TRACE}"`)));
  assert.ok(!JSON.stringify(spans).includes('secret') && !JSON.stringify(spans).includes(`${key}`));
});

test('an invalid traceparent begins a new trace, and takes its tracestate with it', async (t) => {
  const { endpoint, collected } = await startCollector(t);
  const { call } = await startTraced(t, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  const invalid = [
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${PARENT}-01-more`,
    `ff-${TRACE}-${PARENT}-01`,
    `${TRACEPARENT}, ${TRACEPARENT}`,
    'nonsense',
  ];
  for (const traceparent of invalid) {
    assert.equal((await call('/livez', { traceparent, tracestate: 'vendor=1' })).status, 200);
  }
  const spans = await collected(invalid.length, isRequest);
  assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, invalid.length);
  for (const { traceId, parentSpanId, traceState } of spans) {
    assert.notEqual(traceId, TRACE);
    assert.equal(parentSpanId, undefined);
    assert.equal(traceState, undefined);
  }
  await call('/livez', { traceparent: `01-${TRACE}-${PARENT}-01-of a later version` });
  const [later] = await collected(1, ({ traceId }) => traceId === TRACE);
  assert.equal(later?.parentSpanId, PARENT);
});

test('a request that fails is an error in its trace, and so is the call that failed', async (t) => {
  const { endpoint, collected } = await startCollector(t);
  const { call, folder } = await startTraced(t, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  await rename(join(folder, 'data/petstore.db'), join(folder, 'data/moved.db'));
  assert.equal((await call('/v1/pets', {}, '{"name":"Rex","categoryId":1}')).status, 503);
  const [request] = await collected(1, isRequest);
  assert.equal(request?.status.code, 2);
  assert.equal(request?.attributes['error.type'], '503');
  assert.equal(request?.attributes['http.response.status_code'], 503);
  const [failed] = await collected(1, ({ name }) => name === 'INSERT pets');
  assert.equal(failed?.status.code, 2);
  assert.equal(failed?.attributes['error.type'], 'StoreUnavailableError');
});

test('which traces are kept is what OTEL_TRACES_SAMPLER says; the name is OTEL_SERVICE_NAME', async (t) => {
  const { endpoint, spans, collected } = await startCollector(t);
  const { call } = await startTraced(t, {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/v1/traces`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
    OTEL_SERVICE_NAME: 'shop',
  });
  await call('/livez');
  await call('/livez', { traceparent: `00-${TRACE}-${PARENT}-00` });
  await call('/livez', { traceparent: TRACEPARENT });
  const [kept] = await collected(1, isRequest);
  assert.equal(kept?.resource['service.name'], 'shop');
  assert.equal(kept?.traceId, TRACE);
  assert.equal(spans.length, 1);
});

test('a collector that is away costs a line in the log, and delays neither responses nor the end', async (t) => {
  const { call, stop } = await startTraced(t, {
    // A port that nobody listens on: the discard service's.
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  });
  for (let i = 0; i < 20; i++) assert.equal((await call('/v1/pets')).status, 200);
  const before = performance.now();
  const { code, stderr } = await stop();
  assert.equal(code, 0);
  await assertTook(performance.now() - before, 5_000);
  const warnings = stderr
    .split('\n')
    .filter((line) => line.includes('trace collector accepted no spans'));
  assert.equal(warnings.length, 1, stderr);
  assert.match(warnings[0] ?? '', /"level":"warn".*"lostSpans":\d+.*ECONNREFUSED/);
});
