import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { pino } from 'pino';
import { readFastPathRequest } from '../../server/src/edge/fast-path/request.ts';
import { startTestEdge } from './support/edge.ts';
import { SITE } from './support/memory-source.ts';

/** What a request is answered with, but for the date; the first of several. */
async function answerTo(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('latin1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes, 'latin1');
  let received = '';
  for await (const chunk of socket) {
    received += chunk;
    const head = received.split('\r\n\r\n', 1)[0] ?? '';
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    if (head.startsWith('HTTP/1.1 304') || received.length >= head.length + 4 + length) break;
  }
  const [head = '', ...body] = received.split('\r\n\r\n');
  // The ways say in another order what becomes of the connection.
  const lines = head.split('\r\n').filter((line) => !line.startsWith('Date: '));
  return [...lines.sort(), '', body.join('\r\n\r\n')].join('\n');
}

const TARGETS = [
  '/',
  '/guides/start',
  '/guides/start?x',
  '/reference/pets',
  '/reference/pets',
  '/reference/pets.md',
  '/sitemap.xml',
  '/old',
  '/favicon.ico',
  '/logo.svg',
  '/llms.txt',
  '/nope',
  '/guides/%C3%BC%20b',
  '/%67uides/start',
  '/a%2fb',
  '/%',
  '//',
  '/guides/start/',
  '/.well-known/x',
  '/404.html',
  'http://a.test/',
  '/large.bin',
  '/#a',
  '*',
];
const HEADERS = [
  'Host: a.test',
  'Host: A.test.:80',
  'host:a.test',
  'Host: b.test',
  'Host: a.test ',
  'Host: a.test\xa0',
  'Host: a_b',
  'Accept-Encoding: br',
  'Accept-Encoding: gzip;q=0.5,\tbr;q=0',
  'accept-encoding:',
  'Accept: text/html,application/xhtml+xml,*/*;q=0.8',
  'Accept: text/markdown, text/html, */*',
  'accept:text/html;q=0.5, Text/Markdown;q=0.6 ',
  'If-Match: *',
  'If-Match: "x"',
  'If-None-Match: *',
  'If-None-Match: "x"',
  'If-None-Match: W/"x", *',
  'Connection: keep-alive',
  'Connection: Keep-Alive',
  'Keep-Alive: 300',
  'Range: bytes=0-3',
  'If-Range: "x"',
  'Expect: x',
  'Upgrade: h2c',
  'Content-Length: 0',
  'X: \xe4',
  'X:',
  'X: \t',
  ' folded',
  'X : y',
  'X: \x01',
  'X',
  ': y',
  'TE: trailers',
  'Cookie: a=b; c="d"',
];

test('no request gets another response for taking the fast path', async (t) => {
  const short = await startTestEdge(t);
  // At debug nothing takes it.
  const log = pino({ level: 'debug' }, { write: () => undefined });
  const long = await startTestEdge(t, { log, source: short.source });
  for (const { ask } of [short, long]) {
    for (const path of Object.keys(SITE)) {
      for (const coding of ['', 'gzip', 'br']) {
        for (const accept of ['*/*', 'text/markdown']) {
          await ask(encodeURI(path), { headers: { 'accept-encoding': coding, accept } });
        }
      }
    }
  }
  for (const accept of ['*/*', 'text/html, text/markdown', 'text/markdown', 'Text/Markdown, */*']) {
    for (const more of ['', 'Accept-Encoding: br\r\n', 'If-None-Match: *\r\n']) {
      const bytes = `GET /reference/pets HTTP/1.1\r\nHost: a.test\r\nAccept: ${accept}\r\n${more}\r\n`;
      assert.ok(readFastPathRequest(Buffer.from(bytes)), bytes);
      assert.equal(await answerTo(short.port, bytes), await answerTo(long.port, bytes), bytes);
    }
  }
  let plain = 0;
  const request = fc.record({
    method: fc.constantFrom('GET ', 'GET ', 'GET ', 'GET ', 'GET  ', 'get ', 'POST '),
    target: fc.constantFrom(...TARGETS),
    version: fc.constantFrom(' HTTP/1.1', ' HTTP/1.1', ' HTTP/1.1', ' HTTP/1.0', ' HTTP/1.1 '),
    headers: fc.shuffledSubarray(HEADERS, { maxLength: 4 }),
    host: fc.constantFrom('Host: a.test', 'Host: a.test', 'Host: a.test', 'X-Host: a.test'),
    lineEnd: fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\n'),
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ method, target, version, host, headers, lineEnd }) => {
      const lines = [`${method}${target}${version}`, host, ...headers, '', ''];
      const bytes = lines.join(lineEnd);
      if (readFastPathRequest(Buffer.from(bytes, 'latin1'))) plain++;
      const [one, other] = await Promise.all(
        [short, long].map(({ port }) => answerTo(port, bytes)),
      );
      assert.equal(one, other);
    }),
    { numRuns: 800 },
  );
  assert.ok(plain > 20, `${plain} of the requests were plain`);
});

test('only one whole GET with nothing out of the ordinary is plain', () => {
  const read = (bytes: string) => readFastPathRequest(Buffer.from(bytes, 'latin1'));
  const plain =
    'GET /a?b HTTP/1.1\r\nHost: a.test\r\nAccept-Encoding: br\r\nIf-None-Match: "x"\r\n\r\n';
  assert.deepEqual(read(plain), {
    target: '/a?b',
    host: 'a.test',
    accept: undefined,
    acceptEncoding: 'br',
    ifNoneMatch: '"x"',
    reader: {
      ...{ userAgent: undefined, referer: undefined, accept: undefined, fetchDest: undefined },
      isExcluded: false,
    },
  });
  for (let length = 0; length < plain.length; length++) {
    assert.equal(read(plain.slice(0, length)), undefined, `cut at ${length}`);
  }
  const others = [
    plain + plain,
    `${plain}x`,
    `\r\n${plain}`,
    plain.replace('\r\n\r\n', '\n\n'),
    plain.replace('GET', 'HEAD'),
    plain.replace('1.1', '1.0'),
    plain.replace('Host', 'Hosts'),
    plain.replace('Host: a.test', 'Host: a.test\r\nHost: a.test'),
    plain.replace('Host: a.test', 'Host: a.test\r\n b.test'),
    plain.replace('Accept', 'Transfer-Encoding: chunked\r\nAccept'),
    plain.replace('Accept', 'Content-Length: 5\r\nAccept'),
    plain.replace('Accept', 'cONTENT-lENGTH: 5\r\nAccept'),
    plain.replace('Accept', 'if-Match: *\r\nAccept'),
    plain.replace('Accept', 'Connection: close\r\nAccept'),
    plain.replace('Accept', `X: ${'x'.repeat(9_000)}\r\nAccept`),
  ];
  for (const other of others) assert.equal(read(other), undefined, JSON.stringify(other));
});
