import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { BAD_HOSTS, GOOD_HOSTS, TRANSFER_CODINGS } from '@petstore/test-support/request-heads.ts';
import { assertWithin, cpuTimeOfRequest } from '@petstore/test-support/within.ts';
import { startService } from '../support/service.ts';

const portOf = ({ origin }: { origin: string }) => Number(new URL(origin).port);

/** An answer's status and code. */
async function answered(port: number, pieces: string | string[], timeoutMs = 500): Promise<string> {
  const answers = await exchange(port, pieces, { timeoutMs, pauseMs: 15 });
  const { status, body = '', headers = {} } = answers[0] ?? {};
  const code = headers['content-type']?.includes('json') ? JSON.parse(body).code : undefined;
  return [answers.length, status, code, headers.connection].join(' ');
}

test('an invalid Host is a 400, and a valid one is not', async (t) => {
  const port = portOf(await startService(t));
  const send = async (host: string) => {
    for (const path of ['/api/installation', '/', '/api/nothing', '/livez']) {
      const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      const answer = await answered(port, request, 3_000);
      const isRefused = answer === '1 400 invalid_request close';
      assert.equal(isRefused, BAD_HOSTS.includes(host), `${path} ${host}: ${answer}`);
    }
  };
  await Promise.all([...BAD_HOSTS, ...GOOD_HOSTS].map(send));
  for (const authority of ['user@a', 'a,b', '[::1', '']) {
    const request = `GET http://${authority}/livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    assert.equal(await answered(port, request), '1 400 invalid_request close', authority);
  }
  const none = 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n';
  assert.equal(await answered(port, none), '1 400 invalid_request close');
});

test('each way to frame a body gets one response, and the connection closes where its end is in doubt', async (t) => {
  const port = portOf(await startService(t));
  const chunks = '2\r\n{}\r\n0\r\n\r\n';
  const play = async ([headers, expected]: (typeof TRANSFER_CODINGS)[number]) => {
    for (const shape of [
      'GET /api/installation',
      'GET /',
      'GET /api/projects',
      'POST /api/session',
    ]) {
      const head = `${shape} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`;
      for (const pieces of [head + chunks, [head, chunks]]) {
        const answer = await answered(port, pieces);
        if (expected === 'good') assert.match(answer, /^1 /, `${shape} ${headers}`);
        else {
          const code = expected === 501 ? 'not_implemented' : 'invalid_request';
          assert.equal(answer, `1 ${expected} ${code} close`, `${shape} ${headers}`);
        }
      }
    }
  };
  await Promise.all(TRANSFER_CODINGS.map(play));
});

test('an expectation that nobody knows is ignored, also where the body has no certain end', async (t) => {
  const port = portOf(await startService(t));
  const head = 'GET /livez HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n';
  assert.equal(await answered(port, `${head}Connection: close\r\n\r\n`), '1 200  close');
  const bad = await answered(port, `${head}Transfer-Encoding: identity\r\n\r\nab`);
  assert.equal(bad, '1 501 not_implemented close');
});

test('conditions and ranges of a file that it does not have do not make the service fail', async (t) => {
  const port = portOf(await startService(t));
  for (const [line, status] of [
    ['If-Match: "x"', '412 precondition_failed'],
    ['If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT', '200 '],
    ['Range: bytes=9999999-', '200 '],
    ['Range: bytes=9-1', '200 '],
  ]) {
    const request = `GET /favicon.svg HTTP/1.1\r\nHost: a\r\n${line}\r\nConnection: close\r\n\r\n`;
    assert.equal(await answered(port, request), `1 ${status} close`, line);
  }
});

test('a body that breaks off in the middle of a request gets one response', async (t) => {
  const port = portOf(await startService(t));
  const head = 'Host: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
  for (const shape of ['POST /api/session', 'GET /api/installation', 'DELETE /api/session']) {
    const answer = await answered(port, [`${shape} HTTP/1.1\r\n${head}`, 'zz\r\n']);
    assert.match(answer, /^1 /, shape);
  }
});

test('more than one Content-Type is a 400; a long request line in several packets a 414', async (t) => {
  const port = portOf(await startService(t));
  for (const types of [
    ['application/json', 'application/json'],
    ['application/json, text/plain'],
  ]) {
    const lines = types.map((type) => `Content-Type: ${type}\r\n`).join('');
    const request = `POST /api/session HTTP/1.1\r\nHost: a\r\n${lines}Connection: close\r\nContent-Length: 2\r\n\r\n{}`;
    assert.equal(await answered(port, request), '1 400 invalid_request close');
  }
  const long = 'x'.repeat(6_000);
  assert.match(await answered(port, ['GET /?', long, long, long]), /^1 414 /);
  assert.match(await answered(port, ['GET / HTTP/1.1\r\nX: ', long, long, long]), /^1 431 /);
});

test('no Content-Type takes longer to read for being written to take long', async (t) => {
  const { origin } = await startService(t);
  const ask = (type: string) =>
    cpuTimeOfRequest(async () => {
      const { status } = await fetch(`${origin}/livez`, { headers: { 'content-type': type } });
      assert.equal(status, 200);
    });
  for (const type of [`"${'\\"'.repeat(7_000)}`, `"${'\\"'.repeat(7_000)}\\`, '"'.repeat(15_000)])
    await assertWithin(50, () => ask(type), type.slice(0, 10));
});
