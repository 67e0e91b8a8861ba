import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { startCertificateAuthority } from '../src/certificate-authority/certificate-authority.ts';
import { startRateLimitProxy } from '../src/rate-limit-proxy.ts';

test('the proxy refuses orders for the names that it is told of, and lets all else through', async (t) => {
  const authority = await startCertificateAuthority({
    httpPort: 1,
    tlsPort: 1,
    nameServer: '127.0.0.1:1',
  });
  cleanUp(t, authority.close);
  const { origin, pathname } = new URL(authority.directoryUrl);
  const proxy = await startRateLimitProxy({ origin, ca: await readFile(authority.caFile, 'utf8') });
  cleanUp(t, proxy.close);

  const directory = await ask('GET', pathname);
  assert.equal(directory.status, 200);
  const { newOrder } = JSON.parse(directory.body) as { newOrder: string };
  const order = (name: string) => ask('POST', new URL(newOrder).pathname, orderFor(name));

  proxy.setRateLimited('docs.example.test', true);
  const refused = await order('docs.example.test');
  assert.equal(refused.status, 429);
  assert.match(refused.body, /error:rateLimited/);
  assert.equal(refused.retryAfter, '120');
  assert.equal(authority.counts.newOrder, 0, 'the authority did not hear of it');

  await order('www.example.test');
  assert.equal(authority.counts.newOrder, 1);
  proxy.setRateLimited('docs.example.test', false);
  await order('docs.example.test');
  assert.equal(authority.counts.newOrder, 2);

  async function ask(method: string, path: string, body?: string) {
    const asked = request(new URL(path, proxy.origin), { method, ca: proxy.rootPem, agent: false });
    asked.end(body);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const { statusCode: status, headers } = answer;
    return { status, retryAfter: headers['retry-after'], body: await text(answer) };
  }
});

/** As far as the proxy looks: an order that nobody signed. */
function orderFor(name: string): string {
  const payload = JSON.stringify({ identifiers: [{ type: 'dns', value: name }] });
  const encoded = Buffer.from(payload).toString('base64url');
  return JSON.stringify({ protected: '', payload: encoded, signature: '' });
}
