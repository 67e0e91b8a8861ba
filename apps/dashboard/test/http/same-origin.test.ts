import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { assertError, PASSWORD, startService } from '../support/service.ts';

/** What a request says of where it comes from; undefined: nothing. */
type From = { origin?: string; site?: string };

const FOREIGN: Record<string, From> = {
  'another site': { origin: 'https://evil.example', site: 'cross-site' },
  'another site, from an old browser': { origin: 'https://evil.example' },
  'a hosted site': { origin: 'http://pets.docs.localhost:8082', site: 'same-site' },
  'another port': { origin: 'http://127.0.0.1:1', site: 'same-site' },
  'a sandboxed page': { origin: 'null', site: 'cross-site' },
  'a form without Origin': { site: 'cross-site' },
  'a sister host without Origin': { site: 'same-site' },
};

test('a change that a page of another origin asks for is refused, signed in or not', async (t) => {
  const service = await startService(t);
  await service.signUp('ann@example.com');
  const credentials = { email: 'ann@example.com', password: PASSWORD };
  const post = (path: string, from: From, more = {}, body: object = credentials) =>
    fetch(service.origin + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(from.origin && { origin: from.origin }),
        ...(from.site && { 'sec-fetch-site': from.site }),
        ...more,
      },
      body: JSON.stringify(body),
    });
  const own = { origin: service.origin, site: 'same-origin' };
  const signedIn = await post('/api/session', own);
  const [cookie = ''] = (signedIn.headers.getSetCookie()[0] ?? '').split(';');

  for (const [who, from] of Object.entries(FOREIGN)) {
    for (const path of ['/api/session', '/api/sign-up']) {
      const answer = await post(path, from);
      assert.match(await assertError(answer, 403, 'forbidden'), /page of another origin/, who);
      assert.deepEqual(answer.headers.getSetCookie(), []);
    }
    const answer = await post('/api/projects', from, { cookie }, { name: 'A', slug: 'taken' });
    assert.match(await assertError(answer, 403, 'forbidden'), /page of another origin/, who);
  }
  // Reading is no change, and no page of another origin gets to see the answer.
  const read = await fetch(`${service.origin}/api/session`, {
    headers: { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  });
  assert.equal(read.status, 200);
  assert.equal(read.headers.get('access-control-allow-origin'), null);

  // Programs say neither: they may sign in, and with the cookie alone change nothing.
  assert.equal((await post('/api/session', {})).status, 200);
  const bare = await post('/api/projects', {}, { cookie }, { name: 'A', slug: 'taken' });
  await assertError(bare, 403, 'forbidden');

  // The dashboard by another of its names, and a browser that sends no Origin.
  const host = new URL(service.origin).host.replace('127.0.0.1', 'localhost');
  const byName = await fetch(`http://${host}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: `http://${host}` },
    body: JSON.stringify(credentials),
  });
  assert.equal(byName.status, 200);
  const sameOrigin = { site: 'same-origin' };
  const made = await post('/api/projects', sameOrigin, { cookie }, { name: 'A', slug: 'taken' });
  assert.equal(made.status, 201);
});

test('a dashboard for its own machine takes no page whose foreign name was made to lead to it', async (t) => {
  const service = await startService(t);
  const { port } = new URL(service.origin);
  const signUp = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const origin = `http://${host}:${port}`;
      const headers = { host: `${host}:${port}`, origin, 'content-type': 'application/json' };
      const asked = request({
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: '/api/sign-up',
        headers,
      });
      asked.on('error', reject).on('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.end(JSON.stringify({ email: 'eve@example.com', password: PASSWORD, name: 'Eve' }));
    });
  assert.equal(await signUp('rebound.example'), 403);
  assert.equal(await signUp('localhost'), 202);
});
