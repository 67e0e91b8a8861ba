import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { assertTook, assertWithin, timeOf, timeUntil } from '@petstore/test-support/within.ts';
import { takenConnections } from '../support/edge.ts';
import type { MemorySource } from '../support/memory-source.ts';
import {
  askSession,
  deploySecurely,
  handshake,
  openSession,
  startSecureEdge,
} from '../support/secure-edge.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n';
const WITHIN_MS = 1_000;
const REFUSED = { code: /ALERT_HANDSHAKE_FAILURE/ };

function remove(source: MemorySource, host: string): string {
  source.certificates.delete(host);
  return source.remove(host);
}

test('a removed host ends at once: its connections of each version, its sessions, and new handshakes', async (t) => {
  const { httpsPort, source, invalidate } = await startSecureEdge(t);
  // What the edge is told here ends them, not what it hears of the store a moment later.
  source.changesAfter = async () => ({ position: '', projectIds: [] });
  const session = await openSession(t, httpsPort);
  await askSession(session, { ':path': '/' });
  const download = session.request({ ':path': '/large.bin' });
  download.on('error', () => undefined);
  await once(download, 'response');
  const kept = await handshake(httpsPort, { maxVersion: 'TLSv1.2' });
  kept.write(GET);
  await once(kept, 'data');
  const silent = await handshake(httpsPort);
  const old = kept.getSession();
  const others = {
    session: await openSession(t, httpsPort, { servername: 'b.test' }),
    socket: await handshake(httpsPort, { servername: 'b.test' }),
  };

  const ended = [session, download, kept, silent].map((live) => once(live, 'close'));
  const begun = performance.now();
  invalidate([remove(source, 'a.test')]);
  await Promise.all(ended);
  // Shorter than any time-out of a connection.
  await assertTook(performance.now() - begun, 2_000);
  await assert.rejects(handshake(httpsPort), REFUSED);
  assert.ok(old);
  await assert.rejects(handshake(httpsPort, { session: old, maxVersion: 'TLSv1.2' }));

  assert.equal((await askSession(others.session, { ':path': '/' })).status, 200);
  others.socket.write(GET.replace('a.test', 'b.test'));
  const [answer] = await once(others.socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 200 /);
  others.socket.destroy();
});

test('where another process removed the host, it ends within a second', async (t) => {
  const { httpsPort, source } = await startSecureEdge(t);
  const measure = async (delayMs: number) => {
    source.delayMs = 0;
    await deploySecurely(source, 'a.test');
    await source.nextPoll();
    const session = await openSession(t, httpsPort);
    await askSession(session, { ':path': '/' });
    const socket = await handshake(httpsPort);
    const ended = [once(session, 'close'), once(socket.resume(), 'close')];
    source.delayMs = delayMs;
    // Just after the store was asked: it is the next question that tells of it.
    await source.nextPoll();
    return timeOf(() => {
      remove(source, 'a.test');
      return Promise.all(ended);
    });
  };
  for (const delayMs of [0, 100]) {
    await assertWithin(WITHIN_MS, () => measure(delayMs), `with a delay of ${delayMs} ms it`);
  }
});

test('a handshake that is under way when its host is removed comes to nothing', async (t) => {
  const { httpsPort, source, invalidate, ask } = await startSecureEdge(t);
  // The site of one host is in memory, and of the other the edge has to ask.
  await ask('/', { host: 'a.test' });
  for (const [host, question] of [
    ['a.test', 'findServedCertificate'],
    ['b.test', 'findSite'],
  ] as const) {
    source.forgetAsked();
    const answer = source.hold();
    const early = assert.rejects(handshake(httpsPort, { servername: host }), REFUSED);
    await timeUntil(async () => source.asked[question] === 1);
    invalidate([source.remove(host)]);
    answer();
    await early;
  }
});

test('a host that went to another project, or lost its certificate, ends as well', async (t) => {
  const { httpsPort, source, invalidate } = await startSecureEdge(t);
  const site = source.sites.get('a.test');
  assert.ok(site);
  for (const changed of [
    { ...site, projectId: 'another' },
    { ...site, secureOrigin: undefined },
  ]) {
    source.sites.set('a.test', site);
    invalidate(['another', site.projectId]);
    const session = await openSession(t, httpsPort);
    await askSession(session, { ':path': '/' });
    source.sites.set('a.test', changed);
    const ended = once(session, 'close');
    invalidate(['another', site.projectId]);
    await ended;
  }
});

test('where the store cannot say whether a host still serves, its connections end', async (t) => {
  const { httpsPort, source, invalidate } = await startSecureEdge(t);
  const session = await openSession(t, httpsPort);
  await askSession(session, { ':path': '/' });
  source.isAway = true;
  const ended = once(session, 'close');
  invalidate(['project of a.test']);
  await ended;
});

test('only hosts of the changed projects that have connections are asked for', async (t) => {
  const { httpsPort, source, invalidate } = await startSecureEdge(t);
  const open = takenConnections(t);
  const kept = await openSession(t, httpsPort);
  const gone = await openSession(t, httpsPort, { servername: 'b.test' });
  await askSession(kept, { ':path': '/' });
  await askSession(gone, { ':path': '/' });
  gone.close();
  await timeUntil(async () => open.size === 1);
  source.forgetAsked();
  invalidate(['project of b.test', 'project of c.test']);
  assert.equal(source.asked.findSite, 0);
  invalidate(['project of a.test']);
  assert.equal(source.asked.findSite, 1);
  assert.equal((await askSession(kept, { ':path': '/' })).status, 200);
  assert.equal(source.asked.findSite, 1);
});

test('a renewed certificate is shown from the next handshake on, and no connection is dropped', async (t) => {
  const { httpsPort, source, invalidate } = await startSecureEdge(t);
  const session = await openSession(t, httpsPort);
  const socket = await handshake(httpsPort);
  const before = socket.getPeerCertificate().serialNumber;
  const download = session.request({ ':path': '/large.bin' });
  await once(download, 'response');
  const renewed = await deploySecurely(source, 'a.test');
  invalidate(['project of a.test']);
  const after = await handshake(httpsPort);
  assert.notEqual(after.getPeerCertificate().serialNumber, before);
  assert.equal(after.getPeerCertificate().serialNumber.padStart(4, '0'), renewed.serial);
  after.destroy();
  let received = 0;
  for await (const chunk of download) received += chunk.length;
  assert.equal(received, 3_000_000);
  assert.equal((await askSession(session, { ':path': '/' })).status, 200);
  socket.write(GET);
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 200 /);
  socket.destroy();
});

test('a plain connection that goes on serves nothing of a removed host', async (t) => {
  const { port, source, invalidate, ask } = await startSecureEdge(t);
  source.deploy('plain.test', { '/': { type: 'text/plain', text: 'here' } });
  await ask('/', { host: 'plain.test' });
  const get = GET.replace('a.test', 'plain.test');
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  socket.write(get);
  const [first] = await once(socket, 'data');
  assert.match(first, /here$/);
  invalidate([source.remove('plain.test')]);
  socket.write(get);
  const [second] = await once(socket, 'data');
  assert.match(second, /^HTTP\/1\.1 404 /);
  socket.destroy();
  const other = connect(port, '127.0.0.1').setEncoding('latin1');
  other.write(get);
  const [third] = await once(other, 'data');
  assert.match(third, /^HTTP\/1\.1 404 /);
  other.destroy();
});
