import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRAMES_TYPE, PROXY_PATH } from '@petstore/site/request/proxy-format.ts';
import { movedTo } from '../../../server/src/edge/sites/site-source.ts';
import { startNameServer } from '../../support/name-server.ts';
import { startTestEdge } from '../support/edge.ts';
import { MemorySource, SITE } from '../support/memory-source.ts';
import {
  ALLOWED,
  type Answer,
  deployApi,
  INSIDE,
  OWN_PAGE,
  sendThrough,
  startApi,
  startProxy,
} from '../support/request-proxy.ts';

const refusal = ({ status, problem }: Answer) => [status, problem?.code, problem?.message];

test('without a switch of the owner and the leave of the operator there is nothing at the path', async (t) => {
  const api = await startApi(t);
  const source = new MemorySource();
  deployApi(source, [`${api.url}/`], { host: 'on.test' });
  deployApi(source, [`${api.url}/`], { host: 'off.test', requestProxy: false });
  deployApi(source, [`${api.url}/`], { host: 'old.test', redirect: movedTo('https://on.test') });
  const allowed = await startTestEdge(t, { source, requestProxy: ALLOWED });
  const refused = await startTestEdge(t, { source });
  const rows: [edge: typeof allowed, host: string, get: number, post: number][] = [
    [allowed, 'on.test', 204, 200],
    [allowed, 'off.test', 404, 405],
    [allowed, 'old.test', 301, 405],
    [refused, 'on.test', 404, 405],
  ];
  for (const [edge, host, get, post] of rows) {
    const probe = await edge.ask(PROXY_PATH, { host });
    const other = await edge.ask('/_site/none', { host });
    assert.equal(probe.status, get, host);
    if (get !== 204) assert.deepEqual([other.status, other.body], [get, probe.body]);
    assert.equal((await sendThrough(edge.port, { url: api.url }, { host })).status, post, host);
  }
  assert.equal(api.seen.length, 1);
  source.deploy('none.test', SITE, { requestProxy: true });
  const old = await sendThrough(allowed.port, { url: api.url }, { host: 'none.test' });
  assert.match(old.problem?.message ?? '', /Deploy it again\.$/);
});

