import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { test } from 'node:test';
import type { SecureVersion, TLSSocket } from 'node:tls';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { closed } from '@petstore/test-support/closed.ts';
import { assertWithin } from '@petstore/test-support/within.ts';
import { MemorySource, page, SITE } from '../support/memory-source.ts';
import { clientHello, deploySecurely, handshake, startSecureEdge } from '../support/secure-edge.ts';

const VERSIONS: readonly SecureVersion[] = ['TLSv1.2', 'TLSv1.3'];
const REFUSED = /ALERT_HANDSHAKE_FAILURE/;

const only = (version: SecureVersion) => ({ minVersion: version, maxVersion: version });

const serialOf = (socket: TLSSocket) => socket.getPeerCertificate().serialNumber.padStart(4, '0');

test('every host proves itself with its own certificate, in TLS 1.2 and 1.3, in any spelling', async (t) => {
  const { httpsPort, source } = await startSecureEdge(t);
  await deploySecurely(source, 'xn--bcher-kva.test');
  for (const version of VERSIONS) {
    for (const host of ['a.test', 'b.test', 'xn--bcher-kva.test']) {
      const socket = await handshake(httpsPort, { servername: host, ...only(version) });
      assert.equal(socket.getProtocol(), version);
      assert.equal(socket.getPeerCertificate().subjectaltname, `DNS:${host}`);
      socket.destroy();
    }
    for (const spelling of ['A.TEST', 'a.test.', 'A.Test.']) {
      const checkServerIdentity = () => undefined;
      const socket = await handshake(httpsPort, {
        ...{ servername: spelling, checkServerIdentity, ...only(version) },
      });
      assert.equal(socket.getPeerCertificate().subjectaltname, 'DNS:a.test', spelling);
      socket.destroy();
    }
  }
});

test('without a name, or with one that has no certificate, no handshake succeeds', async (t) => {
  const { httpsPort, source } = await startSecureEdge(t);
  source.deploy('plain.test', SITE);
  for (const version of VERSIONS) {
    for (const servername of ['', 'c.test', 'plain.test', 'x.a.test', 'a_b.test', '*.test']) {
      const refused = handshake(httpsPort, {
        servername,
        rejectUnauthorized: false,
        ...only(version),
      });
      await assert.rejects(refused, { code: /ALERT_HANDSHAKE_FAILURE/ }, servername);
    }
  }
  (await handshake(httpsPort)).destroy();
});

