import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { Site } from '../../../server/src/edge/sites/site-source.ts';
import { authority } from '../support/certificates.ts';
import { MemorySource, SITE } from '../support/memory-source.ts';
import { deploySecurely, handshake, startSecureEdge } from '../support/secure-edge.ts';

const LABELS = 60;

/** A store with `*.docs.test`, below which only `v1` shows something. */
class WildcardSource extends MemorySource {
  override async findSite(host: string): Promise<Site | undefined> {
    const found = await super.findSite(host);
    if (found || !/^[^.]+\.docs\.test$/.test(host)) return found;
    return {
      ...{ projectId: 'pets', artifactHash: '', isPreview: true, isEmpty: true, mcp: true },
      ...{ origin: `https://${host}`, secureOrigin: `https://${host}`, requestProxy: false },
      wildcard: '*.docs.test',
    };
  }
}

async function start(t: Parameters<typeof startSecureEdge>[0]) {
  const source = new WildcardSource();
  source.certificates.set('*.docs.test', await authority.issue('*.docs.test'));
  const secureOrigin = 'https://v1.docs.test';
  source.deploy('v1.docs.test', SITE, { projectId: 'pets', secureOrigin, wildcard: '*.docs.test' });
  await deploySecurely(source, 'a.test');
  const limits = { hosts: 10, unknownHosts: 20, contexts: 5 };
  return { ...(await startSecureEdge(t, { source, limits })), source };
}

test('made-up labels of a wildcard cost one question each, share one certificate, and evict no real host', async (t) => {
  const { source, askSecurely } = await start(t);
  for (const host of ['a.test', 'v1.docs.test'])
    assert.equal((await askSecurely('/', { host })).status, 200);
  source.forgetAsked();
  const labels = Array.from({ length: LABELS }, (_, at) => `made-up-${at}.docs.test`);
  const answers = await Promise.all(labels.map((host) => askSecurely('/', { host })));
  assert.deepEqual(
    answers.map(({ status }) => status),
    labels.map(() => 404),
  );
  assert.ok(source.asked.findSite <= 2 * LABELS, `${source.asked.findSite} questions`);
  assert.equal(source.asked.findServedCertificate, 0, 'that of the wildcard is known');
  source.forgetAsked();
  for (const host of ['a.test', 'v1.docs.test'])
    assert.equal((await askSecurely('/', { host })).status, 200);
  assert.equal(source.asked.findSite, 0);
  assert.equal(source.asked.findServedCertificate, 0);
});

test('first handshakes of many labels at once read the certificate once', async (t) => {
  const { source, httpsPort } = await start(t);
  const labels = Array.from({ length: 20 }, (_, at) => `made-up-${at}.docs.test`);
  const sockets = await Promise.all(
    labels.map((servername) => handshake(httpsPort, { servername })),
  );
  assert.equal(source.asked.findServedCertificate, 1);
  for (const socket of sockets) socket.destroy();
});

test('a removed wildcard ends at once, with the connections of all its labels', async (t) => {
  const { source, httpsPort, invalidate } = await start(t);
  const hosts = ['v1.docs.test', 'made-up.docs.test'];
  const sockets = await Promise.all(
    hosts.map((servername) => handshake(httpsPort, { servername })),
  );
  const ended = sockets.map((socket) => once(socket, 'close'));
  source.findSite = async () => undefined;
  source.certificates.clear();
  invalidate(['pets']);
  await Promise.all(ended);
  for (const servername of [...hosts, 'another.docs.test'])
    await assert.rejects(handshake(httpsPort, { servername }));
});