test('scripts of other origins, forms and links cannot use it', async (t) => {
  const api = await startApi(t);
  const { ask, send } = await startProxy(t, [`${api.url}/`]);
  const preflight = await ask(PROXY_PATH, {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  });
  assert.deepEqual(
    Object.keys(preflight.headers).filter((name) => name.startsWith('access-control')),
    [],
  );
  const type = { 'content-type': FRAMES_TYPE };
  const rows: [headers: Record<string, string>, status: number][] = [
    [{ ...type, 'sec-fetch-site': 'cross-site' }, 403],
    [{ ...type, 'sec-fetch-site': 'same-site', origin: 'https://b.a.test' }, 403],
    [{ ...type, 'sec-fetch-site': 'none' }, 403],
    [{ ...type, origin: 'https://evil.example' }, 403],
    [{ ...type, origin: 'null' }, 403],
    [type, 403],
    [{ 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' }, 415],
    [{ 'sec-fetch-site': 'same-origin' }, 415],
    [{ ...type, origin: 'http://a.test' }, 200],
  ];
  for (const [headers, status] of rows) {
    const answer = await send({ url: api.url }, { headers });
    assert.equal(answer.status, status, JSON.stringify(headers));
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
    assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  }
  assert.equal(api.seen.length, 1);
  assert.equal((await ask(PROXY_PATH, { method: 'PUT' })).status, 405);
});

test("what is no request is refused with what is wrong, and another project's server is not asked", async (t) => {
  const api = await startApi(t);
  const other = await startApi(t);
  const source = new MemorySource();
  deployApi(source, [`${api.url}/`]);
  deployApi(source, [`${other.url}/`], { host: 'b.test' });
  const { port } = await startTestEdge(t, { source, requestProxy: ALLOWED });
  const asked = await sendThrough(port, { url: `${other.url}/x` });
  assert.deepEqual(refusal(asked), [
    ...[403, 'not_declared', `The document declares no server at ${other.url}/x.`],
  ]);
  const rows: [what: object, message: RegExp][] = [
    [{ url: 'ftp://a.example' }, /url is not an http or https address/],
    [{ url: '/v1' }, /url is not/],
    [{ url: api.url.replace('//', '//u:p@') }, /a user or a password/],
    [{ url: api.url, method: 'CONNECT' }, /no page may send/],
    [{ url: api.url, method: 'trace' }, /no page may send/],
    [{ url: api.url, method: 'A B' }, /method is not/],
    [{ url: api.url, headers: [['a b', '']] }, /the header "a b" cannot be sent/],
    [{ url: api.url, headers: [['a', 'x\r\nHost: evil']] }, /the header "a" cannot/],
    [{ url: api.url, headers: [['a']] }, /a list of pairs/],
    [{ url: api.url, headers: { a: 'b' } }, /a list of pairs/],
  ];
  for (const [what, message] of rows) {
    const answer = await sendThrough(port, what as { url: string });
    assert.equal(answer.status, 400, JSON.stringify(what));
    assert.match(answer.problem?.message ?? '', message);
  }
  const contents: [content: string, message: RegExp][] = [
    ['', /no frame of the kind head/],
    ['\x00\x00\x00\x00\x05{}', /no frame of the kind head/],
    ['\x09\x00\x00\x00\x00', /no frame of the kind head/],
    ['\x00\x00\x00\x00\x01{', /not JSON/],
    ['\x00\x00\x00\x00\x04null', /method is not/],
    [`\x00\x00\x00\x00\x02{}\x02\x00\x00\x00\x00`, /no frame of the kind data/],
    [`\x00\x00\x00\x00\x02{}\x01\x00\x00\x00\x01ab`, /goes on after the body/],
  ];
  for (const [text, message] of contents) {
    const content = Buffer.from(text, 'latin1');
    const answer = await sendThrough(port, { url: api.url }, { content });
    assert.equal(answer.status, 400, JSON.stringify(text));
    assert.match(answer.problem?.message ?? '', message);
  }
  assert.deepEqual([api.seen.length, other.seen.length], [0, 0]);
});

test('no request reaches this machine or its network, however the document says so', async (t) => {
  const inside = await startApi(t, undefined, '127.0.0.1');
  const server = await startNameServer(t, {
    'inside.example.com': ['127.0.0.1'],
    'inside6.example.com': ['::1', '::ffff:127.0.0.1'],
    'cloud.example.com': ['169.254.169.254', '10.1.2.3'],
    'empty.example.com': [],
  });
  const rows: [host: string, message: RegExp][] = [
    ['127.0.0.1', /^127\.0\.0\.1 is not an address of the internet\.$/],
    ['127.0.0.2', /^127\.0\.0\.2 is not/],
    ['[::1]', /^::1 is not/],
    ['[::ffff:127.0.0.1]', /^::ffff:7f00:1 is not/],
    ['[::ffff:7f00:2]', /is not an address/],
    ['[64:ff9b::7f00:1]', /is not an address/],
    ['2130706433', /^127\.0\.0\.1 is not/],
    ['0x7f.1', /^127\.0\.0\.1 is not/],
    ['0', /^0\.0\.0\.0 is not/],
    ['127.0.0.1.', /is not an address/],
    ['①②⑦.0.0.1', /^127\.0\.0\.1 is not/],
    ['169.254.169.254', /is not an address/],
    ['10.0.0.1', /is not an address/],
    ['localhost', /^localhost leads to 127\.0\.0\.1, which is not/],
    ['any.localhost', /^any\.localhost leads to/],
    ['inside.example.com', /^inside\.example\.com leads to 127\.0\.0\.1, which is not/],
    ['INSIDE.example.com.', /inside\.example\.com leads to 127\.0\.0\.1/],
    ['inside6.example.com', /^inside6\.example\.com leads to ::1, which is not/],
    ['cloud.example.com', /leads to 169\.254\.169\.254, which is not/],
    ['empty.example.com', /^The name empty\.example\.com has no address\.$/],
    ['none.example.com', /^The name none\.example\.com has no address\.$/],
  ];
  const urls = rows.map(([host]) => `http://${host}:${inside.port}`);
  const addresses = urls.map((url) => `${new URL(url).origin}/`);
  const { send } = await startProxy(t, addresses, { networks: [], dnsServers: [server] });
  for (const [at, [host, message]] of rows.entries()) {
    const { status, problem } = await send({ url: urls[at] ?? '' });
    assert.deepEqual([status, problem?.code], [502, 'no_address'], host);
    assert.match(problem?.message ?? '', message, host);
  }
  assert.equal(inside.seen.length, 0);
});

test('a name is looked up once for each request: what it leads to later is checked anew', async (t) => {
  const secret = await startApi(t, undefined, '127.0.0.1');
  const asked = new Set<string>();
  const server = await startNameServer(t, {
    'rebound.example.com': (type, id) => {
      // Not twice where it is sent again. Others may have the same id by chance.
      if (type === 'A') asked.add(`${id} ${api.seen.length}`);
      return asked.size === 1 ? [INSIDE] : ['127.0.0.1'];
    },
  });
  const api = await startApi(t, (_request, response) =>
    response.writeHead(302, { location: `http://rebound.example.com:${api.port}/next` }).end(),
  );
  const addresses = [api, secret].map(({ port }) => `http://rebound.example.com:${port}/`);
  const { send } = await startProxy(t, addresses, { dnsServers: [server] });
  const { problem } = await send({ url: `http://rebound.example.com:${api.port}/` });
  assert.equal(
    problem?.message,
    `http://rebound.example.com:${api.port} redirected to http://rebound.example.com:${api.port}/next. rebound.example.com leads to 127.0.0.1, which is not an address of the internet.`,
  );
  assert.deepEqual(
    [api.seen.length, asked.size],
    [1, 2],
    'the connection looked nothing up itself',
  );
  const again = await send({ url: `http://rebound.example.com:${secret.port}/` });
  assert.equal(again.problem?.code, 'no_address');
  assert.equal(secret.seen.length, 0);
});

test('a host or a port that the reader may choose is no way into a network, even an allowed one', async (t) => {
  const api = await startApi(t);
  const server = await startNameServer(t, { 'eu.api.example.com': [INSIDE] });
  const { send } = await startProxy(
    t,
    [`http://*.api.example.com:${api.port}/v1`, `http://${INSIDE}:*/v2`],
    { dnsServers: [server] },
  );
  const rows: [url: string, code: string][] = [
    [`http://eu.api.example.com:${api.port}/v1`, 'no_address'],
    [`${api.url}/v2`, 'no_address'],
    [`http://api.example.com:${api.port}/v1`, 'not_declared'],
    [`http://evilapi.example.com:${api.port}/v1`, 'not_declared'],
    [`http://eu.api.example.com/v1`, 'not_declared'],
  ];
  for (const [url, code] of rows) assert.equal((await send({ url })).problem?.code, code, url);
  assert.equal(api.seen.length, 0);
});

test('redirects are followed as far as the document goes, and credentials stay with their origin', async (t) => {
  const second = await startApi(t);
  const outside = await startApi(t);
  const moves: Record<string, [status: number, location: string]> = {
    '/same': [307, '/end'],
    '/found': [302, '/end'],
    '/other': [301, `${second.url}/end?x`],
    '/kept': [308, `${second.url}/end`],
    '/see': [303, '/end'],
    '/out': [302, `${outside.url}/secret?token=t`],
    '/metadata': [302, 'http://169.254.169.254/latest'],
    '/odd': [302, 'file:///etc/passwd'],
    '/loop': [302, '/loop'],
    '/endless': [302, '/after'],
  };
  const { promise: dropped, resolve } = Promise.withResolvers<void>();
  const api = await startApi(t, ({ url = '' }, response) => {
    const [status, location] = moves[url] ?? [200, undefined];
    response.writeHead(status, location === undefined ? {} : { location });
    if (url === '/endless') response.once('close', resolve).write('body');
    else if (url === '/after') dropped.then(() => response.end());
    else response.end();
  });
  const addresses = [api.url, second.url, 'http://169.254.169.254'].map((url) => `${url}/`);
  const { send } = await startProxy(t, addresses, {
    bounds: { clientRate: { burst: 100, perSecond: 1 } },
  });
  const headers = [
    ['Authorization', 'Bearer t'],
    ['X-Api-Key', 'k'],
    ['Content-Type', 'text/plain'],
    ['Accept', 'text/csv'],
  ] as const;
  const ask = (path: string, method = 'POST') =>
    send({ url: api.url + path, method, headers, body: 'pets' });

  const rows: [path: string, method: string, to: typeof api, sent: string, key: boolean][] = [
    ['/same', 'POST', api, 'POST /end pets text/plain', true],
    ['/found', 'POST', api, 'GET /end  undefined', true],
    ['/found', 'PUT', api, 'PUT /end pets text/plain', true],
    ['/see', 'PUT', api, 'GET /end  undefined', true],
    ['/other', 'POST', second, 'GET /end?x  undefined', false],
    ['/kept', 'POST', second, 'POST /end pets text/plain', false],
  ];
  for (const [path, method, to, sent, hasKey] of rows) {
    const { head } = await ask(path, method);
    const last = to.seen.at(-1);
    assert.ok(last && head);
    assert.equal(`${last.method} ${last.url} ${last.body} ${last.headers['content-type']}`, sent);
    const { authorization, 'x-api-key': key, accept } = last.headers;
    assert.deepEqual(
      [authorization, key],
      hasKey ? ['Bearer t', 'k'] : [undefined, undefined],
      path,
    );
    assert.equal(accept, 'text/csv');
    assert.deepEqual([head.redirected, head.url, head.status], [true, to.url + last.url, 200]);
  }
  assert.equal((await ask('/endless')).head?.status, 200, 'the redirect itself was dropped');
  const refused: [path: string, message: string][] = [
    [
      '/out',
      `${api.url} redirected to ${outside.url}/secret. The document declares no server at ${outside.url}/secret.`,
    ],
    [
      '/metadata',
      `${api.url} redirected to http://169.254.169.254/latest. 169.254.169.254 is not an address of the internet.`,
    ],
    ['/odd', `${api.url} redirected to something that is no http or https address.`],
    ['/loop', `${api.url} redirected too often.`],
  ];
  for (const [path, message] of refused)
    assert.deepEqual(refusal(await ask(path)), [502, 'redirect_refused', message]);
  assert.equal(outside.seen.length, 0);
});

test('it asks neither itself nor another site of this edge', async (t) => {
  const source = new MemorySource();
  const server = await startNameServer(t, {
    'b.test': [INSIDE],
    'edge.example.com': [INSIDE],
  });
  source.deploy('b.test', SITE);
  const edge = await startTestEdge(t, {
    ...{ source, host: '0.0.0.0' },
    requestProxy: { ...ALLOWED, dnsServers: [server] },
  });
  const urls = ['b.test', 'edge.example.com'].map((host) => `http://${host}:${edge.port}`);
  deployApi(
    source,
    urls.map((url) => `${url}/`),
  );
  const [site = '', name = ''] = urls;
  const other = await sendThrough(edge.port, { url: `${site}/guides/start` });
  assert.deepEqual(refusal(other), [508, 'loop_detected', 'b.test is a site of this very server.']);
  const unknown = await sendThrough(edge.port, { url: name });
  assert.equal(unknown.head?.status, 404, 'it serves no site under that name');
  const looped = await sendThrough(
    edge.port,
    { url: name },
    { headers: { ...OWN_PAGE, via: '1.1 x, 1.1 dashboard-request-proxy' } },
  );
  assert.equal(looped.problem?.code, 'loop_detected');
});
