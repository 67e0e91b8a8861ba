import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { limitPerAddress } from '../../server/src/edge/connections/limits.ts';
import { startSecureEdge } from './support/secure-edge.ts';

const from = (remoteAddress: string) =>
  Object.assign(new EventEmitter(), { remoteAddress }) as unknown as Socket;

test('an address has so many connections, and another when one of them ends', () => {
  const mayStay = limitPerAddress(2);
  const first = from('192.0.2.1');
  assert.ok(mayStay(first));
  assert.ok(mayStay(from('::ffff:192.0.2.1')));
  assert.equal(mayStay(from('192.0.2.1')), false);
  assert.ok(mayStay(from('192.0.2.2')));
  first.emit('close');
  assert.ok(mayStay(from('192.0.2.1')));
  assert.equal(mayStay(from('192.0.2.1')), false);
});

test('in IPv6 the network counts, however it is written', () => {
  const mayStay = limitPerAddress(2);
  assert.ok(mayStay(from('2001:db8::1')));
  assert.ok(mayStay(from('2001:db8:0:0:1:2:3:4')));
  assert.equal(mayStay(from('2001:db8::ffff:0:0:1')), false);
  assert.ok(mayStay(from('2001:db8:0:1::1')));
  assert.ok(mayStay(from('2001:db9::1')));
  assert.ok(mayStay(from('fe80::1%eth0')));
});

test('this machine, where a proxy may be, has as many as it likes', () => {
  const mayStay = limitPerAddress(1);
  for (const address of ['127.0.0.1', '127.0.0.1', '::1', '::1', '::ffff:127.0.0.1']) {
    assert.ok(mayStay(from(address)), address);
  }
});

test('the edge counts on each of its ports', async (t) => {
  const { port, httpsPort } = await startSecureEdge(t, { connectionsPerAddress: 20 });
  for (const each of [port, httpsPort]) {
    // An address of this machine that is not the one that proxies have.
    const open = () => connect({ host: '127.0.0.1', port: each, localAddress: '127.0.0.2' });
    const sockets: Socket[] = [];
    for (let at = 0; at < 20; at++) {
      const socket = open();
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      sockets.push(socket);
    }
    const refused = open();
    refused.on('error', () => undefined);
    await new Promise((resolve) => refused.once('close', resolve));
    assert.ok(sockets.every(({ closed }) => !closed));
    for (const socket of sockets) socket.destroy();
  }
});