test('what is older than TLS 1.2 is refused, and a client speaks of what it offers', async (t) => {
  const { httpsPort } = await startSecureEdge(t);
  await assert.rejects(
    handshake(httpsPort, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' }),
  );
  const protocols: [offered: string[] | undefined, chosen: string | false][] = [
    [undefined, false],
    [['http/1.1'], 'http/1.1'],
    [['h2'], 'h2'],
    [['http/1.1', 'h2'], 'h2'],
    [['foo', 'http/1.1'], 'http/1.1'],
  ];
  for (const version of VERSIONS) {
    for (const [ALPNProtocols, chosen] of protocols) {
      const socket = await handshake(httpsPort, {
        ...only(version),
        ...(ALPNProtocols && { ALPNProtocols }),
      });
      assert.equal(socket.alpnProtocol, chosen);
      socket.destroy();
    }
    for (const ALPNProtocols of [['foo'], ['acme-tls/1', 'foo'], ['http/1.0']]) {
      await assert.rejects(handshake(httpsPort, { ALPNProtocols, ...only(version) }), {
        code: /NO_APPLICATION_PROTOCOL/,
      });
    }
  }
});

test('no session is resumed, whatever a client kept of it', async (t) => {
  const { httpsPort } = await startSecureEdge(t);
  for (const version of VERSIONS) {
    const first = await handshake(httpsPort, only(version));
    const sessions = [first.getSession()];
    first.on('session', (session) => sessions.push(session));
    first.write('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n');
    await once(first, 'data');
    first.destroy();
    assert.ok(sessions[0]);
    for (const session of sessions) {
      if (!session) continue;
      const second = await handshake(httpsPort, { session, ...only(version) });
      assert.equal(second.isSessionReused(), false, version);
      second.destroy();
    }
  }
});

test('many first handshakes of a host share one look at the store, and later ones need none', async (t) => {
  const { httpsPort, source } = await startSecureEdge(t);
  source.delayMs = 50;
  const sockets = await Promise.all(Array.from({ length: 20 }, () => handshake(httpsPort)));
  assert.equal(source.asked.findServedCertificate, 1);
  assert.equal(source.asked.findSite, 1);
  source.isAway = true;
  sockets.push(await handshake(httpsPort));
  for (const socket of sockets) socket.destroy();
});

test('scans do not come to the store twice, and what they asked for is found once it is there', async (t) => {
  const { httpsPort, source, invalidate } = await startSecureEdge(t);
  for (let round = 0; round < 3; round++) {
    await assert.rejects(handshake(httpsPort, { servername: 'new.test' }), { code: REFUSED });
  }
  assert.equal(source.asked.findSite, 1);
  assert.equal(source.asked.findServedCertificate, 0);
  await deploySecurely(source, 'new.test');
  invalidate(['project of new.test']);
  (await handshake(httpsPort, { servername: 'new.test' })).destroy();
});

test('changes of other projects do not hold up a handshake, however many', async (t) => {
  const { httpsPort, source, invalidate } = await startSecureEdge(t);
  source.delayMs = 50;
  const others = setInterval(() => invalidate(['another']), 5);
  cleanUp(t, () => clearInterval(others));
  (await handshake(httpsPort)).destroy();
  assert.equal(source.asked.findServedCertificate, 1);
});

test('while the store is unavailable, hosts that are not remembered fail and are asked for again', async (t) => {
  const { httpsPort, source } = await startSecureEdge(t);
  source.isAway = true;
  await assert.rejects(handshake(httpsPort), { code: REFUSED });
  source.isAway = false;
  (await handshake(httpsPort)).destroy();
});

test('a key that does not fit its certificate fails its own host alone', async (t) => {
  const { httpsPort, source } = await startSecureEdge(t);
  const [a, b] = ['a.test', 'b.test'].map((host) => source.certificates.get(host));
  assert.ok(a && b);
  source.certificates.set('a.test', { ...a, key: b.key });
  await assert.rejects(handshake(httpsPort), { code: REFUSED });
  (await handshake(httpsPort, { servername: 'b.test' })).destroy();
});

test('memory holds no more certificates than it may', async (t) => {
  const source = new MemorySource();
  const hosts = Array.from({ length: 12 }, (_, at) => `host${at}.test`);
  for (const host of hosts) await deploySecurely(source, host, { '/': page(host) });
  const { httpsPort } = await startSecureEdge(t, { source, limits: { contexts: 4 } });
  const reads = async (host: string) => {
    source.forgetAsked();
    (await handshake(httpsPort, { servername: host })).destroy();
    return source.asked.findServedCertificate;
  };
  for (const host of hosts) assert.equal(await reads(host), 1);
  assert.equal(await reads('host11.test'), 0, 'what was used last is there');
  assert.equal(await reads('host0.test'), 1, 'what was used first is not');
});

/** A connection without TLS. */
async function openPlain(port: number, bytes: string | Buffer = '') {
  const socket = connectPlain(port, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  socket.write(bytes);
  return { socket, closed: closed(socket).then(() => performance.now()) };
}

test('who says nothing, or never gets to the end of the handshake, is cut off', async (t) => {
  // An edge for each limit: this process may stand still for longer than either.
  const hasty = await startSecureEdge(t, { timeouts: { clientHello: 1_000, handshake: 600_000 } });
  const { httpsPort } = await startSecureEdge(t, {
    timeouts: { handshake: 3_500 },
    tls: { port: 0, maxHandshakes: 3 },
  });
  const hello = await clientHello();
  const begun = performance.now();
  const silent = [
    await openPlain(hasty.httpsPort),
    await openPlain(hasty.httpsPort, hello.subarray(0, 20)),
  ];
  const begins = await openPlain(hasty.httpsPort, hello);
  for (const { closed } of silent) {
    const tookMs = (await closed) - begun;
    assert.ok(tookMs >= 950, `${tookMs}`);
    assert.ok(!begins.socket.closed, 'long before one that began');
  }
  begins.socket.destroy();
  await assertWithin(8_000, async () => {
    const begun = performance.now();
    const tookMs = (await (await openPlain(httpsPort, hello)).closed) - begun;
    assert.ok(tookMs >= 3_450, `${tookMs}`);
    return tookMs;
  });
  // Each way in which a handshake ends makes room again.
  for (let round = 0; round < 5; round++) {
    await (await openPlain(httpsPort, 'GET / HTTP/1.1\r\n\r\n')).closed;
    await assert.rejects(handshake(httpsPort, { servername: 'c.test' }), { code: REFUSED });
    await assert.rejects(handshake(httpsPort, { ca: [] }));
    const socket = await handshake(httpsPort);
    cleanUp(t, () => socket.destroy());
  }
});

test('connections that say nothing keep nobody out: the oldest goes for a new one', async (t) => {
  const { httpsPort } = await startSecureEdge(t, { tls: { port: 0, maxHandshakes: 5 } });
  const silent = [];
  for (let at = 0; at < 12; at++) silent.push(await openPlain(httpsPort));
  await Promise.all(silent.slice(0, 7).map(({ closed }) => closed));
  for (let at = 0; at < 3; at++) (await handshake(httpsPort)).destroy();
  await silent[7]?.closed;
  assert.equal(silent.at(-1)?.socket.closed, false);
  for (const { socket } of silent) socket.destroy();
});

test('handshakes that stop halfway keep others out for no more than a second', async (t) => {
  const { httpsPort } = await startSecureEdge(t, { tls: { port: 0, maxHandshakes: 3 } });
  const hello = await clientHello();
  // A whole number: of others, a second more less the former may be more than a second.
  let now = Math.ceil(performance.now());
  t.mock.method(performance, 'now', () => now);
  const halfway = [];
  for (let at = 0; at < 3; at++) {
    const begun = await openPlain(httpsPort, hello);
    await once(begun.socket, 'data');
    halfway.push(begun);
  }
  now += 1_000;
  await assert.rejects(handshake(httpsPort), 'what is under way is finished first');
  now += 1;
  (await handshake(httpsPort)).destroy();
  await halfway[0]?.closed;
  for (const { socket } of halfway) socket.destroy();
});

test('an authority that validates gets the challenge in a certificate, and nothing after it', async (t) => {
  const { httpsPort, source } = await startSecureEdge(t);
  source.challenges.set('new.test', 'token.thumbprint').set('a.test', 'renewed.thumbprint');
  const validate = (servername: string) =>
    handshake(httpsPort, { servername, ALPNProtocols: ['acme-tls/1'], rejectUnauthorized: false });
  for (const host of ['new.test', 'a.test']) {
    const socket = await validate(host);
    const closed = socket.closed || once(socket, 'close');
    assert.equal(socket.alpnProtocol, 'acme-tls/1');
    const certificate = new X509Certificate(socket.getPeerCertificate().raw);
    assert.equal(certificate.subjectAltName, `DNS:${host}`);
    const authorization = source.challenges.get(host) ?? '';
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(authorization));
    // RFC 8737, section 3: 1.3.6.1.5.5.7.1.31, critical, an OCTET STRING of 32 bytes in another.
    const extension = Buffer.concat([
      Buffer.from('06082b0601050507011f0101ff04220420', 'hex'),
      Buffer.from(digest),
    ]);
    assert.ok(certificate.raw.includes(extension));
    socket.resume();
    await closed;
  }
  await assert.rejects(validate('b.test'), { code: REFUSED }, 'no challenge is under way');
  source.challenges.clear();
  await assert.rejects(validate('a.test'), { code: REFUSED }, 'it is over');
  const socket = await handshake(httpsPort);
  assert.equal(serialOf(socket), (await deploySerial(source, 'a.test')) ?? '');
  socket.destroy();
});

async function deploySerial(source: MemorySource, host: string): Promise<string | undefined> {
  const chain = source.certificates.get(host)?.chain;
  return chain && new X509Certificate(chain).serialNumber.padStart(4, '0');
}
